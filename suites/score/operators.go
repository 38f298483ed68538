package score

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// mutator makes the mutants of one declaration.
type mutator struct {
	*source
	file  *file
	decl  int
	name  string     // of the function or variable
	stack []ast.Node // the nodes around the current one, and that
	made  []*Mutant
}

// mutate returns the mutants of one declaration of a file.
func mutate(s *source, f *file, n int, decl ast.Decl) []*Mutant {
	m := &mutator{source: s, file: f, decl: n}
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Body != nil && d.Name.Name != "init" {
			m.name = functionName(f, d)
			m.walk(d.Body)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			if v, ok := spec.(*ast.ValueSpec); ok && d.Tok == token.VAR && len(v.Names) == 1 && len(v.Values) == 1 &&
				v.Names[0].Name != "_" {
				m.name = v.Names[0].Name
				m.walk(v.Values[0])
			}
		}
	}
	return m.made
}

func (m *mutator) walk(root ast.Node) {
	ast.Inspect(root, func(n ast.Node) bool {
		if n == nil {
			m.stack = m.stack[:len(m.stack)-1]
			return true
		}
		if call, ok := n.(*ast.CallExpr); ok && quiet(call) {
			return false
		}
		m.stack = append(m.stack, n)
		m.visit(n)
		return true
	})
}

// quiet reports whether a call is about logs, metrics or events: the contract demands none
// of a controller.
func quiet(call *ast.CallExpr) bool {
	if selector, ok := call.Fun.(*ast.SelectorExpr); ok &&
		slices.Contains([]string{"Event", "Eventf", "AnnotatedEventf"}, selector.Sel.Name) {
		return true
	}
	for at := ast.Expr(call.Fun); ; {
		switch e := at.(type) {
		case *ast.SelectorExpr:
			at = e.X
		case *ast.CallExpr:
			at = e.Fun
		case *ast.Ident:
			return slices.Contains([]string{"logger", "klog", "metrics", "utilruntime"}, e.Name) ||
				strings.HasPrefix(e.Name, "recordJobPod") || strings.HasPrefix(e.Name, "recordFinishedPod")
		default:
			return false
		}
	}
}

// swaps are operators, and what stands for each of them instead.
var swaps = map[token.Token][]token.Token{
	token.EQL: {token.NEQ}, token.NEQ: {token.EQL},
	token.LSS: {token.LEQ, token.GEQ}, token.LEQ: {token.LSS, token.GTR},
	token.GTR: {token.GEQ, token.LEQ}, token.GEQ: {token.GTR, token.LSS},
	token.LAND: {token.LOR}, token.LOR: {token.LAND},
	token.ADD: {token.SUB}, token.SUB: {token.ADD}, token.MUL: {token.QUO}, token.QUO: {token.MUL},
	token.REM:        {token.MUL},
	token.ADD_ASSIGN: {token.SUB_ASSIGN}, token.SUB_ASSIGN: {token.ADD_ASSIGN},
	token.INC: {token.DEC}, token.DEC: {token.INC},
}

func (m *mutator) visit(n ast.Node) {
	switch n := n.(type) {
	case *ast.IfStmt:
		m.negate(n.Cond)
		m.empty("branch removed", n.Body, n.Body.Lbrace+1, n.Body.Rbrace)
		if other, ok := n.Else.(*ast.BlockStmt); ok {
			m.empty("branch removed", other, other.Lbrace+1, other.Rbrace)
		}
	case *ast.ForStmt:
		if n.Cond != nil {
			m.negate(n.Cond)
		}
	case *ast.CaseClause:
		for _, e := range n.List {
			if m.boolean(e) {
				m.negate(e)
			}
		}
		if len(n.Body) > 0 {
			m.empty("case removed", n, n.Colon+1, n.Body[len(n.Body)-1].End())
		}
	case *ast.BinaryExpr:
		m.binary(n)
	case *ast.UnaryExpr:
		if n.Op == token.NOT {
			m.add("negation dropped", n.OpPos, n.OpPos+1, "")
		}
	case *ast.IncDecStmt:
		m.swap(n.TokPos, n.Tok)
	case *ast.AssignStmt:
		switch {
		case n.Tok == token.ASSIGN:
			m.remove("assignment removed", n)
		case n.Tok != token.DEFINE:
			m.swap(n.TokPos, n.Tok)
		}
	case *ast.ExprStmt:
		m.remove("call removed", n)
	case *ast.SendStmt:
		m.remove("send removed", n)
	case *ast.DeferStmt:
		m.remove("defer removed", n)
	case *ast.GoStmt:
		m.remove("goroutine removed", n)
	case *ast.BranchStmt:
		if n.Tok == token.BREAK || n.Tok == token.CONTINUE {
			m.remove(n.Tok.String()+" removed", n)
		}
		if n.Tok == token.CONTINUE {
			m.add("break for continue", n.Pos(), n.Pos()+token.Pos(len("continue")), "break")
		}
	case *ast.ReturnStmt:
		for _, result := range n.Results {
			m.result(result)
		}
	case *ast.BasicLit, *ast.Ident, *ast.SelectorExpr:
		m.constant(n.(ast.Expr))
	case *ast.CompositeLit:
		m.fields(n)
	}
}

