package cronjob

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	testingclock "k8s.io/utils/clock/testing"
)

// apiTest is a controller whose informers lag until the test calls show.
type apiTest struct {
	*testing.T
	*Controller
	api      *fake.Clientset
	clock    *testingclock.FakeClock
	cached   cache.Indexer
	recorder *record.FakeRecorder
}

// newAPITest has the given objects in the API server and in the informers, and the
// time 10:00:05.
func newAPITest(t *testing.T, cronJob *batchv1.CronJob, jobs ...*batchv1.Job) *apiTest {
	objects := []runtime.Object{cronJob}
	for _, job := range jobs {
		objects = append(objects, job)
	}
	b := &apiTest{T: t, api: newAPI(objects...), clock: testingclock.NewFakeClock(At("10:00:05")),
		recorder: record.NewFakeRecorder(100)}
	factory := informers.NewSharedInformerFactory(b.api, 0)
	c := New(b.api, factory, b.recorder, b.clock)
	b.Controller, b.cached = c, factory.Batch().V1().CronJobs().Informer().GetIndexer()
	b.show()
	return b
}

// newAPI gives objects the UIDs and resource versions that an API server would.
func newAPI(objects ...runtime.Object) *fake.Clientset {
	api := fake.NewClientset(objects...)
	revision := 100
	api.PrependReactor("create", "jobs", func(action clienttesting.Action) (bool, runtime.Object, error) {
		job := action.(clienttesting.CreateAction).GetObject().(*batchv1.Job)
		revision++
		job.UID, job.ResourceVersion = types.UID("uid-of-"+job.Name), strconv.Itoa(revision)
		job.CreationTimestamp = *Stamp("10:00:06")
		return false, nil, nil
	})
	api.PrependReactor("update", "cronjobs", func(action clienttesting.Action) (bool, runtime.Object, error) {
		next := action.(clienttesting.UpdateAction).GetObject().(*batchv1.CronJob)
		stored, err := api.Tracker().Get(action.GetResource(), next.Namespace, next.Name)
		if err != nil {
			return true, nil, err
		}
		if stored.(*batchv1.CronJob).ResourceVersion != next.ResourceVersion {
			return true, nil, apierrors.NewConflict(action.GetResource().GroupResource(), next.Name,
				errors.New("changed meanwhile"))
		}
		revision++
		next.ResourceVersion = strconv.Itoa(revision)
		return false, nil, nil
	})
	return api
}

// show lets the informers catch up.
func (b *apiTest) show() {
	b.Helper()
	cronJobs, err := b.api.BatchV1().CronJobs("").List(b.Context(), metav1.ListOptions{})
	if err != nil {
		b.Fatal(err)
	}
	var objects []any
	for i := range cronJobs.Items {
		objects = append(objects, &cronJobs.Items[i])
	}
	if err := b.cached.Replace(objects, ""); err != nil {
		b.Fatal(err)
	}
	objects = nil
	for _, job := range b.stored() {
		objects = append(objects, job)
	}
	if err := b.jobs.Replace(objects, ""); err != nil {
		b.Fatal(err)
	}
	b.api.ClearActions()
}

// syncOnce syncs once and returns the error.
func (b *apiTest) syncOnce() error {
	return b.sync(b.Context(), cache.NewObjectName("ns", "report"))
}

func (b *apiTest) mustSync() {
	b.Helper()
	if err := b.syncOnce(); err != nil {
		b.Fatal(err)
	}
}

// stored returns the Jobs in the API server.
func (b *apiTest) stored() []*batchv1.Job {
	list, err := b.api.BatchV1().Jobs("").List(context.Background(), metav1.ListOptions{})
	if err != nil {
		b.Fatal(err)
	}
	var jobs []*batchv1.Job
	for i := range list.Items {
		jobs = append(jobs, &list.Items[i])
	}
	slices.SortFunc(jobs, func(a, b *batchv1.Job) int { return strings.Compare(a.Name, b.Name) })
	return jobs
}

func (b *apiTest) status() batchv1.CronJobStatus {
	stored, err := b.api.BatchV1().CronJobs("ns").Get(context.Background(), "report", metav1.GetOptions{})
	if err != nil {
		b.Fatal(err)
	}
	return stored.Status
}

// writes returns what was asked of the API server, other than reads.
func (b *apiTest) writes() string {
	var out []string
	for _, action := range b.api.Actions() {
		if !slices.Contains([]string{"get", "list", "watch"}, action.GetVerb()) {
			out = append(out, action.GetVerb()+" "+action.GetResource().Resource)
		}
	}
	return strings.Join(out, ", ")
}

// emitted returns the reasons of the events so far.
func (b *apiTest) emitted() string {
	var out []string
	for len(b.recorder.Events) > 0 {
		out = append(out, strings.Fields(<-b.recorder.Events)[1])
	}
	return strings.Join(out, " ")
}

// fail answers the next request of a kind with an error. If late, it is carried
// out all the same.
func (b *apiTest) fail(verb, resource string, late bool, err error) {
	done, chain := false, slices.Clone(b.api.ReactionChain)
	b.api.PrependReactor(verb, resource, func(action clienttesting.Action) (bool, runtime.Object, error) {
		if done {
			return false, nil, nil
		}
		done = true
		for _, reactor := range chain {
			if !late || !reactor.Handles(action) {
				continue
			}
			if handled, _, err := reactor.React(action); err != nil {
				b.Error(err)
			} else if handled {
				break
			}
		}
		return true, nil, err
	})
}

func (b *apiTest) expect(what, got, want string) {
	b.Helper()
	if got != want {
		b.Errorf("%s: %q, want %q", what, got, want)
	}
}

func (b *apiTest) expectStatus(last string, active ...string) {
	b.Helper()
	status := b.status()
	var got []string
	for _, ref := range status.Active {
		got = append(got, ref.Name)
	}
	b.expect("active", fmt.Sprint(got), fmt.Sprint(active))
	if !status.LastScheduleTime.Equal(Stamp(last)) {
		b.Errorf("lastScheduleTime %v, want %s", status.LastScheduleTime, last)
	}
}

var errServer = apierrors.NewInternalError(errors.New("injected"))
