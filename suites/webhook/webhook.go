// Package webhook has the specs of webhooks for CronJobs that are a custom resource: what they
// default, and what they refuse. Importing it registers them with Ginkgo.
//
// They run where the run has installed the webhooks of the implementation. The specs of
// API-CRONJOB in package admission are about them, too.
package webhook

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/kinds"
	"github.com/jobconformance/jobconformance/fixtures/protocol"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/fixtures/sandbox"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/contract/behaviour"
	"github.com/jobconformance/jobconformance/suites/contract/covers"
	. "github.com/jobconformance/jobconformance/suites/webhook/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// served returns a sandbox whose CronJobs the webhooks see.
func served(ctx context.Context) *framework.Sandbox {
	GinkgoHelper()
	if !protocol.Current().Webhooks {
		Skip("not verified: the run knows no webhooks of the implementation")
	}
	return framework.New(ctx)
}

// named returns a CronJob that starts nothing, with changes.
func named(s *framework.Sandbox, name string, changes ...func(*batchv1.CronJob)) *batchv1.CronJob {
	c := puppet.CronJob(name, puppet.Job("")).Schedule("@yearly").Suspend().Obj()
	c.Namespace = s.Namespace
	for _, change := range changes {
		change(c)
	}
	return c
}

// cronJob returns the CronJob that most specs write.
func cronJob(s *framework.Sandbox, changes ...func(*batchv1.CronJob)) *batchv1.CronJob {
	return named(s, "a", changes...)
}

// merge sends a merge patch and returns the CronJob as it is then.
func merge(s *framework.Sandbox, c *batchv1.CronJob, patch string) (*batchv1.CronJob, error) {
	next := c.DeepCopy()
	return next, s.Client.Patch(s.Context(), next, client.RawPatch(types.MergePatchType, []byte(patch)))
}

// expectInvalid expects a refusal that names the fields.
func expectInvalid(err error, what string, fields ...string) {
	GinkgoHelper()
	var status apierrors.APIStatus
	Expect(errors.As(err, &status)).To(BeTrue(), "%s is refused, not: %v", what, err)
	Expect(status.Status()).To(And(HaveField("Reason", metav1.StatusReasonInvalid),
		HaveField("Code", BeEquivalentTo(http.StatusUnprocessableEntity))), what)
	for _, field := range fields {
		Expect(status.Status().Details).To(HaveValue(HaveField("Causes", ContainElement(HaveField("Field", field)))),
			what)
	}
}

func schedule(text string) func(*batchv1.CronJob) {
	return func(c *batchv1.CronJob) { c.Spec.Schedule = text }
}

func zone(text string) func(*batchv1.CronJob) {
	return func(c *batchv1.CronJob) { c.Spec.TimeZone = &text }
}

// mistake is a value of a field that the schema of a custom resource accepts, and its webhook does not.
type mistake struct {
	field string
	make  func(*batchv1.CronJob)
}

// unreadable are mistakes that nobody can read, in a new CronJob and as a change.
var unreadable = []mistake{{"spec.schedule", never}, {"spec.timeZone", zone("Nowhere/Land")}}

// noJob is a mistake in the template.
var noJob = mistake{"spec.jobTemplate.spec.parallelism", func(c *batchv1.CronJob) {
	c.Spec.JobTemplate.Spec.Parallelism = ptr.To[int32](-1)
}}

// possible leaves out mistakes in fields that CronJobs of the implementation do not have.
func possible(s *framework.Sandbox, mistakes ...mistake) []mistake {
	return slices.DeleteFunc(slices.Clone(mistakes), func(m mistake) bool { return s.Lacks(m.field) })
}

// never is no schedule, but a text that the schema of a custom resource accepts.
var never = schedule("never")

// spare has the webhooks spare the namespace, or see it again, and waits until they do.
func spare(s *framework.Sandbox, label string, done func(error) bool) {
	GinkgoHelper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: s.Namespace}}
	patch := `{"metadata":{"labels":{"` + kinds.WithoutWebhooks + `":` + label + `}}}`
	Expect(s.Client.Patch(s.Context(), namespace, client.RawPatch(types.MergePatchType, []byte(patch)))).To(Succeed())
	sees := func(ctx context.Context) (bool, error) {
		return done(s.Client.Create(ctx, named(s, "example", never), client.DryRunAll)), nil
	}
	err := wait.PollUntilContextTimeout(s.Context(), 50*time.Millisecond, sandbox.HarnessLimit, true, sees)
	Expect(err).NotTo(HaveOccurred(), "the webhooks follow the label of the namespace")
}