// negate is for a condition that no other operator negates.
func (m *mutator) negate(cond ast.Expr) {
	switch e := ast.Unparen(cond).(type) {
	case *ast.UnaryExpr:
		return
	case *ast.BinaryExpr:
		if e.Op != token.LAND && e.Op != token.LOR {
			return
		}
	}
	m.add("condition negated", cond.Pos(), cond.End(), "!("+m.file.of(cond)+")")
}

func (m *mutator) binary(e *ast.BinaryExpr) {
	if m.info.Types[e].Value != nil {
		return
	}
	switch e.Op {
	case token.LAND, token.LOR:
		m.add("operand dropped", e.Pos(), e.End(), m.file.of(e.X))
		m.add("operand dropped", e.Pos(), e.End(), m.file.of(e.Y))
	case token.ADD:
		if !m.is(e, types.IsNumeric) {
			return
		}
	}
	m.swap(e.OpPos, e.Op)
}

// swap makes a mutant for each operator that can stand for the one at a position.
func (m *mutator) swap(at token.Pos, op token.Token) {
	for _, other := range swaps[op] {
		m.add("operator changed", at, at+token.Pos(len(op.String())), other.String())
	}
}

// result changes one that a function returns.
func (m *mutator) result(e ast.Expr) {
	t := m.info.Types[e]
	if t.Type == nil || t.IsNil() || t.Value != nil {
		return
	}
	switch under := t.Type.Underlying().(type) {
	case *types.Interface, *types.Pointer, *types.Slice, *types.Map, *types.Signature:
		m.add("nil returned", e.Pos(), e.End(), "nil")
	case *types.Basic:
		switch {
		case under.Info()&types.IsBoolean != 0:
			if u, ok := e.(*ast.UnaryExpr); !ok || u.Op != token.NOT {
				m.add("result negated", e.Pos(), e.End(), "!("+m.file.of(e)+")")
			}
		case under.Info()&types.IsInteger != 0:
			m.add("result changed", e.Pos(), e.End(), "("+m.file.of(e)+") + 1")
		}
	}
}

// constant changes a boolean, a number or a duration.
func (m *mutator) constant(e ast.Expr) {
	t := m.info.Types[e]
	if id, ok := e.(*ast.Ident); ok { // those of selectors and of keys are not constants of their own
		if selector, is := m.parent().(*ast.SelectorExpr); is && selector.Sel == id {
			return
		}
		if of, is := m.info.Uses[id].(*types.Const); is {
			t.Type, t.Value = of.Type(), of.Val()
		}
	}
	if t.Value == nil {
		return
	}
	text := m.file.of(e)
	switch t.Value.Kind() {
	case constant.Bool:
		if text == "true" || text == "false" {
			m.add("constant changed", e.Pos(), e.End(), map[string]string{"true": "false", "false": "true"}[text])
		}
	case constant.Int:
		_, literal := e.(*ast.BasicLit)
		switch {
		case types.TypeString(t.Type, nil) != "time.Duration":
			m.add("constant changed", e.Pos(), e.End(), "("+text+" + 1)")
		case literal || !m.inProduct():
			m.add("constant changed", e.Pos(), e.End(), "("+text+" * 4)")
		}
	}
}

// inProduct reports whether the current node is multiplied with another.
func (m *mutator) inProduct() bool {
	product, ok := m.parent().(*ast.BinaryExpr)
	return ok && product.Op == token.MUL
}

// parent returns the node around the current one; nil if there is none.
func (m *mutator) parent() ast.Node {
	if len(m.stack) < 2 {
		return nil
	}
	return m.stack[len(m.stack)-2]
}

// fields leaves out each of the fields of a struct.
func (m *mutator) fields(lit *ast.CompositeLit) {
	t := m.info.Types[lit].Type
	if t == nil {
		return
	}
	if _, ok := t.Underlying().(*types.Struct); !ok {
		return
	}
	for _, e := range lit.Elts {
		if pair, ok := e.(*ast.KeyValueExpr); ok {
			end := m.file.offset(pair.End())
			if strings.HasPrefix(m.file.text[end:], ",") {
				end++
			}
			m.put("field left out", edit{m.file.offset(pair.Pos()), end, ""})
		}
	}
}

func (m *mutator) boolean(e ast.Expr) bool { return m.is(e, types.IsBoolean) }

func (m *mutator) is(e ast.Expr, info types.BasicInfo) bool {
	t := m.info.Types[e]
	if t.Type == nil || t.Value != nil {
		return false
	}
	basic, ok := t.Type.Underlying().(*types.Basic)
	return ok && basic.Info()&info != 0
}
