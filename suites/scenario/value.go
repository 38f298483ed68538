package scenario

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
)

// A text of an object or of a merge patch may have expressions in it: "${now - duration('9m30s')}"
// or "${jobs.a.metadata.uid}". A text that is one expression and nothing else becomes its value.
var inText = regexp.MustCompile(`\$\{([^}]*)\}`)

// valuesEnvironment is that of expressions, and now: the time of the step.
var valuesEnvironment = sync.OnceValues(func() (*cel.Env, error) {
	env, err := shared()
	if err != nil {
		return nil, err
	}
	return env.Extend(cel.Variable("now", cel.TimestampType))
})

// compileValue compiles an expression that stands in a text.
func compileValue(text string) (cel.Program, error) {
	env, err := valuesEnvironment()
	if err != nil {
		return nil, err
	}
	ast, issues := env.Compile(text)
	if issues.Err() != nil {
		return nil, fmt.Errorf("in ${%s}: %s", text, issues.Errors()[0].Message)
	}
	if refersTo(ast, "metrics") {
		return nil, fmt.Errorf("in ${%s}: %w", text, errNotWatched)
	}
	return programOf(env, ast)
}

// hasExpressions reports whether there is an expression in a text anywhere in a value of JSON.
func hasExpressions(value any) bool {
	found := false
	_, _ = eachText(value, func(text string) (any, error) {
		found = found || inText.MatchString(text)
		return text, nil
	})
	return found
}

// checkExpressions refuses those that do not compile, and what check refuses. Default: nothing.
func checkExpressions(value any, check func(text string) error) error {
	_, err := eachText(value, func(text string) (any, error) {
		for _, match := range inText.FindAllStringSubmatch(text, -1) {
			if _, err := compileValue(match[1]); err != nil {
				return nil, err
			}
			if check == nil {
				continue
			}
			if err := check(match[1]); err != nil {
				return nil, err
			}
		}
		return text, nil
	})
	return err
}

// fill returns the value with all expressions evaluated over the world at a time.
func fill(value any, world map[string]any, now time.Time) (any, error) {
	world["now"] = now
	return eachText(value, func(text string) (any, error) {
		if alone := inText.FindStringSubmatch(text); alone != nil && alone[0] == text {
			return valueOf(alone[1], world)
		}
		var wrong error
		filled := inText.ReplaceAllStringFunc(text, func(part string) string {
			v, err := valueOf(strings.TrimSuffix(strings.TrimPrefix(part, "${"), "}"), world)
			if err != nil {
				wrong = err
			}
			return fmt.Sprint(v)
		})
		return filled, wrong
	})
}

// valueOf returns a text, a number, or true or false; a time as in RFC 3339, in whole seconds.
func valueOf(text string, world map[string]any) (any, error) {
	program, err := compileValue(text)
	if err != nil {
		return nil, err
	}
	result, _, err := evaluate(program, world)
	if err != nil {
		return nil, fmt.Errorf("${%s}: %w", text, err)
	}
	switch v := result.(type) {
	case types.Timestamp:
		return v.UTC().Format(time.RFC3339), nil
	case types.String, types.Int, types.Bool, types.Double:
		return v.Value(), nil
	}
	return nil, fmt.Errorf("${%s} is a %s, and no text, number or time", text, result.Type().TypeName())
}

// eachText returns a copy of a value of JSON with its texts, but for names of fields, changed.
func eachText(value any, change func(string) (any, error)) (any, error) {
	var err error
	switch v := value.(type) {
	case string:
		return change(v)
	case map[string]any:
		all := make(map[string]any, len(v))
		for name, inner := range v {
			if all[name], err = eachText(inner, change); err != nil {
				return nil, err
			}
		}
		return all, nil
	case []any:
		all := make([]any, len(v))
		for i, inner := range v {
			if all[i], err = eachText(inner, change); err != nil {
				return nil, err
			}
		}
		return all, nil
	}
	return value, nil
}

// withoutExpressions returns the fields without those that are one expression and nothing else:
// their types are not known before it is evaluated.
func withoutExpressions(fields map[string]any) map[string]any {
	all := make(map[string]any, len(fields))
	for name, value := range fields {
		switch v := value.(type) {
		case string:
			if inText.FindString(v) == v && v != "" {
				continue
			}
		case map[string]any:
			value = withoutExpressions(v)
		case []any:
			var items []any
			for _, item := range v {
				if inner, ok := item.(map[string]any); ok {
					item = withoutExpressions(inner)
				}
				items = append(items, item)
			}
			value = items
		}
		all[name] = value
	}
	return all
}

// asJSON returns a value that was read from YAML as it would be read from JSON.
func asJSON(value map[string]any) (map[string]any, []byte, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, nil, err
	}
	var fields map[string]any
	return fields, text, json.Unmarshal(text, &fields)
}
