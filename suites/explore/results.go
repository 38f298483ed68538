package explore

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	"github.com/jobconformance/jobconformance/suites/internal/resume"
)

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

// Identity is what must be the same for a result to be of use again.
type Identity struct {
	Implementation string `json:"implementation"`
	// Program is a digest of the implementation's binary.
	Program    string `json:"program"`
	Kubernetes string `json:"kubernetes"` // as in v1.37.1
}

// line is one of the file of results.
type line struct {
	Identity
	Text string `json:"text"` // digest of the sc's
	Outcome
}

type key struct {
	Identity
	sc, text, plan string
}

func (l line) key() key { return key{l.Identity, l.Scenario, l.Text, l.Plan} }

// Results are the outcomes of all plans that were run. They are kept in a file, so
// that an exploration resumes. Methods may be called from many goroutines.
type Results struct {
	identity Identity
	mu       sync.Mutex
	file     *resume.File[line]
	known    map[key]Outcome
}

// OpenResults reads the results in a file; with fresh, those of this identity are
// removed.
func OpenResults(path string, identity Identity, fresh bool) (*Results, error) {
	file, lines, err := resume.Open(path, func(l line) bool { return !fresh || l.Identity != identity })
	if err != nil {
		return nil, err
	}
	r := &Results{identity: identity, file: file, known: map[key]Outcome{}}
	for _, l := range lines {
		r.known[l.key()] = l.Outcome
	}
	return r, nil
}

func (r *Results) find(s Scenario, plan Plan) (Outcome, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	o, found := r.known[key{r.identity, s.Name, s.digest(), plan.String()}]
	return o, found
}

// add saves the outcome of a plan that was run.
func (r *Results) add(s Scenario, plan Plan, o Outcome) error {
	r.mu.Lock()
	r.known[key{r.identity, s.Name, s.digest(), plan.String()}] = o
	r.mu.Unlock()
	return r.file.Append(line{r.identity, s.digest(), o})
}

// Close closes the file.
func (r *Results) Close() error { return r.file.Close() }
