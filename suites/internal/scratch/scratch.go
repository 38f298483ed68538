// Package scratch ends a program that has no folder to write into, with one line and the exit
// code of bad input. A package that envtest imports would panic, before any main runs: of
// packages that could be next, the one whose path is first is initialized.
package scratch

import (
	"fmt"
	"os"
)

func init() {
	if err := check(); err != nil {
		fmt.Fprintf(os.Stderr,
			"jobconformance: neither the user's cache folder nor that for temporary files can be written: %v; set "+
				"TMPDIR to a folder that can be\n", err)
		os.Exit(2)
	}
}

// check makes the folders that envtest makes.
func check() error {
	if cache, err := os.UserCacheDir(); err == nil && os.MkdirAll(cache+"/kubebuilder-envtest", 0o750) == nil {
		return nil
	}
	return os.MkdirAll(os.TempDir()+"/kubebuilder-envtest", 0o750)
}
