package report

import (
	"archive/zip"
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
)

// logMark begins each line of results in a log. Whatever a log puts before it, such as the name
// of a pod or a time, is ignored. Behind it are an ID, that of all lines of one shard; the
// number of the line, and of how many; and a piece of a zip archive in base64.
const logMark = "jobconformance-results"

// logPiece is small enough for the 16 KiB at which container runtimes cut lines.
const logPiece = 6000

var logLine = regexp.MustCompile(logMark + ` ([0-9a-f]{16}) (\d+)/(\d+) ([A-Za-z0-9+/=]+)`)

// PrintShard prints the shard that Publish has written into a folder as lines of a log, for
// Merge. It prints nothing where the run was none.
func PrintShard(out io.Writer, folder string) error {
	s, err := readShard(os.DirFS(folder), folder)
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
		text, err := os.ReadFile(filepath.Join(folder, name))
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
	log, err := os.ReadFile(path)
	if err != nil {
		return nil, 0, err
	}
	var ids []string
	pieces := map[string][]string{}
	for _, found := range logLine.FindAllStringSubmatch(string(log), -1) {
		id := found[1]
		n, err := strconv.Atoi(found[2])
		count, wrong := strconv.Atoi(found[3])
		if err != nil || wrong != nil || n < 1 || n > count || count > len(log) {
			continue
		}
		if pieces[id] == nil {
			ids, pieces[id] = append(ids, id), make([]string, count)
		}
		if n <= len(pieces[id]) {
			pieces[id][n-1] = found[4]
		}
	}
	for _, id := range ids {
		packed, err := base64.StdEncoding.DecodeString(strings.Join(pieces[id], ""))
		if err != nil || logID(packed) != id {
			incomplete++
			continue
		}
		archive, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
		if err != nil {
			return nil, 0, err
		}
		s, err := readShard(archive, path)
		if err != nil {
			return nil, 0, err
		}
		s.logged = true
		shards = append(shards, s)
	}
	return shards, incomplete, nil
}
