package plan

import (
	"cmp"
	"fmt"
	"hash/fnv"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/utils/ptr"
)

// GroupTemplateAnnotation on a Job has its PodGroup made from that template of its parent's Workload (KEP-6089).
const GroupTemplateAnnotation = "scheduling.k8s.io/group-template-name"

// Grouping is which scheduling objects a Job controller makes for a Job (KEP-5547).
type Grouping int

// The groupings.
const (
	// Ungrouped: none. Pods have the scheduling group of the template, or none.
	Ungrouped Grouping = iota
	// OwnWorkload: a Workload and a PodGroup.
	OwnWorkload
	// OfParent: a PodGroup, from the Workload of the Job's controller.
	OfParent
)

// GroupingOf returns the grouping of a Job where the feature gate WorkloadWithJob is on.
func GroupingOf(job *batchv1.Job) Grouping {
	switch parent := metav1.GetControllerOfNoCopy(job); {
	case job.Spec.Template.Spec.SchedulingGroup != nil:
		return Ungrouped // WORKLOAD-PARENT-003
	case parent == nil || isCronJob(parent):
		return OwnWorkload // WORKLOAD-PARENT-004
	case job.Annotations[GroupTemplateAnnotation] != "":
		return OfParent // WORKLOAD-PARENT-002
	}
	return Ungrouped // WORKLOAD-PARENT-001
}

func isCronJob(ref *metav1.OwnerReference) bool {
	return ref.Kind == "CronJob" && ref.APIVersion == batchv1.SchemeGroupVersion.String()
}

// Groups are the scheduling objects of a Job that there are.
type Groups struct {
	// Workload is the Job's own, or that of its parent; nil for none.
	Workload *schedulingv1beta1.Workload
	// PodGroup is the one that the Job controls; nil for none.
	PodGroup *schedulingv1beta1.PodGroup
	// HasPods is true where the Job has pods, ended ones as well.
	HasPods bool
}

// Regroup is what to do about scheduling objects. At most one of them is created by a Plan: each refers to the one
// before, and pods to both.
type Regroup struct {
	CreateWorkload *schedulingv1beta1.Workload
	CreatePodGroup *schedulingv1beta1.PodGroup
	// ResizeWorkload and ResizePodGroup are new minCounts of the gang; 0 for none.
	ResizeWorkload, ResizePodGroup int32
}

// GroupTemplate is the name of the one template of a Job's own Workload.
const GroupTemplate = "pods"

// group sees to the Job's scheduling objects. It returns the PodGroup of new pods, nil for none, and whether pods
// have to wait for one.
func (p *Plan) group(v View) (group *schedulingv1beta1.PodGroup, wait bool) {
	grouping := GroupingOf(v.Job)
	if v.Groups == nil || grouping == Ungrouped {
		return nil, false
	}
	g := *v.Groups
	// A Job that has had pods keeps what it has: half a gang would be worse than none. WORKLOAD-CREATE-009
	isNew := !g.HasPods && p.Status.Succeeded == 0 && p.Status.Failed == 0 && !suspended(v.Job)
	switch {
	case g.Workload == nil && grouping == OfParent:
		return nil, isNew // it is still to come
	case g.Workload == nil:
		if isNew { // WORKLOAD-CREATE-001
			p.Regroup.CreateWorkload = newWorkload(v.Job)
		}
		return nil, isNew
	}
	template := templateOf(v.Job, g.Workload)
	switch {
	case template == nil:
		return nil, isNew // an object that somebody has changed, or that is still to come
	case g.PodGroup == nil:
		if isNew { // WORKLOAD-CREATE-001
			p.Regroup.CreatePodGroup = newPodGroup(v.Job, g.Workload, *template, grouping)
		}
		return nil, isNew
	}
	p.resize(v.Job, g, *template, grouping)
	return g.PodGroup, false
}

// resize has both objects follow the size of the gang. WORKLOAD-GANG-003, WORKLOAD-GANG-004
func (p *Plan) resize(job *batchv1.Job, g Groups, template schedulingv1beta1.PodGroupTemplate, grouping Grouping) {
	of, has := template.SchedulingPolicy.Gang, g.PodGroup.Spec.SchedulingPolicy.Gang
	if of == nil || has == nil {
		return
	}
	size := of.MinCount // WORKLOAD-PARENT-005
	if grouping == OwnWorkload {
		if size = gangSize(job); of.MinCount != size {
			p.Regroup.ResizeWorkload = size
		}
	}
	if has.MinCount != size {
		p.Regroup.ResizePodGroup = size
	}
}

// templateOf returns the template of a Workload that a Job's PodGroup is made from, nil if there is none.
func templateOf(job *batchv1.Job, workload *schedulingv1beta1.Workload) *schedulingv1beta1.PodGroupTemplate {
	name := GroupTemplate
	if GroupingOf(job) == OfParent {
		name = job.Annotations[GroupTemplateAnnotation]
	}
	for i, t := range workload.Spec.PodGroupTemplates {
		if t.Name == name {
			return &workload.Spec.PodGroupTemplates[i]
		}
	}
	return nil
}

// gangSize returns how many pods have to be scheduled together. WORKLOAD-GANG-001, WORKLOAD-GANG-002
func gangSize(job *batchv1.Job) int32 {
	if gang := gangOf(job); gang != nil && gang.MinCount != nil {
		return *gang.MinCount
	}
	return max(1, ptr.Deref(job.Spec.Parallelism, 1))
}

