// Package usage reads what a process takes of its machine, from /proc.
package usage

import (
	"fmt"

	"github.com/prometheus/procfs"
)

// Usage is what a process has taken since its start.
type Usage struct {
	Peak uint64  // most resident memory at any time (VmHWM), in bytes
	CPU  float64 // seconds in user and system mode
}

// Of returns the usage of the process with this number. It fails when there is
// none.
func Of(pid int) (Usage, error) {
	process, err := procfs.NewProc(pid)
	if err != nil {
		return Usage{}, fmt.Errorf("process %d: %w", pid, err)
	}
	status, err := process.NewStatus()
	if err != nil {
		return Usage{}, fmt.Errorf("memory of process %d: %w", pid, err)
	}
	stat, err := process.Stat()
	if err != nil {
		return Usage{}, fmt.Errorf("CPU time of process %d: %w", pid, err)
	}
	return Usage{Peak: status.VmHWM, CPU: stat.CPUTime()}, nil
}

// Machine is where a benchmark ran.
type Machine struct {
	Memory uint64     // in bytes
	Load   [3]float64 // average number of waiting or running threads over 1, 5 and 15 minutes
	CPU    string     // model name
}

// ThisMachine describes it as it is now.
func ThisMachine() (Machine, error) {
	proc, err := procfs.NewDefaultFS()
	if err != nil {
		return Machine{}, err
	}
	memory, err := proc.Meminfo()
	if err != nil {
		return Machine{}, err
	}
	load, err := proc.LoadAvg()
	if err != nil {
		return Machine{}, err
	}
	m := Machine{Load: [3]float64{load.Load1, load.Load5, load.Load15}}
	if memory.MemTotalBytes != nil {
		m.Memory = *memory.MemTotalBytes
	}
	if cpus, err := proc.CPUInfo(); err == nil && len(cpus) > 0 {
		m.CPU = cpus[0].ModelName
	}
	return m, nil
}
