package measured

import (
	"os"
	"path/filepath"
	"testing"
)

func TestAFigureReplacesThatOfTheSameDraw(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, filepath.Dir(file)), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, m := range []Score{{Version: "v1", Count: 5, Caught: 1}, {Version: "v1", Count: 6},
		{Version: "v1", Count: 5, Caught: 2}} {
		if err := m.Save(root); err != nil {
			t.Fatal(err)
		}
	}
	all, err := Read(root)
	if err != nil || len(all) != 2 || all[1].Caught != 2 {
		t.Errorf("%+v, %v", all, err)
	}
}
