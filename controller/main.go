// Command controller is the reference controller: it reconciles Jobs and CronJobs in place of those
// of kube-controller-manager, by the batch/v1 contract of Kubernetes v1.37.
package main

import (
	"os"

	"github.com/jobconformance/jobconformance/controller/app"
)

func main() { os.Exit(app.Main(os.Args[1:])) }
