package bench

import (
	"fmt"

	"github.com/prometheus/procfs"
)

// usage is what a process has taken since its start, from /proc.
type usage struct {
	peak uint64  // most resident memory at any time (VmHWM), in bytes
	cpu  float64 // seconds in user and system mode
}

// usageOf returns the usage of the process with this number. It fails when there
// is none.
func usageOf(pid int) (usage, error) {
	process, err := procfs.NewProc(pid)
	if err != nil {
		return usage{}, fmt.Errorf("process %d: %w", pid, err)
	}
	status, err := process.NewStatus()
	if err != nil {
		return usage{}, fmt.Errorf("memory of process %d: %w", pid, err)
	}
	stat, err := process.Stat()
	if err != nil {
		return usage{}, fmt.Errorf("CPU time of process %d: %w", pid, err)
	}
	return usage{peak: status.VmHWM, cpu: stat.CPUTime()}, nil
}

// machine is where a benchmark ran.
type machine struct {
	memory uint64  // in bytes
	load   float64 // average number of waiting or running threads over a minute
	cpu    string  // model name
}

// thisMachine describes it as it is now.
func thisMachine() (machine, error) {
	proc, err := procfs.NewDefaultFS()
	if err != nil {
		return machine{}, err
	}
	memory, err := proc.Meminfo()
	if err != nil {
		return machine{}, err
	}
	load, err := proc.LoadAvg()
	if err != nil {
		return machine{}, err
	}
	m := machine{load: load.Load1}
	if memory.MemTotalBytes != nil {
		m.memory = *memory.MemTotalBytes
	}
	if cpus, err := proc.CPUInfo(); err == nil && len(cpus) > 0 {
		m.cpu = cpus[0].ModelName
	}
	return m, nil
}
