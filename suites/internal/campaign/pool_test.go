package campaign

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestEachRunsEveryTaskOnce(t *testing.T) {
	var mu sync.Mutex
	var ran []int
	running, most := 0, 0
	err := Each(t.Context(), Pool{Workers: 3}, UpTo(50), func(_ context.Context, i int) error {
		mu.Lock()
		running++
		most = max(most, running)
		ran = append(ran, i)
		mu.Unlock()
		defer func() { mu.Lock(); running--; mu.Unlock() }()
		return nil
	})
	slices.Sort(ran)
	if err != nil || !slices.Equal(ran, slices.Collect(UpTo(50))) || most > 3 {
		t.Errorf("%v, %d at once: %v", err, most, ran)
	}
}

func TestEachBeginsNothingWhenTimeIsOver(t *testing.T) {
	taken := 0
	tasks := func(yield func(int) bool) {
		for taken = 1; yield(taken); taken++ {
		}
	}
	err := Each(t.Context(), Pool{Until: time.Now().Add(-time.Second)}, tasks, func(context.Context, int) error {
		return errors.New("it ran")
	})
	if err != nil || taken != 0 {
		t.Errorf("%d tasks were taken: %v", taken, err)
	}
}

func TestEachEndsWithTheFirstError(t *testing.T) {
	wrong := errors.New("wrong")
	ran := 0
	err := Each(t.Context(), Pool{}, UpTo(9), func(_ context.Context, i int) error {
		if ran++; i == 2 {
			return wrong
		}
		return nil
	})
	if !errors.Is(err, wrong) || ran != 3 {
		t.Errorf("%d ran: %v", ran, err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	err = Each(ctx, Pool{}, UpTo(9), func(ctx context.Context, _ int) error { cancel(wrong); return ctx.Err() })
	if !errors.Is(err, wrong) {
		t.Errorf("the cause is lost: %v", err)
	}
}

func TestOfSeveralResultsTheLastCounts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.jsonl")
	key := func(text string) string { return text[:1] }
	open := func(keep func(string) bool) *Results[string, string] {
		t.Helper()
		r, err := OpenResults(path, key, keep)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = r.Close() })
		return r
	}
	all := func(string) bool { return true }
	first := open(all)
	for _, text := range []string{"a1", "b1", "a2"} {
		if err := first.Add(text); err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range []*Results[string, string]{first, open(all)} {
		a, found := r.Find("a")
		if _, none := r.Find("c"); a != "a2" || !found || none || len(r.All()) != 2 {
			t.Errorf("%q, %v", a, r.All())
		}
	}
	if r := open(func(text string) bool {
		return !strings.HasPrefix(text, "a")
	}); !slices.Equal(r.All(), []string{"b1"}) {
		t.Errorf("%v", r.All())
	}
}
