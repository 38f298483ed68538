# For developers: build, test, lint, generate, release. Users call bin/jobconformance, whose flags
# --help documents, and which keeps the exit codes (0 green, 1 red, 2 bad input, 3 the harness failed).
#
# A variable is a flag: make e2e LABELS=x REPORTS=out is run --labels=x --output-dir=out. One that a
# target does not have is an error.

# One set of flags, so that the control plane, the suites and the tests share a
# build cache.
export CGO_ENABLED = 0
export GOFLAGS = -buildvcs=false -gcflags=all=-dwarf=false

MODULE = github.com/jobconformance/jobconformance
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
ACTIONLINT = github.com/rhysd/actionlint/cmd/actionlint@v1.7.7
GOVULNCHECK = golang.org/x/vuln/cmd/govulncheck@v1.9.0
GORELEASER = github.com/goreleaser/goreleaser/v2@v2.15.4

needsgo = command -v go >/dev/null || { echo 'jobconformance: no Go toolchain in PATH; install Go 1.26 or later' >&2; exit 2; }
quote = '$(subst ','\'',$(1))'
flag = $(if $(2),--$(1)=$(call quote,$(2)))

.PHONY: e2e prefetch explore handover soak repro repro-matrix crash leaks bench bench-long score compare catalogue gaps program-image
command.e2e = run
command.prefetch = prefetch
command.explore = explore
command.handover = handover
command.soak = soak
command.repro = repro
command.repro-matrix = repro-matrix
command.crash = crash
command.leaks = leaks
command.bench = bench
command.bench-long = bench $(if $(ROWS),,--rows=long) --floors=false $(if $(QPS),,--qps=unlimited)
command.score = score
command.compare = compare
command.catalogue = catalogue
command.gaps = gaps
command.program-image = images save bin/jobconformance.tar

e2e: #: check a controller on an embedded cluster; LIST=1 prints the specs
prefetch: #: fill the cache, so that later runs need no network
explore: #: run scenarios with one fault at every write and every event of a controller
handover: #: have one controller take over from another, FROM and TO, at every write and every event
soak: #: run random workloads with faults against a controller, for MINUTES
repro: #: reproduce an upstream bug, ISSUE=139428, or run SCENARIO=file.yaml; LIST=1 prints the bugs
repro-matrix: #: reproduce all that are fixed on all versions, or on VERSIONS=v1.36.1,v1.36.3
crash: #: kill a controller 200 times while it works on 200 Jobs
leaks: #: look for what a controller keeps of objects that are gone
bench: #: measure the reference controller against kube-controller-manager, as Markdown
bench-long: #: the same with one Job of 100,000 completions
score: #: change upstream's controllers at random places, COUNT times: how many mutants do the suites catch?
arguments =
compare: arguments = $(call quote,$(OLD)) $(call quote,$(NEW))
compare: #: print what got better and worse: OLD=a/report.yaml NEW=b/report.yaml
catalogue: #: write requirements, specs and known bugs as a static site, into REPORTS
gaps: #: list fields and feature gates of KUBERNETES_VERSION that no requirement covers
program-image: #: build an image of bin/jobconformance with a control plane, for pods that are shards

e2e prefetch explore handover soak repro repro-matrix crash leaks bench bench-long score compare catalogue gaps program-image: bin/jobconformance
	@bin/jobconformance $(command.$@) $(arguments)

