package mutant

import (
	"fmt"
	"io/fs"
	"strings"

	"sigs.k8s.io/yaml"
)

// Read returns the controllers that the YAML files describe whose paths match a pattern, ordered by these. named
// gives one its name, the path without .yaml.
func Read[T any](files fs.FS, pattern string, named func(of *T, name string)) (all []T, err error) {
	paths, err := fs.Glob(files, pattern)
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		data, err := fs.ReadFile(files, path)
		if err != nil {
			return nil, err
		}
		var one T
		if err := yaml.UnmarshalStrict(data, &one); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		named(&one, strings.TrimSuffix(path, ".yaml"))
		all = append(all, one)
	}
	return all, nil
}
