# Thin on purpose: bin/jobconformance does the work, keeps the exit codes
# (0 green, 1 red, 2 bad input, 3 the harness failed) and can be called without
# make. `bin/jobconformance --help` says more.

IMPLEMENTATION ?= reference
KUBERNETES_VERSION ?=
FEATURE_GATES ?=
FOCUS ?=
LABELS ?=
REQUIREMENT ?=
DECLINE ?=
PROCS ?=
REPEAT ?=
CACHE_DIR ?=
REPORTS ?=
HISTORY ?=
CLUSTER ?=
NODE_IMAGE ?=
KIND_CONFIG ?=
PUPPET_IMAGE ?=
LOAD ?=
KEEP ?=
LIST ?=
RERUN_FAILED ?=
IMPLEMENTATION_NAME ?=
IMPLEMENTATION_VERSION ?=
CONTACT ?=

# Everything is compiled alike, so that the control plane, the suites and the
# tests share one build cache.
export CGO_ENABLED = 0
export GOFLAGS = -buildvcs=false -gcflags=all=-dwarf=false

# flag turns a variable that is set into a flag of bin/jobconformance.
quote = '$(subst ','\'',$(1))'
flag = $(if $(2),--$(1)=$(call quote,$(2)))
buildflags = $(call flag,assets,$(KUBEBUILDER_ASSETS)) $(call flag,cache-dir,$(CACHE_DIR)) $(call flag,reports,$(REPORTS))
clusterflags = $(call flag,kubernetes-version,$(KUBERNETES_VERSION)) $(call flag,feature-gates,$(FEATURE_GATES)) $(buildflags)

.PHONY: e2e test lint clean compare example page

e2e: bin/jobconformance ## check a controller on an embedded cluster
	@bin/jobconformance --implementation=$(call quote,$(IMPLEMENTATION)) \
		$(clusterflags) \
		$(call flag,focus,$(FOCUS)) $(call flag,labels,$(LABELS)) $(call flag,procs,$(PROCS)) \
		$(call flag,requirement,$(REQUIREMENT)) $(call flag,decline,$(DECLINE)) \
		$(call flag,repeat,$(REPEAT)) $(call flag,history,$(HISTORY)) \
		$(call flag,cluster,$(CLUSTER)) $(call flag,node-image,$(NODE_IMAGE)) $(call flag,kind-config,$(KIND_CONFIG)) \
		$(call flag,puppet-image,$(PUPPET_IMAGE)) $(call flag,load,$(LOAD)) $(if $(filter-out 0,$(KEEP)),--keep) \
		$(if $(filter-out 0,$(LIST)),--list) $(call flag,rerun-failed,$(RERUN_FAILED)) \
		$(call flag,name,$(IMPLEMENTATION_NAME)) $(call flag,implementation-version,$(IMPLEMENTATION_VERSION)) $(call flag,contact,$(CONTACT))

.PHONY: bin/jobconformance
bin/jobconformance:
	@command -v go >/dev/null || { echo 'jobconformance: no Go toolchain in PATH; install Go 1.26 or later' >&2; exit 2; }
	@test -x $@ || echo 'jobconformance: compiling it; the first time on a machine takes a minute or two'
	@go build -o $@ ./suites/jobconformance

SCENARIOS ?=
PLAN ?=
EXPLORE_MINUTES ?=
WORKERS ?=
FRESH ?=

.PHONY: explore
explore: bin/jobconformance ## run scenarios with one fault at every write and every event of a controller
	@bin/jobconformance explore --implementation=$(call quote,$(IMPLEMENTATION)) \
		$(clusterflags) \
		$(call flag,scenarios,$(SCENARIOS)) $(call flag,plan,$(PLAN)) $(call flag,minutes,$(EXPLORE_MINUTES)) \
		$(call flag,workers,$(WORKERS)) $(if $(filter-out 0,$(FRESH)),--fresh)

ROWS ?=
QPS ?=
SCALE ?=
KILLS ?=
JOBS ?=
SEED ?=

.PHONY: bench bench-long crash
bench: bin/jobconformance ## measure the reference controller against kube-controller-manager, as Markdown
	@bin/jobconformance bench $(call flag,rows,$(ROWS)) $(call flag,qps,$(QPS)) $(benchflags)

bench-long: bin/jobconformance ## the same with one Job of 100,000 completions
	@bin/jobconformance bench --rows=long --floors=false --qps=$(call quote,$(or $(QPS),unlimited)) $(benchflags)

crash: bin/jobconformance ## kill a controller 200 times while it works on 200 Jobs
	@bin/jobconformance crash --implementation=$(call quote,$(IMPLEMENTATION)) $(call flag,kills,$(KILLS)) \
		$(call flag,jobs,$(JOBS)) $(call flag,seed,$(SEED)) $(clusterflags)

benchflags = $(call flag,repeat,$(REPEAT)) $(call flag,scale,$(SCALE)) $(clusterflags)

# Files that go over the node image's own; .ci/container-engine makes some where
# the machine needs them.
NODE_OVERLAY ?= $(wildcard /usr/local/lib/jobconformance/node-overlay)

.PHONY: images
images: ## make images of the reference controller and of puppets, for nodes that cannot pull
	@go run ./fixtures/internal/image/cmd

.PHONY: node-image
node-image: ## build a node image for CLUSTER=kind without a container registry
	@command -v go >/dev/null || { echo 'jobconformance: no Go toolchain in PATH; install Go 1.26 or later' >&2; exit 2; }
	@go build -o bin/nodeimage ./fixtures/build/nodeimage
	@bin/nodeimage $(call flag,kubernetes-version,$(KUBERNETES_VERSION)) \
		$(call flag,cache-dir,$(CACHE_DIR)) $(call flag,overlay,$(NODE_OVERLAY))

test: ## unit tests, the embedded cluster, then the self-test: every mutant must be caught
	@command -v go >/dev/null || { echo 'jobconformance: no Go toolchain in PATH; install Go 1.26 or later' >&2; exit 2; }
	go vet ./...
	go test -timeout 10m ./...
	JOBCONFORMANCE_SELFTEST=1 go test -count=1 -timeout 10m -v -run TestEmbedded ./fixtures/cluster
	JOBCONFORMANCE_SELFTEST=1 go test -count=1 -timeout 60m -v -run TestEveryMutantIsCaught ./suites/mutants

# Steps of the model test of each controller.
FUZZ_STEPS ?= 1000000

.PHONY: fuzz
fuzz: ## run random Jobs and CronJobs against the reference controllers, with faults, for FUZZ_STEPS steps each
	@command -v go >/dev/null || { echo 'jobconformance: no Go toolchain in PATH; install Go 1.26 or later' >&2; exit 2; }
	@go test -c -o bin/fuzz-job ./controller/job
	@go test -c -o bin/fuzz-cronjob ./controller/cronjob
	@cd controller/job && JOBCONFORMANCE_FUZZ_STEPS=$(FUZZ_STEPS) ../../bin/fuzz-job -test.run TestWorlds -test.timeout 60m
	@cd controller/cronjob && JOBCONFORMANCE_FUZZ_STEPS=$(FUZZ_STEPS) ../../bin/fuzz-cronjob -test.run TestModel -test.v -test.timeout 60m

STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2

MINUTES ?=
COUNT ?=

.PHONY: soak
soak: bin/jobconformance ## run random workloads with faults against a controller, for MINUTES
	@bin/jobconformance soak --implementation=$(call quote,$(IMPLEMENTATION)) $(call flag,minutes,$(MINUTES)) $(call flag,count,$(COUNT)) \
		$(call flag,seed,$(SEED)) $(clusterflags)

ISSUE ?=
VERSION ?=
VERSIONS ?=
SCENARIO ?=

# The default is for repro to choose: upstream's controller for its own bugs.
given = $(if $(filter file,$(origin IMPLEMENTATION)),,$(call flag,implementation,$(IMPLEMENTATION)))
reproflags = $(given) $(call flag,repeat,$(REPEAT)) $(call flag,procs,$(PROCS)) $(buildflags)

.PHONY: repro repro-matrix
repro: bin/jobconformance ## replay a bug of upstream by its number, ISSUE=139428, or SCENARIO=file.yaml; LIST=1 shows the numbers
	@bin/jobconformance repro $(call flag,issue,$(ISSUE)) $(call flag,version,$(VERSION)) $(call flag,scenario,$(SCENARIO)) \
		$(if $(filter-out 0,$(LIST)),--list) $(reproflags)

repro-matrix: bin/jobconformance ## replay all of them on all versions, or on VERSIONS=v1.36.1,v1.36.3
	@bin/jobconformance repro-matrix $(call flag,versions,$(VERSIONS)) $(call flag,issue,$(ISSUE)) $(reproflags)

compare: bin/jobconformance ## what got better and worse: OLD=a/report.yaml NEW=b/report.yaml
	@bin/jobconformance compare $(call quote,$(OLD)) $(call quote,$(NEW))

example: ## the suites from a test of another repository: suites/example
	cd suites/example && go vet ./... && go test -count=1 -v ./...

page: ## open the page JOBCONFORMANCE_PAGE=reports/index.html of a red run in Chromium
	cd suites/report/browser && go vet ./... && go test -count=1 -v ./...

lint: ## gofmt, the words of suites/prose/words.yaml, and staticcheck
	@unformatted=$$(gofmt -l controller fixtures suites) && test -z "$$unformatted" || { echo "gofmt -w $$unformatted"; exit 1; }
	go test -count=1 -v ./suites/prose
	go run $(STATICCHECK) ./...

MATRIX ?=

.PHONY: requirements figures
requirements figures: ## write suites/REQUIREMENTS.md and the figures in the READMEs; MATRIX= takes over results of repro-matrix
	UPDATE=1 MATRIX=$(call quote,$(MATRIX)) go test -count=1 -run UpToDate ./suites

clean: ## remove what was built and reported in this checkout; the cache stays
	rm -rf bin reports
