# agathis: try it, test it, measure it. `make demo` is the place to start.
#
# Everything lives in .venv and build/; `make clean` removes both.
# Another interpreter: make demo PYTHON=python3.12

PYTHON ?= python3
PYTEST_ARGS ?=
NOX_ARGS ?=
# Warnings of the C compiler end the build where every change is checked; a user's newer compiler
# may know warnings that nobody has seen yet.
STRICT ?= -Dwerror=$(if $(CI),true,false)
MUTANT_ARGS ?=
WHY ?=
# Tests in several processes, one a core; WORKERS= runs them in one, for a debugger.
WORKERS ?= -n auto --maxprocesses=8 --dist worksteal
BENCH_ARGS ?=
AGREEMENT_ARGS ?=
PANEL_ARGS ?=
EVIDENCE_ARGS ?=
SEARCH_ARGS ?=
DASK_ARGS ?=
PAPER_ARGS ?=
# How long each fuzzer runs, and what else it is told: FUZZ_ARGS='--seconds 3600 --seed 5'.
FUZZ_ARGS ?= --seconds 60

# Where `make docs-serve` shows the site.
PORT ?= 8000

VENV := .venv
RUN := $(VENV)/bin/python
INSTALL := $(RUN) tools/install.py
TAG := $(shell $(PYTHON) -c 'import sys; print(sys.implementation.cache_tag)' 2>/dev/null)
BUILD := build/$(TAG)
SITE := build/docs/html

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
.PHONY: help demo test test-all test-seeds test-oldest test-newest test-pythons test-asan test-tsan \
    coverage golden mutants fuzz fuzz-files fuzz-tables fuzz-columns fuzz-names fuzz-faults \
    fuzz-parsers lint bench paper agreement panel evidence bench-search bench-dask docs docs-test docs-serve \
    clean FORCE

help:
	@echo "make demo       build agathis in .venv, cluster some wines, write a report"
	@echo "make test       all tests but slow ones   (PYTEST_ARGS='-k name' to choose)"
	@echo "make test-all   these and the slow ones   (some need AGATHIS_DATA)"
	@echo "make test-seeds tests that draw examples, with as many as fifty runs of make test"
	@echo "make test-oldest, test-newest, test-pythons  with other dependencies and Pythons, by nox"
	@echo "make coverage   which lines of the package the tests run"
	@echo "make golden     which trees, labels and exports changed (WHY='reason' writes them down)"
	@echo "make mutants    mutation testing: search, optimum, exporters, readers, model file, gains, grower"
	@echo "make test-asan  tests of compiled code, watched for wrong addresses and undefined behaviour"
	@echo "make test-tsan  tests with threads, watched for races (needs clang and libomp-dev)"
	@echo "make fuzz       random problems against reference implementations (FUZZ_ARGS='--seconds 600')"
	@echo "make fuzz-files, fuzz-names, fuzz-faults   damaged files, hostile names, kills"
	@echo "make fuzz-tables   random raw tables: every way to predict gives the same clusters"
	@echo "make fuzz-columns  damaged Parquet and Arrow, many, through the reader alone"
	@echo "make fuzz-parsers  readers of text and of models, guided by coverage (atheris)"
	@echo "make lint       ruff, cython-lint, the import contract, mypy, pyright"
	@echo "make bench      agathis beside gemclus    (BENCH_ARGS=--quick for a taste)"
	@echo "make paper      the paper's tables and figures (PAPER_ARGS=--quick for a taste)"
	@echo "make agreement  our trees beside what the public packages give (needs AGATHIS_DATA)"
	@echo "make panel      labelled raw tables, beside what people do by hand (needs AGATHIS_DATA), and"
	@echo "                how files are read as people have them (PANEL_ARGS=--reading for these alone)"
	@echo "make evidence   how often groups are claimed where none are, and found where some are"
	@echo "make bench-search  how much better trees get by searching (needs AGATHIS_DATA)"
	@echo "make bench-dask a cluster of two workers beside memory and dask-ml"
	@echo "make docs       the site, in build/docs; make docs-serve shows it, make docs-test tests it"
	@echo "make clean      remove .venv and build/"

demo: $(PACKAGE) $(STAMPS)/extra-cli
	@$(RUN) examples/wine.py
	@echo && $(RUN) -m agathis demo --folder build/demo

test: $(PACKAGE) $(STAMPS)/extra-test
	@$(RUN) -m pytest $(WORKERS) -m "not slow" --hypothesis-profile=quick $(PYTEST_ARGS)

test-all: $(PACKAGE) $(STAMPS)/extra-test
	@$(RUN) -m pytest $(WORKERS) $(PYTEST_ARGS)

# Some tests fail only with few seeds: those that draw examples, with those of fifty runs.
test-seeds: $(PACKAGE) $(STAMPS)/extra-test
	@$(RUN) -m pytest $(WORKERS) -m "hypothesis and not slow" --hypothesis-profile=seeds $(PYTEST_ARGS)

