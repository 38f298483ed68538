package scenario

import (
	"path/filepath"

	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/fixtures/run"
)

// In is the theatre of a run that is open: logs go below the run's reports.
func In(lab *run.Lab, impl implementation.Implementation) (Theatre, error) {
	as, err := lab.As()
	if err != nil {
		return Theatre{}, err
	}
	return Theatre{
		Config: lab.Config(), As: as, Implementation: impl, Builds: lab.Builds,
		Version: lab.Version(), Run: lab.Name(), Folder: filepath.Join(lab.Reports, "scenarios"),
	}, nil
}
