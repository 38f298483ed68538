// Package lease has the Lease that the replicas of a controller share.
package lease

import (
	"context"
	"os"
	"sync/atomic"

	"github.com/google/uuid"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coordinationv1 "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	componentconfig "k8s.io/component-base/config"
)

// Lock is a Lease that says when it is lost.
type Lock struct {
	resourcelock.Interface
	lost  func()
	leads atomic.Bool
}

// New returns the lock that the flags of a controller ask for. It calls lost as soon as it has read that another
// replica has the Lease that was its own. A leader that stood still for longer than the Lease lasts would go on for
// the renew deadline otherwise, although it reads that: see renew in client-go's tools/leaderelection.
func New(client coordinationv1.LeasesGetter, election componentconfig.LeaderElectionConfiguration, lost func()) *Lock {
	host, err := os.Hostname()
	if err != nil {
		host = election.ResourceName
	}
	return &Lock{lost: lost, Interface: &resourcelock.LeaseLock{
		LeaseMeta:  metav1.ObjectMeta{Namespace: election.ResourceNamespace, Name: election.ResourceName},
		Client:     client,
		LockConfig: resourcelock.ResourceLockConfig{Identity: host + "_" + uuid.NewString()},
	}}
}

// Get reads the Lease.
func (l *Lock) Get(ctx context.Context) (*resourcelock.LeaderElectionRecord, []byte, error) {
	read, raw, err := l.Interface.Get(ctx)
	if err == nil && l.another(*read) && l.leads.CompareAndSwap(true, false) {
		l.lost()
	}
	return read, raw, err
}

// another reports whether a replica other than this one has the Lease, by what is in it.
func (l *Lock) another(read resourcelock.LeaderElectionRecord) bool {
	return read.HolderIdentity != "" && read.HolderIdentity != l.Identity()
}

// Create makes the Lease.
func (l *Lock) Create(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	return l.wrote(record, l.Interface.Create(ctx, record))
}

// Update takes, renews, or gives back the Lease.
func (l *Lock) Update(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	return l.wrote(record, l.Interface.Update(ctx, record))
}

func (l *Lock) wrote(record resourcelock.LeaderElectionRecord, err error) error {
	if err == nil {
		l.leads.Store(record.HolderIdentity == l.Identity())
	}
	return err
}
