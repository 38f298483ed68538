package main

import (
	"bytes"
	"context"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/jobconformance/jobconformance/fixtures/run"
)

// registryHere serves a registry on the loopback address, and returns its host.
func registryHere(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

func push(t *testing.T, reference string, image remote.Taggable) string {
	t.Helper()
	ref, err := name.ParseReference(reference)
	if err == nil {
		err = remote.Push(ref, image)
	}
	if err != nil {
		t.Fatal(err)
	}
	pushed, err := remote.Head(ref)
	if err != nil {
		t.Fatal(err)
	}
	return pushed.Digest.String()
}

func TestMirrorKeepsDigestsAndPlatforms(t *testing.T) {
	t.Setenv("HOME", t.TempDir()) // no credentials
	source, target := registryHere(t), registryHere(t)
	index, err := random.Index(1000, 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	single, err := random.Image(1000, 1)
	if err != nil {
		t.Fatal(err)
	}
	node, puppet, controller := source+"/kindest/node:v1", source+"/busybox:1", source+"/a/controller:2"
	nodes, puppets, controllers := push(t, node, index), push(t, puppet, single), push(t, controller, index)
	var out, errs bytes.Buffer
	code := execute(t.Context(), []string{"images", "mirror", target + "/m/", "--node-image=" + node + "@" + nodes,
		"--puppet-image=" + source + "/busybox@" + puppets, "-i=image:" + controller + " --v 2"}, &out, &errs)
	if code != exitGreen {
		t.Fatalf("exit code %d, %s", code, &errs)
	}
	copies := map[string]string{
		target + "/m/kindest/node:v1@" + nodes: nodes,
		target + "/m/busybox@" + puppets:       puppets,
		target + "/m/a/controller:2":           controllers,
	}
	for reference, digest := range copies {
		ref, err := name.ParseReference(reference)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := remote.Head(ref); err != nil || got.Digest.String() != digest {
			t.Errorf("%s: %v, %v, want the digest %s", reference, got, err, digest)
		}
		if !strings.Contains(out.String(), " "+reference+"\n") {
			t.Errorf("stdout lacks %s:\n%s", reference, &out)
		}
	}
	tag, err := name.ParseReference(target + "/m/kindest/node:v1")
	if err != nil {
		t.Fatal(err)
	}
	copied, err := remote.Index(tag)
	if err != nil {
		t.Fatal(err)
	}
	platforms, err := copied.IndexManifest()
	if err != nil || len(platforms.Manifests) != 3 {
		t.Fatalf("%+v, %v", platforms, err)
	}
	for _, m := range platforms.Manifests {
		if _, err := remote.Image(tag.Context().Digest(m.Digest.String())); err != nil {
			t.Errorf("a platform is missing: %v", err)
		}
	}
	for _, want := range []string{"--cluster=kind", "--node-image=" + target + "/m/kindest/node:v1@" + nodes,
		"--implementation='image:" + target + "/m/a/controller:2 --v 2'"} {
		if !strings.Contains(errs.String(), want) {
			t.Errorf("stderr lacks %s:\n%s", want, &errs)
		}
	}
}

func TestMirrorNamesWhatIsWrong(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	here := registryHere(t)
	image, err := random.Image(10, 1)
	if err != nil {
		t.Fatal(err)
	}
	push(t, here+"/node:1", image)
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	nobody := strings.TrimPrefix(closed.URL, "http://")
	for title, c := range map[string]struct {
		args []string
		code int
		want string
	}{
		"no registry": {[]string{"mirror"}, exitBadInput, `"mirror" is no registry`},
		"a URL":       {[]string{"https://" + here}, exitBadInput, "is no registry"},
		"no image":    {[]string{here, "--node-image=A B"}, exitBadInput, "--node-image"},
		"embedded":    {[]string{here, "--cluster=embedded"}, exitBadInput, "pulls no images"},
		"not there": {[]string{here + "/m", "--node-image=" + here + "/missing:1"}, exitBadInput,
			"correct the names"},
		"nobody to copy to": {[]string{nobody, "--node-image=" + here + "/node:1"}, exitHarness, nobody},
		"nobody to ask":     {[]string{here, "--node-image=" + nobody + "/node:1"}, exitHarness, nobody},
	} {
		t.Run(title, func(t *testing.T) {
			var out, errs bytes.Buffer
			code := execute(t.Context(), append([]string{"images", "mirror"}, c.args...), &out, &errs)
			lines := strings.Split(strings.TrimSpace(errs.String()), "\n")
			if last := lines[len(lines)-1]; code != c.code || !strings.HasPrefix(last, "jobconformance: ") ||
				!strings.Contains(last, c.want) {
				t.Errorf("exit code %d, want %d; %s", code, c.code, &errs)
			}
		})
	}
}

func TestFlagsOfSeveralNodeImages(t *testing.T) {
	copies, err := copiesIn("127.0.0.1:5000", []run.Pull{{Flag: "node-image", Image: "a/b:1"},
		{Flag: "node-image", Image: "a/b:2"}, {Flag: "puppet-image", Image: "busybox:1"}})
	if err != nil {
		t.Fatal(err)
	}
	p := pulling{options: run.Options{Where: run.Where{Cluster: "kind"}}}
	if got, want := p.flags(copies),
		"--cluster=kind --puppet-image=127.0.0.1:5000/library/busybox:1 and the copies of the nodes' images "+
			"in the file of --kind-config"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestMirrorIsInterrupted(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	asked := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		cancel() // while the registry has not answered
		<-r.Context().Done()
	}))
	defer asked.Close()
	var out, errs bytes.Buffer
	if code := execute(ctx, []string{"images", "mirror", "127.0.0.1:1",
		"--node-image=" + strings.TrimPrefix(asked.URL, "http://") + "/node:1"}, &out, &errs); code != 130 {
		t.Errorf("exit code %d, %s", code, &errs)
	}
}
