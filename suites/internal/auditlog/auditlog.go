// Package auditlog reads the audit log of an API server, as cluster.WithAudit has it written.
package auditlog

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Event has what is read of an audit event: of one request.
type Event struct {
	// Verb as the API server names it: create, patch, list.
	Verb, UserAgent, RequestURI string
	// ObjectRef is nil for a request that is about no resource, as that for /version.
	ObjectRef      *struct{ Resource, Subresource, Namespace string }
	ResponseStatus struct{ Code int }
}

// Resource is the resource with its subresource, "jobs/status"; the URI for what has none.
func (e Event) Resource() string {
	switch o := e.ObjectRef; {
	case o == nil:
		return e.RequestURI
	case o.Subresource != "":
		return o.Resource + "/" + o.Subresource
	default:
		return o.Resource
	}
}

// Log is a log that comes in pieces of any size. The zero value is ready.
type Log struct {
	rest []byte // of a line that is not complete yet
}

// Add returns the events whose lines a piece completes, and an error about the last line that
// is none.
func (l *Log) Add(piece []byte) (events []Event, err error) {
	l.rest = append(l.rest, piece...)
	for {
		line, rest, complete := bytes.Cut(l.rest, []byte("\n"))
		if !complete {
			l.rest = bytes.Clone(l.rest) // or every line ever added would stay
			return events, err
		}
		l.rest = rest
		var e Event
		if broken := json.Unmarshal(line, &e); broken != nil {
			err = fmt.Errorf("the audit log has the line %.200q: %w", line, broken)
		} else if e.Verb == "" {
			err = fmt.Errorf("the audit log has the line %.200q, without a verb", line)
		} else {
			events = append(events, e)
		}
	}
}
