package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/console"
	"github.com/jobconformance/jobconformance/suites/guide"
	"github.com/spf13/cobra"
	"golang.org/x/mod/module"
)

func initCommand() *cobra.Command {
	return command("init [DIR]", "Write a Job controller to begin with",
		`Writes the first step of a Job controller in Go into a folder: controller.go with its go.mod, a
workflow for GitHub Actions, and expectations.yaml with all that the controller does not do yet. It
overwrites nothing. The guide `+guideURL+`
goes on from there.

Exit codes: 0 it was written, 2 bad input.`,
		"  jobconformance init my-controller",
		func(cmd *cobra.Command, args []string) error {
			return writeFirst(cmd.OutOrStdout(), cmp.Or(append(args, ".")...))
		})
}

const guideURL = "https://github.com/jobconformance/jobconformance/tree/main/suites/guide"

// writeFirst writes the files of a new controller, and says what comes next.
func writeFirst(out io.Writer, dir string) error {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	name := filepath.Base(absolute)
	if module.CheckImportPath("example.com/"+name) != nil {
		name = "my-controller"
	}
	files := guide.Files(name)
	paths := slices.Sorted(maps.Keys(files))
	for _, path := range paths {
		if _, err := os.Lstat(filepath.Join(dir, path)); err == nil {
			return badinput.New(filepath.Join(dir, path)+" is there already", "give another folder, as in "+
				console.Program("init")+" my-controller")
		}
	}
	for _, path := range paths {
		path, text := filepath.Join(dir, path), files[path]
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err == nil {
			err = os.WriteFile(path, []byte(text), 0o644)
		}
		if err != nil {
			return badinput.Wrap(err, "the controller cannot be written", "give a folder that can be written to")
		}
		fmt.Fprintln(out, "wrote", path)
	}
	fmt.Fprintf(out, `
next, in %s:
  go mod tidy && go build -o %s .
  %s -i 'exec:./%s --kubeconfig={kubeconfig}' --controllers=job --next
then go on with %s
`, dir, name, console.Program("run"), name, guideURL)
	return nil
}
