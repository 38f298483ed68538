package explore

import (
	"github.com/jobconformance/jobconformance/suites/internal/campaign"
	"github.com/jobconformance/jobconformance/suites/scenario"
)

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
	Text string `json:"text"` // digest of the scenario's
	Result
}

type key struct {
	Identity
	sc, text, plan string
}

func (l line) key() key { return key{l.Identity, l.Scenario, l.Text, l.Plan} }

// Results are those of all plans that were run. They are kept in a file, so that an
// exploration resumes. Methods may be called from many goroutines.
type Results struct {
	identity Identity
	*campaign.Results[key, line]
}

// OpenResults reads the results in a file; with fresh, those of this identity are
// removed.
func OpenResults(path string, identity Identity, fresh bool) (*Results, error) {
	all, err := campaign.OpenResults(path, line.key, func(l line) bool { return !fresh || l.Identity != identity })
	return &Results{identity, all}, err
}

func (r *Results) find(s Scenario, plan Plan) (Result, bool) {
	l, found := r.Find(key{r.identity, s.Name, s.digest(), plan.String()})
	return l.Result, found
}

// add saves the result of a plan that was run.
func (r *Results) add(s Scenario, result Result) error {
	return r.Add(line{r.identity, s.digest(), result})
}

// differences returns by implementation in which lines its end state under the same plan
// differs: "-" before those that only it has. Runs in which something was wrong have none.
func (r *Results) differences(s Scenario, o Result) map[string][]string {
	all := map[string][]string{}
	for _, other := range r.All() {
		same := other.Scenario == s.Name && other.Text == s.digest() && other.Plan == o.Plan &&
			other.Kubernetes == r.identity.Kubernetes
		compared := o.Reached && other.Reached && len(o.End) > 0 && len(other.End) > 0
		if !same || other.Implementation == r.identity.Implementation || !compared {
			continue
		}
		if lines := scenario.Differences(o.End, other.End); len(lines) > 0 {
			all[other.Implementation] = lines
		}
	}
	return all
}
