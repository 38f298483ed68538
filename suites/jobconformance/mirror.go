package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/console"
	"github.com/jobconformance/jobconformance/fixtures/run"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/spf13/cobra"
)

const mirrorHelp = `Copies the images that a run with the same flags pulls to another registry, with all their
platforms and the same digests. REGISTRY may have a path, as in registry.example.com/mirror: an
image keeps its own name below it. Credentials are those of docker login.

Each line has an image and its copy. Progress, and the flags of run that use the copies, go to
standard error.

Exit codes: 0 all were copied, 2 bad input, also an image that is not there or not allowed,
3 an image could not be copied, 130 after Ctrl-C, 143 after SIGTERM.`

func mirrorCommand() *cobra.Command {
	var p pulling
	c := command("mirror REGISTRY", "Copy the images that a run pulls to another registry", mirrorHelp,
		`  jobconformance images mirror registry.example.com/mirror --kubernetes-version=v1.36.3`,
		func(cmd *cobra.Command, args []string) error {
			pulls, err := p.pulls(cmd.Flags())
			if err != nil {
				return err
			}
			copies, err := copiesIn(args[0], pulls)
			if err != nil {
				return err
			}
			for _, c := range copies {
				if err := c.write(cmd.Context(), cmd.ErrOrStderr()); err != nil {
					return err
				}
				fmt.Fprintln(cmd.OutOrStdout(), c.Image, c.reference)
			}
			console.Line(cmd.ErrOrStderr(), "flags of run", "%s", p.flags(copies))
			return nil
		})
	p.add(c.Flags())
	return c
}

// imageCopy is an image in another registry.
type imageCopy struct {
	run.Pull
	from, to  name.Reference
	reference string // to, with the digest where the image has one
}

// copiesIn returns what the copies of images are called.
func copiesIn(registry string, pulls []run.Pull) (copies []imageCopy, err error) {
	if len(pulls) == 0 {
		return nil, badinput.New("an embedded cluster pulls no images",
			"give "+console.Flag("cluster", "kind")+" or existing")
	}
	for _, p := range pulls {
		c := imageCopy{Pull: p}
		if c.from, err = name.ParseReference(p.Image); err != nil {
			return nil, badinput.Wrap(err, fmt.Sprintf("%q is no reference to an image", p.Image),
				"correct "+console.Flag(p.Flag))
		}
		repository, err := name.NewRepository(strings.TrimSuffix(registry, "/")+"/"+c.from.Context().RepositoryStr(),
			name.StrictValidation)
		if err != nil {
			return nil, badinput.Wrap(err, fmt.Sprintf("%q is no registry", registry),
				"give one like registry.example.com/mirror or 127.0.0.1:5000")
		}
		tagged, digest, pinned := strings.Cut(p.Image, "@")
		switch tag, err := name.NewTag(tagged, name.WithDefaultTag("")); {
		case !pinned:
			c.to = repository.Tag(c.from.Identifier())
			c.reference = c.to.Name()
		case err == nil && tag.TagStr() != "":
			c.to = repository.Tag(tag.TagStr())
			c.reference = c.to.Name() + "@" + digest
		default:
			c.to = repository.Digest(digest)
			c.reference = c.to.Name()
		}
		copies = append(copies, c)
	}
	return copies, nil
}

// progressEvery is how often a copy that takes long prints how far it is.
const progressEvery = 10 * time.Second

// write copies the image. What the registry has already is not sent again.
func (c imageCopy) write(ctx context.Context, progress io.Writer) error {
	options := []remote.Option{remote.WithContext(ctx), remote.WithAuthFromKeychain(authn.DefaultKeychain),
		remote.WithUserAgent(spec.UserAgent("images mirror"))}
	console.Line(progress, c.Image, "to %s", c.reference)
	image, err := remote.Get(c.from, options...)
	if err == nil {
		updates := make(chan v1.Update)
		var printing sync.WaitGroup
		printing.Go(func() { c.print(progress, updates) })
		err = remote.MultiWrite(map[name.Reference]remote.Taggable{c.to: image},
			append(options, remote.WithProgress(updates))...)
		printing.Wait()
	}
	var answer *transport.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &answer) &&
		slices.Contains([]int{http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound}, answer.StatusCode):
		return badinput.Wrap(err, fmt.Sprintf("%s cannot be copied to %s", c.Image, c.reference),
			"correct the names, or log in with docker login")
	}
	return fmt.Errorf("%s cannot be copied to %s: %w", c.Image, c.reference, err)
}

// print prints how far a copy is until updates is closed.
func (c imageCopy) print(out io.Writer, updates <-chan v1.Update) {
	last := time.Now()
	for u := range updates {
		if time.Since(last) >= progressEvery {
			console.Line(out, c.Image, "%d of %d MB", u.Complete/1e6, u.Total/1e6)
			last = time.Now()
		}
	}
}

// flags are those of run that use the copies.
func (p *pulling) flags(copies []imageCopy) string {
	words, nodes := []string{console.Argument("cluster", p.options.Cluster)}, 0
	for _, c := range copies {
		value := c.reference
		switch c.Flag {
		case run.NodeImageFlag:
			nodes++
		case run.ImplementationFlag:
			value = strings.Replace(p.name, c.Image, c.reference, 1)
		}
		words = append(words, console.Argument(c.Flag, value))
	}
	if nodes > 1 { // Pulls has them first; the flag would be for all nodes
		words = append(slices.Delete(words, 1, 1+nodes),
			"and the copies of the nodes' images in the file of "+console.Flag("kind-config"))
	}
	return strings.Join(words, " ")
}
