package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/console"
	"github.com/jobconformance/jobconformance/fixtures/gates"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/fixtures/spelling"
	"github.com/jobconformance/jobconformance/suites/contract"
)

// term matches what stands between the operators of a label filter: a set of labels with one key, an
// expression in slashes, or a label.
var term = regexp.MustCompile(
	`(?i)([^&|!,()/: ][^&|!,()/:]*): +(?:isempty|[a-z]+ +(?:\{([^}]*)\}|([^&|!,()/{}]+)))|/([^/]*)/|[^&|!,()/ ][^&|!,()/]*`)

// checkLabels refuses a filter with a label that no spec has: the filter would select others than it says.
func checkLabels(filter string, specs []spec.Listed) error {
	known := labelsOf(specs)
	for _, match := range term.FindAllStringSubmatch(filter, -1) {
		key, values, expression := match[1], match[2]+match[3], match[4]
		var wanted []string
		switch {
		case key != "":
			for value := range strings.SplitSeq(values, ",") {
				wanted = append(wanted, key+":"+strings.TrimSpace(value))
			}
		case expression != "":
			if of, err := regexp.Compile(expression); err == nil && !slices.ContainsFunc(known, of.MatchString) {
				return badinput.New(fmt.Sprintf("no spec has a label that matches /%s/", expression), listsLabels)
			}
		default:
			wanted = []string{strings.TrimSpace(match[0])}
		}
		for _, label := range wanted {
			if err := checkLabel(strings.ToLower(label), known); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkFilters refuses a label that no spec has, and a --focus or --skip that matches none.
func (f *flags) checkFilters(specs []spec.Listed) error {
	if err := checkLabels(f.labels, specs); err != nil {
		return err
	}
	for _, filter := range []struct{ flag, expression string }{
		{"focus", f.selection.Focus}, {"skip", f.selection.Skip},
	} {
		of, err := regexp.Compile(filter.expression)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(specs, func(s spec.Listed) bool { return of.MatchString(spec.Suite + " " + s.Text) }) {
			return badinput.New(console.Flag(filter.flag, filter.expression)+" matches no spec",
				"jobconformance list has the texts of all")
		}
	}
	return nil
}

const listsLabels = "jobconformance list -o json has the labels of all specs"

// labelsOf returns all labels of specs, and those that no spec need have, in small letters: capitals make no
// difference in a filter.
func labelsOf(specs []spec.Listed) []string {
	all := []string{spec.FaultsLabel, spec.SlowLabel, spec.SimulatedLabel, spec.LocalAPIServerLabel,
		spec.OnlyControllerLabel, spec.NoQueueLabel, spec.OneLeaderLabel, spec.ProvisionalLabel}
	for _, f := range contract.Features() {
		all = append(all, spec.FeatureLabel+string(f))
	}
	for _, k := range gates.All() {
		all = append(all, spec.GateLabel+string(k.Gate))
	}
	for _, s := range specs {
		all = append(all, s.All...)
	}
	for i := range all {
		all[i] = strings.ToLower(all[i])
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// checkLabel refuses one that is not known. A label that ends with its colon is any value of that key.
func checkLabel(label string, known []string) error {
	key, _, keyed := strings.Cut(label, ":")
	var values []string
	for _, other := range known {
		if other == label {
			return nil
		}
		if value, ok := strings.CutPrefix(other, key+":"); ok {
			values = append(values, value)
		}
	}
	if keyed && label == key+":" && len(values) > 0 {
		return nil
	}
	remedy := spelling.Remedy(label, known, listsLabels)
	if keyed && len(values) > 0 && len(values) <= 10 {
		remedy = "use " + key + ":" + strings.Join(values, ", "+key+":")
	}
	return badinput.New(fmt.Sprintf("no spec has the label %q", label), remedy)
}
