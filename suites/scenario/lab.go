package scenario

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/jobconformance/jobconformance/fixtures/run"
)

// With opens an environment without suites, calls do with a place for scenarios of
// the implementation in it, and closes the environment. Logs go below the run's
// reports. The context of do ends, too, when a part of the cluster ends.
func With(ctx context.Context, o run.Options, do func(context.Context, *run.Environment, Theatre) error) error {
	if o.Implementation.Warning != "" {
		fmt.Fprintln(o.Out, "note:", o.Implementation.Warning)
	}
	o.Bare = true
	return run.With(ctx, o, func(ctx context.Context, env *run.Environment) error {
		as, err := env.As()
		if err != nil {
			return err
		}
		return do(ctx, env, Theatre{
			Config: env.Config(), As: as, Implementation: o.Implementation, Builds: env.Builds,
			Version: env.Version(), Run: env.Name(), Folder: filepath.Join(env.Reports, "scenarios"),
		})
	})
}
