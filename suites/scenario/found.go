package scenario

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/parser"
)

// found returns what the parts of an expression are that are compared, as in
// ", jobs.a.status.failed is 1"; nothing where no part has a value.
func (e expression) found(world map[string]any) string {
	_, details, _ := evaluate(e.parts, world)
	if details == nil {
		return ""
	}
	var all []string
	root := e.ast.NativeRep().Expr()
	for _, part := range compared(root) {
		value, has := details.State().Value(part.ID())
		if !has || types.IsUnknownOrError(value) || part.ID() == root.ID() {
			continue
		}
		text, err := parser.Unparse(part, e.ast.NativeRep().SourceInfo())
		if line := text + " is " + short(value); err == nil && !slices.Contains(all, line) {
			all = append(all, line)
		}
	}
	if len(all) == 0 {
		return ""
	}
	return ", " + strings.Join(all, ", ")
}

// fewer reports whether a value has fewer values in it than can be shown: it may have the same one many times.
func fewer(value ref.Val, seen *int) bool {
	if *seen++; *seen > shown {
		return false
	}
	list, ok := value.(traits.Iterable)
	if !ok {
		return true
	}
	for i := list.Iterator(); i.HasNext() == types.True; {
		next := i.Next()
		if !fewer(next, seen) {
			return false
		}
		if of, ok := value.(traits.Mapper); ok && !fewer(of.Get(next), seen) {
			return false
		}
	}
	return true
}

// comparisons are the operators whose operands say why they are false.
var comparisons = []string{operators.Equals, operators.NotEquals, operators.Less, operators.LessEquals,
	operators.Greater, operators.GreaterEquals, operators.In}

// compared returns the parts of an expression between its logical operators: of a comparison those that are
// not fixed, and others as they are.
func compared(e ast.Expr) (parts []ast.Expr) {
	if e.Kind() != ast.CallKind {
		return []ast.Expr{e}
	}
	call := e.AsCall()
	switch name := call.FunctionName(); {
	case slices.Contains([]string{operators.LogicalAnd, operators.LogicalOr, operators.LogicalNot,
		operators.Conditional}, name):
		for _, arg := range call.Args() {
			parts = append(parts, compared(arg)...)
		}
	case slices.Contains(comparisons, name):
		for _, arg := range call.Args() {
			if arg.Kind() != ast.LiteralKind && arg.Kind() != ast.ListKind {
				parts = append(parts, arg)
			}
		}
	default:
		parts = append(parts, e)
	}
	return parts
}

// shown is how many values a value may have in it that is shown.
const shown = 10_000

// short returns a value in JSON, without its middle where it is long.
func short(value ref.Val) string {
	if !fewer(value, new(int)) {
		return "a " + value.Type().TypeName() + " of more than " + fmt.Sprint(shown) + " values"
	}
	text := fmt.Sprint(value.Value())
	if native, err := json.Marshal(value.Value()); err == nil {
		text = string(native)
	}
	const limit = 80
	if letters := []rune(text); len(letters) > limit {
		text = string(letters[:limit/2]) + " ... " + string(letters[len(letters)-limit/2:])
	}
	return text
}
