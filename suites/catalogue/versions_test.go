package catalogue

import "testing"

func TestTimelinesNameTheFirstReleaseOfEach(t *testing.T) {
	const affected = ">= 1.32.2, < 1.34.12 || >= 1.36.0, < 1.36.5 || 1.37.0"
	got := map[string]string{}
	for _, m := range timeline(affected) {
		got[m.Version] = m.Text
		if m.Has != (m.Text != "does not have it") {
			t.Errorf("%+v", m)
		}
	}
	for version, want := range map[string]string{
		"v1.30": "does not have it", "v1.32": "has it since v1.32.2", "v1.33": "has it",
		"v1.34": "has it, until it was fixed in v1.34.12", "v1.35": "does not have it",
		"v1.37": "has it, until it was fixed in v1.37.1",
	} {
		if got[version] != want {
			t.Errorf("%s %q, want %q", version, got[version], want)
		}
	}
}
