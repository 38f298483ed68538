package scenario

import (
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"k8s.io/client-go/tools/clientcmd"
)

// OfSpec is the theatre of a spec that carries framework.FaultsLabel, as its run tells
// by the environment.
func OfSpec() (Theatre, error) {
	var recipe framework.Recipe
	if err := json.Unmarshal([]byte(os.Getenv(framework.SubjectEnv)), &recipe); err != nil {
		return Theatre{}, fmt.Errorf("this starts an implementation, run it by `make e2e`: %s: %w", framework.SubjectEnv, err)
	}
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv(framework.KubeconfigEnv))
	if err != nil {
		return Theatre{}, err
	}
	as, err := clientcmd.BuildConfigFromFlags("", recipe.Kubeconfig)
	if err != nil {
		return Theatre{}, err
	}
	as.QPS = -1
	patience, _ := time.ParseDuration(os.Getenv(framework.PatienceEnv)) // empty for the default
	return Theatre{
		Config: config, As: as, Implementation: recipe.Implementation, Builds: recipe.Builds,
		Version: os.Getenv(framework.VersionEnv), Run: os.Getenv(framework.RunEnv), Folder: recipe.Logs, Patience: patience,
	}, nil
}
