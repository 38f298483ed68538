package explore

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"
	"sync"
)

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

// Identity is what must be the same for a result to be of use again.
type Identity struct {
	Implementation string `json:"implementation"`
	// Program is a digest of the implementation's binary.
	Program    string `json:"program"`
	Kubernetes string `json:"kubernetes"` // as in v1.37.1
}

// line is one of the file of results.
type line struct {
	Identity
	Text string `json:"text"` // digest of the story's
	Outcome
}

type key struct {
	Identity
	story, text, plan string
}

func (l line) key() key { return key{l.Identity, l.Story, l.Text, l.Plan} }

// Results are kept in a file of JSON lines, one for each plan that was played, so
// that an exploration that was broken off goes on where it was. Methods may be
// called at once.
type Results struct {
	identity Identity
	mu       sync.Mutex
	file     *os.File
	known    map[key]Outcome
}

// OpenResults reads what is there of that identity; with fresh, it is dropped.
func OpenResults(path string, identity Identity, fresh bool) (*Results, error) {
	lines, err := read(path)
	if err != nil {
		return nil, err
	}
	r := &Results{identity: identity, known: map[key]Outcome{}}
	if fresh {
		lines = slices.DeleteFunc(lines, func(l line) bool { return l.Identity == identity })
		if err := rewrite(path, lines); err != nil {
			return nil, err
		}
	}
	for _, l := range lines {
		r.known[l.key()] = l.Outcome
	}
	r.file, err = os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	return r, err
}

// read leaves out lines that were not written to their end.
func read(path string) ([]line, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var lines []line
	scanner := bufio.NewScanner(file)
	scanner.Buffer(nil, 64<<20)
	for scanner.Scan() {
		var l line
		if json.Unmarshal(scanner.Bytes(), &l) == nil {
			lines = append(lines, l)
		}
	}
	return lines, scanner.Err()
}

func rewrite(path string, lines []line) (err error) {
	temporary, err := os.Create(path + ".new")
	if err != nil {
		return err
	}
	encoder := json.NewEncoder(temporary)
	for _, l := range lines {
		err = errors.Join(err, encoder.Encode(l))
	}
	if err = errors.Join(err, temporary.Close()); err != nil {
		return err
	}
	return os.Rename(temporary.Name(), path)
}

func (r *Results) find(s Story, plan Plan) (Outcome, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	o, found := r.known[key{r.identity, s.Name, s.digest(), plan.String()}]
	return o, found
}

// add keeps an outcome under the plan that was played.
func (r *Results) add(s Story, plan Plan, o Outcome) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	l := line{r.identity, s.digest(), o}
	r.known[key{r.identity, s.Name, s.digest(), plan.String()}] = o
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	_, err = r.file.Write(append([]byte("\n"), append(text, '\n')...))
	return err
}

// Close closes the file.
func (r *Results) Close() error { return r.file.Close() }
