# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0
#
# Needs Python 3.11 or newer, git and make. Everything else lands in .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
JOBS ?= $(shell nproc 2>/dev/null || echo 2)

#: What `make kernels` tests; CI keeps to representative cases, `make kernels TEST=--full` runs all of them.
TEST ?=

#: Results of `vendorctl test --format json` that `make screenshot` shows on the page.
RESULTS ?=

#: What `make fuzz` explores (every target by default), and for how many seconds each.
TARGET ?=
SECONDS ?= 60

.PHONY: install example-install demo test unit kernels fuzz soak example screenshot lint format bench bench-page bench-lock upstreams dist lock docs system clean help

help:  ## Show this list
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "%-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

install: $(STAMP)  ## Set everything up

demo: $(STAMP)  ## Set everything up and run the whole story on the sample upstream
	$(BIN)/vendorctl demo

test: unit kernels  ## Set everything up and run every test, then build and run the kernels of this workspace

unit: $(STAMP) upstreams  ## The test suite
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal

kernels: $(STAMP)  ## Prove this workspace, compile its kernels, execute every object on the CPU
	$(BIN)/vendorctl verify
	$(BIN)/vendorctl build
	$(BIN)/vendorctl check --require
	$(BIN)/vendorctl test $(TEST)

fuzz: $(VENV)/.fuzz  ## Look for faults of the readers of untrusted input (TARGET=patch SECONDS=60); installs atheris
	PYTHONPATH=tests $(BIN)/python -m fuzz hunt $(TARGET) --seconds $(SECONDS)

$(VENV)/.fuzz: requirements/fuzz.lock $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $<
	touch $@

soak: $(STAMP)  ## Every failing system call, many processes, many inputs: takes hours, where `make test` takes samples
	HYPOTHESIS_PROFILE=soak $(BIN)/python -m pytest -n $(JOBS) --dist worksteal \
	  tests/fuzz tests/acceptance tests/series/test_bump_resume.py tests/series/test_rework_resume.py \
	  tests/report/test_schemas_kernels.py tests/emulator/test_pseudo_code.py

lint: $(STAMP)  ## Style, types, licence headers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/reuse lint --quiet || $(BIN)/reuse lint

format: $(STAMP)  ## Rewrite the code in the project's style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(STAMP)  ## Measure side by side with the peers, on a machine with nothing else to do
	$(BIN)/python -m benchmarks

bench-page: $(STAMP)  ## Write what `make bench` measured into the documentation
	$(BIN)/python -m benchmarks.page

bench-lock:  ## Resolve the peers that the benchmarks install (needs uv)
	uv pip compile requirements/bench.in --generate-hashes --universal --python-version 3.11 \
	  --custom-compile-command "make bench-lock" --no-emit-index-url -o requirements/bench.lock

upstreams: build/upstreams/minikernels.git/HEAD  ## Generate the sample upstream that the root workspace vendors

build/upstreams/minikernels.git/HEAD: $(STAMP)
	$(BIN)/python -m vendorctl.sample build/upstreams/minikernels.git

# PyTorch is a large download: TORCH= and PYTHON= name another build or one that is there (examples/rowkernels/README.md).
example-install:  ## Set up what the example library is built and tested with
	$(MAKE) -C examples/rowkernels install

example: $(STAMP)  ## Build, prove and test the example library with PyTorch, which nothing else here needs
	$(MAKE) -C examples/rowkernels

screenshot: upstreams  ## Build the report of this repository and take pictures of it (build/screenshots); needs chromium
	$(BIN)/vendorctl status --fetch minikernels minikernels-next >/dev/null
	$(BIN)/python tools/screenshot.py $(RESULTS)

docs: $(STAMP)  ## Write the reference pages, and the picture of a report, that come from the code
	$(BIN)/python tools/reference.py
	$(BIN)/python tools/reference_kernels.py
	$(BIN)/python tools/picture.py

system:  ## Debian packages that some tests want (they are skipped, and counted, without them); needs root
	apt-get update -qq
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
	  quilt patch openssl chromium llvm-19 >/dev/null

dist: $(STAMP)  ## The wheel, the sdist and bills of materials of HEAD, built twice and compared
	PYTHONPATH=tools $(BIN)/python -m release dist

#: What each extra needs, for those who install one of them with hashes; `core` is no extra at all.
EXTRAS := build test distributed dvc cache report
COMPILE := uv pip compile --quiet pyproject.toml --generate-hashes --universal --python-version 3.11 \
  --custom-compile-command "make lock"

lock:  ## Resolve the dependencies again (needs uv)
	$(COMPILE) $(EXTRAS:%=--extra %) --group dev -o requirements/dev.lock
	$(COMPILE) --constraint requirements/dev.lock -o requirements/core.lock
	for extra in $(EXTRAS); do \
	  $(COMPILE) --constraint requirements/dev.lock --extra $$extra -o requirements/$$extra.lock || exit 1; \
	done
	$(COMPILE) --constraint requirements/dev.lock --extra build --extra test requirements/example.in \
	  -o requirements/example.lock
	$(subst pyproject.toml,requirements/fuzz.in,$(COMPILE)) -o requirements/fuzz.lock

# pip compiles modules one by one; compileall does it on all cores, and says nothing of files that are no Python.
$(STAMP): pyproject.toml requirements/dev.lock
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --require-hashes \
	  -r requirements/dev.lock
	$(BIN)/python -m compileall -qq -j 0 $(VENV)/lib || true
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

clean:  ## Remove what the targets made
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache
