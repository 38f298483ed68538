# bin/jobconformance does the work: it can be called without make, keeps the exit
# codes (0 green, 1 red, 2 bad input, 3 the harness failed) and documents all flags
# with --help. `make help` lists the targets and the variables.

# A space before ## would become a part of a value.
# For all targets that start a cluster.
IMPLEMENTATION ?= reference## default: reference; also kube-controller-manager, crd, exec:COMMAND, image:REFERENCE or builtin
CONTROLLERS ?= ## job or cronjob: the only controller that the implementation has; default: both
MANAGED_BY ?= ## spec.managedBy of the implementation's Jobs, as in example.com/mine; the built-in Job controller stays on
DIALECT ?= ## file with the custom resource in place of CronJobs, as fixtures/dialect/example/dialect.yaml
KUBERNETES_VERSION ?= ## version of the control plane, as in v1.36.3
KUBERNETES_SOURCE ?= ## folder with a clone of Kubernetes to build the control plane from
FEATURE_GATES ?= ## feature gates of the control plane, as in A=true,B=false
CACHE_DIR ?= ## folder for built control planes; default: jobconformance in the user's cache folder
BINARIES ?= ## how the control plane comes into the cache: download, build or auto (default)
KUBERNETES_DOWNLOADS ?= ## URL of Kubernetes' releases; default: those of the project
ETCD_DOWNLOADS ?= ## the same for etcd
TIMEOUT ?= ## stop after this time, as in 30m, without a verdict; default: no limit
REPORTS ?= ## folder for reports and logs; default: one for each target, below $ARTIFACTS or reports

# For e2e.
FOCUS ?= ## regular expression: only specs whose text matches it
SKIP ?= ## regular expression: leave out specs whose text matches it
LABELS ?= ## label filter: only specs that match it, as in 'behaviour:parallelism && !slow'
REQUIREMENT ?= ## only specs of these requirements, as in JOB-BACKOFF-001,JOB-BACKOFF-002
DECLINE ?= ## features that the implementation does not claim, separated by commas
STRICT ?= ## 1 lets a failed SHOULD count like a failed MUST
KNOWN_BUGS ?= ## on (default): the known bugs of upstream are expected to show; allow: they may; off: they must not
PROCS ?= ## specs, or scenarios of repro, that run at the same time
REPEAT ?= ## how often the suites, a scenario of repro or a row of bench are run; default: 1
HISTORY ?= ## histories of specs to save: failed (default), all or none
PROFILE ?= ## 1 writes CPU profiles and tables of all requests beside the logs of an embedded cluster
OUTPUT ?= ## format of the report or of LIST, and of compare: text (default) or json
LIST ?= ## 1 prints the specs (e2e) or the known bugs (repro) and runs nothing
SHARD ?= ## only this part, as in 2/4, of e2e (see jobconformance merge), explore, soak, score or repro-matrix
RERUN_FAILED ?= ## report.yaml of a run whose failed specs are run again
IMPLEMENTATION_NAME ?= ## name of the implementation in the report
IMPLEMENTATION_VERSION ?= ## its version in the report
ORGANIZATION ?= ## who makes it, in the report
PROJECT ?= ## the project that it is a part of, in the report
URL ?= ## the URL of the project, in the report
CONTACT ?= ## whom to ask about it, in the report: URLs or addresses, separated by commas

# For e2e on other clusters than embedded ones. KUBECONFIG selects an existing one.
CLUSTER ?= ## embedded (default), kind or existing
ENVIRONMENT ?= ## queued: a queue suspends each Job at its creation, sets scheduling directives and resumes it, as Kueue does
CONTEXT ?= ## context of the kubeconfig; default: the current one
CLUSTER_NAME ?= ## name of a kind cluster; default: KIND_CLUSTER_NAME of the environment, or jobconformance
NODE_IMAGE ?= ## node image of a kind cluster; default: that of KUBERNETES_VERSION where it is set, else kind's own
KIND_CONFIG ?= ## configuration of a kind cluster; default: kind-config.yaml
PUPPET_IMAGE ?= ## image of pods on real kubelets
LOAD ?= ## archives of images to load into a kind cluster, separated by commas
KEEP ?= ## 1 keeps a kind cluster for later runs

