package main

import (
	"context"
	"fmt"
	"os"

	"github.com/google/uuid"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/klog/v2"
)

// lead runs the work while it has the Lease. It returns an error if it lost the Lease, and nil when
// ctx is done; then it gives the Lease back after the work has ended.
func lead(ctx context.Context, o options, client kubernetes.Interface, health *health, work *work) error {
	host, err := os.Hostname()
	if err != nil {
		host = name
	}
	election, giveBack := context.WithCancel(context.Background())
	defer giveBack()
	leading := make(chan struct{})
	identity := host + "_" + uuid.NewString()
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Name: name,
		Lock: &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Namespace: o.election.ResourceNamespace, Name: o.election.ResourceName},
			Client:     client.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: identity},
		},
		LeaseDuration:   o.election.LeaseDuration.Duration,
		RenewDeadline:   o.election.RenewDeadline.Duration,
		RetryPeriod:     o.election.RetryPeriod.Duration,
		ReleaseOnCancel: true,
		WatchDog:        health.lease,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) {
				close(leading)
				work.run(ctx, health)
				giveBack()
			},
			OnStoppedLeading: func() {},
			OnNewLeader: func(leader string) {
				klog.InfoS("New leader elected", "identity", leader)
				if leader != identity {
					health.ready.Store(true) // to take over
				}
			},
		},
	})
	if err != nil {
		return err
	}
	health.lease.SetLeaderElection(elector)
	context.AfterFunc(ctx, func() {
		select {
		case <-leading:
		default:
			giveBack()
		}
	})
	elector.Run(election)
	if ctx.Err() != nil {
		return nil
	}
	return fmt.Errorf("%w: lost the Lease %s/%s; another replica goes on", errGaveUp, o.election.ResourceNamespace, o.election.ResourceName)
}
