package report

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/console"
	"github.com/jobconformance/jobconformance/fixtures/limits"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/fixtures/version"
	"github.com/jobconformance/jobconformance/suites/contract/table"
)

// ShardName is the name of the file in the folder of a shard that Merge reads.
const ShardName = "shard.json"

// shard is one of the runs that are parts of one.
type shard struct {
	Number, Count int
	SuiteVersion  string
	Run           Run
	Pictures      map[string]Picture

	from   string // the path of its folder, or of the log that has it
	files  fs.FS  // the saved histories, by their paths in that folder
	logged bool   // it is from a log
}

// writeShard writes what Merge needs of a run, if it is a shard.
func writeShard(folder string, run Run, pictures map[string]Picture) error {
	if run.Selection.Shard == "" {
		return nil
	}
	s := shard{SuiteVersion: version.Suite(), Run: run, Pictures: pictures}
	if _, err := fmt.Sscanf(run.Selection.Shard, "%d/%d", &s.Number, &s.Count); err != nil {
		return err
	}
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return replace(filepath.Join(folder, ShardName), text)
}

// Merged is one run made of its shards.
type Merged struct {
	Run
	// Count is how many shards there should be.
	Count int

	pictures map[string]Picture
	files    map[string]fs.FS // where the histories are, by their paths there and in the folder of the report
	shards   []shard
	room     int // for timelines
}

// Shards is how many there are.
func (m *Merged) Shards() int { return len(m.shards) }

// Merge reads shards from their folders, or from logs with what PrintShard has printed. A shard
// that is not there is a HarnessError of the result. The error is a *badinput.Error.
func Merge(paths []string) (*Merged, error) {
	m := &Merged{pictures: map[string]Picture{}, files: map[string]fs.FS{}, room: limits.Pictures}
	var without []string
	for _, path := range paths {
		shards, incomplete, err := readShards(path)
		switch {
		case err != nil:
			return nil, badinput.New(fmt.Sprintf("%s has no shard: %v", path, err),
				"name folders for reports of runs with "+console.Flag("shard")+", or logs of runs with "+
					console.Flag("print-results"))
		case incomplete > 0:
			without = append(without, fmt.Sprintf("%s, where lines of results are missing", path))
		case len(shards) == 0:
			without = append(without, path)
		}
		for _, s := range shards {
			if err := m.add(s); err != nil {
				return nil, err
			}
		}
	}
	if len(m.shards) == 0 {
		return nil, badinput.New("no shard has ended in "+strings.Join(without, ", "),
			"name the folders that jobconformance run with "+console.Flag("shard")+" has written")
	}
	m.merge(without)
	return m, nil
}

// readShards reads the shard of a folder, or those of a log. incomplete counts those of which
// the log has a part.
func readShards(path string) (shards []shard, incomplete int, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, 0, err
	}
	if !info.IsDir() {
		return readLog(path)
	}
	root, err := os.OpenRoot(path) // open until the end of the program
	if err != nil {
		return nil, 0, err
	}
	s, err := readShard(limited{root.FS(), limits.Shard}, path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, 0, nil
	case err != nil:
		return nil, 0, err
	}
	return []shard{s}, 0, nil
}

// limited are files of which no more than so many bytes are read, each.
type limited struct {
	fs.FS
	most int64
}

func (l limited) ReadFile(name string) ([]byte, error) {
	file, err := l.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, cmp.Or(err, fmt.Errorf("%s is no file", name))
	}
	return io.ReadAll(limits.Reader(file, l.most))
}

func readShard(files fs.FS, from string) (s shard, err error) {
	text, err := fs.ReadFile(files, ShardName)
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	switch {
	case err != nil:
	case s.Number < 1 || s.Number > s.Count:
		err = fmt.Errorf("it is shard %d of %d", s.Number, s.Count)
	case s.Count > limits.Shards:
		err = fmt.Errorf("it is one of %d shards, and a run has at most %d", s.Count, limits.Shards)
	}
	s.from, s.files = from, files
	return s, err
}

// add takes a shard. Of one that a log has twice, as that of a pod and of the pod that has replaced
// it, the newer one counts.
func (m *Merged) add(s shard) error {
	if err := m.check(s); err != nil {
		return err
	}
	i := slices.IndexFunc(m.shards, func(o shard) bool { return o.Number == s.Number })
	switch {
	case i < 0:
		m.shards = append(m.shards, s)
	case !m.shards[i].logged || !s.logged:
		return badinput.New(fmt.Sprintf("shard %d is there twice, in %s and in %s", s.Number, m.shards[i].from, s.from),
			"name one of them")
	case s.Run.Date.After(m.shards[i].Run.Date):
		m.shards[i] = s
	}
	return nil
}

// check refuses a shard that is no part of the same run as those before.
func (m *Merged) check(s shard) error {
	if len(m.shards) == 0 {
		return nil
	}
	first := m.main()
	a, b := first.Run.Selection, s.Run.Selection
	a.Shard, b.Shard = "", ""
	var what string
	both := first.begun() && s.begun()
	for _, c := range []struct {
		what      string
		one, next any
		compare   bool
	}{
		{"number of shards", first.Count, s.Count, true},
		{"version of jobconformance", first.SuiteVersion, s.SuiteVersion, true},
		{"implementation", first.Run.Implementation, s.Run.Implementation, true},
		{"companion", first.Run.Companion, s.Run.Companion, both},
		{"cluster", first.Run.Cluster, s.Run.Cluster, both},
		{"selection of specs", a, b, true},
		{"cut of the specs", cut(first), cut(s), both},
	} {
		if what == "" && c.compare && !reflect.DeepEqual(c.one, c.next) {
			what = c.what
		}
	}
	if what != "" {
		return badinput.New(fmt.Sprintf("%s and %s are not shards of one run: the %s differs", first.from, s.from,
			what), "run all shards with the same program and the same flags")
	}
	return nil
}