var _ = Describe("Webhooks, defaults:", behaviour.Webhooks, func() {

	// Wrong: takes 0 for a field that is not set.
	It("the webhook keeps what is set", covers.Requirements(KeepsWhatIsSet), func(ctx SpecContext) {
		s := served(ctx)
		c := cronJob(s, func(c *batchv1.CronJob) {
			c.Spec.Suspend, c.Spec.StartingDeadlineSeconds, c.Spec.ConcurrencyPolicy = ptr.To(false), ptr.To[int64](0),
				batchv1.ForbidConcurrent
			c.Spec.SuccessfulJobsHistoryLimit, c.Spec.FailedJobsHistoryLimit = ptr.To[int32](0), ptr.To[int32](0)
		})
		want := c.DeepCopy().Spec
		framework.Create(s, c)
		s.ExpectField("spec.suspend", c.Spec.Suspend, Equal(want.Suspend))
		s.ExpectField("spec.startingDeadlineSeconds", c.Spec.StartingDeadlineSeconds,
			Equal(want.StartingDeadlineSeconds))
		s.ExpectField("spec.concurrencyPolicy", c.Spec.ConcurrencyPolicy, Equal(want.ConcurrencyPolicy))
		s.ExpectField("spec.successfulJobsHistoryLimit", c.Spec.SuccessfulJobsHistoryLimit,
			Equal(want.SuccessfulJobsHistoryLimit))
		s.ExpectField("spec.failedJobsHistoryLimit", c.Spec.FailedJobsHistoryLimit, Equal(want.FailedJobsHistoryLimit))
	})

	// Wrong: defaults new objects only.
	It("the webhook defaults fields that are removed", covers.Requirements(
		DefaultsRemovedFields), func(ctx SpecContext) {
		s := served(ctx)
		c := framework.Create(s, cronJob(s, func(c *batchv1.CronJob) {
			c.Spec.ConcurrencyPolicy, c.Spec.SuccessfulJobsHistoryLimit,
				c.Spec.FailedJobsHistoryLimit = batchv1.ForbidConcurrent, ptr.To[int32](7), ptr.To[int32](7)
		}))
		c, err := merge(s, c, `{"spec":{"concurrencyPolicy":null,"suspend":null,
			"successfulJobsHistoryLimit":null,"failedJobsHistoryLimit":null}}`)
		Expect(err).NotTo(HaveOccurred())
		s.ExpectField("spec.concurrencyPolicy", c.Spec.ConcurrencyPolicy, Equal(batchv1.AllowConcurrent))
		s.ExpectField("spec.suspend", c.Spec.Suspend, HaveValue(BeFalse()))
		s.ExpectField("spec.successfulJobsHistoryLimit", c.Spec.SuccessfulJobsHistoryLimit,
			HaveValue(BeEquivalentTo(3)))
		s.ExpectField("spec.failedJobsHistoryLimit", c.Spec.FailedJobsHistoryLimit, HaveValue(BeEquivalentTo(1)))
	})

	// Wrong: changes the spec with each request.
	It("the webhook changes nothing in a CronJob that has its defaults", covers.Requirements(
		DefaultsOnce), func(ctx SpecContext) {
		s := served(ctx)
		c := framework.Create(s, cronJob(s))
		for _, value := range []string{"1", "2"} {
			labelled, err := merge(s, c, `{"metadata":{"labels":{"example.com/write":"`+value+`"}}}`)
			Expect(err).NotTo(HaveOccurred())
			Expect(labelled.Generation).To(Equal(c.Generation))
		}
	})
})

