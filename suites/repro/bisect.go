package repro

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/console"
	"golang.org/x/mod/semver"
)

// Change is where a scenario turns red, or green again.
type Change struct {
	// Last is the outcome before, First the one after.
	Last, First Reproduction
	// Unknown are the versions between them that could not be built.
	Unknown []string
}

func (c Change) String() string {
	text := fmt.Sprintf("first %s: %s (last %s: %s)", strings.ToLower(c.First.color()), c.First.Version,
		strings.ToLower(c.Last.color()), c.Last.Version)
	if len(c.Unknown) > 0 {
		text += "; between them, these could not be built: " + strings.Join(c.Unknown, ", ")
	}
	return text
}

func (o Reproduction) color() string { return console.Color(o.Reds == 0) }

// Between returns the versions from one to another, both with them, in order.
func Between(versions []string, from, to string) []string {
	all := []string{from, to}
	for _, v := range versions {
		if semver.Compare(v, from) > 0 && semver.Compare(v, to) < 0 {
			all = append(all, v)
		}
	}
	semver.Sort(all)
	return slices.Compact(all)
}

// Bisect runs a scenario on the first and the last of the options' versions, which are sorted, and
// then on fewer and fewer between them, until it has found two neighbours that differ. One red
// run of Repeat makes a version red. A version between that cannot be built is passed over. The
// error is a *badinput.Error where the first and the last do not differ.
func Bisect(ctx context.Context, o Options) (Change, error) {
	outcomes := map[string]Reproduction{}
	last, first, unknown, err := search(o.Versions, func(version string) (red bool, err error) {
		outcome, err := runOn(ctx, o, version)
		switch {
		case ctx.Err() != nil:
			return false, ctx.Err()
		case err != nil:
			console.Line(o.Out, version, "not run: %v", err)
		default:
			outcomes[version] = outcome
			console.Line(o.Out, fmt.Sprintf("bisect: %s with %s", version, o.Implementation.Name), "%s", outcome)
		}
		return outcome.Reds > 0, err
	})
	return Change{outcomes[last], outcomes[first], unknown}, err
}

// search finds two neighbours among sorted versions of which one is red and the other is not,
// as the first and the last of all are. A *badinput.Error of red about another version takes it
// out; unknown are those between the two.
func search(versions []string,
	red func(version string) (bool, error)) (last, first string, unknown []string, err error) {
	from, to := versions[0], versions[len(versions)-1]
	old, err := red(from)
	if err != nil {
		return "", "", nil, err
	}
	changed, err := red(to)
	switch {
	case err != nil:
		return "", "", nil, err
	case changed == old:
		return "", "", nil, badinput.New(fmt.Sprintf("%s and %s are both %s: there is nothing to search for", from, to,
			strings.ToLower(console.Color(!old))), "give versions that differ with "+console.Flag("bisect"))
	}
	rest := slices.Clone(versions)
	for len(rest) > 2 {
		middle := len(rest) / 2
		is, err := red(rest[middle])
		switch {
		case badinput.Is(err):
			unknown = append(unknown, rest[middle])
			rest = slices.Delete(rest, middle, middle+1)
		case err != nil:
			return "", "", nil, err
		case is == old:
			rest = rest[middle:]
		default:
			rest = rest[:middle+1]
		}
	}
	last, first = rest[0], rest[1]
	unknown = slices.DeleteFunc(unknown, func(v string) bool {
		return semver.Compare(v, last) < 0 || semver.Compare(v, first) > 0
	})
	semver.Sort(unknown)
	return last, first, unknown, nil
}
