// Package gaps finds what a version of Kubernetes has for Jobs and CronJobs that this repository does not know:
// fields of batch/v1 that no requirement covers, and feature gates that fixtures/gates does not have, or has
// otherwise. It reads the sources of the modules k8s.io/api and k8s.io/kubernetes.
package gaps

import (
	"fmt"
	"io/fs"
	"slices"

	"github.com/jobconformance/jobconformance/fixtures/gates"
	"github.com/jobconformance/jobconformance/fixtures/version"
	"github.com/jobconformance/jobconformance/suites/contract"
)

// Place is a line of a source file. The zero value is none.
type Place struct {
	// File is the path below the root of the module.
	File string
	Line int
}

func (p Place) String() string { return fmt.Sprintf("%s:%d", p.File, p.Line) }

// Catalogue is what this repository knows.
type Catalogue struct {
	Requirements []contract.Requirement
	Gates        []gates.Known
	// Without are fields that have no requirement, and why.
	Without map[contract.Field]string
}

// Without are the fields of batch/v1 that no requirement covers, and why.
func Without() map[contract.Field]string {
	return map[contract.Field]string{
		{Type: "JobCondition", Name: "lastProbeTime"}: "It is optional, and nothing says when it changes.",
	}
}

// Covered reports whether a requirement that holds in a version covers the field, or whether there is a reason
// that none does.
func (c Catalogue) Covered(field contract.Field, of string) bool {
	if c.Without[field] != "" {
		return true
	}
	return slices.ContainsFunc(c.Requirements, func(r contract.Requirement) bool {
		return version.Satisfies(of, r.Versions) && slices.Contains(r.Fields(), field)
	})
}

// OfFields returns a line for each field that is not covered, and for each that the catalogue has and the version does
// not, and how many fields were judged. A field that holds a type of batch/v1 is covered by the fields of that.
func (c Catalogue) OfFields(api fs.FS, version string) (lines []string, judged int, err error) {
	fields, err := Fields(api)
	if err != nil {
		return nil, 0, err
	}
	for _, f := range fields {
		if f.Of != "" {
			continue
		}
		judged++
		if c.Covered(f.Field, version) {
			continue
		}
		depends := ""
		for _, gate := range f.Gates {
			depends += ", gate " + string(gate)
		}
		lines = append(lines, fmt.Sprintf("field %s (%s)%s: no requirement of %s has it as a source", f.Field, f.At,
			depends, version))
	}
	return append(lines, c.absent(fields, version)...), judged, nil
}

// absent returns a line for each field that the catalogue has and a version does not.
func (c Catalogue) absent(fields []Field, of string) (lines []string) {
	has := func(f contract.Field) bool {
		return slices.ContainsFunc(fields, func(field Field) bool { return field.Field == f })
	}
	for _, r := range c.Requirements {
		for _, f := range r.Fields() {
			if version.Satisfies(of, r.Versions) && !has(f) {
				lines = append(lines, fmt.Sprintf("requirement %s: its source %s is no field of %s", r.ID, f, of))
			}
		}
	}
	for f := range c.Without {
		if !has(f) {
			lines = append(lines, fmt.Sprintf("field %s has no requirement for a reason, and is no field of %s", f, of))
		}
	}
	return lines
}

// GatesOfFields returns a line for each gate that a field depends on and that the catalogue does not know. It is what
// is known where the sources of k8s.io/kubernetes are not.
func (c Catalogue) GatesOfFields(api fs.FS) (lines []string, err error) {
	fields, err := Fields(api)
	if err != nil {
		return nil, err
	}
	for _, f := range fields {
		for _, gate := range f.Gates {
			if c.known(gate) == nil {
				lines = append(lines, fmt.Sprintf("gate %s (%s): fixtures/gates does not have it", gate, f.At))
			}
		}
	}
	return lines, nil
}

// OfGates returns a line for each gate of Jobs that the catalogue does not know, or knows otherwise, and how many were
// judged. A gate is of Jobs where code about them alone uses it, its name or its comment mentions them, or the
// catalogue has it.
func (c Catalogue) OfGates(kubernetes fs.FS, version string) (lines []string, judged int, err error) {
	all, err := Gates(kubernetes, gates.Minor(version))
	if err != nil {
		return nil, 0, err
	}
	for _, g := range all {
		known := c.known(g.Gate)
		if known == nil && g.Used == (Place{}) && !g.Mentions {
			continue
		}
		judged++
		at := g.At
		if g.Used != (Place{}) {
			at = g.Used
		}
		gate := fmt.Sprintf("gate %s (%s), %s", g.Gate, at, g.State)
		if known == nil {
			lines = append(lines, gate+": fixtures/gates does not have it")
			continue
		}
		if state, has := known.In(version); !has || !state.Same(g.State) {
			lines = append(lines, fmt.Sprintf("%s: fixtures/gates has it %s", gate, state))
		}
	}
	for _, k := range c.Gates {
		gone := !slices.ContainsFunc(all, func(g Gate) bool { return g.Gate == k.Gate })
		if state, has := k.In(version); gone && has && state.Maturity != gates.GA {
			lines = append(lines, fmt.Sprintf("gate %s is gone: fixtures/gates has it %s", k.Gate, state))
		}
	}
	return lines, judged, nil
}

func (c Catalogue) known(gate gates.Gate) *gates.Known {
	for i := range c.Gates {
		if c.Gates[i].Gate == gate {
			return &c.Gates[i]
		}
	}
	return nil
}
