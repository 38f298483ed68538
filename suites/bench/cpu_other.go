//go:build !linux

package bench

import "github.com/prometheus/procfs"

func cpuModel(procfs.FS) string { return "" }