# One set of flags, so that the control plane, the suites and the tests share a
# build cache.
export CGO_ENABLED = 0
export GOFLAGS = -buildvcs=false -gcflags=all=-dwarf=false

needsgo = command -v go >/dev/null || { echo 'jobconformance: no Go toolchain in PATH; install Go 1.26 or later' >&2; exit 2; }

# flag turns a variable that is set into a flag of bin/jobconformance.
quote = '$(subst ','\'',$(1))'
flag = $(if $(2),--$(1)=$(call quote,$(2)))
cacheflags = $(call flag,assets,$(KUBEBUILDER_ASSETS)) $(call flag,cache-dir,$(CACHE_DIR)) $(call flag,binaries,$(BINARIES)) \
	$(call flag,kubernetes-downloads,$(KUBERNETES_DOWNLOADS)) $(call flag,etcd-downloads,$(ETCD_DOWNLOADS))
buildflags = $(cacheflags) $(call flag,output-dir,$(REPORTS)) $(call flag,timeout,$(TIMEOUT))
clusterflags = $(call flag,kubernetes-version,$(KUBERNETES_VERSION)) $(call flag,kubernetes-source,$(KUBERNETES_SOURCE)) $(call flag,feature-gates,$(FEATURE_GATES)) $(buildflags)

.PHONY: help e2e prefetch test lint clean compare example page

e2e: bin/jobconformance ## check a controller on an embedded cluster
	@bin/jobconformance $(if $(filter-out 0,$(LIST)),list $(listflags),run $(listflags) $(runflags))

listflags = --implementation=$(call quote,$(IMPLEMENTATION)) $(call flag,controllers,$(CONTROLLERS)) $(call flag,managed-by,$(MANAGED_BY)) $(call flag,dialect,$(DIALECT)) \
		$(call flag,kubernetes-version,$(KUBERNETES_VERSION)) $(call flag,cluster,$(CLUSTER)) $(call flag,environment,$(ENVIRONMENT)) \
		$(call flag,focus,$(FOCUS)) $(call flag,skip,$(SKIP)) $(call flag,labels,$(LABELS)) \
		$(call flag,requirement,$(REQUIREMENT)) $(call flag,decline,$(DECLINE)) $(call flag,shard,$(SHARD)) $(call flag,rerun-failed,$(RERUN_FAILED)) $(call flag,output,$(OUTPUT))
runflags = $(call flag,kubernetes-source,$(KUBERNETES_SOURCE)) $(call flag,feature-gates,$(FEATURE_GATES)) $(buildflags) $(call flag,procs,$(PROCS)) \
		$(if $(filter-out 0,$(STRICT)),--strict) $(call flag,known-bugs,$(KNOWN_BUGS)) \
		$(call flag,repeat,$(REPEAT)) $(call flag,history,$(HISTORY)) $(if $(filter-out 0,$(PROFILE)),--profile) \
		$(call flag,context,$(CONTEXT)) $(call flag,cluster-name,$(CLUSTER_NAME)) $(call flag,node-image,$(NODE_IMAGE)) $(call flag,kind-config,$(KIND_CONFIG)) \
		$(call flag,puppet-image,$(PUPPET_IMAGE)) $(call flag,load,$(LOAD)) $(if $(filter-out 0,$(KEEP)),--keep) \
		$(call flag,name,$(IMPLEMENTATION_NAME)) $(call flag,implementation-version,$(IMPLEMENTATION_VERSION)) $(call flag,contact,$(CONTACT)) \
		$(call flag,organization,$(ORGANIZATION)) $(call flag,project,$(PROJECT)) $(call flag,url,$(URL))

prefetch: bin/jobconformance ## fill the cache, so that later runs need no network
	@bin/jobconformance prefetch $(call flag,kubernetes-version,$(KUBERNETES_VERSION)) $(cacheflags)

help: ## list the targets and the variables
	@echo 'Targets:'
	@awk -F ':.*## ' '/^[a-z0-9 -]+:.*## / { printf "  %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo; echo 'Variables, as in make e2e IMPLEMENTATION=kube-controller-manager:'
	@awk -F ' [?]=.*## ' '/^[A-Z_]+ [?]=.*## / { printf "  %-24s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

