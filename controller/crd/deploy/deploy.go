// Package deploy has the manifests of the controller for CronJobs that are a custom resource.
package deploy

import _ "embed"

// CRD is the CustomResourceDefinition, as YAML.
//
//go:embed crd.yaml
var CRD string

// Webhooks are the configurations of the webhooks, as YAML.
//
//go:embed webhooks.yaml
var Webhooks string
