package score

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

func TestBlocksThatNoSpecReaches(t *testing.T) {
	s := parsed(t, `
func f(a int) int {
	if a > 1 {
		a++
		if a > 2 {
			a += 2
		}
	}
	a--
	return a
}

func g() {
	println(1)
	go func() { println(2) }()
}

func h() { println("a | b") }
`)
	const name = "b.go"
	numbers, of := number([]*source{s}), map[string]int{}
	for _, decl := range s.files[0].ast.Decls {
		for _, p := range places(s.files[0], decl, numbers) {
			of[p.text] = p.number
		}
	}
	reached := map[int]bool{}
	for _, text := range []string{"a--", "println(1)"} {
		reached[of[text]] = true
	}
	for text, number := range of {
		if strings.HasPrefix(text, "if a > 1") {
			reached[number] = true
		}
	}
	list := List{
		LeftOut:   []LeftOut{{File: name, Functions: []string{"h"}, Reason: "nobody calls it"}},
		Unreached: []Unreached{{File: name, Function: "g", Begins: "go func", Reason: "it takes too long"}},
	}
	c := coverage([]*source{s}, numbers, reached, list, nil)
	c.Version, c.Specs = "v1", 2
	want := []Block{
		{name, "f", 5, 8, "a++", 3, ""},
		{name, "f", 11, 11, "return a", 1, ""},
		{name, "g", 16, 16, "go func() { println(2) }()", 2, "it takes too long"},
		{name, "h", 19, 19, `println("a | b")`, 1, "nobody calls it"},
	}
	if !slices.Equal(c.Blocks, want) {
		t.Errorf("%+v\nwant\n%+v", c.Blocks, want)
	}
	if got := c.Total(); got != (FileCoverage{Statements: 10, Reached: 3, LeftOut: 3}) {
		t.Errorf("%+v", got)
	}
	const line = "42.9 % of 7 statements that can be reached were, by 2 specs " +
		"(v1: 3 reached, 3 left out with a reason, 4 in 2 blocks are not reached)"
	if c.String() != line {
		t.Error(c)
	}
	var text bytes.Buffer
	if err := c.Write(&text); err != nil || !strings.Contains(text.String(), `println("a \| b")`) {
		t.Errorf("%v:\n%s", err, &text)
	}
}
