package bench

import "github.com/prometheus/procfs"

// cpuModel returns the name of the CPU, empty if it is not known.
func cpuModel(proc procfs.FS) string {
	cpus, err := proc.CPUInfo()
	if err != nil || len(cpus) == 0 {
		return ""
	}
	return cpus[0].ModelName
}
