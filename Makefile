# agathis: try it, test it, measure it. `make demo` is the place to start.
#
# Everything lives in .venv and build/; `make clean` removes both.
# Another interpreter: make demo PYTHON=python3.12

PYTHON ?= python3
PYTEST_ARGS ?=
MUTANT_ARGS ?=
# Tests in several processes, one a core; WORKERS= runs them in one, for a debugger.
WORKERS ?= -n auto --maxprocesses=8 --dist worksteal
BENCH_ARGS ?=
AGREEMENT_ARGS ?=
PANEL_ARGS ?=
PAPER_ARGS ?=

VENV := .venv
RUN := $(VENV)/bin/python
INSTALL := $(RUN) tools/install.py
TAG := $(shell $(PYTHON) -c 'import sys; print(sys.implementation.cache_tag)' 2>/dev/null)
BUILD := build/$(TAG)

# A stamp is a finished step. It lies inside .venv, so it cannot outlive what it vouches for.
STAMPS := $(VENV)/stamps
ENVIRONMENT := $(STAMPS)/environment-$(TAG)
BASE := $(STAMPS)/base
PACKAGE := $(STAMPS)/package

# Directories are among the sources so that a deleted file counts as a change too.
SOURCES := pyproject.toml $(wildcard meson.build meson.options) \
    $(shell find src \( -type f -o -type d \) ! -path '*/__pycache__*' ! -name '*.pyc' 2>/dev/null)

.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help demo test test-all coverage mutants lint bench paper agreement panel clean FORCE

help:
	@echo "make demo       build agathis in .venv, cluster some wines, write a report"
	@echo "make test       all tests but slow ones   (PYTEST_ARGS='-k name' to choose)"
	@echo "make test-all   these and the slow ones   (some need AGATHIS_DATA)"
	@echo "make coverage   which lines of the package the tests run"
	@echo "make mutants    whether the tests notice a change of the gains and of the grower"
	@echo "make lint       ruff, cython-lint, the import contract, mypy"
	@echo "make bench      agathis beside gemclus    (BENCH_ARGS=--quick for a taste)"
	@echo "make paper      the paper's tables and figures (PAPER_ARGS=--quick for a taste)"
	@echo "make agreement  our trees beside what the public packages give (needs AGATHIS_DATA)"
	@echo "make panel      labelled raw tables, beside what people do by hand (needs AGATHIS_DATA)"
	@echo "make clean      remove .venv and build/"

demo: $(PACKAGE) $(STAMPS)/extra-cli
	@$(RUN) examples/wine.py
	@echo && $(RUN) -m agathis demo --folder build/demo

test: $(PACKAGE) $(STAMPS)/extra-test
	@$(RUN) -m pytest $(WORKERS) -m "not slow" --hypothesis-profile=quick $(PYTEST_ARGS)

test-all: $(PACKAGE) $(STAMPS)/extra-test
	@$(RUN) -m pytest $(WORKERS) $(PYTEST_ARGS)

coverage: $(PACKAGE) $(STAMPS)/extra-test
	@$(RUN) -m pytest $(WORKERS) -m "not slow" --hypothesis-profile=quick --cov=agathis \
	  --cov-report=term:skip-covered $(PYTEST_ARGS)

mutants: $(ENVIRONMENT) $(STAMPS)/extra-test
	@$(RUN) tools/mutants.py $(MUTANT_ARGS)

lint: $(STAMPS)/extra-lint
	@$(RUN) -m ruff check .
	@$(RUN) -m ruff format --check .
	@PATH="$(CURDIR)/$(VENV)/bin:$$PATH" cython-lint --max-line-length 100 src
	@PYTHONPATH=src $(VENV)/bin/lint-imports
	@$(RUN) -m mypy
	@$(RUN) -m mypy --strict --follow-imports=silent tests/package/user_script.py

bench: $(PACKAGE) $(STAMPS)/extra-bench
	@$(RUN) benchmarks/run.py $(BENCH_ARGS)

paper: $(PACKAGE) $(STAMPS)/extra-paper
	@$(RUN) -m agathis experiments run -o results $(PAPER_ARGS)

agreement: $(PACKAGE)
	@$(RUN) benchmarks/agreement.py $(AGREEMENT_ARGS)

panel: $(PACKAGE) $(STAMPS)/extra-panel
	@$(RUN) benchmarks/panel.py $(PANEL_ARGS)

clean:
	rm -rf $(VENV) build

# An install that was cut short may have left .venv half written: tools/install.py knows, and .venv
# is then made anew.
CUT_SHORT := $(if $(wildcard $(VENV)/installing),\
    $(shell $(RUN) tools/install.py --whole 2>/dev/null || echo yes))

$(ENVIRONMENT): $(if $(CUT_SHORT),FORCE)
	@command -v $(PYTHON) >/dev/null || { \
	  echo "There is no '$(PYTHON)' here. Debian, Ubuntu:" \
	    "apt install python3 python3-venv python3-dev build-essential" >&2; exit 1; }
	@$(PYTHON) tools/preflight.py
	@echo "Making $(VENV)"
	@rm -rf $(VENV) $(BUILD)
	@$(PYTHON) -m venv $(VENV)
	@mkdir $(STAMPS) && touch $@

$(BASE): $(ENVIRONMENT) pyproject.toml
	@echo "Fetching the build tools and what agathis imports"
	@$(RUN) tools/requirements.py build run > $(VENV)/requirements-base.txt
	@$(INSTALL) 'pip>=23.1' -r $(VENV)/requirements-base.txt
	@touch $@

# meson-python looks for meson, ninja and cython on the PATH. The build directory stays, so that a
# rebuild compiles only what changed. A wheel first: a compile error then leaves the installed
# package alone.
$(PACKAGE): $(BASE) $(SOURCES)
	@echo "Building and installing agathis"
	@rm -rf $(BUILD)-wheel
	@PATH="$(CURDIR)/$(VENV)/bin:$$PATH" $(RUN) -m pip wheel -q --no-deps --no-build-isolation \
	  --config-settings=build-dir=$(BUILD) --wheel-dir $(BUILD)-wheel .
	@$(INSTALL) --no-deps --no-index --force-reinstall $(BUILD)-wheel/*.whl
	@touch $@

$(STAMPS)/extra-%: $(BASE)
	@echo "Fetching the tools for: make $*"
	@$(RUN) tools/requirements.py $* > $(VENV)/requirements-$*.txt
	@$(INSTALL) -r $(VENV)/requirements-$*.txt
	@touch $@
