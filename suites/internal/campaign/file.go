package campaign

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// File keeps the results of a campaign, one of type T in JSON on each line. Append may be called at the same
// time from many goroutines.
type File[T any] struct {
	mu   sync.Mutex
	file *os.File
}

// OpenFile returns the file, which it creates if necessary, and the results in it for
// which keep returns true. It removes all others, and a last line that was not
// written completely.
func OpenFile[T any](path string, keep func(T) bool) (*File[T], []T, error) {
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	var results []T
	var kept []byte
	for line := range bytes.Lines(text) {
		if !bytes.HasSuffix(line, []byte("\n")) || len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var result T
		if err := json.Unmarshal(line, &result); err != nil {
			return nil, nil, fmt.Errorf("%s has a line that is not a result: %w", path, err)
		}
		if keep(result) {
			results, kept = append(results, result), append(kept, line...)
		}
	}
	if len(kept) < len(text) {
		if err := replace(path, kept); err != nil {
			return nil, nil, err
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, nil, err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	return &File[T]{file: file}, results, err
}

// replace leaves the old file in place when it fails.
func replace(path string, text []byte) error {
	if err := os.WriteFile(path+".new", text, 0o644); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// Append writes one result.
func (f *File[T]) Append(result T) error {
	line, err := json.Marshal(result)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	_, err = f.file.Write(append(line, '\n'))
	return err
}

// Close closes the file.
func (f *File[T]) Close() error { return f.file.Close() }
