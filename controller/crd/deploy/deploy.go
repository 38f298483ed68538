// Package deploy has the manifests of the controller for CronJobs that are a custom resource.
package deploy

import _ "embed"

// CRD is the CustomResourceDefinition, as YAML.
//
//go:embed crd.yaml
var CRD string

// Manifests are the namespace, the rights, the Service of the webhooks and the Deployment of the
// controller, as YAML.
//
//go:embed controller.yaml
var Manifests string

// Webhooks are the configurations of the webhooks, as YAML.
//
//go:embed webhooks.yaml
var Webhooks string
