package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/contract"
)

// Badge is what https://shields.io/badges/endpoint-badge reads.
type Badge struct {
	SchemaVersion int    `json:"schemaVersion"` // always 1
	Label         string `json:"label"`
	Message       string `json:"message"`
	Color         string `json:"color"`
}

// Badge returns that of a profile, or of all of the report where it is empty; false where the report has no
// requirement of it. Its figures are conformant requirements of all that apply, those that were declined or left out
// included.
func (r *Report) Badge(of contract.Profile) (Badge, bool) {
	var some []Requirement
	counts := Counts{}
	for _, q := range r.Requirements {
		if !q.Provisional && (of == "" || (contract.Requirement{ID: q.ID}).Profile() == of) {
			some = append(some, q)
			counts[q.Outcome]++
		}
	}
	label, result := "batch/v1", r.resultWithin(some, counts)
	switch of {
	case contract.Job:
		label += " Job"
	case contract.CronJob:
		label += " CronJob"
	case contract.API:
		label += " API"
	}
	if of == "" && result != ResultDeclined {
		result = r.Result
	}
	color := map[Result]string{ResultConformant: "green", ResultPartial: "yellow", ResultNonConformant: "red"}[result]
	if result == ResultConformant && counts[Conformant] == counts.Total() {
		color = "brightgreen"
	}
	return Badge{1, label + " conformance", fmt.Sprintf("%s, %d of %d requirements",
		strings.ReplaceAll(string(result), "no-v", "no v"), counts[Conformant], counts.Total()),
		cmp.Or(color, "lightgrey")}, len(some) > 0
}

// resultWithin is the result of some requirements. What is wrong with the run as such is wrong with each part of it.
func (r *Report) resultWithin(some []Requirement, counts Counts) Result {
	switch result := lessened(resultOf(counts), some); {
	case r.wrong(), result == ResultNonConformant:
		return ResultNonConformant
	case r.Unfinished() != "":
		return ResultNoVerdict
	case counts[spec.Declined] == len(some):
		return ResultDeclined
	default:
		return result
	}
}

// WriteBadge writes a badge into a file. The error is a *badinput.Error.
func WriteBadge(path string, b Badge) error {
	text, err := json.MarshalIndent(b, "", "  ")
	if err == nil {
		err = replace(path, append(text, '\n'))
	}
	if err != nil {
		return badinput.Wrap(err, "the badge cannot be written", "give a file in a folder that can be written to")
	}
	return nil
}