# What other targets, and compare, take from make's command line.
own.compare = OLD NEW
own.test = MUTANTS PAIRS LEAKS KUBEBUILDER_ASSETS CACHE_DIR
own.variants = VARIANTS FOCUS KUBEBUILDER_ASSETS CACHE_DIR
own.halves = HALVES KUBEBUILDER_ASSETS CACHE_DIR
own.fuzz = FUZZ FUZZTIME
own.models = FUZZ_STEPS
own.dimensions = WRONG KUBEBUILDER_ASSETS CACHE_DIR
own.hostile = QUICK INTERRUPTIONS SEED PAIRS HOSTILE KUBEBUILDER_ASSETS CACHE_DIR
own.example = PROVIDER NODE_IMAGE PUPPET_IMAGE LOAD REPORTS
own.node-image = KUBERNETES_VERSION CACHE_DIR NODE_OVERLAY
own.requirements = MATRIX PUBLISH DURATIONS
own.figures = MATRIX PUBLISH DURATIONS
own.published = $(given)
own.next-kubernetes = KUBERNETES_VERSION KUBERNETES_SOURCE CACHE_DIR

# Not flags, but what programs take from their environment, where make puts them.
ENVIRONMENT_ONLY = SHELL MAKE% GOFLAGS GOPROXY GOTOOLCHAIN CGO_ENABLED STATICCHECK ACTIONLINT GOVULNCHECK GORELEASER \
	JOBCONFORMANCE_% ARTIFACTS KUBECONFIG KIND_CLUSTER_NAME KIND_EXPERIMENTAL_PROVIDER XDG_CACHE_HOME XDG_CONFIG_HOME HOME TMPDIR PATH

# Variables of the environment that are flags as well. Names that other programs are likely to use,
# such as VERSION, URL, JOBS and ENVIRONMENT, must be on make's command line.
FROM_ENVIRONMENT = IMPLEMENTATION CONTROLLERS MANAGED_BY DIALECT KUBERNETES_VERSION KUBERNETES_SOURCE FEATURE_GATES CACHE_DIR \
	BINARIES KUBERNETES_DOWNLOADS ETCD_DOWNLOADS KUBEBUILDER_ASSETS TIMEOUT REPORTS FOCUS SKIP LABELS REQUIREMENT DECLINE STRICT \
	KNOWN_BUGS PROCS PATIENCE REPEAT HISTORY LIST SHARD RERUN_FAILED IMPLEMENTATION_NAME IMPLEMENTATION_VERSION CLUSTER \
	CLUSTER_NAME NODE_IMAGE KIND_CONFIG PUPPET_IMAGE LOAD KEEP SCENARIOS PLAN PAIRS ACTIONS WORKERS FRESH ROWS QPS SCALE KILLS \
	SEED MINUTES AGAINST GOAL MUTANTS SPECS ISSUE BISECT VERSIONS SCENARIO

from = $(foreach v,$(2),$(if $(findstring $(1),$(origin $(v))),$(v)))
given := $(filter-out $(ENVIRONMENT_ONLY),$(call from,command line,$(.VARIABLES)))
goals := $(or $(MAKECMDGOALS),e2e)
unknown := $(filter-out $(foreach g,$(goals),$(own.$(g))),$(given))
commands := $(foreach g,$(goals),$(if $(command.$(g)),$(command.$(g));))
ifneq ($(commands),)
# A $ in a value is one $, as is $$. The program checks the names in JOBCONFORMANCE_VARIABLES.
literal = $(subst $$$$,$$,$(value $(1)))
handed = $(foreach v,$(filter-out $(own.compare),$(given)) $(call from,environment,$(FROM_ENVIRONMENT)),$(if $(value $(v)),$(v)))
$(foreach v,$(handed),$(eval export JOBCONFORMANCE_$(v) = $$(call literal,$(v))))
export JOBCONFORMANCE_VARIABLES = $(unknown):$(commands)
else ifneq ($(unknown),)
$(error unknown variable $(firstword $(unknown)) of make $(goals), which has $(or $(sort $(foreach g,$(goals),$(own.$(g)))),none))
endif

# A compiler that collects less garbage takes a fifth less time.
.PHONY: bin/jobconformance
bin/jobconformance:
	@$(needsgo)
	@test -x $@ || echo 'jobconformance: compiling it; the first time on a machine takes a minute or two' >&2
	@GOGC=400 go build -ldflags "-X $(MODULE)/fixtures/version.described=$$(git describe --tags --always --dirty 2>/dev/null)" \
		-o $@ ./suites/jobconformance

