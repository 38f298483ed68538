// Package deploy has the manifests of the reference controller.
package deploy

import _ "embed"

// Manifests are the namespace, the rights and the Deployment of the controller, as YAML.
//
//go:embed controller.yaml
var Manifests string