var _ = Describe("Webhooks, validation:", behaviour.Webhooks, func() {

	// Wrong: answers with an error of no type, which becomes 403 Forbidden; or validates new objects only.
	It("the webhook refuses an invalid CronJob with the reason and the field", covers.Requirements(
		RefusesAsInvalid), func(ctx SpecContext) {
		s := served(ctx)
		existing := framework.Create(s, cronJob(s))
		for _, m := range possible(s, slices.Concat(unreadable, []mistake{noJob})...) {
			expectInvalid(s.Client.Create(ctx, named(s, "b", m.make)), "a new CronJob with another "+m.field, m.field)
			changed := existing.DeepCopy()
			m.make(changed)
			expectInvalid(s.Client.Patch(ctx, changed, client.MergeFrom(existing)), "a change of "+m.field, m.field)
		}
	})

	// Wrong: stops at the first one.
	It("the webhook names all fields that are wrong", covers.Requirements(NamesAllFields), func(ctx SpecContext) {
		s := served(ctx)
		c, fields := named(s, strings.Repeat("a", 53)), []string{"metadata.name"}
		for _, m := range possible(s, unreadable...) {
			m.make(c)
			fields = append(fields, m.field)
		}
		expectInvalid(s.Client.Create(ctx, c), "a CronJob with errors in "+strings.Join(fields, ", "), fields...)
	})

	// Wrong: hands any text to a parser that panics.
	It("the webhook refuses texts of all kinds", covers.Requirements(AnswersAnyText), func(ctx SpecContext) {
		s := served(ctx)
		for _, text := range []string{
			"TZ=0", "CRON_TZ=", "TZ= 0 * * * *", "TZ=../../etc/passwd 0 * * * *", "\x00 * * * *", "é * * * *", "%s%n",
			"@", "@every", "@every 1",
			"*/99999999999999999999 * * * *", "0-18446744073709551615 * * * *", strings.Repeat(",", 10_000),
			strings.Repeat("* ", 10_000),
		} {
			expectInvalid(s.Client.Create(ctx, cronJob(s, schedule(text)), client.DryRunAll),
				"the schedule "+text[:min(len(text), 30)], "spec.schedule")
		}
		zones := []string{"\x00", "..", "../../etc/passwd", "/etc/localtime", strings.Repeat("a", 10_000)}
		if s.Lacks("spec.timeZone") {
			zones = nil
		}
		for _, text := range zones {
			expectInvalid(s.Client.Create(ctx, cronJob(s, zone(text)), client.DryRunAll),
				"the time zone "+text[:min(len(text), 30)], "spec.timeZone")
		}
		framework.Create(s, cronJob(s))
	})

	// Wrong: takes each refusal of a Job for a fault of the template.
	It("the webhook accepts a CronJob whose Jobs a quota refuses", covers.Requirements(
		LeavesQuotasToJobs), framework.Needs(spec.ResourceQuotas), func(ctx SpecContext) {
		s := served(ctx)
		s.Refuse(puppet.Job("example").Obj(), "count/jobs.batch")
		framework.Create(s, cronJob(s))
	})

	// Wrong: validates what a request leaves as it is.
	It("the webhook lets an invalid CronJob change and go", covers.Requirements(
		InvalidOnesCanGo), func(ctx SpecContext) {
		s := served(ctx)
		spare(s, `""`, func(err error) bool { return err == nil })
		c := framework.Create(s, cronJob(s, never, func(c *batchv1.CronJob) {
			c.Finalizers = []string{"example.com/stay"}
		}))
		spare(s, "null", apierrors.IsInvalid)
		_, err := merge(s, c, `{"metadata":{"labels":{"a":"b"}}}`)
		Expect(err).NotTo(HaveOccurred(), "its labels")
		status := client.RawPatch(types.MergePatchType,
			[]byte(`{"status":{"lastScheduleTime":"2026-01-01T00:00:00Z"}}`))
		Expect(s.Client.Status().Patch(ctx, c.DeepCopy(), status)).To(Succeed(), "its status")
		Expect(s.Client.Delete(ctx, c)).To(Succeed(), "its deletion")
		_, err = merge(s, c, `{"metadata":{"finalizers":null}}`)
		Expect(err).NotTo(HaveOccurred(), "its finalizers")
		s.Soon("the CronJob is gone", func(g Gomega) { g.Expect(s.Recorder.CronJobs()).To(BeEmpty()) })
	})

	// Wrong: tries the template out by creating a Job.
	It("the webhook leaves nothing behind", covers.Requirements(LeavesNoTraces), func(ctx SpecContext) {
		s := served(ctx)
		dry := named(s, "dry")
		Expect(s.Client.Create(ctx, dry, client.DryRunAll)).To(Succeed())
		c := framework.Create(s, cronJob(s))
		_, err := merge(s, c, `{"spec":{"schedule":"@monthly"}}`)
		Expect(err).NotTo(HaveOccurred())
		Expect(apierrors.IsNotFound(s.Client.Get(ctx, client.ObjectKeyFromObject(dry), &batchv1.CronJob{}))).To(
			BeTrue(), "the CronJob of the dry run is not there")
		s.Stays("there is no Job", func(g Gomega) { g.Expect(s.Jobs()).To(BeEmpty()) })
	})
})
