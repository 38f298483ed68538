package requests

import (
	"context"

	"github.com/jobconformance/jobconformance/fixtures/cluster"
	"github.com/jobconformance/jobconformance/fixtures/run"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/e2e-framework/support"
)

// Cluster is an embedded cluster on which the requests of implementations are
// counted.
type Cluster struct {
	*run.Environment
	Counter *Counter
	Client  kubernetes.Interface // of the harness
}

// With starts such a cluster, calls do and stops the cluster. The context of do
// ends, too, when a part of the cluster ends.
func With(ctx context.Context, o run.Options, do func(context.Context, Cluster) error) error {
	counter := &Counter{}
	o.Bare = true
	o.Embedded = []support.ClusterOpts{cluster.WithAudit(run.ImplementationUser, counter)}
	return run.With(ctx, o, func(ctx context.Context, env *run.Environment) error {
		config := env.Config()
		config.UserAgent = "jobconformance (bench)"
		config.ContentType = "application/vnd.kubernetes.protobuf"
		config.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
		client, err := kubernetes.NewForConfig(config)
		if err != nil {
			return err
		}
		return do(ctx, Cluster{Environment: env, Counter: counter, Client: client})
	})
}