func gangOf(job *batchv1.Job) *schedulingv1alpha3.WorkloadPodGroupGangSchedulingPolicy {
	if job.Spec.Scheduling == nil || job.Spec.Scheduling.SchedulingPolicy == nil {
		return nil
	}
	return job.Spec.Scheduling.SchedulingPolicy.Gang
}

// newWorkload returns the Workload of a Job, with one template. WORKLOAD-CREATE-002, WORKLOAD-CREATE-004
func newWorkload(job *batchv1.Job) *schedulingv1beta1.Workload {
	template := schedulingv1beta1.PodGroupTemplate{
		Name:              GroupTemplate,
		PriorityClassName: job.Spec.Template.Spec.PriorityClassName, // WORKLOAD-CREATE-006
	}
	if gangOf(job) != nil {
		template.SchedulingPolicy.Gang = &schedulingv1beta1.GangSchedulingPolicy{MinCount: gangSize(job)}
	} else {
		template.SchedulingPolicy.Basic = &schedulingv1beta1.BasicSchedulingPolicy{}
	}
	if s := job.Spec.Scheduling; s != nil { // WORKLOAD-CREATE-005
		if mode := s.DisruptionMode; mode != nil {
			template.DisruptionMode = &schedulingv1beta1.DisruptionMode{}
			if mode.All != nil {
				template.DisruptionMode.All = &schedulingv1beta1.AllDisruptionMode{}
			} else {
				template.DisruptionMode.Single = &schedulingv1beta1.SingleDisruptionMode{}
			}
		}
		if s.SchedulingConstraints != nil {
			template.SchedulingConstraints = &schedulingv1beta1.PodGroupSchedulingConstraints{}
			for _, t := range s.SchedulingConstraints.Topology {
				template.SchedulingConstraints.Topology = append(template.SchedulingConstraints.Topology,
					schedulingv1beta1.TopologyConstraint{Key: t.Key})
			}
		}
		for _, c := range s.ResourceClaims {
			template.ResourceClaims = append(template.ResourceClaims, schedulingv1beta1.PodGroupResourceClaim{
				Name: c.Name, ResourceClaimName: c.ResourceClaimName,
				ResourceClaimTemplateName: c.ResourceClaimTemplateName})
		}
	}
	return &schedulingv1beta1.Workload{
		ObjectMeta: metav1.ObjectMeta{Namespace: job.Namespace, Name: WorkloadName(job),
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(job, Kind)}},
		Spec: schedulingv1beta1.WorkloadSpec{
			ControllerRef: &schedulingv1beta1.TypedLocalObjectReference{
				APIGroup: Kind.Group, Kind: Kind.Kind, Name: job.Name},
			PodGroupTemplates: []schedulingv1beta1.PodGroupTemplate{template},
		},
	}
}

// newPodGroup returns the PodGroup of a Job. WORKLOAD-CREATE-003
func newPodGroup(job *batchv1.Job, workload *schedulingv1beta1.Workload, template schedulingv1beta1.PodGroupTemplate,
	grouping Grouping) *schedulingv1beta1.PodGroup {
	owners := []metav1.OwnerReference{*metav1.NewControllerRef(job, Kind)}
	if grouping == OwnWorkload {
		owners = append(owners, metav1.OwnerReference{APIVersion: schedulingv1beta1.SchemeGroupVersion.String(),
			Kind: "Workload", Name: workload.Name, UID: workload.UID})
	}
	template = *template.DeepCopy()
	return &schedulingv1beta1.PodGroup{
		ObjectMeta: metav1.ObjectMeta{Namespace: job.Namespace, Name: PodGroupName(job), OwnerReferences: owners},
		Spec: schedulingv1beta1.PodGroupSpec{
			WorkloadRef: &schedulingv1beta1.WorkloadReference{
				WorkloadName: workload.Name, TemplateName: template.Name},
			SchedulingPolicy:      template.SchedulingPolicy,
			SchedulingConstraints: template.SchedulingConstraints,
			ResourceClaims:        template.ResourceClaims,
			DisruptionMode:        template.DisruptionMode,
			PriorityClassName:     template.PriorityClassName,
		},
	}
}

// join makes a new pod one of a group. The group does not own it: the protection of PodGroups keeps a group until its
// pods have ended, and pods that it owned would not go before it. WORKLOAD-CREATE-007, WORKLOAD-CREATE-010
func join(pod *corev1.Pod, group *schedulingv1beta1.PodGroup) {
	pod.Spec.SchedulingGroup = &corev1.PodSchedulingGroup{PodGroupName: &group.Name}
}

// WorkloadName returns the name of a Job's own Workload. It is another one for a Job that is made again, and the
// same after a crash. WORKLOAD-CREATE-008, WORKLOAD-FAULTS-001
func WorkloadName(job *batchv1.Job) string {
	hash := fnv.New32a()
	hash.Write([]byte(job.UID))
	return job.Name + "-" + rand.SafeEncodeString(fmt.Sprint(hash.Sum32()))
}

// PodGroupName returns the name of a Job's PodGroup, which ends with that of its template.
func PodGroupName(job *batchv1.Job) string {
	template := GroupTemplate
	if GroupingOf(job) == OfParent {
		template = cmp.Or(job.Annotations[GroupTemplateAnnotation], template)
	}
	name := WorkloadName(job) + "-" + template
	return name[:min(len(name), validation.DNS1123SubdomainMaxLength)]
}
