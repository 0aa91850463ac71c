# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0
#
# Needs Python 3.11 or newer, git and make. Everything else lands in .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
JOBS ?= $(shell nproc 2>/dev/null || echo 2)

.PHONY: demo test lint format types bench upstreams lock docs clean help

help:  ## Show this list
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "%-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(STAMP)  ## Set everything up and run the whole story on the sample upstream
	$(BIN)/vendorctl demo

test: $(STAMP) upstreams  ## Set everything up and run every test
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal
	$(BIN)/vendorctl verify

lint: $(STAMP)  ## Style, types, licence headers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/reuse lint --quiet || $(BIN)/reuse lint

format: $(STAMP)  ## Rewrite the code in the project's style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(STAMP)  ## Measure side by side with the peers; prints ratios
	$(BIN)/python -m benchmarks

upstreams: build/upstreams/minikernels.git/HEAD  ## Generate the sample upstream that the root workspace vendors

build/upstreams/minikernels.git/HEAD: $(STAMP)
	$(BIN)/python -m vendorctl.sample build/upstreams/minikernels.git

lock:  ## Resolve the dependencies again (needs uv)
	uv pip compile pyproject.toml --extra build --extra test --group dev --generate-hashes --universal \
	  --python-version 3.11 --custom-compile-command "make lock" -o requirements/dev.lock

$(STAMP): pyproject.toml requirements/dev.lock
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

clean:  ## Remove what the targets made
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache
