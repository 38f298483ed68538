// Package profile finds out what a run asks of the API server, by user agent, resource
// and spec. Its figures cost the API server time: CPU times are those of a run without.
package profile

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"

	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/internal/auditlog"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// Requests takes an audit log, as cluster.WithAudit writes it for everybody, and counts.
// The zero value is ready.
type Requests struct {
	mu    sync.Mutex
	log   auditlog.Log
	calls map[call]int
	specs map[string]string // of namespaces
}

type call struct{ agent, verb, resource, namespace string }

// Write takes a piece of the log. It never fails, so that the API server keeps working: a line
// that is no event is left out.
func (r *Requests) Write(piece []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	events, _ := r.log.Add(piece)
	for _, e := range events {
		r.count(e)
	}
	return len(piece), nil
}

func (r *Requests) count(e auditlog.Event) {
	if r.calls == nil {
		r.calls, r.specs = map[call]int{}, map[string]string{}
	}
	c := call{agent: agent(e.UserAgent), verb: e.Verb}
	c.resource, _, _ = strings.Cut(e.Resource(), "?")
	if o := e.ObjectRef; o != nil {
		c.namespace = o.Namespace
		if text, ok := spec.AgentOf(e.UserAgent); ok && o.Namespace != "" {
			r.specs[o.Namespace] = text
		}
	}
	r.calls[c]++
}

// agent shortens a User-Agent to the program and its part.
func agent(header string) string {
	if spec.ByHarness(header) {
		return "suites"
	}
	program, more, _ := strings.Cut(header, "/")
	if part := path.Base(more); strings.Count(more, "/") > 2 {
		return program + "/" + part
	}
	return program
}

// Print writes the tables: requests by user agent, verb and resource; by spec; and what
// the API server's own metrics say of its watches and answers, since it started.
func (r *Requests) Print(ctx context.Context, out io.Writer, config *rest.Config) error {
	r.mu.Lock()
	byKind, bySpec, total := map[string]int{}, map[string]int{}, 0
	for c, n := range r.calls {
		byKind[fmt.Sprintf("%s\t%s %s", c.agent, c.verb, c.resource)] += n
		bySpec[cmp.Or(r.specs[c.namespace], "(no spec)")] += n
		total += n
	}
	r.mu.Unlock()
	table(out, fmt.Sprintf("%d requests, by user agent (watches that have ended only)", total), byKind)
	table(out, "Requests in the namespaces of a spec, of everybody", bySpec)
	set, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	text, err := set.CoreV1().RESTClient().Get().AbsPath("/metrics").DoRaw(ctx)
	if err != nil {
		return err
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(text))
	if err != nil {
		return err
	}
	for _, shown := range []struct{ title, metric string }{
		{"Events sent by watches", "apiserver_watch_events_total"},
		{"Bytes sent by watches", "apiserver_watch_events_sizes"},
		{"Bytes of other answers", "apiserver_response_sizes"},
		{"Requests of etcd", "etcd_requests_total"},
	} {
		rows := map[string]int{}
		for _, m := range families[shown.metric].GetMetric() {
			labels := map[string]string{}
			for _, l := range m.GetLabel() {
				labels[l.GetName()] = l.GetValue()
			}
			name := strings.TrimSpace(cmp.Or(labels["verb"], labels["operation"]) + " " + labels["resource"])
			rows[name] += int(m.GetCounter().GetValue() + m.GetHistogram().GetSampleSum())
		}
		table(out, shown.title, rows)
	}
	return nil
}

// table writes rows by their figures, the largest first.
func table(out io.Writer, title string, rows map[string]int) {
	fmt.Fprintln(out, title)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, name := range slices.SortedFunc(maps.Keys(rows), func(a, b string) int {
		return cmp.Or(cmp.Compare(rows[b], rows[a]), cmp.Compare(a, b))
	}) {
		fmt.Fprintf(w, "%d\t%s\n", rows[name], name)
	}
	_ = w.Flush()
	fmt.Fprintln(out)
}
