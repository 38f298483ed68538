package report

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/jobconformance/jobconformance/fixtures/protocol"
	"github.com/jobconformance/jobconformance/suites/contract/table"
)

// HistoriesName is the folder of saved histories, beside the report.
const HistoriesName = "histories"

// Publish judges a run and writes what is known of it into a folder: the report
// and the page, with pictures of the histories that are saved there, of which
// then those are kept that keep says. again gives the
// command that runs one spec again, by its text.
func Publish(folder string, run Run, keep protocol.Keep, again func(spec string) string) (*Report, error) {
	pictures, files, err := Pictures(filepath.Join(folder, HistoriesName), folder)
	if err != nil {
		return nil, err
	}
	if run.Histories, err = prune(folder, files, keep, run.Specs); err != nil {
		return nil, err
	}
	r := Judge(run, table.All())
	for _, s := range run.Specs {
		p := pictures[s.Text]
		p.Again = again(s.Text)
		pictures[s.Text] = p
	}
	if err := Write(folder, r); err != nil {
		return nil, err
	}
	return r, WritePage(folder, r, pictures)
}

// prune removes the histories that are not to be kept, and returns the others.
func prune(folder string, files map[string]string, keep protocol.Keep, specs []protocol.Spec) (map[string]string, error) {
	kept := map[string]string{}
	for spec, file := range files {
		failed := slices.ContainsFunc(specs, func(s protocol.Spec) bool { return s.Failed && s.Text == spec })
		if keep.Saves(failed) {
			kept[spec] = file
			continue
		}
		if err := os.Remove(filepath.Join(folder, file)); err != nil {
			return nil, err
		}
	}
	return kept, nil
}
