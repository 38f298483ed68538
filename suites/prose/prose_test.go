// Package prose keeps words out of the repository that a Kubernetes engineer
// would have to learn first. words.yaml is the list.
package prose

import (
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"sigs.k8s.io/yaml"
)

const root = "../.."

// rule is an entry of words.yaml.
type rule struct {
	Words       []string `json:"words"`
	Say         string   `json:"say"`
	Identifiers bool     `json:"identifiers"`
	In          []string `json:"in"`
	Except      []string `json:"except"`
}

// appliesTo reports whether the rule is about the file at path.
func (r rule) appliesTo(path string) bool {
	below := func(prefix string) bool { return strings.HasPrefix(path, prefix) }
	return (len(r.In) == 0 || slices.ContainsFunc(r.In, below)) && !slices.ContainsFunc(r.Except, below)
}

// word is one word of a file, in lower case.
type word struct {
	text       string
	line       int
	identifier bool
}

// hit is a dropped word in a file.
type hit struct {
	path  string
	line  int
	words string
	say   string
}

func TestDroppedWords(t *testing.T) {
	rules := readRules(t)
	var hits []hit
	for _, path := range files(t) {
		data, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			t.Fatal(err)
		}
		hits = append(hits, find(rules, path, split(path, data))...)
	}
	for _, h := range hits {
		t.Errorf("%s:%d: %q; say %s", h.path, h.line, h.words, h.say)
	}
}

func TestFind(t *testing.T) {
	rules := []rule{
		{Words: []string{"stock"}},
		{Words: []string{"of itself"}},
		{Words: []string{"whole"}, Identifiers: true, Except: []string{"b/"}},
	}
	const code = "package a\n\n// It ends of\n// itself as a whole.\nfunc takeStock(whole int) " +
		"string { return \"Stock\" }\n"
	var found []string
	for _, path := range []string{"a/a.go", "b/b.go", "README.md"} {
		for _, h := range find(rules, path, split(path, []byte(code))) {
			found = append(found, fmt.Sprintf("%s:%d %s", h.path, h.line, h.words))
		}
	}
	want := []string{
		"a/a.go:5 stock", "a/a.go:5 stock", "a/a.go:3 of itself", "a/a.go:5 whole",
		"b/b.go:5 stock", "b/b.go:5 stock", "b/b.go:3 of itself",
		"README.md:5 stock", "README.md:5 stock", "README.md:3 of itself",
	}
	if !slices.Equal(found, want) {
		t.Errorf("found %q, want %q", found, want)
	}
}

func readRules(t *testing.T) (rules []rule) {
	data, err := os.ReadFile("words.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalStrict(data, &rules); err != nil {
		t.Fatal(err)
	}
	return rules
}

// files lists what is written by hand, with paths from the root.
func files(t *testing.T) (paths []string) {
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		path, err = filepath.Rel(root, path)
		switch {
		case err != nil:
			return err
		case d.IsDir():
			if slices.Contains([]string{".git", "bin", "dist", "reports", "suites/prose"}, path) {
				return filepath.SkipDir
			}
		case slices.Contains([]string{".go", ".md", ".yaml", ".sh", ".html"}, filepath.Ext(path)),
			filepath.Base(path) == "Makefile", strings.HasPrefix(path, ".ci/"):
			paths = append(paths, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

func find(rules []rule, path string, words []word) (hits []hit) {
	for _, r := range rules {
		if !r.appliesTo(path) {
			continue
		}
		for _, dropped := range r.Words {
			phrase := strings.Fields(dropped)
			for i := range words {
				if r.Identifiers && !words[i].identifier || !startsWith(words[i:], phrase) {
					continue
				}
				hits = append(hits, hit{path, words[i].line, dropped, r.Say})
			}
		}
	}
	return hits
}

func startsWith(words []word, phrase []string) bool {
	return len(words) >= len(phrase) && slices.EqualFunc(words[:len(phrase)], phrase, func(w word, text string) bool {
		return w.text == text
	})
}

// ids of requirements and invariants.
var ids = regexp.MustCompile(`\b(JOB|CRON|API|WEBHOOK|STATUS)-[A-Z-]+\b|\b(job|cronjob|cron)-[a-z]+(-[a-z]+)*\b`)

// split returns the words of a file, where an identifier of Go is as many as it
// is made of.
func split(path string, data []byte) (words []word) {
	add := func(text string, line int, identifier bool) {
		for _, l := range strings.SplitAfter(ids.ReplaceAllString(text, ""), "\n") {
			for _, w := range wordsOf(l) {
				words = append(words, word{strings.ToLower(w), line, identifier})
			}
			line += strings.Count(l, "\n")
		}
	}
	if filepath.Ext(path) != ".go" {
		add(string(data), 1, false)
		return words
	}
	set := token.NewFileSet()
	file := set.AddFile(path, set.Base(), len(data))
	var s scanner.Scanner
	s.Init(file, data, nil, scanner.ScanComments)
	for {
		pos, kind, literal := s.Scan()
		switch kind {
		case token.EOF:
			return words
		case token.IDENT, token.COMMENT, token.STRING:
			add(literal, file.Line(pos), kind == token.IDENT)
		}
	}
}

// wordsOf splits at all that is no letter, and where camel case begins a word:
// "podsToCreate" is three, "URLPath" two.
func wordsOf(text string) (words []string) {
	runes := []rune(text)
	start := 0
	flush := func(end int) {
		if start < end {
			words = append(words, string(runes[start:end]))
		}
	}
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r):
			flush(i)
			start = i + 1
		case i > start && unicode.IsUpper(r) &&
			(unicode.IsLower(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])):
			flush(i)
			start = i
		}
	}
	flush(len(runes))
	return words
}
