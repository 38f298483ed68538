// Package suites has the source code of the specs, and checks that specs, requirements and documents fit together.
package suites

import "embed"

// Source has the files with specs by their paths below this folder, as in job/parallelism.go: what a program lists, it
// can show, also without a clone.
//
//go:embed admission/*.go cronjob/*.go faults/*.go job/*.go metrics/*.go scheduling/*.go status/*.go webhook/*.go
var Source embed.FS
