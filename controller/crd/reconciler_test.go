package crd

import (
	"context"
	"slices"
	"strings"
	"testing"

	v1 "github.com/jobconformance/jobconformance/controller/crd/api/v1"
	"github.com/jobconformance/jobconformance/controller/crd/deploy"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/events"
	testclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/yaml"
)

// cached reads from another client, as a cache does that lags behind.
type cached struct {
	client.Client
	shown client.Client
}

func (c *cached) Get(ctx context.Context, key client.ObjectKey, object client.Object,
	options ...client.GetOption) error {
	return c.shown.Get(ctx, key, object, options...)
}

func (c *cached) List(ctx context.Context, list client.ObjectList, options ...client.ListOption) error {
	return c.shown.List(ctx, list, options...)
}

func server(t *testing.T, objects ...client.Object) client.Client {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := clientscheme.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	if err := v1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	owner := func(o client.Object) []string { return []string{string(metav1.GetControllerOf(o).UID)} }
	return fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).WithStatusSubresource(&v1.CronJob{},
		&batchv1.Job{}).
		WithIndex(&batchv1.Job{}, ownerUID, owner).WithIndex(&v1.Run{}, ownerUID, owner).Build()
}

func reconcileOnce(t *testing.T, shown, live client.Client, clock string) *events.FakeRecorder {
	t.Helper()
	emitted := events.NewFakeRecorder(10)
	r := &Reconciler{Client: &cached{live, shown}, Live: live, Recorder: emitted,
		Clock: testclock.NewFakePassiveClock(at(clock))}
	if _, err := r.Reconcile(t.Context(),
		reconcile.Request{NamespacedName: client.ObjectKeyFromObject(hourly())}); err != nil {
		t.Fatal(err)
	}
	return emitted
}

func state(t *testing.T, live client.Client) (cronJob v1.CronJob, jobs []string) {
	t.Helper()
	var all batchv1.JobList
	if err := live.List(t.Context(), &all); err != nil {
		t.Fatal(err)
	}
	for _, j := range all.Items {
		jobs = append(jobs, j.Name)
	}
	if err := live.Get(t.Context(), client.ObjectKeyFromObject(hourly()), &cronJob); err != nil {
		t.Fatal(err)
	}
	return cronJob, jobs
}

func TestAJobIsStartedAndRecorded(t *testing.T) {
	live := server(t, hourly())
	emitted := reconcileOnce(t, live, live, "09:00")
	cronJob, jobs := state(t, live)
	if !slices.Equal(jobs, []string{jobName(at("09:00"))}) || len(cronJob.Status.Active) != 1 ||
		!cronJob.Status.LastScheduleTime.Time.Equal(at("09:00")) {
		t.Errorf("jobs %v, status %+v", jobs, cronJob.Status)
	}
	if e := <-emitted.Events; !strings.Contains(e, "SuccessfulCreate") {
		t.Errorf("the event is %s", e)
	}
}

// The cache shows the CronJob from before it was suspended, or lacks a Job.
func TestNothingIsStartedByAnOldView(t *testing.T) {
	running := job("09:00")
	running.UID = "running"
	for name, live := range map[string]client.Client{
		"suspended": server(t, hourly(func(c *v1.CronJob) { suspend := true; c.Spec.Suspend = &suspend })),
		"Forbid":    server(t, hourly(policy("Forbid"), active(running), last("09:00")), running),
	} {
		_, before := state(t, live)
		reconcileOnce(t, server(t, hourly()), live, "10:00")
		if _, after := state(t, live); !slices.Equal(before, after) {
			t.Errorf("%s: started %v", name, after)
		}
	}
}

func TestReplaceDeletesFirst(t *testing.T) {
	live := server(t, hourly(policy("Replace"), active(job("09:00")), last("09:00")), job("09:00"))
	reconcileOnce(t, live, live, "10:00")
	cronJob, jobs := state(t, live)
	if want := []string{jobName(at("10:00"))}; !slices.Equal(jobs, want) || len(cronJob.Status.Active) != 1 ||
		cronJob.Status.Active[0].Name != want[0] {
		t.Errorf("jobs %v, status %+v", jobs, cronJob.Status)
	}
}

// The manifest has each field of the types, and the other way round.
func TestTheManifestHasAllFields(t *testing.T) {
	var crd struct {
		Spec struct {
			Group    string
			Versions []struct {
				Name   string
				Schema struct {
					OpenAPIV3Schema struct {
						Properties map[string]struct{ Properties map[string]any }
					}
				}
			}
		}
	}
	if err := yaml.Unmarshal([]byte(deploy.CRD), &crd); err != nil {
		t.Fatal(err)
	}
	version := crd.Spec.Versions[0]
	if crd.Spec.Group != v1.GroupVersion.Group || version.Name != v1.GroupVersion.Version {
		t.Errorf("the manifest is of %s/%s", crd.Spec.Group, version.Name)
	}
	full := hourly(policy("Forbid"), deadline(1), last("09:00"), active(job("09:00")))
	full.Spec.TimeZone, full.Spec.Suspend, full.Spec.FailedJobsHistoryLimit = new(string), new(bool), new(int32)
	full.Spec.RunTemplate = &v1.RunTemplateSpec{}
	full.Status.LastSuccessfulTime = full.Status.LastScheduleTime
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(full)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"spec", "status"} {
		of := fields[part].(map[string]any)
		properties := version.Schema.OpenAPIV3Schema.Properties[part].Properties
		for name := range of {
			if properties[name] == nil {
				t.Errorf("the manifest lacks %s.%s", part, name)
			}
		}
		if len(properties) != len(of) {
			t.Errorf("%s has %d fields in the manifest, %d in Go", part, len(properties), len(of))
		}
	}
}

func TestCommandRefusesBadFlags(t *testing.T) {
	for want, args := range map[string][]string{
		"no cluster to work on": {"--kubeconfig=none"},
		"leader election":       {"--leader-elect-renew-deadline=1h"},
		"unknown command":       {"job"},
	} {
		cmd := NewCommand()
		cmd.SetArgs(args)
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		if err := cmd.ExecuteContext(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: the error is %v, want %q", args, err, want)
		}
	}
}
