package prose

import (
	"fmt"
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// maxColumns is how long a line of Go code may be, where a tab takes four columns.
const maxColumns = 120

func TestLinesAreShort(t *testing.T) {
	for _, path := range files(t) {
		if filepath.Ext(path) != ".go" {
			continue
		}
		data, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range longLines(data) {
			t.Errorf("%s:%d is longer than %d columns; break it", path, line, maxColumns)
		}
	}
}

func TestLongLines(t *testing.T) {
	long := strings.Repeat("x", maxColumns)
	code := fmt.Sprintf("package a\n\nvar %s = `%s\n%s` +\n\t`y`\n\n//+kubebuilder:%s\n// %s\nfunc a%s() {}\n",
		"a", long, long, long, long, long)
	if got, want := longLines([]byte(code)), []int{8, 9}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// longLines returns the numbers of lines that are too long. What cannot be broken may be: raw
// strings, and comments that programs read.
func longLines(data []byte) (numbers []int) {
	set := token.NewFileSet()
	file := set.AddFile("", set.Base(), len(data))
	var s scanner.Scanner
	s.Init(file, data, nil, scanner.ScanComments)
	unbreakable := map[int]bool{}
	for {
		pos, kind, text := s.Scan()
		if kind == token.EOF {
			break
		}
		raw := kind == token.STRING && text[0] == '`'
		directive := kind == token.COMMENT && strings.HasPrefix(strings.TrimPrefix(text, "// "), "+kubebuilder:")
		if raw || directive || kind == token.COMMENT && strings.HasPrefix(text, "//+") {
			first := file.Line(pos)
			for line := range strings.Count(text, "\n") + 1 {
				unbreakable[first+line] = true
			}
		}
	}
	for i, line := range strings.Split(string(data), "\n") {
		if utf8.RuneCountInString(strings.ReplaceAll(line, "\t", "    ")) > maxColumns && !unbreakable[i+1] {
			numbers = append(numbers, i+1)
		}
	}
	return numbers
}
