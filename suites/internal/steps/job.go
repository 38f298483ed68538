// Package steps has steps of specs that do not use the handles of package framework yet.
package steps

import (
	"context"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	. "github.com/onsi/ginkgo/v2"
	batchv1 "k8s.io/api/batch/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// What package framework has under the same names.
var (
	OnlyReleaser   = framework.OnlyReleaser
	CountersOf     = framework.CountersOf
	TrueConditions = framework.TrueConditions
)

// MaxAPIBackoff is framework.MaxAPIBackoff.
const MaxAPIBackoff = framework.MaxAPIBackoff

// WithJob returns a new sandbox in which a Job has been created.
func WithJob(ctx context.Context, job *puppet.JobBuilder) *framework.Sandbox {
	GinkgoHelper()
	s, _ := WithNewJob(ctx, job)
	return s
}

// WithNewJob is WithJob that returns the Job, too, as it was created.
func WithNewJob(ctx context.Context, job *puppet.JobBuilder) (*framework.Sandbox, *batchv1.Job) {
	GinkgoHelper()
	s := framework.New(ctx)
	return s, s.Create(job).Made()
}

// PodsOf is Job.Pods.
func PodsOf(s *framework.Sandbox, job *batchv1.Job) framework.Pods { return s.Handle(job).Pods() }

// CreatedFor is Job.Created.
func CreatedFor(s *framework.Sandbox, job *batchv1.Job) framework.Pods {
	return s.Handle(job).Created()
}

// Running is Job.Runs.
func Running(s *framework.Sandbox, job string, n int32) framework.Pods {
	GinkgoHelper()
	return s.Named(job).Runs(n)
}

// Counts is Job.Counts.
func Counts(s *framework.Sandbox, job, what string, want framework.Counters) {
	GinkgoHelper()
	s.Named(job).Counts(what, want)
}

// CountsAfter is Job.CountsAfter.
func CountsAfter(s *framework.Sandbox, delay time.Duration, job, what string, want framework.Counters) {
	GinkgoHelper()
	s.Named(job).CountsAfter(delay, what, want)
}

// Completes is Job.Completes.
func Completes(s *framework.Sandbox, job string, want framework.Counters) {
	GinkgoHelper()
	s.Named(job).Completes(want)
}

// Fails is Job.Fails.
func Fails(s *framework.Sandbox, job, reason string, want framework.Counters) {
	GinkgoHelper()
	s.Named(job).Fails(reason, want)
}

// CompletesWith is Job.CompletesWith.
func CompletesWith(s *framework.Sandbox, created int, job string, want framework.Counters) {
	GinkgoHelper()
	s.Named(job).CompletesWith(created, want)
}

// FailsWith is Job.FailsWith.
func FailsWith(s *framework.Sandbox, created int, job, reason string, want framework.Counters) {
	GinkgoHelper()
	s.Named(job).FailsWith(created, reason, want)
}

// SuspendJob is Job.Suspend.
func SuspendJob(_ context.Context, s *framework.Sandbox, job string) {
	GinkgoHelper()
	s.Named(job).Suspend()
}

// ResumeJob is Job.Resume.
func ResumeJob(_ context.Context, s *framework.Sandbox, job string) {
	GinkgoHelper()
	s.Named(job).Resume()
}

// SetParallelism is Job.SetParallelism.
func SetParallelism(_ context.Context, s *framework.Sandbox, job string, n int32) {
	GinkgoHelper()
	s.Named(job).SetParallelism(n)
}

// Orphan is Sandbox.Orphan.
func Orphan(_ context.Context, s *framework.Sandbox, owner client.Object) {
	GinkgoHelper()
	s.Orphan(owner)
}
