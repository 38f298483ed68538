package bench

import (
	"os"
	"testing"
	"time"
)

var kept []byte

func TestUsageOfThisProcess(t *testing.T) {
	before, err := usageOf(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	const size = 64 << 20
	kept = make([]byte, size)
	for end := time.Now().Add(300 * time.Millisecond); time.Now().Before(end); {
		for i := 0; i < size; i += 512 {
			kept[i]++
		}
	}
	kept = nil
	after, err := usageOf(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if more := after.peak - before.peak; more < size/2 || more > 4*size {
		t.Errorf("the peak grew by %d bytes, want about %d", more, size)
	}
	if more := after.cpu - before.cpu; more < 0.02 || more > 10 {
		t.Errorf("%.2f s of CPU time, want about 0.3", more)
	}
}

func TestNoSuchProcess(t *testing.T) {
	if _, err := usageOf(1 << 30); err == nil {
		t.Error("no error for a process that is not there")
	}
}

func TestThisMachine(t *testing.T) {
	m, err := thisMachine()
	if err != nil {
		t.Fatal(err)
	}
	if m.memory < 64<<20 {
		t.Errorf("%d bytes of memory", m.memory)
	}
}
