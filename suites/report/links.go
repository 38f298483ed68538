package report

import (
	"regexp"
	"strings"
)

var (
	kepSource   = regexp.MustCompile(`^KEP-0*(\d+)`)
	issueSource = regexp.MustCompile(`^kubernetes/kubernetes#(\d+)`)
	docsSource  = regexp.MustCompile(`^docs: (\S+)`)
)

// sourceLink is where one source of a requirement can be read; empty if that is
// not known.
func sourceLink(source string) string {
	if m := kepSource.FindStringSubmatch(source); m != nil {
		return "https://github.com/kubernetes/enhancements/issues/" + m[1]
	}
	if m := issueSource.FindStringSubmatch(source); m != nil {
		return "https://github.com/kubernetes/kubernetes/issues/" + m[1]
	}
	if m := docsSource.FindStringSubmatch(source); m != nil {
		return "https://kubernetes.io/docs/" + strings.TrimPrefix(m[1], "/")
	}
	switch {
	case strings.HasPrefix(source, "https://"):
		return source
	case strings.HasPrefix(source, "batch/v1 CronJob"):
		return "https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/cron-job-v1/"
	case strings.HasPrefix(source, "batch/v1"):
		return "https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/job-v1/"
	}
	return ""
}
