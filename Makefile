# Every target that has a ## comment is listed by `make help`.
.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:

VENV := .venv
RUN := $(VENV)/bin/python
# One thread per process: the same numbers everywhere, and no worker slows another.
export OMP_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1
export MKL_NUM_THREADS := 1
export PYDEVD_DISABLE_FILE_VALIDATION := 1
export JUPYTER_PLATFORM_DIRS := 1
# Which database the chapters on the paper's analyses use; each has its own default.
DATABASE ?=
export DATABASE

.PHONY: help env env-test book test unit html-checks lint bench collect mini lcdb11 lcdb11-summary \
        ledger lock clean clean-all

help: ## Show this list
	@echo "Learning Curves, Re-examined. Targets:"
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 18 | sed 's/^/  /'
	@echo
	@echo "Needs only Python 3.11 or 3.12, git and make; the environment is made in $(VENV)/."

# --- environment -----------------------------------------------------------------------------
# The first of these that is a Python 3.11 or 3.12; name another with PYTHON=/path/to/python.
FIND_PYTHON = for p in $(PYTHON) python3.11 python3.12 python3 python; do \
	  if $$p -c 'import sys, venv; sys.exit(sys.version_info[:2] not in [(3, 11), (3, 12)])' \
	     2>/dev/null; then echo $$p; break; fi; done

$(VENV)/.core: requirements.lock pyproject.toml
	@python=$$($(FIND_PYTHON)); \
	if [ -z "$$python" ]; then \
	  echo "This needs Python 3.11 or 3.12 (what the pinned versions support), and none was found." >&2; \
	  echo "Here: $$(python3 --version 2>&1 || echo no python3). Install one of them, or name it:" >&2; \
	  echo "  make $(or $(MAKECMDGOALS),book) PYTHON=/path/to/python3.12" >&2; \
	  echo "or use conda: conda env create -f environment.yml" >&2; exit 1; fi; \
	echo "Making the environment in $(VENV)/ with $$($$python --version) (some minutes, once) …"; \
	$$python -m venv $(VENV)
	@$(RUN) -m pip install -qq --disable-pip-version-check --constraint requirements.lock --editable .
	@touch $@

$(VENV)/.all: $(VENV)/.core
	@echo "Adding the modern learners and the test tools …"
	@$(RUN) -m pip install -qq --disable-pip-version-check --constraint requirements.lock --editable '.[deep,test]'
	@touch $@

env: $(VENV)/.core ## Make the environment that builds the book
env-test: $(VENV)/.all ## Add the modern learners (torch) and the test tools

lock: $(VENV)/.core ## Resolve pyproject.toml anew into requirements.lock
	$(RUN) -m pip install --quiet uv
	$(VENV)/bin/uv pip compile pyproject.toml --all-extras --universal --python-version 3.11 \
	  --no-annotate --no-header --quiet --output-file requirements.lock
	sed -i.bak 's/+cpu//' requirements.lock && rm requirements.lock.bak

# --- the book --------------------------------------------------------------------------------
book: $(VENV)/.core ## Build the book in _build/html (DATABASE=lcdb11 or a folder: on other curves)
	@$(VENV)/bin/jupyter-book build -W -n --keep-going . 2>&1 | sed -u '/IPKernelApp/d;/ParserConfig(/d'
	@echo "The book is in _build/html/index.html; its tables are in results/."

# --- tests -----------------------------------------------------------------------------------
test: lint unit book html-checks ## Lint, test the code, build the book, check its pages

lint: $(VENV)/.all ## Check the code's style
	@$(VENV)/bin/ruff check .

unit: $(VENV)/.all ## Test the code only
	@$(RUN) -m pytest -m "not book"

html-checks: $(VENV)/.all ## Check the built pages: links, no outside requests, weight, search
	@$(RUN) -m pytest -m book

bench: $(VENV)/.all ## Time the fast code against the straightforward version, as ratios
	@for b in benchmarks/bench_*.py; do echo "== $$b"; $(RUN) -m benchmarks.$$(basename $$b .py); done

# --- curves ----------------------------------------------------------------------------------
collect: $(VENV)/.core ## Gather curves: make collect DATASETS="keel:vehicle" LEARNERS="KNN LDA" OUT=my_curves
	@$(RUN) -m collection --make PYTHON VENV

mini: $(VENV)/.all ## Gather the shipped database anew, or what it lacks, and write data/mini (hours)
	@$(RUN) -m collection.mini
	@$(RUN) -m analysis.reproduction

lcdb11: $(VENV)/.core ## Download the official LCDB 1.1 (FILES="…" for some of it)
	@$(RUN) -m analysis.lcdb11 $(FILES)

lcdb11-summary: $(VENV)/.core ## Take the authors' means over from a folder or address (SOURCE=…)
	@$(RUN) -m analysis.lcdb11 --summary $(if $(SOURCE),--source '$(SOURCE)')

ledger: $(VENV)/.core ## Hold the paper's numbers against ours, in results/ledger/ledger.csv
	@$(RUN) -m analysis.ledger

# --- tidying ---------------------------------------------------------------------------------
clean: ## Remove the built book and its tables; keep the environment and the downloads
	rm -rf _build results

clean-all: clean ## Remove the environment and the cache as well
	rm -rf $(VENV) data/cache *.egg-info
