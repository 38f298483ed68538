package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/console"
	"github.com/spf13/cobra"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"
)

const genHelp = `Prints a manifest for kubectl apply.

gen job is an Indexed Job whose pods each run one shard, on an embedded cluster of their
own, and write the results into a folder of a volume, or without --claim print them at the end
of their logs: merge reads both. A pod that is disrupted, or whose harness fails, is replaced; a shard that is red fails its index, and
the other shards go on. Arguments behind -- are flags of run.

Exit codes: 0 it was printed, 2 bad input.`

// generated has the values of the flags of gen job.
type generated struct {
	name, image, claim, cpu, memory string
	shards, parallelism             int32
}

func genCommand() *cobra.Command {
	c := command("gen", "Print manifests that run shards in a cluster", genHelp, "  jobconformance gen job --help", nil)
	c.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	c.AddCommand(genJobCommand())
	return c
}

func genJobCommand() *cobra.Command {
	var g generated
	c := command("job", "Print an Indexed Job whose pods are the shards of a run", genHelp,
		`  jobconformance gen job --shards=4 --image=registry.example.com/jobconformance --claim=results -- -i kube-controller-manager | kubectl apply -f -
  jobconformance gen job --image=registry.example.com/jobconformance | kubectl apply -f -
  kubectl logs --selector=job-name=jobconformance --tail=-1 > results.log && jobconformance merge results.log`,
		func(cmd *cobra.Command, args []string) error { return g.print(cmd.OutOrStdout(), args) })
	c.Args = cobra.ArbitraryArgs
	set := c.Flags()
	set.StringVar(&g.name, "name", "jobconformance", "name of the Job")
	set.StringVar(&g.image, "image", "",
		"image with jobconformance in its PATH, and Go or a filled cache, as images save writes it")
	set.StringVar(&g.claim, "claim", "",
		"PersistentVolumeClaim for the results, which all pods can write to at the same time "+
			"(default: they are printed)")
	set.Int32Var(&g.shards, "shards", 4, "number of shards")
	set.Int32Var(&g.parallelism, "parallelism", 0, "pods at the same time (default: all)")
	set.StringVar(&g.cpu, "cpu", "2", "CPU that a pod requests")
	set.StringVar(&g.memory, "memory", "4Gi", "memory that a pod requests")
	return c
}

func (g generated) print(out io.Writer, args []string) error {
	if g.image == "" || g.shards < 1 || g.parallelism < 0 {
		return badinput.New("a Job needs an image and 1 or more shards",
			"give "+console.Flag("image")+" and "+console.Flag("shards"))
	}
	requests := corev1.ResourceList{}
	for name, text := range map[corev1.ResourceName]string{corev1.ResourceCPU: g.cpu, corev1.ResourceMemory: g.memory} {
		quantity, err := resource.ParseQuantity(text)
		if err != nil {
			return badinput.New(fmt.Sprintf("%q is no quantity", text),
				"give one as in "+console.Flag("cpu", "500m")+" or "+console.Flag("memory", "2Gi"))
		}
		requests[name] = quantity
	}
	text, err := yaml.Marshal(g.job(requests, args))
	if err == nil {
		_, err = fmt.Fprintf(out, "%s", text)
	}
	return err
}

func (g generated) job(requests corev1.ResourceList, args []string) *batchv1.Job {
	const results, temporary = "results", "tmp"
	command := append([]string{"jobconformance", "run", fmt.Sprintf("--shard=auto/%d", g.shards),
		"--output-dir=/results/$(JOB_COMPLETION_INDEX)"}, args...)
	volume := corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: g.claim}}
	if g.claim == "" {
		command = slices.Insert(command, 2, "--print-results")
		volume = corev1.VolumeSource{EmptyDir: new(corev1.EmptyDirVolumeSource)}
	}
	return &batchv1.Job{
		TypeMeta:   metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"},
		ObjectMeta: metav1.ObjectMeta{Name: g.name},
		Spec: batchv1.JobSpec{
			CompletionMode: ptr.To(batchv1.IndexedCompletion), Completions: &g.shards,
			Parallelism:          ptr.To(cmp.Or(g.parallelism, g.shards)),
			BackoffLimitPerIndex: ptr.To[int32](2),
			PodFailurePolicy: &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{
				{Action: batchv1.PodFailurePolicyActionIgnore,
					OnPodConditions: []batchv1.PodFailurePolicyOnPodConditionsPattern{
						{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue},
					}},
				{Action: batchv1.PodFailurePolicyActionFailIndex,
					OnExitCodes: &batchv1.PodFailurePolicyOnExitCodesRequirement{
						Operator: batchv1.PodFailurePolicyOnExitCodesOpIn, Values: []int32{exitRed, exitBadInput},
					}},
			}},
			Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
				RestartPolicy:                corev1.RestartPolicyNever,
				AutomountServiceAccountToken: ptr.To(false), // a shard has a cluster of its own
				SecurityContext: &corev1.PodSecurityContext{RunAsNonRoot: ptr.To(true), RunAsUser: ptr.To[int64](65532),
					FSGroup:        ptr.To[int64](65532),
					SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault}},
				Containers: []corev1.Container{{
					Name: "shard", Image: g.image, Command: command,
					Env:       []corev1.EnvVar{{Name: "HOME", Value: "/tmp"}},
					Resources: corev1.ResourceRequirements{Requests: requests},
					SecurityContext: &corev1.SecurityContext{AllowPrivilegeEscalation: ptr.To(false),
						ReadOnlyRootFilesystem: ptr.To(true),
						Capabilities:           &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}}},
					VolumeMounts: []corev1.VolumeMount{{Name: results, MountPath: "/results"},
						{Name: temporary, MountPath: "/tmp"}},
				}},
				Volumes: []corev1.Volume{
					{Name: results, VolumeSource: volume},
					{Name: temporary, VolumeSource: corev1.VolumeSource{EmptyDir: new(corev1.EmptyDirVolumeSource)}},
				},
			}},
		},
	}
}