.PHONY: help test lint clean example page
help: ## list the targets
	@echo 'Commands of bin/jobconformance, which make builds. Their flags are variables here:'
	@echo 'make e2e LABELS=behaviour:parallelism REPORTS=out is run --labels=... --output-dir=out.'
	@awk -F ': #: ' '/^[a-z0-9-]+: #: / { printf "  %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo; echo 'For developers:'
	@awk -F ':.*## ' '/^[a-z0-9 -]+:.*## / { printf "  %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo; echo 'bin/jobconformance --help, or suites/jobconformance/README.md, has all commands and flags.'
	@echo 'From the environment come $(FROM_ENVIRONMENT), and all as JOBCONFORMANCE_LABELS.' | fold -s -w 100

# Files that replace those of the node image; .ci/container-engine creates some on
# machines that need them.
NODE_OVERLAY ?= $(wildcard /usr/local/lib/jobconformance/node-overlay)

.PHONY: images
images: ## build images of the reference controller and of puppets, for nodes that cannot pull
	@go run ./fixtures/internal/image/cmd

.PHONY: node-image
node-image: ## build a node image for CLUSTER=kind without a container registry
	@$(needsgo)
	@go build -o bin/nodeimage ./.ci/nodeimage
	@bin/nodeimage $(call flag,kubernetes-version,$(KUBERNETES_VERSION)) \
		$(call flag,cache-dir,$(CACHE_DIR)) $(call flag,overlay,$(NODE_OVERLAY))

