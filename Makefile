# Two commands do all the set-up on a fresh Debian 12 or Raspberry Pi OS:
#   make run    the table; simulated where no hardware is plugged in
#   make test   the tests
# `make check` is the gate that CI runs.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

VENV := .venv
BIN := $(VENV)/bin
CODE := controller vision api benchmarks firmware hardware tests
ARGS ?=

ifneq ($(wildcard ../shared/DESIGN.md),)
export BARPOINT_SHARED ?= $(abspath ../shared)
endif

.PHONY: help run test check static firmware wheel format screenshots clean

help:  ## say what can be made
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/'

run: $(VENV)/ready-run  ## the table, simulated where no hardware is plugged in
	$(BIN)/barpoint run --or-simulate $(ARGS)

test: $(VENV)/ready-test  ## all tests
	$(MAKE) -s -C firmware all simavr PYTHON=../$(BIN)/python
	$(BIN)/pytest -n 2 --dist loadgroup -m "not packaging" $(ARGS)

check: static test firmware wheel  ## everything that CI runs

static: $(VENV)/ready-test  ## format, lint, types, import contracts, generated files
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/ruff check $(CODE)
	$(BIN)/mypy
	MYPYPATH=firmware/simavr:tests/rules:tests/records $(BIN)/mypy --explicit-package-bases benchmarks
	$(BIN)/lint-imports
	$(BIN)/python firmware/generate_protocol.py --check
	$(BIN)/python firmware/generate_pins.py --check
	$(BIN)/python hardware/generate.py --check

firmware: $(VENV)/ready-test  ## build both ELFs with their sizes, run the core's tests on this machine
	$(MAKE) -C firmware all host PYTHON=../$(BIN)/python

wheel: $(VENV)/ready-test  ## build the wheel and try it in an environment of its own
	$(BIN)/pytest tests/packaging -m packaging -q

format: $(VENV)/ready-test  ## format the code and mend what can be mended
	$(BIN)/ruff check --fix $(CODE)
	$(BIN)/ruff format $(CODE)

screenshots: $(VENV)/ready-test  ## make the README's pictures anew
	$(BIN)/python -m tests.pages.screenshots docs/screenshots

$(VENV)/ready-run: pyproject.toml deploy/packages.sh
	deploy/packages.sh run
	python3 -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/ready-test: $(VENV)/ready-run
	deploy/packages.sh test
	$(BIN)/python -m pip install --quiet --group test --editable '.[club]'
	touch $@

clean:  ## remove what was built; the journal stays
	rm -rf $(VENV) build dist firmware/build .pytest_cache .mypy_cache .ruff_cache .hypothesis
