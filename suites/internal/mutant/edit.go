package mutant

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Edit replaces a text that occurs exactly once in a file of the checkout.
type Edit struct {
	File string `json:"file"`
	Old  string `json:"old"`
	New  string `json:"new"`
}

// Apply returns the texts of the files that edits change, by their paths. It fails when an edit
// does not fit the checkout at root any more.
func Apply(root string, edits []Edit) (map[string]string, error) {
	texts := map[string]string{}
	for _, e := range edits {
		path := filepath.Join(root, e.File)
		text, seen := texts[path]
		if !seen {
			data, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			text = string(data)
		}
		if n := strings.Count(text, e.Old); n != 1 {
			return nil, fmt.Errorf("the text of an edit occurs %d times in %s, want once:\n%s", n, e.File, e.Old)
		}
		texts[path] = strings.Replace(text, e.Old, e.New, 1)
	}
	return texts, nil
}