MODULE = github.com/jobconformance/jobconformance

# A compiler that collects less garbage takes a fifth less time.
.PHONY: bin/jobconformance
bin/jobconformance:
	@$(needsgo)
	@test -x $@ || echo 'jobconformance: compiling it; the first time on a machine takes a minute or two' >&2
	@GOGC=400 go build -ldflags "-X $(MODULE)/fixtures/version.described=$$(git describe --tags --always --dirty 2>/dev/null)" \
		-o $@ ./suites/jobconformance

SCENARIOS ?= ## regular expression: only scenarios of explore whose names match it
PLAN ?= ## the only fault of explore, as in 'create pods 2: lose answer'; needs SCENARIOS
PAIRS ?= ## with how many pairs of faults explore runs each scenario as well; default: none
ACTIONS ?= ## with how many actions of users explore runs scenarios as well, alone and beside a fault; default: none
WORKERS ?= ## scenarios of explore that run at the same time; default: 8 for each core
FRESH ?= ## 1 repeats the runs of explore that have saved results

.PHONY: explore
explore: bin/jobconformance ## run scenarios with one fault at every write and every event of a controller
	@bin/jobconformance explore --implementation=$(call quote,$(IMPLEMENTATION)) \
		$(clusterflags) \
		$(call flag,scenarios,$(SCENARIOS)) $(call flag,plan,$(PLAN)) $(call flag,minutes,$(MINUTES)) \
		$(call flag,workers,$(WORKERS)) $(call flag,pairs,$(PAIRS)) $(call flag,actions,$(ACTIONS)) $(call flag,shard,$(SHARD)) $(if $(filter-out 0,$(FRESH)),--fresh)

ROWS ?= ## rows of bench: jobs, job, indexed, cronjobs, failing, long; default: all but long
QPS ?= ## rate limits in bench, as in 200/400,unlimited (requests a second/at once)
SCALE ?= ## size of the rows of bench; default: 1
KILLS ?= ## how often crash kills the controller; default: 200
JOBS ?= ## how many Jobs crash creates; default: 200
SEED ?= ## seed of crash, soak or score; default: random

.PHONY: bench bench-long crash
bench: bin/jobconformance ## measure the reference controller against kube-controller-manager, as Markdown
	@bin/jobconformance bench $(call flag,rows,$(ROWS)) $(call flag,qps,$(QPS)) $(benchflags)

bench-long: bin/jobconformance ## the same with one Job of 100,000 completions
	@bin/jobconformance bench --rows=long --floors=false --qps=$(call quote,$(or $(QPS),unlimited)) $(benchflags)

crash: bin/jobconformance ## kill a controller 200 times while it works on 200 Jobs
	@bin/jobconformance crash --implementation=$(call quote,$(IMPLEMENTATION)) $(call flag,kills,$(KILLS)) \
		$(call flag,jobs,$(JOBS)) $(call flag,seed,$(SEED)) $(clusterflags)

benchflags = $(call flag,repeat,$(REPEAT)) $(call flag,scale,$(SCALE)) $(clusterflags)

# Files that replace those of the node image; .ci/container-engine creates some on
# machines that need them.
NODE_OVERLAY ?= $(wildcard /usr/local/lib/jobconformance/node-overlay)

.PHONY: images
images: ## build images of the reference controller and of puppets, for nodes that cannot pull
	@go run ./fixtures/internal/image/cmd

.PHONY: program-image
program-image: bin/jobconformance ## build an image of bin/jobconformance with a control plane, for pods that are shards
	@bin/jobconformance images save bin/jobconformance.tar $(call flag,kubernetes-version,$(KUBERNETES_VERSION)) $(cacheflags)

.PHONY: node-image
node-image: ## build a node image for CLUSTER=kind without a container registry
	@$(needsgo)
	@go build -o bin/nodeimage ./.ci/nodeimage
	@bin/nodeimage $(call flag,kubernetes-version,$(KUBERNETES_VERSION)) \
		$(call flag,cache-dir,$(CACHE_DIR)) $(call flag,overlay,$(NODE_OVERLAY))

