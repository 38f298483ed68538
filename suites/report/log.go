package report

import (
	"archive/zip"
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/console"
	"github.com/jobconformance/jobconformance/fixtures/limits"
)

// logMark begins each line of results in a log. Whatever a log puts before it, such as the name
// of a pod or a time, is ignored. Behind it are an ID, that of all lines of one shard; the
// number of the line, and of how many; and a piece of a zip archive in base64.
const logMark = console.ResultsMark

// logPiece is small enough for the 16 KiB at which container runtimes cut lines.
const logPiece = 6000

var logLine = regexp.MustCompile(logMark + ` ([0-9a-f]{16}) (\d+)/(\d+) ([A-Za-z0-9+/=]+)`)

// PrintShard prints the shard that Publish has written into a folder as lines of a log, for
// Merge. It prints nothing where the run was none.
func PrintShard(out io.Writer, folder string) error {
	out = console.Raw(out)
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	s, err := readShard(limited{root.FS(), limits.Shard}, folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	var packed bytes.Buffer
	archive := zip.NewWriter(&packed)
	names := append([]string{ShardName}, slices.Collect(maps.Values(s.Run.Histories))...)
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		text, err := fs.ReadFile(root.FS(), filepath.ToSlash(name))
		if err != nil {
			return err
		}
		file, err := archive.Create(filepath.ToSlash(name))
		if err != nil {
			return err
		}
		if _, err := file.Write(text); err != nil {
			return err
		}
	}
	if err := archive.Close(); err != nil {
		return err
	}
	pieces := slices.Collect(slices.Chunk([]byte(base64.StdEncoding.EncodeToString(packed.Bytes())), logPiece))
	for i, piece := range pieces {
		if _, err := fmt.Fprintf(out, "%s %s %d/%d %s\n", logMark, logID(packed.Bytes()), i+1, len(pieces),
			piece); err != nil {
			return err
		}
	}
	return nil
}

func logID(packed []byte) string {
	sum := sha256.Sum256(packed)
	return hex.EncodeToString(sum[:8])
}

// readLog returns the shards whose lines are all in a log, which may be that of several pods.
// incomplete counts the others.
func readLog(path string) (shards []shard, incomplete int, err error) {
	log, err := limits.Open(path, limits.LogRead)
	if err != nil {
		return nil, 0, err
	}
	defer log.Close()
	return readLines(log, path)
}

func readLines(log io.Reader, path string) (shards []shard, incomplete int, err error) {
	var ids []string
	pieces := map[string]map[int]string{}
	scan := bufio.NewScanner(log)
	scan.Buffer(nil, 1<<20)
	scan.Split(scanPieces)
	for scan.Scan() {
		found := logLine.FindStringSubmatch(scan.Text())
		if found == nil {
			continue
		}
		id := found[1]
		n, err := strconv.Atoi(found[2])
		if err != nil {
			continue
		}
		if pieces[id] == nil {
			ids, pieces[id] = append(ids, id), map[int]string{}
		}
		pieces[id][n] = found[4]
	}
	if err := scan.Err(); err != nil {
		return nil, 0, err
	}
	for _, id := range ids {
		var text strings.Builder
		for _, n := range slices.Sorted(maps.Keys(pieces[id])) {
			text.WriteString(pieces[id][n])
		}
		packed, err := base64.StdEncoding.DecodeString(text.String())
		if err != nil || logID(packed) != id {
			incomplete++
			continue
		}
		archive, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
		if err != nil {
			return nil, 0, err
		}
		s, err := readShard(limited{archive, limits.Shard}, path)
		if err != nil {
			return nil, 0, err
		}
		s.logged = true
		shards = append(shards, s)
	}
	return shards, incomplete, nil
}

// scanPieces is bufio.ScanLines where a line of any length may stand between those of results.
func scanPieces(data []byte, atEnd bool) (advance int, token []byte, err error) {
	advance, token, err = bufio.ScanLines(data, atEnd)
	if advance == 0 && len(data) >= 64<<10 {
		return len(data), data, nil
	}
	return advance, token, err
}