# The oldest releases that pyproject.toml promises, pre-releases, and every Python that is here.
# What nox runs is in noxfile.py; NOX_ARGS='-- -k name' chooses some tests.
test-oldest test-newest test-pythons: $(STAMPS)/extra-nox
	@$(RUN) -m nox -s $(patsubst test-%,%,$(@:test-pythons=test-tests)) $(NOX_ARGS)

coverage: $(PACKAGE) $(STAMPS)/extra-test
	@$(RUN) -m pytest $(WORKERS) -m "not slow" --hypothesis-profile=quick --cov=agathis \
	  --cov-report=term:skip-covered $(PYTEST_ARGS)

golden: $(PACKAGE) $(STAMPS)/extra-test
	@$(RUN) tools/golden.py $(if $(WHY),--why '$(WHY)')

mutants: $(ENVIRONMENT) $(STAMPS)/extra-test
	@$(RUN) tools/mutants.py $(MUTANT_ARGS)

test-asan: $(PACKAGE) $(STAMPS)/extra-test
	@$(RUN) tools/sanitized.py address $(if $(PYTEST_ARGS),-- $(PYTEST_ARGS))

test-tsan: $(PACKAGE) $(STAMPS)/extra-test
	@$(RUN) tools/sanitized.py thread $(if $(PYTEST_ARGS),-- $(PYTEST_ARGS))

fuzz: $(PACKAGE) $(STAMPS)/extra-test
	@$(RUN) fuzz/problems.py $(FUZZ_ARGS)

fuzz-files fuzz-tables fuzz-columns fuzz-names fuzz-faults: fuzz-%: $(PACKAGE) $(STAMPS)/extra-test
	@$(RUN) fuzz/$*.py $(FUZZ_ARGS)

fuzz-parsers: $(PACKAGE) $(STAMPS)/extra-fuzz
	@$(RUN) fuzz/parsers.py $(FUZZ_ARGS)

lint: $(STAMPS)/extra-lint
	@$(RUN) -m ruff check .
	@$(RUN) -m ruff format --check .
	@PATH="$(CURDIR)/$(VENV)/bin:$$PATH" cython-lint --max-line-length 100 src
	@PYTHONPATH=src $(VENV)/bin/lint-imports
	@$(RUN) -m mypy
	@$(RUN) -m mypy --strict --follow-imports=silent tests/package/user_script.py \
	  tests/package/user_types.py
	@$(RUN) -m pyright --pythonpath $(RUN)

bench: $(PACKAGE) $(STAMPS)/extra-bench
	@$(RUN) benchmarks/run.py $(BENCH_ARGS)

# A taste does not replace the results of all runs that pages read.
paper: $(PACKAGE) $(STAMPS)/extra-paper
	@$(RUN) -m paper run -o $(if $(findstring --quick,$(PAPER_ARGS)),build/paper,results) $(PAPER_ARGS)

agreement: $(PACKAGE)
	@$(RUN) benchmarks/agreement.py $(AGREEMENT_ARGS)

evidence: $(PACKAGE) $(STAMPS)/extra-test
	@$(RUN) benchmarks/evidence.py $(EVIDENCE_ARGS)

panel: $(PACKAGE) $(STAMPS)/extra-panel
	@$(RUN) benchmarks/panel.py $(PANEL_ARGS)

bench-search: $(PACKAGE)
	@$(RUN) benchmarks/search.py $(SEARCH_ARGS)

bench-dask: $(PACKAGE) $(STAMPS)/extra-bench-dask
	@$(RUN) benchmarks/cluster.py $(DASK_ARGS)

# Examples run in a process a core, each on one thread: two that share the cores would wait for
# each other. Warnings are errors, a link that leads nowhere among them.
docs: $(PACKAGE) $(STAMPS)/extra-docs
	@[ build/docs/begun -nt $(PACKAGE) ] || rm -rf build/docs docs/_made docs/api docs/gallery
	@mkdir -p build/docs && touch build/docs/begun
	@OMP_NUM_THREADS=1 $(RUN) -m sphinx --fail-on-warning --keep-going --quiet -b html \
	  -d build/docs/doctrees docs $(SITE)
	@echo "The site is $(SITE)/index.html"

docs-serve: docs
	@echo "http://localhost:$(PORT) (ctrl-c ends it)"
	@$(RUN) -m http.server --bind localhost --directory $(SITE) $(PORT)

docs-test: docs $(STAMPS)/extra-test
	@AGATHIS_SITE=$(SITE) $(RUN) -m pytest tests/site $(PYTEST_ARGS)

clean:
	rm -rf $(VENV) build docs/_made docs/api docs/gallery

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
	@echo "Building and installing agathis: the first build takes two minutes on two cores"
	@rm -rf $(BUILD)-wheel
	@PATH="$(CURDIR)/$(VENV)/bin:$$PATH" $(RUN) tools/build.py $(BUILD) $(BUILD)-wheel $(STRICT)
	@$(INSTALL) --no-deps --no-index --force-reinstall $(BUILD)-wheel/*.whl
	@touch $@

$(STAMPS)/extra-%: $(BASE)
	@echo "Fetching the tools for: make $*"
	@$(RUN) tools/requirements.py $* > $(VENV)/requirements-$*.txt
	@$(INSTALL) -r $(VENV)/requirements-$*.txt
	@touch $@
