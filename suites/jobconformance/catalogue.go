package main

import (
	"context"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/jobconformance/jobconformance/fixtures/console"
	"github.com/jobconformance/jobconformance/fixtures/run/folder"
	"github.com/jobconformance/jobconformance/fixtures/version"
	"github.com/jobconformance/jobconformance/suites/catalogue"
	"github.com/spf13/cobra"
)

const catalogueHelp = `Writes a static site: a page for each requirement, with its source, its specs and their code, the wrong
controllers that prove it, and the known bugs that break it; a page for each known bug of Kubernetes and
for each behaviour; and the published reports, compared. index.html searches all of them. The site needs
no server, and is readable without JavaScript. Where the folder has an earlier one, pages that are gone are
removed; files of others are left alone.

Exit codes: 0 it was written, 2 bad input, 3 the harness failed.`

func catalogueCommand() *cobra.Command {
	var into string
	c := command("catalogue", "Write requirements, specs and known bugs as a static site", catalogueHelp,
		"  jobconformance catalogue --output-dir=site",
		func(cmd *cobra.Command, _ []string) error {
			return writeCatalogue(cmd.Context(), cmd.OutOrStdout(), into)
		})
	c.Flags().StringVar(&into, "output-dir", folder.Default("catalogue"),
		"folder for the site; by default below $ARTIFACTS, where it is set")
	return c
}

func writeCatalogue(ctx context.Context, out io.Writer, into string) error {
	reports, err := folder.Open(into)
	if err != nil {
		return err
	}
	defer reports.Close()
	specs, err := allSpecs(ctx)
	if err != nil {
		return err
	}
	content, err := catalogue.Load(specs, version.Suite())
	if err != nil {
		return err
	}
	files, err := content.Files()
	if err != nil {
		return err
	}
	names := slices.Sorted(maps.Keys(files))
	if err := reports.Claim(append(names, catalogue.Folders()...)...); err != nil {
		return err
	}
	size := 0
	for _, name := range names {
		path := filepath.Join(reports.Dir, filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err == nil {
			err = os.WriteFile(path, files[name], 0o644)
		}
		if err != nil {
			return folder.Unwritable(err)
		}
		size += len(files[name])
	}
	console.Line(out, console.Path(filepath.Join(reports.Dir, "index.html")), "%d files, %.1f MB", len(names),
		float64(size)/1e6)
	return nil
}
