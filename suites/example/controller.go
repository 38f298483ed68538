// Package example is what an implementer's repository looks like: a controller,
// and a test that has the suites check it. The controller is put together from
// upstream's packages, as forks of it are.
package example

import (
	"context"
	"sync"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/kubernetes/pkg/controller/cronjob"
	"k8s.io/kubernetes/pkg/controller/job"
)

// upstream is the version of k8s.io/kubernetes in go.mod. A controller of your own has none.
const upstream = "v1.37.2"

// Run reconciles the Jobs and CronJobs of a cluster until ctx ends.
func Run(ctx context.Context, config *rest.Config) error {
	config = rest.CopyConfig(config)
	config.QPS = -1
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	batch := factory.Batch().V1()
	// Without the feature gate WorkloadWithJob it looks at no Workloads.
	jobs, err := job.NewController(ctx, client, factory.Core().V1().Pods(), batch.Jobs(), nil, nil)
	if err != nil {
		return err
	}
	cronJobs, err := cronjob.NewControllerV2(ctx, batch.Jobs(), batch.CronJobs(), client)
	if err != nil {
		return err
	}
	factory.Start(ctx.Done())
	var both sync.WaitGroup
	both.Go(func() { jobs.Run(ctx, 10) })
	both.Go(func() { cronJobs.Run(ctx, 10) })
	both.Wait()
	factory.Shutdown()
	return nil
}
