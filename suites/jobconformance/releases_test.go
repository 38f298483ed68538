package main

import (
	"strings"
	"testing"

	"github.com/jobconformance/jobconformance/fixtures/build"
)

func TestReleases(t *testing.T) {
	for word, want := range map[string]string{
		"latest": build.DefaultKubernetesVersion, "stable": build.DefaultKubernetesVersion, "1.36": "v1.36.4",
		"v1.36": "v1.36.4", "1.36.x": "v1.36.4", "1.37.1": "v1.37.1", "v1.36.3": "v1.36.3",
		"1.38.0-rc.1": "v1.38.0-rc.1",
		"1.99":        "1.99", "v1": "v1", "newest": "newest", "": "",
	} {
		if got := resolve(word); got != want {
			t.Errorf("%q is %s, want %s", word, got, want)
		}
	}
}

func TestFlagsTakeReleases(t *testing.T) {
	root := rootCommand()
	for command, want := range map[string]string{
		"run --kubernetes-version=1.36": "v1.36.4", "repro --version=1.36,1.35.4": "v1.36.4,v1.35.4",
		"prefetch --kubernetes-version=1.36 --kubernetes-version=latest": "v1.36.4," + build.DefaultKubernetesVersion,
		"bench --kubernetes-version=1.99":                                "1.99",
	} {
		c, args, err := root.Find(strings.Fields(command))
		if err == nil {
			err = c.ParseFlags(args)
		}
		if err != nil {
			t.Fatal(err)
		}
		flag := c.Flags().Lookup("kubernetes-version")
		if flag == nil {
			flag = c.Flags().Lookup("version")
		}
		if got := valueOf(flag); got != want {
			t.Errorf("%s is run with %s, want %s", command, got, want)
		}
	}
}
