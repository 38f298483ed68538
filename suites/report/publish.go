package report

import (
	"path/filepath"

	"github.com/jobconformance/jobconformance/suites/catalogue"
)

// HistoriesName is the folder of saved histories, beside the report.
const HistoriesName = "histories"

// Publish judges a run and writes what is known of it into a folder: the report
// and the page, with pictures of the histories that are saved there. again gives
// the command that runs one spec again, by its text.
func Publish(folder string, run Run, again func(spec string) string) (*Report, error) {
	pictures, files, err := Pictures(filepath.Join(folder, HistoriesName), folder)
	if err != nil {
		return nil, err
	}
	run.Histories = files
	r := Judge(run, catalogue.All())
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
