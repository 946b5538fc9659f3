# tabperturb: `make run` builds and shows the main job, `make test` proves it.
GO      ?= go
BIN     := bin/tabperturb
FUZZTIME ?= 10s

.PHONY: build run test check race bench fuzz quality scale scale-corpora workshop beam attack defence release clean

build:
	$(GO) build -o $(BIN) ./cmd/tabperturb

run: build
	$(BIN) demo

# Compilers, linkers and tests collect their garbage patiently: an eighth less processor time. Vet is a step of its own.
# Scripts make and remove many thousand small files: in memory, where a folder there has four gigabytes to spare and may
# hold programs; the compilers' files stay where they are.
MEMORY := $(shell test $$(df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 {print $$4}') -gt 4000000 2>/dev/null && ! grep -q ' /dev/shm .*noexec' /proc/mounts && echo /dev/shm)
test:
	GOGC=400 $(if $(MEMORY),GOTMPDIR=$${TMPDIR:-/tmp} TMPDIR=$(MEMORY)) $(GO) test -vet=off -timeout 40m ./...

# check needs a C compiler: the race detector is cgo.
check:
	@test -z "$$(gofmt -l .)" || { gofmt -l .; exit 1; }
	$(GO) vet ./...
	$(GO) tool staticcheck ./...
	staticcheck="$$($(GO) tool -n staticcheck)" && cd tools && $(GO) vet ./... && "$$staticcheck" ./...
	$(MAKE) race
	$(MAKE) fuzz FUZZTIME=5s

# The race detector over all packages. Its checks of pointers do not bear the SQL engine,
# which is C translated to Go with memory of its own; they are off.
race:
	$(GO) test -race -short -gcflags=all=-d=checkptr=0 -timeout 15m ./...
	cd tools && $(GO) test -race -short -gcflags=all=-d=checkptr=0 -timeout 15m ./...

bench:
	$(GO) test -run '^$$' -bench . -benchtime 2s ./...

# Every fuzz target for FUZZTIME; ownfuzz makes them fast.
fuzz:
	cd tools && $(GO) build -o ../bin/ownfuzz ./ownfuzz
	@set -e; for dir in . tools; do cd $(CURDIR)/$$dir; for pkg in $$($(GO) list ./...); do \
		for f in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
			echo "$$pkg $$f"; $(GO) test -toolexec $(CURDIR)/bin/ownfuzz -run '^$$' -fuzz "^$$f$$" -fuzzminimizetime 20x -fuzztime $(FUZZTIME) $$pkg; \
		done; \
	done; done

# The figures that depend on public data beside the checkout; compared with a golden file. Where all are as published,
# .ci/quality.txt keeps what they were made from, and CI names what has changed since.
WHOLE := ./benchmark ./benchmark/baseline ./benchmark/spidersyn ./sqlast ./evaluate/doctor ./evaluate/conformance ./evaluate/suite ./dataset/wikisql ./dataset/squall ./dataset/interaction ./dataset/wtq ./retriever ./evaluate/logical ./internal/engine/sqlite ./internal/engine/postgres ./evaluate/exact ./dataset ./benchmark/drspider/query ./internal/language/fluency
quality:
	$(GO) test -tags quality -count 1 -v -timeout 60m ./internal/testkit/quality
	$(GO) test -tags quality -count 1 -v -run 'TestLarge|TestBrowser' ./review
	$(GO) test -tags quality -count 1 -v -run TestPages ./cmd/tabperturb
	$(GO) test -tags quality -count 1 -timeout 60m $(WHOLE)
	cd tools && $(GO) test -tags quality -count 1 -v -timeout 60m ./train/names ./train/questions
	.ci/inputs > .ci/quality.txt

# Attacks on the built program: kills, two at once, damaged files, hostile SQL and servers.
# They end with a table of what was tried and what fell.
attack:
	$(GO) test -tags attack -count 1 -v -run TestDamagedCheckpoints ./nli/cybertron
	$(GO) test -tags attack -count 1 -v -timeout 40m ./internal/testkit/hostile

# ADVETA's table 5 for schema linking, on Spider's data in the folder SPIDER with ADVETA's names beside it. The
# embedded NLI model has seen these names: NLI names the weights of one that has not (MODELS.md).
SPIDER ?= ../shared/spider
NLI ?= compact
defence: build
	$(BIN) defend --train $(SPIDER) --data $(SPIDER) --names $(SPIDER)/spider-rpl-candidates.json,$(SPIDER)/spider-add-candidates.json --nli $(NLI) --plot defence.svg

# How time, memory and disk grow; prints the rows of docs/scale.md.
scale:
	$(GO) test -tags quality,scale -count 1 -v -timeout 60m -run '^TestScale(Database)?$$' ./internal/testkit/quality
	$(GO) test -tags quality,scale -count 1 -run TestScalePlot ./internal/testkit/quality

# The same of corpora alone, of so many tables. Five million need 14 GB of disk and a quarter of an hour.
CORPORA ?= 5000000
scale-corpora:
	$(GO) test -tags quality,scale -count 1 -v -timeout 3h -run '^TestScale$$/^corpora$$' ./internal/testkit/quality -corpora $(CORPORA)

# The workshop, a module of its own: it makes the embedded weights and vectors, and the fuzzer's compiler.
workshop:
	cd tools && $(GO) vet ./... && $(GO) test ./...

# The pipeline of Apache Beam, a module of its own: its packages are no dependency of the product.
beam:
	cd cluster/beam && export CGO_ENABLED=0 && $(GO) vet ./... && $(GO) test -count 1 -timeout 30m ./... && $(GO) build -o ../../bin/tabperturb-beam .

# Stripped static binaries with checksums, for every platform that a release has.
PLATFORMS := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
release:
	rm -rf dist && mkdir dist
	@set -e; for p in $(PLATFORMS); do \
		os=$${p%/*} arch=$${p#*/}; ext=; test $$os != windows || ext=.exe; \
		echo "dist/tabperturb-$$os-$$arch$$ext"; \
		CGO_ENABLED=0 GOOS=$$os GOARCH=$$arch $(GO) build -trimpath -ldflags '-s -w' -o dist/tabperturb-$$os-$$arch$$ext ./cmd/tabperturb; \
	done
	cd dist && sha256sum tabperturb-* > SHA256SUMS

clean:
	rm -rf bin dist tabperturb-demo
