package bench

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/jobconformance/jobconformance/suites/bench/requests"
)

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		numbers []float64
		want    float64
	}{
		{[]float64{7}, 7},
		{[]float64{9, 1}, 5},
		{[]float64{3, 1, 2}, 2},
		{[]float64{100, 1, 2, 4}, 3},
	} {
		before := append([]float64(nil), c.numbers...)
		if got := median(c.numbers); got != c.want {
			t.Errorf("median of %v: %v, want %v", before, got, c.want)
		}
		if c.numbers[0] != before[0] {
			t.Errorf("%v became %v", before, c.numbers)
		}
	}
	if !math.IsNaN(median(nil)) {
		t.Error("a median of nothing")
	}
}

func TestFigures(t *testing.T) {
	for x, want := range map[float64]string{0.123: "0.12", 9.876: "9.88", 12.34: "12.3", 1234.5: "1234"} {
		if got := figure(x); got != want {
			t.Errorf("%v is written %s, want %s", x, got, want)
		}
	}
	if figure(math.NaN()) != "–" || ratio(1, 0) != "–" || ratio(0, 0) != "–" || ratio(1, 4) != "0.25" {
		t.Error("a ratio or a figure where there is none, or none where there is one")
	}
}

// three repeats, of which the middle one counts.
func repeats(seconds float64, creates int) []sample {
	var all []sample
	for _, factor := range []float64{1, 10, 0.1} {
		all = append(all, sample{
			time: time.Duration(seconds * factor * float64(time.Second)), cpu: 2 * factor, peak: uint64(40 * factor * (1 << 20)),
			calls: requests.Counts{{Verb: "create", Resource: "pods"}: creates, {Verb: "patch", Resource: "pods"}: creates * 2},
		})
	}
	return all
}

func TestTablesHaveMediansPerPodAndRatios(t *testing.T) {
	lines := []line{{text: "a Job", pods: 100, ours: repeats(3, 100), theirs: repeats(6, 200)}}
	for name, c := range map[string]struct {
		write func(*strings.Builder)
		want  string
	}{
		"comparison": {
			func(b *strings.Builder) { printComparison(b, lines) },
			"| row | seconds | upstream | ratio | calls per pod | upstream | ratio | peak MiB | upstream | ratio | CPU seconds | upstream | ratio |\n" +
				"| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n" +
				"| a Job | 3.00 | 6.00 | 0.50 | 3.00 | 6.00 | 0.50 | 40.0 | 40.0 | 1.00 | 2.00 | 2.00 | 1.00 |\n\n",
		},
		"calls": {
			func(b *strings.Builder) { printCalls(b, lines) },
			"| row | by | patch pods | create pods |\n" +
				"| --- | ---: | ---: | ---: |\n" +
				"| a Job | reference | 2.000 | 1.000 |\n" +
				"| a Job | upstream | 4.000 | 2.000 |\n\n",
		},
		"floors": {
			func(b *strings.Builder) {
				printFloors(b, []floorLine{{text: "a loop", pods: 1000, seconds: []float64{4, 1, 2}}})
			},
			"| without a controller | pods | seconds | pods a second |\n" +
				"| --- | ---: | ---: | ---: |\n" +
				"| a loop | 1000 | 2.00 | 500 |\n\n",
		},
	} {
		var got strings.Builder
		c.write(&got)
		if got.String() != c.want {
			t.Errorf("%s:\n%swant\n%s", name, got.String(), c.want)
		}
	}
}
