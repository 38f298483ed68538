package campaign

import (
	"maps"
	"slices"
	"sync"
)

// Results are those of a campaign, by what they are about. They are kept in a file, so that the
// campaign resumes. Methods may be called from many goroutines.
type Results[K comparable, R any] struct {
	key   func(R) K
	file  *File[R]
	mu    sync.Mutex
	known map[K]R
}

// OpenResults reads the results in a file for which keep returns true, and removes the others. Of
// several about the same, the last one counts.
func OpenResults[K comparable, R any](path string, key func(R) K, keep func(R) bool) (*Results[K, R], error) {
	file, earlier, err := OpenFile(path, keep)
	if err != nil {
		return nil, err
	}
	r := &Results[K, R]{key: key, file: file, known: map[K]R{}}
	for _, result := range earlier {
		r.known[key(result)] = result
	}
	return r, nil
}

// Find returns the result about something, if there is one.
func (r *Results[K, R]) Find(about K) (R, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	result, found := r.known[about]
	return result, found
}

// All returns all results, in no order.
func (r *Results[K, R]) All() []R {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Collect(maps.Values(r.known))
}

// Add saves a result.
func (r *Results[K, R]) Add(result R) error {
	r.mu.Lock()
	r.known[r.key(result)] = result
	r.mu.Unlock()
	return r.file.Append(result)
}

// Close closes the file.
func (r *Results[K, R]) Close() error { return r.file.Close() }