// begun reports whether the shard came to its implementation: without, little is known of its cluster.
func (s shard) begun() bool { return s.Run.Duration > 0 }

// main is the shard that knows what all have in common.
func (m *Merged) main() shard { return m.shards[max(0, slices.IndexFunc(m.shards, shard.begun))] }

// cut is the shard of each spec.
func cut(s shard) map[string]int {
	of := map[string]int{}
	for _, ended := range s.Run.Specs {
		of[ended.Text] = ended.Shard
	}
	return of
}

// merge makes one run of the shards.
func (m *Merged) merge(without []string) {
	slices.SortFunc(m.shards, func(a, b shard) int { return cmp.Compare(a.Number, b.Number) })
	first := m.main()
	m.Run, m.Count = first.Run, first.Count
	m.Selection.Shard, m.Specs, m.Crashes, m.Duration, m.Histories = "", nil, nil, 0, map[string]string{}
	m.Lacking, m.Interferences = nil, nil
	m.Name = m.Implementation.Name // as the report has it
	var failed, incomplete, missing []string
	there := map[int]bool{}
	for _, s := range m.shards {
		there[s.Number] = len(s.Run.Specs) > 0
		if s.Run.HarnessError != "" {
			failed = append(failed, fmt.Sprintf("shard %d: %s", s.Number, s.Run.HarnessError))
		}
		if s.Run.Incomplete != "" {
			incomplete = append(incomplete, fmt.Sprintf("shard %d: %s", s.Number, s.Run.Incomplete))
		}
		if s.Run.Date.Before(m.Date) {
			m.Date = s.Run.Date
		}
		m.Duration += s.Run.Duration
		m.Crashes = append(m.Crashes, s.Run.Crashes...)
		m.Interferences = spec.AddInterferences(m.Interferences, s.Run.Interferences...)
		m.Unwatched = m.Unwatched || s.Run.Unwatched
		m.Lacking = sorted(append(m.Lacking, s.Run.Lacking...))
		for _, ended := range s.Run.Specs {
			if ended.Shard == s.Number || s.Number == first.Number && ended.Shard == 0 {
				m.take(s, ended)
			}
		}
	}
	for _, ended := range first.Run.Specs {
		if ended.Shard != 0 && !there[ended.Shard] {
			ended.Message = fmt.Sprintf("not verified: shard %d of %d is missing", ended.Shard, m.Count)
			ended.Interrupted = true
			m.take(first, ended)
		}
	}
	for n := range m.Count {
		if !there[n+1] {
			missing = append(missing, fmt.Sprint(n+1))
		}
	}
	if len(missing) > 0 {
		text := fmt.Sprintf("of %d shards, these are missing: %s", m.Count, strings.Join(missing, ", "))
		if len(without) > 0 {
			text += "; no run has ended in " + strings.Join(without, ", ")
		}
		failed = append(failed, text)
	}
	m.HarnessError, m.Incomplete = strings.Join(failed, "\n"), strings.Join(incomplete, "; ")
	m.Settle(m.skew())
}

func (m *Merged) take(s shard, ended spec.Spec) {
	ended.Histories = nil // of the machine of the shard
	m.Specs = append(m.Specs, ended)
	p := s.Pictures[ended.Text]
	p.fit(&m.room)
	m.pictures[ended.Text] = p
	file := filepath.ToSlash(s.Run.Histories[ended.Text])
	if strings.HasPrefix(path.Clean(file), "histories/") {
		m.Histories[ended.Text] = file
		m.files[file] = s.files
	}
}

// Write judges the run and writes its report as Publish does. copied are the files of
// histories.
func (m *Merged) Write(folder string) (r *Report, copied []string, err error) {
	for file, from := range m.files {
		text, err := fs.ReadFile(from, filepath.ToSlash(file))
		if errors.Is(err, fs.ErrNotExist) { // only a part of the folder was kept
			continue
		}
		to := filepath.Join(folder, file)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(to), 0o755)
		}
		if err == nil {
			err = os.WriteFile(to, text, 0o644)
		}
		if err != nil {
			return nil, copied, err
		}
		copied = append(copied, to)
	}
	r = Judge(m.Run, table.All())
	return r, copied, writeAll(folder, m.Run, r, m.pictures)
}

// nextFolder begins the names of the folders in which reports are written before they take the place of others.
const nextFolder = ".new-"

// writeAll writes report.yaml, junit.xml and index.html. Those of an earlier run stay until all are written.
func writeAll(folder string, run Run, r *Report, pictures map[string]Picture) error {
	killed, _ := filepath.Glob(filepath.Join(folder, nextFolder+"*"))
	for _, left := range killed {
		_ = os.RemoveAll(left)
	}
	next, err := os.MkdirTemp(folder, nextFolder)
	if err != nil {
		return err
	}
	defer os.RemoveAll(next)
	err = errors.Join(Write(next, r), WriteJUnit(next, run, r, pictures), WritePage(next, r, pictures, logsIn(folder)))
	if err != nil {
		return err
	}
	for _, name := range []string{FileName, JUnitName, PageName} {
		if err := os.Rename(filepath.Join(next, name), filepath.Join(folder, name)); err != nil {
			return err
		}
	}
	return nil
}
