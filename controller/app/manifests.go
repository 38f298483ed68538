package app

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	crddeploy "github.com/jobconformance/jobconformance/controller/crd/deploy"
	"github.com/jobconformance/jobconformance/controller/deploy"
	"github.com/spf13/cobra"
)

// manifests are the documents that the command prints: who has the program can deploy it.
var manifests = map[string]string{
	"controller":     deploy.Manifests,
	"crd":            crddeploy.Manifests,
	"crd-definition": crddeploy.CRD,
	"crd-webhooks":   crddeploy.Webhooks,
}

func newManifestsCommand() *cobra.Command {
	names := strings.Join(slices.Sorted(maps.Keys(manifests)), ", ")
	return &cobra.Command{
		Use:   "manifests NAME",
		Short: "Print the manifests of a controller in this program: " + names,
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, found := manifests[args[0]]
			if !found {
				return fmt.Errorf("unknown manifests %q; there are %s", args[0], names)
			}
			_, err := fmt.Fprint(cmd.OutOrStdout(), text)
			return err
		},
	}
}
