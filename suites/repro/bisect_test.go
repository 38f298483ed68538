package repro

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
)

// releases are v1.0.0 to v1.(n-1).0.
func releases(n int) (versions []string) {
	for i := range n {
		versions = append(versions, fmt.Sprintf("v1.%d.0", i))
	}
	return versions
}

func TestSearchFindsEveryChange(t *testing.T) {
	for n := 2; n <= 40; n++ {
		for change := 1; change < n; change++ {
			for _, firstIs := range []bool{true, false} {
				versions, tries := releases(n), map[string]int{}
				last, first, unknown, err := search(versions, func(v string) (bool, error) {
					tries[v]++
					return slices.Index(versions, v) >= change == firstIs, nil
				})
				if err != nil || last != versions[change-1] || first != versions[change] || len(unknown) > 0 {
					t.Fatalf("%d of %d: %s, %s, %v, %v", change, n, last, first, unknown, err)
				}
				bound := 2 // the ends
				for rest := n - 1; rest > 1; rest = (rest + 1) / 2 {
					bound++
				}
				for v, times := range tries {
					if times > 1 {
						t.Errorf("%d of %d: %s was run %d times", change, n, v, times)
					}
				}
				if len(tries) > bound {
					t.Errorf("%d of %d: %d versions were run, want no more than %d", change, n, len(tries), bound)
				}
			}
		}
	}
}

func TestSearchPassesOverWhatCannotBeBuilt(t *testing.T) {
	versions := releases(12)
	broken := []string{"v1.2.0", "v1.5.0", "v1.6.0", "v1.9.0"}
	last, first, unknown, err := search(versions, func(v string) (bool, error) {
		if slices.Contains(broken, v) {
			return false, badinput.New(v+" cannot be built", "take another")
		}
		return slices.Index(versions, v) >= 6, nil
	})
	if err != nil || last != "v1.4.0" || first != "v1.7.0" || !slices.Equal(unknown, []string{"v1.5.0", "v1.6.0"}) {
		t.Errorf("%s, %s, %v, %v", last, first, unknown, err)
	}
	c := Change{Reproduction{Version: last, Score: Score{0, 3}}, Reproduction{Version: first, Score: Score{1, 3}},
		unknown}
	const want = "first red: v1.7.0 (last green: v1.4.0); between them, these could not be built: v1.5.0, v1.6.0"
	if c.String() != want {
		t.Errorf("%s\nwant %s", c, want)
	}
}

func TestSearchEnds(t *testing.T) {
	failed := errors.New("no cluster")
	for name, c := range map[string]struct {
		red  func(string) (bool, error)
		want string
		bad  bool
	}{
		"both green": {func(string) (bool, error) {
			return false, nil
		}, "v1.0.0 and v1.4.0 are both green", true},
		"both red": {func(string) (bool, error) { return true, nil }, "are both red", true},
		"an end not built": {func(v string) (bool, error) {
			return false, badinput.New(v+" cannot be built", "take another")
		}, "v1.0.0 cannot be built", true},
		"the harness failed": {func(v string) (bool, error) {
			return v > "v1.2", map[bool]error{v == "v1.2.0": failed}[true]
		}, "no cluster", false},
	} {
		_, _, _, err := search(releases(5), c.red)
		if err == nil || !strings.Contains(err.Error(), c.want) || badinput.Is(err) != c.bad {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestBetweenIsSorted(t *testing.T) {
	got := Between([]string{"v1.36.10", "v1.36.9", "v1.36.1", "v1.35.3", "v1.37.2", "v1.37.0-rc.1"}, "v1.35.4",
		"v1.37.1")
	if want := []string{"v1.35.4", "v1.36.1", "v1.36.9", "v1.36.10", "v1.37.0-rc.1", "v1.37.1"}; !slices.Equal(got,
		want) {
		t.Errorf("%v, want %v", got, want)
	}
}
