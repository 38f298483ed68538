package job

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jobconformance/jobconformance/controller/internal/loop"
	"github.com/jobconformance/jobconformance/controller/job/plan"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
)

// groups are the informers of Workloads and PodGroups (KEP-5547).
type groups struct {
	workloads, podGroups cache.Indexer
}

// Group has the controller make Workloads and PodGroups for Jobs, as the feature gate WorkloadWithJob has it. The API
// server must serve scheduling.k8s.io/v1beta1. It is called before the factory is started.
func (c *Controller) Group(factory informers.SharedInformerFactory) {
	scheduling := factory.Scheduling().V1beta1()
	workloads, podGroups := scheduling.Workloads().Informer(), scheduling.PodGroups().Informer()
	c.groups = &groups{workloads.GetIndexer(), podGroups.GetIndexer()}
	c.synced = append(c.synced,
		loop.AddHandler(workloads, func(before, now *schedulingv1beta1.Workload) {
			if now != nil {
				c.workloadChanged(now)
			} else {
				c.workloadChanged(before)
			}
		}),
		loop.AddHandler(podGroups, func(before, now *schedulingv1beta1.PodGroup) {
			if now != nil {
				c.ownerChanged(now)
			} else {
				c.ownerChanged(before)
			}
		}))
}

// ownerChanged queues the Job that controls an object.
func (c *Controller) ownerChanged(object metav1.Object) {
	if ref := metav1.GetControllerOfNoCopy(object); ref != nil && plan.IsJob(ref) {
		c.queue.Add(cache.NewObjectName(object.GetNamespace(), ref.Name))
	}
}

// workloadChanged queues the Job that controls a Workload, and those of which it is their parent's.
func (c *Controller) workloadChanged(workload *schedulingv1beta1.Workload) {
	c.ownerChanged(workload)
	jobs, _ := c.jobs.Jobs(workload.Namespace).List(labels.Everything()) // it returns no error
	for _, job := range jobs {
		if plan.GroupingOf(job) == plan.OfParent && refersTo(workload, metav1.GetControllerOfNoCopy(job)) {
			c.queue.Add(cache.MetaObjectToName(job))
		}
	}
}

// refersTo reports whether a Workload is that of an owner.
func refersTo(workload *schedulingv1beta1.Workload, owner *metav1.OwnerReference) bool {
	ref := workload.Spec.ControllerRef
	return ref != nil && ref.Kind == owner.Kind && ref.Name == owner.Name &&
		ref.APIGroup == schema.FromAPIVersionAndKind(owner.APIVersion, owner.Kind).Group
}

// groupsOf returns the scheduling objects of a Job, nil where the feature is off.
func (c *Controller) groupsOf(job *batchv1.Job, known *Cache) *plan.Groups {
	if c.groups == nil {
		return nil
	}
	g := &plan.Groups{HasPods: len(loop.Owned[corev1.Pod](c.pods, job.Namespace, job.UID)) > 0}
	g.PodGroup = latest(c.groups.podGroups, job, plan.PodGroupName(job), &known.podGroup)
	switch plan.GroupingOf(job) {
	case plan.OwnWorkload:
		g.Workload = latest(c.groups.workloads, job, plan.WorkloadName(job), &known.workload)
	case plan.OfParent:
		for _, obj := range c.groups.workloads.List() {
			if w := obj.(*schedulingv1beta1.Workload); w.Namespace == job.Namespace &&
				refersTo(w, metav1.GetControllerOfNoCopy(job)) {
				g.Workload = w
			}
		}
	}
	return g
}

// latest returns the object of a name that a Job controls: what an informer shows, or the answer to a write of ours
// that the informer has not caught up with. It returns nil if there is none.
func latest[T any, P interface {
	*T
	metav1.Object
}](shown cache.Indexer, job *batchv1.Job, name string, written **T) *T {
	upTo := shown.LastStoreSyncResourceVersion()
	obj, exists, _ := shown.GetByKey(cache.NewObjectName(job.Namespace, name).String()) // it returns no error
	if own := *written; own != nil {
		caughtUp := upTo
		if exists {
			caughtUp = obj.(metav1.Object).GetResourceVersion()
		}
		if loop.NewerThan(P(own).GetResourceVersion(), caughtUp) {
			return own
		}
		*written = nil
	}
	if !exists || !metav1.IsControlledBy(obj.(metav1.Object), job) {
		return nil
	}
	return obj.(*T)
}

// regroup creates and changes scheduling objects.
func (c *Controller) regroup(ctx context.Context, job *batchv1.Job, known *Cache,
	p plan.Regroup) (wrote bool, err error) {
	of := c.client.SchedulingV1beta1()
	if w := p.CreateWorkload; w != nil {
		known.workload, err = makeGroup(ctx, c, job, "Workload", w, of.Workloads(job.Namespace))
		return err == nil, err
	}
	if g := p.CreatePodGroup; g != nil {
		known.podGroup, err = makeGroup(ctx, c, job, "PodGroup", g, of.PodGroups(job.Namespace))
		return err == nil, err
	}
	if size := p.ResizeWorkload; size != 0 {
		body := fmt.Sprintf(`{"spec":{"podGroupTemplates":[{"name":%q,"schedulingPolicy":{"gang":{"minCount":%d}}}]}}`,
			plan.GroupTemplate, size)
		if known.workload, err = of.Workloads(job.Namespace).Patch(ctx, plan.WorkloadName(job),
			types.StrategicMergePatchType, []byte(body), metav1.PatchOptions{}); err != nil {
			known.workload = nil
			return wrote, fmt.Errorf("resizing the Workload: %w", err)
		}
		wrote = true
	}
	if size := p.ResizePodGroup; size != 0 {
		body, err := json.Marshal(map[string]any{"spec": map[string]any{"schedulingPolicy": map[string]any{
			"gang": map[string]any{"minCount": size}}}})
		if err != nil {
			return wrote, err
		}
		if known.podGroup, err = of.PodGroups(job.Namespace).Patch(ctx, plan.PodGroupName(job),
			types.MergePatchType, body, metav1.PatchOptions{}); err != nil {
			known.podGroup = nil
			return wrote, fmt.Errorf("resizing the PodGroup: %w", err)
		}
		wrote = true
	}
	return wrote, nil
}

// makeGroup creates a scheduling object. One of its name that the Job controls is what an unanswered request or a
// process before this one has made. WORKLOAD-FAULTS-001
func makeGroup[T any, P interface {
	*T
	metav1.Object
}](ctx context.Context, c *Controller, job *batchv1.Job, kind string, object *T, client interface {
	Create(context.Context, *T, metav1.CreateOptions) (*T, error)
	Get(context.Context, string, metav1.GetOptions) (*T, error)
}) (*T, error) {
	name := P(object).GetName()
	created, err := client.Create(ctx, object, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		if found, getting := client.Get(ctx, name, metav1.GetOptions{}); getting == nil &&
			metav1.IsControlledBy(P(found), job) {
			return found, nil
		}
	}
	if err != nil {
		if !apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
			// WORKLOAD-ADMISSION-003
			c.recorder.Eventf(job, corev1.EventTypeWarning, "Failed"+kind+"Create", "Error creating: %v", err)
		}
		return nil, fmt.Errorf("creating the %s: %w", kind, err)
	}
	klog.FromContext(ctx).V(2).Info("Created", "kind", kind, "name", name, "job", klog.KObj(job))
	c.recorder.Eventf(job, corev1.EventTypeNormal, kind+"Created", "Created %s: %s", kind, name)
	return created, nil
}
