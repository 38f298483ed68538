package aggregator

import (
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

const managedBy = "example.com/aggregator"

func job() *batchv1.Job {
	labels := map[string]string{"app": "a"}
	for _, label := range generated {
		labels[label] = "x"
	}
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "a", UID: "1"},
		Spec: batchv1.JobSpec{
			ManagedBy: ptr.To(managedBy), TTLSecondsAfterFinished: ptr.To[int32](0),
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{batchv1.ControllerUidLabel: "x"}},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}},
		},
	}
}

func TestAMirrorIsWithoutWhatTheHubGenerates(t *testing.T) {
	got := mirrored(job()).Spec
	want := batchv1.JobSpec{Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{
		Labels: map[string]string{"app": "a"}}}}
	if !equality.Semantic.DeepEqual(got, want) {
		t.Errorf("its spec is %+v, want %+v", got, want)
	}
	own := job()
	own.Spec.ManualSelector = ptr.To(true)
	if got := mirrored(own).Spec; got.Selector == nil || got.Template.Labels["job-name"] != "x" {
		t.Errorf("a selector of the user's is lost: %+v", got)
	}
}

func TestStartTimeChangesWhereTheAPIServerAllowsIt(t *testing.T) {
	early, late := metav1.Unix(1, 0), metav1.Unix(2, 0)
	suspended := func(status corev1.ConditionStatus) []batchv1.JobCondition {
		return []batchv1.JobCondition{{Type: batchv1.JobSuspended, Status: status}}
	}
	for name, c := range map[string]struct {
		before, there batchv1.JobStatus
		suspend       bool
		want          metav1.Time
	}{
		"new":     {batchv1.JobStatus{}, batchv1.JobStatus{StartTime: &late}, false, late},
		"running": {batchv1.JobStatus{StartTime: &early}, batchv1.JobStatus{StartTime: &late}, false, early},
		"resumed": {batchv1.JobStatus{StartTime: &early, Conditions: suspended(corev1.ConditionTrue)},
			batchv1.JobStatus{StartTime: &late, Conditions: suspended(corev1.ConditionFalse)}, false, late},
		"suspended": {batchv1.JobStatus{StartTime: &early}, batchv1.JobStatus{StartTime: &late}, true, late},
	} {
		j := job()
		j.Status, j.Spec.Suspend = c.before, &c.suspend
		if got := status(j, &batchv1.Job{Status: c.there}).StartTime; !got.Equal(&c.want) {
			t.Errorf("%s: it is %v, want %v", name, got, c.want)
		}
	}
}

// reconcile reconciles a Job once, and returns its mirror, nil for none, and the Job.
func reconcile(t *testing.T, hub, member []client.Object) (mirror, after *batchv1.Job) {
	t.Helper()
	r := &Reconciler{ManagedBy: managedBy,
		Hub:    fake.NewClientBuilder().WithObjects(hub...).WithStatusSubresource(&batchv1.Job{}).Build(),
		Member: fake.NewClientBuilder().WithObjects(member...).WithStatusSubresource(&batchv1.Job{}).Build(),
	}
	key := client.ObjectKeyFromObject(job())
	if _, err := r.Reconcile(t.Context(), ctrl.Request{NamespacedName: key}); err != nil {
		t.Fatal(err)
	}
	mirror, after = &batchv1.Job{}, &batchv1.Job{}
	if err := r.Member.Get(t.Context(), key, mirror); apierrors.IsNotFound(err) {
		mirror = nil
	}
	_ = r.Hub.Get(t.Context(), key, after)
	return mirror, after
}

func TestWhichJobsHaveAMirror(t *testing.T) {
	complete := job()
	complete.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobComplete, Status: corev1.ConditionTrue}}
	others := job()
	others.Spec.ManagedBy = nil
	predecessor := mirrored(job())
	predecessor.Annotations[mirrorOf] = "0"
	foreign := mirrored(job())
	foreign.Annotations = nil
	for name, c := range map[string]struct {
		hub, member []client.Object
		want        bool
	}{
		"a new Job":                        {[]client.Object{job()}, nil, true},
		"a finished Job":                   {[]client.Object{complete}, nil, false},
		"a Job of another controller":      {[]client.Object{others}, nil, false},
		"a deleted Job":                    {nil, []client.Object{mirrored(job())}, false},
		"another Job of the name":          {[]client.Object{job()}, []client.Object{predecessor}, false},
		"a Job of somebody else's there":   {nil, []client.Object{foreign}, true},
		"a Job that is mirrored and stays": {[]client.Object{job()}, []client.Object{mirrored(job())}, true},
	} {
		if mirror, _ := reconcile(t, c.hub, c.member); (mirror != nil) != c.want {
			t.Errorf("%s: its mirror is there: %t, want %t", name, mirror != nil, c.want)
		}
	}
}

func TestAFinalStatusStays(t *testing.T) {
	started := metav1.NewTime(time.Unix(1, 0))
	there := mirrored(job())
	there.Status = batchv1.JobStatus{StartTime: &started, Active: 1}
	if _, after := reconcile(t, []client.Object{job()}, []client.Object{there}); after.Status.Active != 1 {
		t.Errorf("the status is not copied: %+v", after.Status)
	}
	complete := job()
	complete.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobComplete, Status: corev1.ConditionTrue}}
	if _, after := reconcile(t, []client.Object{complete}, []client.Object{there}); after.Status.Active != 0 {
		t.Errorf("the status of a finished Job was changed: %+v", after.Status)
	}
}
