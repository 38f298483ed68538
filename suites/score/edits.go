package score

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// remove replaces a statement by uses of its variables, which a compiler demands.
func (m *mutator) remove(operator string, n ast.Stmt) {
	if call, ok := n.(*ast.ExprStmt); ok {
		if c, is := call.X.(*ast.CallExpr); is && quiet(c) {
			return
		}
	}
	if d, ok := n.(*ast.DeferStmt); ok && quiet(d.Call) {
		return
	}
	m.add(operator, n.Pos(), n.End(), "{"+m.uses(n)+"}")
}

// empty is remove for the statements between two positions of a node.
func (m *mutator) empty(operator string, n ast.Node, from, to token.Pos) {
	inside := m.file.text[m.file.offset(from):m.file.offset(to)]
	if strings.TrimSpace(inside) == "" || m.onlyQuiet(n) {
		return
	}
	// It is reached only where the block is.
	m.add(operator, from, to, " "+m.uses(n)).node = node{m.file, m.file.offset(statements(n)[0].Pos())}
}

// onlyQuiet reports whether all statements of a block are calls that are quiet.
func (m *mutator) onlyQuiet(n ast.Node) bool {
	list := statements(n)
	return !slices.ContainsFunc(list, func(s ast.Stmt) bool {
		e, ok := s.(*ast.ExprStmt)
		if !ok {
			return true
		}
		call, ok := e.X.(*ast.CallExpr)
		return !ok || !quiet(call)
	})
}

// statements returns the list of statements that a node is or has; nil if it has none.
func statements(n ast.Node) []ast.Stmt {
	switch n := n.(type) {
	case *ast.BlockStmt:
		return n.List
	case *ast.CaseClause:
		return n.Body
	case *ast.CommClause:
		return n.Body
	}
	return nil
}

// uses are assignments of all variables in a node that are declared elsewhere in the
// function to the blank identifier.
func (m *mutator) uses(n ast.Node) string {
	var names []string
	ast.Inspect(n, func(at ast.Node) bool {
		id, ok := at.(*ast.Ident)
		if !ok {
			return true
		}
		v, ok := m.info.Uses[id].(*types.Var)
		if ok && !v.IsField() && v.Parent() != nil && v.Parent() != m.pkg.Scope() &&
			(v.Pos() < n.Pos() || v.Pos() >= n.End()) && !slices.Contains(names, id.Name) {
			names = append(names, id.Name)
		}
		return true
	})
	var text strings.Builder
	for _, name := range names {
		text.WriteString("_ = " + name + "; ")
	}
	return text.String()
}

// add makes a mutant in which another text stands between two positions.
func (m *mutator) add(operator string, from, to token.Pos, text string) *Mutant {
	return m.put(operator, edit{m.file.offset(from), m.file.offset(to), text})
}

func (m *mutator) put(operator string, e edit) *Mutant {
	before, after := m.file.text[e.from:e.to], ""
	if removal := strings.HasSuffix(operator, "removed") || strings.HasSuffix(operator, "out"); !removal {
		start := strings.LastIndex(m.file.text[:e.from], "\n") + 1
		end := e.to + strings.Index(m.file.text[e.to:]+"\n", "\n")
		before, after = m.file.text[start:end], " → "+short(m.file.text[start:e.from]+e.text+m.file.text[e.to:end])
	}
	made := &Mutant{
		File: m.file.name, Function: m.name, Line: 1 + strings.Count(m.file.text[:e.from], "\n"), Operator: operator,
		Change: short(before) + after,
		file:   m.file, source: m.source, decl: m.decl, edits: []edit{e}, node: m.statement(),
	}
	m.made = append(m.made, made)
	return made
}

// statement returns the innermost statement of a list that has the current node.
func (m *mutator) statement() node {
	for i := len(m.stack) - 1; i > 0; i-- {
		if s, ok := m.stack[i].(ast.Stmt); ok && slices.Contains(statements(m.stack[i-1]), s) && !clause(s) {
			return node{m.file, m.file.offset(s.Pos())}
		}
	}
	return node{}
}

// clause reports whether a statement is one of a switch or select.
func clause(s ast.Stmt) bool {
	switch s.(type) {
	case *ast.CaseClause, *ast.CommClause:
		return true
	}
	return false
}