# The programs of CI. The go command leaves their folder out of ./...
CI_PROGRAMS = $(patsubst %/main.go,./%,$(wildcard .ci/*/main.go))

test: ## unit tests, the embedded cluster, go install, and the self-test: every mutant must be caught
	@$(needsgo)
	go vet ./... $(CI_PROGRAMS)
	go test -timeout 10m ./... $(CI_PROGRAMS)
	JOBCONFORMANCE_SELFTEST=1 go test -count=1 -timeout 20m -v -run 'TestEmbedded|TestInstall' ./fixtures/cluster ./suites/jobconformance
	JOBCONFORMANCE_SELFTEST=1 go test -count=1 -timeout 30m -v -run TestEveryMutantIsCaught ./suites/mutants

VARIANTS ?= ## regular expression: only variants whose names match it

.PHONY: variants
variants: ## check a controller of another design that keeps the contract: it must be green
	JOBCONFORMANCE_SELFTEST=1 VARIANTS=$(call quote,$(VARIANTS)) go test -count=1 -timeout 40m -v -run TestVariantsAreGreen ./suites/variants

FUZZ_STEPS ?= 1000000## steps of the model test of each controller; default: 1000000

.PHONY: fuzz
fuzz: ## run random Jobs and CronJobs against the models of the reference controllers, with faults
	@$(needsgo)
	@go test -c -o bin/fuzz-job ./controller/job
	@go test -c -o bin/fuzz-cronjob ./controller/cronjob
	@cd controller/job && JOBCONFORMANCE_FUZZ_STEPS=$(FUZZ_STEPS) ../../bin/fuzz-job -test.run TestWorlds -test.timeout 60m
	@cd controller/cronjob && JOBCONFORMANCE_FUZZ_STEPS=$(FUZZ_STEPS) ../../bin/fuzz-cronjob -test.run TestModel -test.v -test.timeout 60m

STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
ACTIONLINT = github.com/rhysd/actionlint/cmd/actionlint@v1.7.7

MINUTES ?= ## soak starts workloads, or explore runs, for this many minutes; default: 10, or until all are done
COUNT ?= ## maximum number of workloads of soak, default: no limit; of mutants of score, default: 200
AGAINST ?= ## a second controller for soak, which runs the same workloads; end states that differ are printed
GOAL ?= ## percent of the mutants that score wants to be caught; default: 95
MUTANTS ?= ## file with mutants of your own for score, instead of drawn ones
SPECS ?= ## specs of score that run at the same time; default: 5 for each core

.PHONY: soak
soak: bin/jobconformance ## run random workloads with faults against a controller, for MINUTES
	@bin/jobconformance soak --implementation=$(call quote,$(IMPLEMENTATION)) $(call flag,minutes,$(MINUTES)) $(call flag,count,$(COUNT)) \
		$(call flag,seed,$(SEED)) $(call flag,shard,$(SHARD)) $(call flag,against,$(AGAINST)) $(clusterflags)

.PHONY: score
score: bin/jobconformance ## change upstream's controllers at random places, COUNT times: how many mutants do the suites catch?
	@bin/jobconformance score $(call flag,count,$(COUNT)) $(call flag,mutants,$(MUTANTS)) $(call flag,goal,$(GOAL)) $(call flag,specs,$(SPECS)) \
		$(call flag,seed,$(SEED)) $(call flag,shard,$(SHARD)) $(call flag,kubernetes-version,$(or $(VERSION),$(KUBERNETES_VERSION))) \
		$(call flag,feature-gates,$(FEATURE_GATES)) $(buildflags)

ISSUE ?= ## number of the upstream issue for repro, or the name that LIST=1 prints
VERSION ?= ## of Kubernetes for score; versions for repro, default: one that has the bug and one that does not
BISECT ?= ## two versions, as in v1.35.4..v1.36.3, between which repro finds the one where a bug comes or goes
VERSIONS ?= ## versions for repro-matrix
SCENARIO ?= ## file with a scenario for repro

# repro has a default of its own: upstream's controller for its bugs.
given = $(if $(filter file,$(origin IMPLEMENTATION)),,$(call flag,implementation,$(IMPLEMENTATION)))
reproflags = $(given) $(call flag,repeat,$(REPEAT)) $(call flag,procs,$(PROCS)) $(buildflags)

.PHONY: repro repro-matrix
repro: bin/jobconformance ## reproduce an upstream bug by its number or name, ISSUE=139428, or run SCENARIO=file.yaml; LIST=1 prints the numbers
	@bin/jobconformance repro $(call flag,issue,$(ISSUE)) $(call flag,version,$(VERSION)) $(call flag,bisect,$(BISECT)) $(call flag,kubernetes-source,$(KUBERNETES_SOURCE)) \
		$(call flag,scenario,$(SCENARIO)) \
		$(if $(filter-out 0,$(LIST)),--list) $(call flag,output,$(OUTPUT)) $(reproflags)

repro-matrix: bin/jobconformance ## reproduce all that are fixed on all versions, or on VERSIONS=v1.36.1,v1.36.3
	@bin/jobconformance repro-matrix $(call flag,versions,$(VERSIONS)) $(call flag,issue,$(ISSUE)) $(call flag,shard,$(SHARD)) $(reproflags)

compare: bin/jobconformance ## print what got better and worse: OLD=a/report.yaml NEW=b/report.yaml
	@bin/jobconformance compare $(call flag,output,$(OUTPUT)) $(call quote,$(OLD)) $(call quote,$(NEW))

PROVIDER ?= ## kind: example runs on a cluster of e2e-framework's provider, too; NODE_IMAGE, PUPPET_IMAGE and LOAD as for e2e

example: ## run the suites from a test of another repository: suites/example
	cd suites/example && go vet ./... && go test -count=1 -v ./...

JOBCONFORMANCE_PAGE ?= $(CURDIR)/bin/page.html

page: ## test the page of a run with 600 specs in Chromium, or of a red run: JOBCONFORMANCE_PAGE=reports/e2e/index.html
	@mkdir -p bin
	JOBCONFORMANCE_SAMPLE=$(CURDIR)/bin/page.html go test -count=1 -run TestSamplePage ./suites/report
	cd suites/report/browser && go vet ./... && JOBCONFORMANCE_PAGE=$(abspath $(JOBCONFORMANCE_PAGE)) go test -count=1 -v ./...

lint: ## gofmt, the words of suites/prose/words.yaml, staticcheck, and actionlint
	@unformatted=$$(gofmt -l .ci controller fixtures suites) && test -z "$$unformatted" || { echo "gofmt -w $$unformatted"; exit 1; }
	go test -count=1 ./suites/prose
	go run $(STATICCHECK) ./... $(CI_PROGRAMS)
	go run $(ACTIONLINT)

MATRIX ?= ## matrix.jsonl of repro-matrix, whose results figures takes over
DURATIONS ?= ## report.yaml of whole runs, separated by spaces, whose longest times figures takes over

PUBLISH ?= ## report.yaml of a whole run, which figures takes over for suites/report/published

.PHONY: requirements figures published
requirements figures: ## write suites/REQUIREMENTS.md, the list of flags, the library of bugs and the figures in the READMEs; MATRIX= takes over results of repro-matrix, DURATIONS= and PUBLISH= those of runs
	UPDATE=1 MATRIX=$(call quote,$(MATRIX)) PUBLISH=$(call quote,$(abspath $(PUBLISH))) DURATIONS=$(call quote,$(abspath $(DURATIONS))) go test -count=1 -run UpToDate ./suites ./suites/durations ./suites/report ./suites/jobconformance ./suites/scenario/library

published: ## check kube-controller-manager of KUBERNETES_VERSION, and publish its report in suites/report/published
	$(MAKE) e2e IMPLEMENTATION=kube-controller-manager REPORTS=$(CURDIR)/reports/published
	$(MAKE) figures PUBLISH=$(CURDIR)/reports/published/report.yaml

GORELEASER = github.com/goreleaser/goreleaser/v2@v2.15.4

.PHONY: snapshot
snapshot: ## build the programs of a release into dist, and publish nothing
	GOFLAGS= go run $(GORELEASER) release --snapshot --clean --skip=publish

clean: ## remove what was built and reported in this checkout; the cache stays
	rm -rf bin reports dist