# The programs of CI. The go command leaves their folder out of ./...
CI_PROGRAMS = $(patsubst %/main.go,./%,$(wildcard .ci/*/main.go))

test: ## unit tests, the embedded cluster, go install, the guide, and the self-test: every mutant must be caught
	@$(needsgo)
	go vet ./... $(CI_PROGRAMS)
	go test -timeout 10m ./... $(CI_PROGRAMS)
	JOBCONFORMANCE_SELFTEST=1 go test -count=1 -timeout 20m -v -run 'TestEmbedded|TestInstall|TestStepsOfTheGuide' ./fixtures/cluster ./suites/jobconformance ./suites/guide
	JOBCONFORMANCE_SELFTEST=1 go test -count=1 -timeout 45m -v -run TestEveryMutantIsCaught ./suites/mutants
	JOBCONFORMANCE_SELFTEST=1 go test -count=1 -timeout 10m -v -run TestWrongPairsAreCaught ./suites/explore/pairs
	JOBCONFORMANCE_SELFTEST=1 go test -count=1 -timeout 10m -v -run TestLeaksAreFound ./suites/leaks

VARIANTS ?= ## regular expression: only variants whose names match it

.PHONY: variants
variants: ## check a controller of another design that keeps the contract: it must be green
	JOBCONFORMANCE_SELFTEST=1 VARIANTS=$(call quote,$(VARIANTS)) go test -count=1 -timeout 40m -v -run TestVariantsAreGreen ./suites/variants

HALVES ?= ## regular expression: only half controllers whose names match it

.PHONY: halves
halves: ## check controllers that lack one field each: only the requirements about it may be non-conformant
	JOBCONFORMANCE_SELFTEST=1 HALVES=$(call quote,$(HALVES)) go test -count=1 -timeout 60m -v -run TestHalves ./suites/halves

FUZZ ?= ## regular expression: only fuzz targets whose names match it
FUZZTIME ?= 1m## how long each is run; default: 1m

# Each fuzz target of the tests, with its package.
.PHONY: fuzz
fuzz: ## read and print random input: scenarios, dialects, histories, reports, logs, and what others put into outputs
	@$(needsgo)
	@grep -rn --include='*_test.go' '^func Fuzz' controller fixtures suites | sed -E 's|^(.*)/[^/]*:.*func (Fuzz[A-Za-z]*).*|\1 \2|' | \
		grep -E -- $(or $(call quote,$(FUZZ)),.) | while read package target; do \
		echo "$$target"; go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) ./$$package || exit; done

.PHONY: dimensions
dimensions: ## each dimension of explorations must find wrong controllers that nothing else shows
	@$(needsgo)
	JOBCONFORMANCE_SELFTEST=1 go test -count=1 -timeout 1h -v -run TestDimensionsShowWhatNothingElseShows ./suites/explore/wrong

QUICK ?= ## 1: one hostile controller of each kind, and two interruptions
INTERRUPTIONS ?= $(if $(QUICK),2,8)## how often a run is interrupted; default: 8
HOSTILE ?= ## regular expression: only hostile controllers whose names match it

.PHONY: hostile
hostile: ## run controllers that try to change the verdict, which are named, interrupt runs at random moments, and have PAIRS of them at once: nothing of them stays, verdicts are right
	@$(needsgo)
	JOBCONFORMANCE_SELFTEST=1 HOSTILE=$(call quote,$(HOSTILE)) go test $(if $(QUICK),-short) -count=1 -timeout 2h -v -run TestHostileControllers ./suites/hostile
	JOBCONFORMANCE_SELFTEST=1 INTERRUPTIONS=$(INTERRUPTIONS) go test -count=1 -timeout 4h -v -run 'TestInterruptions|TestRunsSideBySide' ./suites/jobconformance

FUZZ_STEPS ?= 1000000## steps of the model test of each controller; default: 1000000

.PHONY: models
models: ## run random Jobs and CronJobs against the models of the reference controllers, with faults
	@$(needsgo)
	@go test -c -o bin/fuzz-job ./controller/job
	@go test -c -o bin/fuzz-cronjob ./controller/cronjob
	@cd controller/job && JOBCONFORMANCE_FUZZ_STEPS=$(FUZZ_STEPS) ../../bin/fuzz-job -test.run TestWorlds -test.timeout 60m
	@cd controller/cronjob && JOBCONFORMANCE_FUZZ_STEPS=$(FUZZ_STEPS) ../../bin/fuzz-cronjob -test.run TestModel -test.v -test.timeout 60m

example: ## run the suites, and the cluster alone, from tests of other repositories: suites/example, fixtures/example
	cd suites/example && go vet ./... && go test -count=1 -v ./...
	JOBCONFORMANCE_SELFTEST=1 go test -count=1 -timeout 10m -v -run TestFixturesInAnEmptyModule ./suites/jobconformance

JOBCONFORMANCE_PAGE ?= $(CURDIR)/bin/page.html

page: bin/jobconformance ## test the catalogue and the page of a run with 600 specs in Chromium, or of a red run: JOBCONFORMANCE_PAGE=reports/e2e/index.html
	@bin/jobconformance catalogue --output-dir=bin/site
	JOBCONFORMANCE_SAMPLE=$(CURDIR)/bin/page.html go test -count=1 -run TestSamplePage ./suites/report
	cd suites/report/browser && npm ci --silent --ignore-scripts --no-audit --no-fund && go vet ./... && JOBCONFORMANCE_SITE=$(CURDIR)/bin/site JOBCONFORMANCE_PAGE=$(abspath $(JOBCONFORMANCE_PAGE)) go test -count=1 -v ./...

.PHONY: picture
picture: bin/jobconformance ## run the bundled controller and a wrong one, and make the samples and the picture of the README
	@mkdir -p suites/report/samples
	JOBCONFORMANCE_PICTURE=$(CURDIR)/bin/jobconformance go test -count=1 -run TestPicture ./suites/mutants
	cd suites/report/browser && JOBCONFORMANCE_PAGE=$(CURDIR)/reports/picture/red/index.html \
		JOBCONFORMANCE_PICTURE=$(CURDIR)/suites/report/page.png go test -count=1 -run TestPicture ./...
	$(MAKE) figures

# govulncheck's database may be out of reach: then a line says so. go run hides its exit code, 3 where it has found one.
lint: ## gofmt, the words of suites/prose/words.yaml, staticcheck, actionlint, and govulncheck where its database answers
	@unformatted=$$(gofmt -l .ci controller fixtures suites) && test -z "$$unformatted" || { echo "gofmt -w $$unformatted"; exit 1; }
	go test -count=1 ./suites/prose
	go run $(STATICCHECK) ./... $(CI_PROGRAMS)
	go run $(ACTIONLINT) .github/workflows/*.yml suites/example/ci/github.yml
	@found=$$(go run $(GOVULNCHECK) ./... 2>&1) && echo 'govulncheck: no known vulnerability is reached' || case $$found in \
		*'exit status 3') echo "$$found"; exit 1 ;; \
		*) echo "govulncheck was not run: $$(echo "$$found" | grep -v '^exit status' | tail -n 1)" ;; esac

# MATRIX is a matrix.jsonl of repro-matrix. DURATIONS are report.yaml of whole runs, whose longest
# times are taken over, and PUBLISH is one for suites/report/published.
uptodate = UPDATE=1 MATRIX=$(call quote,$(MATRIX)) PUBLISH=$(call quote,$(abspath $(1))) DURATIONS=$(call quote,$(abspath $(DURATIONS))) \
	go test -count=1 -run UpToDate ./suites ./suites/durations ./suites/guide ./suites/report ./suites/jobconformance ./suites/scenario/library ./suites/contract/counterparts

.PHONY: requirements figures published
requirements figures: ## write all that is generated; MATRIX=, DURATIONS= and PUBLISH= take over the results of runs
	$(call uptodate,$(PUBLISH))

published: ## check IMPLEMENTATION, by default kube-controller-manager, and publish its report in suites/report/published
	rm -f reports/published/report.yaml
	-$(MAKE) e2e IMPLEMENTATION=$(call quote,$(or $(IMPLEMENTATION),kube-controller-manager)) REPORTS=$(CURDIR)/reports/published
	$(call uptodate,$(CURDIR)/reports/published/report.yaml)

# kube-controller-manager is compared with its newest report in suites/report/published. Not a part of CI:
# it is another version tomorrow, unless KUBERNETES_VERSION or KUBERNETES_SOURCE is given.
.PHONY: next-kubernetes
next-kubernetes: bin/jobconformance ## check both controllers on the next minor version of Kubernetes, alphas too, and list what is new in it
	@version=$(call quote,$(KUBERNETES_VERSION)); test "$${version}$(if $(KUBERNETES_SOURCE),1)" || \
		version=$$(bin/jobconformance version --next-kubernetes) || exit; \
	set -- $${version:+--kubernetes-version=$$version} $(call flag,kubernetes-source,$(KUBERNETES_SOURCE)); code=0; \
	bin/jobconformance gaps "$$@" || { code=$$?; test $$code -eq 1 || exit $$code; }; \
	set -- "$$@" $(call flag,cache-dir,$(CACHE_DIR)); \
	since=$$(printf '%s\n' $(wildcard suites/report/published/kube-controller-manager-*.yaml) | sort -V | tail -n 1); \
	bin/jobconformance run --implementation=kube-controller-manager "$$@" $${since:+--since=$$since} \
		--output-dir=reports/next-kubernetes/kube-controller-manager || code=$$?; \
	bin/jobconformance run "$$@" --output-dir=reports/next-kubernetes/reference || code=$$?; exit $$code

.PHONY: snapshot
snapshot: ## build the programs of a release into dist, and publish nothing
	GOFLAGS= go run $(GORELEASER) release --snapshot --clean --skip=publish,sign,sbom

clean: ## remove what was built and reported in this checkout; the cache stays
	rm -rf bin reports dist
