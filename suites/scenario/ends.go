package scenario

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/puppet"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// director tells every pod of the Jobs in Scenario.Ends how it ends, in the order
// in which they were created.
type director struct {
	ends map[string][]string
	told map[types.UID]bool
	next map[string]int // by Job
}

func newDirector(ends map[string]string) *director {
	d := &director{ends: map[string][]string{}, told: map[types.UID]bool{}, next: map[string]int{}}
	for job, codes := range ends {
		d.ends[job] = strings.Split(strings.ReplaceAll(codes, " ", ""), ",")
	}
	return d
}

// line is how a pod ends; nothing if it was told before, or is for nobody to
// tell.
func (d *director) line(pod *corev1.Pod) string {
	owner := metav1.GetControllerOfNoCopy(pod)
	if owner == nil || d.told[pod.UID] {
		return ""
	}
	codes := d.ends[owner.Name]
	if len(codes) == 0 {
		return ""
	}
	d.told[pod.UID] = true
	code := codes[min(d.next[owner.Name], len(codes)-1)]
	d.next[owner.Name]++
	if pod.Spec.RestartPolicy == corev1.RestartPolicyOnFailure && code != "0" {
		code += ",0" // the container is started again, and has to end then
	}
	return code
}

// direct works until ctx ends.
func (p *performance) direct(ctx context.Context) error {
	d := newDirector(p.scenario.Ends)
	if len(d.ends) == 0 {
		return nil
	}
	for {
		changed := p.recorder.Changed()
		for _, pod := range p.recorder.Pods() {
			code := d.line(&pod)
			if code == "" {
				continue
			}
			patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": map[string]any{puppet.ExitCodes: code}}})
			if err != nil {
				return err
			}
			err = p.client.Patch(ctx, &pod, client.RawPatch(types.MergePatchType, patch))
			if err != nil && !apierrors.IsNotFound(err) && ctx.Err() == nil {
				return err
			}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil
		}
	}
}
