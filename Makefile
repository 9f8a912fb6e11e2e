# Commands for development and continuous integration. `make help` lists the targets.

# Not ?=, because this folder is deleted and rebuilt: a variable of the environment must not set it.
VENV := .venv
GAME ?= kododo
PLAYERS ?= 4
MINUTES ?= 3
# Of make mutants: the area of the code, which mutants (default: all without a result), and how
# many to run in parallel.
AREA ?=
ONLY ?=
JOBS ?= 1
# Of make bench (also ONLY) and make bench-compare: the revision to compare with, the number of
# rounds, and files for the ratios.
REV ?= main
ROUNDS ?=
JSON ?=
MARKDOWN ?=
# Of make fuzz: the examples of each kind. Of make faults: kills, and the seed of their times.
EXAMPLES ?= 1000
KILLS ?= 20
SEED ?= 0
# Of make test-matrix and make test-processors: sessions. ROOMS: the tests of test-processors.
# By default all.
SESSIONS ?=
ROOMS ?=
# Of make web and make docs: numpy's wheel for Pyodide, to put into the folder; by default the page
# downloads numpy.
NUMPY_WHEEL ?=
# Of make train: the run folder; by default a free one, such as runs/kododo-4p.
RUN_DIR ?=

PY := $(VENV)/bin/python
# Four processes for two cores, because tests often wait. They write bytecode caches even if the
# environment forbids it, because all processes import the same sources.
PYTEST = PYTHONDONTWRITEBYTECODE= OMP_NUM_THREADS=1 MPLBACKEND=Agg $(PY) -m pytest -n 4 --dist worksteal
PAGES := tests/pages tests/clients tests/packaging tests/play/browser tests/play/static
TOOLS := tests/fuzz tests/faults tests/release
EXTRAS := train,render,open-spiel,dataset,mcp
# Written last, so that an interrupted installation is repeated.
READY := $(VENV)/.complete
# Ray has its own environment, because it needs another version of gymnasium.
RAY_VENV := .venv-ray
RAY_READY := $(RAY_VENV)/.complete
# The first interpreter that is new enough, or empty. For a virtual environment it is the base
# interpreter, because the environment may be the one that is about to be replaced.
PYTHON ?= $(shell for name in python3.11 python3; do "$$name" -c 'import sys; \
	sys.version_info >= (3, 11) or sys.exit(1); print(sys._base_executable)' 2>/dev/null && break; done)

SHELL := /bin/sh
.SHELLFLAGS := -eu -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
.PHONY: help venv train test test-pages test-tools test-clients test-ray ray lint types format bench bench-compare baselines ablation libraries truth ceilings all-players specialists mutants test-matrix test-processors fuzz audit faults policies population levels pins docs web web-parts clean

define remove_venv
@test ! -e "$(1)" || test -f "$(1)/pyvenv.cfg" || { \
	echo '$(1) is not a virtual environment and would be deleted: move it away' >&2; exit 1; }
@test ! -e "$(1)" || case "$$(cd -P "$(1)" && pwd)" in "$$(pwd -P)"/*) ;; *) \
	echo '$(1) is outside this checkout and would be rebuilt: delete it yourself' >&2; exit 1;; esac
rm -rf "$(1)"
endef

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

venv: $(READY) ## Install all dependencies at their pinned versions into .venv

$(READY): pyproject.toml constraints.txt
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo 'kododo-env needs Python 3.11 or newer; python3.11 and python3 are missing or too old' \
			'(PYTHON="$(PYTHON)"): name an interpreter with make PYTHON=/path/to/python3.11' >&2; exit 1; }
	$(call remove_venv,$(VENV))
	"$(PYTHON)" -m venv "$(VENV)"
	$(PY) -m pip install --quiet --constraint constraints.txt pip setuptools
	$(PY) -m pip install --quiet --constraint constraints.txt --no-build-isolation --editable '.[$(EXTRAS)]' --group dev
	touch $@

train: $(READY) ## Train a bot and evaluate it: GAME=kododo PLAYERS=4 MINUTES=3 RUN_DIR=FOLDER
	$(PY) train.py --game $(GAME) --players $(PLAYERS) --minutes $(MINUTES) $(if $(RUN_DIR),--run-dir $(RUN_DIR))

test: lint types ## Run the linter, the type checker and the tests of the code
	$(PYTEST) $(PAGES:%=--ignore=%) $(TOOLS:%=--ignore=%)

test-pages: $(READY) ## Test documentation, notebooks, examples, packages, and the browser page
	$(PYTEST) $(PAGES)

test-tools: $(READY) ## Test the maintainers' tools: fuzzer, fault injection, training of shipped policies
	$(PYTEST) $(TOOLS)

$(RAY_READY): pyproject.toml constraints-ray.txt
	$(call remove_venv,$(RAY_VENV))
	"$(PYTHON)" -m venv "$(RAY_VENV)"
	$(RAY_VENV)/bin/python -m pip install --quiet --constraint constraints-ray.txt setuptools torch
	$(RAY_VENV)/bin/python -m pip install --quiet --constraint constraints-ray.txt \
		--no-build-isolation --editable '.[ray]' pytest
	touch $@

test-ray: $(RAY_READY) ## Test --engine ray in .venv-ray (some minutes)
	OMP_NUM_THREADS=1 MPLBACKEND=Agg $(RAY_VENV)/bin/python -m pytest tests/ray_engine

ray: $(RAY_READY) ## Compare --engine ray with one process, for docs/evidence/ray.md (some minutes)
	PYTHONPATH=. OMP_NUM_THREADS=1 $(RAY_VENV)/bin/python benchmarks/bench_ray.py
	$(RAY_VENV)/bin/python -m docs.update_tables

test-clients: $(READY) ## Test the examples of docs/libraries.md, each library in its own environment
	OMP_NUM_THREADS=1 $(PY) -m tests.clients
	$(PY) -m docs.update_tables

lint: $(READY) ## Check style, names and imports
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m tests.plain_names
	$(PY) -m tests.import_circles
	PYTHONPATH=. $(VENV)/bin/lint-imports --no-logo

types: $(READY) ## Check the types
	$(PY) -m mypy
	$(PY) -m mypy --platform win32 --cache-dir .mypy_cache/win32

format: $(READY) ## Format the code and fix what ruff can fix
	$(PY) -m ruff check --fix --exit-zero .
	$(PY) -m ruff format .

bench: $(READY) ## Measure all speeds, for docs/evidence/speed.md (five minutes): ONLY=core,one-game ROUNDS=5
	PYTHONPATH=. OMP_NUM_THREADS=1 $(PY) -m benchmarks.speed \
		$(if $(ONLY),--only "$(ONLY)") $(if $(ROUNDS),--rounds $(ROUNDS))
	$(PY) -m docs.update_tables

bench-compare: $(READY) ## Compare the speed of this tree with another revision: REV=main ONLY=core/kododo,one-game ROUNDS=8
	PYTHONPATH=. OMP_NUM_THREADS=1 $(PY) -m benchmarks.speed.compare "$(REV)" \
		$(if $(ONLY),--only "$(ONLY)") $(if $(ROUNDS),--rounds $(ROUNDS)) \
		$(if $(JSON),--json "$(JSON)") $(if $(MARKDOWN),--markdown "$(MARKDOWN)")

baselines: $(READY) ## Measure the scripted players, for docs/games (some minutes)
	PYTHONPATH=. OMP_NUM_THREADS=1 $(PY) benchmarks/baselines.py
	$(PY) -m docs.update_tables

ablation: $(READY) ## Train changed recipes with three seeds each, for docs/evidence/ablations.md (hours)
	PYTHONPATH=. MPLBACKEND=Agg $(PY) benchmarks/ablation.py
	$(PY) -m docs.update_tables

libraries: $(READY) ## Measure how fast other libraries learn, for docs/libraries.md (two hours): LIBRARIES="TorchRL JAX"
	OMP_NUM_THREADS=1 $(PY) -m benchmarks.libraries $(LIBRARIES)
	$(PY) -m docs.update_tables

truth: $(READY) ## Solve a small game and train on it, for docs/evidence/exact.md (some minutes)
	PYTHONPATH=. OMP_NUM_THREADS=1 MPLBACKEND=Agg $(PY) benchmarks/exact_truth.py
	$(PY) -m docs.update_tables
	PYTHONPATH=. MPLBACKEND=Agg $(PY) docs/make_images.py

all-players: $(READY) ## Train one network for all numbers of players, three seeds, for docs/strength.md (half an hour)
	mkdir -p docs/all_players
	for seed in 0 1 2; do PYTHONPATH=. $(PY) docs/examples/all_players.py --decisions 1000000 \
		--seed $$seed --folder build/all-players-$$seed --json docs/all_players/$$seed.json; done
	$(PY) -m docs.update_tables

ceilings: $(READY) ## Measure what search gains over the policies, also with the true hands, for docs/evidence/ceilings.md (an hour)
	PYTHONPATH=. OMP_NUM_THREADS=1 MPLBACKEND=Agg $(PY) benchmarks/search_ceilings.py
	$(PY) -m docs.update_tables

specialists: $(READY) ## Train specialists against held-out opponents, for docs/evidence/specialists.md (hours)
	PYTHONPATH=. OMP_NUM_THREADS=1 MPLBACKEND=Agg $(PY) benchmarks/specialists.py
	$(PY) -m docs.update_tables

mutants: $(READY) ## Test the tests: make one change to the code at a time: AREA=core, ONLY='*deck*'
	$(PY) -m tests.mutation $(AREA) --jobs $(JOBS) $(if $(ONLY),--only '$(ONLY)')

test-matrix: $(READY) ## Test with every installed Python, and the oldest and newest dependencies: SESSIONS="lowest newest-3.11"
	$(VENV)/bin/nox --noxfile tests/packaging/matrix.py --envdir "$(CURDIR)/.nox" $(if $(SESSIONS),--sessions $(SESSIONS))

test-processors: $(READY) ## Test numerical code, also with instruction sets of older processors: SESSIONS="processors(oldest)" ROOMS=tests/policy
	$(VENV)/bin/nox --noxfile tests/packaging/processors.py $(if $(SESSIONS),--sessions "$(SESSIONS)") \
		$(if $(ROOMS),-- $(ROOMS))

fuzz: $(READY) ## Read many randomly damaged files: EXAMPLES=1000
	FUZZ_EXAMPLES=$(EXAMPLES) $(PYTEST) tests/fuzz

# Runs in a temporary environment. Without access to the database, pip-audit itself reports "no known
# vulnerabilities"; this target fails instead.
audit: ## Check the pinned versions for known vulnerabilities
	@scratch=$$(mktemp -d); trap 'rm -rf "$$scratch"' EXIT; \
	"$(PYTHON)" -m venv "$$scratch"; \
	"$$scratch/bin/python" -m pip install --quiet pip-audit 2> "$$scratch/said" || { \
		cat "$$scratch/said" >&2; exit 2; }; \
	"$$scratch/bin/pip-audit" --strict --no-deps --disable-pip --progress-spinner off \
		--requirement constraints.txt > "$$scratch/said" 2>&1 && { cat "$$scratch/said"; exit 0; }; \
	if grep -q '^Found [0-9]* known vulnerabilit' "$$scratch/said"; then \
		cat "$$scratch/said"; exit 1; fi; \
	echo "make audit: nothing was checked: the list of known vulnerabilities cannot be read from" \
		"here ($$(tail -n 1 "$$scratch/said" | cut -c 1-200))" >&2; exit 2

faults: $(READY) ## Kill and resume scripts many times, and compare the results: KILLS=20 SEED=0
	FAULTS_KILLS=$(KILLS) FAULTS_SEED=$(SEED) $(PYTEST) tests/faults

population: $(READY) ## Draw, train and measure the held-out opponents
	$(PY) -m agents.release.population

levels: $(READY) ## Fit the temperatures of the levels of the shipped policies, and measure the levels (hours)
	$(PY) -m agents.release.levels
	$(PY) -m docs.update_tables

policies: $(READY) ## Train all shipped policies again from scratch
	$(PY) -m agents.release.make_policies

# The games come first, so that the pages link to them. They need npm; the pages do not.
docs: $(READY) ## Build the documentation site, with the playable games, in build/docs
	rm -rf build/docs
	@said=$$(PYTHONPATH=. $(PY) -m docs.static_page.build build/docs/play \
		$(if $(NUMPY_WHEEL),--numpy-wheel "$(NUMPY_WHEEL)") 2>&1) || \
		echo "make docs: the site has no playable games: $$said" >&2
	PYTHONPATH="$(CURDIR)" OMP_NUM_THREADS=1 MPLBACKEND= $(PY) -m sphinx -b html -EWq \
		-c docs/site -d build/doctrees . build/docs
	@echo "build/docs: serve it with python -m http.server --directory build/docs"

web: $(READY) ## Build the static page, which runs the games in the browser, in build/web: NUMPY_WHEEL=FILE adds numpy
	PYTHONPATH=. $(PY) -m docs.static_page.build build/web $(if $(NUMPY_WHEEL),--numpy-wheel "$(NUMPY_WHEEL)")

web-parts: $(READY) ## Download what the tests of the static page need (46 MB, with npm)
	PYTHONPATH=. $(PY) -m tests.play.static.folder

# torch stays at its pin: newer builds may bring several gigabytes of GPU libraries.
pins: ## Resolve the version ranges of pyproject.toml again, and write constraints.txt
	scratch=$$(mktemp -d); trap 'rm -rf "$$scratch"' EXIT; \
	"$(PYTHON)" -m venv "$$scratch"; \
	"$$scratch/bin/python" -m pip install --upgrade pip; \
	"$$scratch/bin/python" -m pip install "$$(grep '^torch==' constraints.txt)" --editable '.[$(EXTRAS)]' \
		--group dev; \
	{ grep '^#' constraints.txt; \
	"$$scratch/bin/python" -m pip freeze --all --exclude-editable \
	| sed 's/+cpu$$//'; } > "$$scratch/constraints.txt"; \
	cp "$$scratch/constraints.txt" constraints.txt

clean: ## Delete the environment and all caches; training runs stay
	$(call remove_venv,$(VENV))
	$(call remove_venv,$(RAY_VENV))
	rm -rf build dist mutants .nox *.egg-info .mypy_cache .import_linter_cache .ruff_cache .pytest_cache .hypothesis
	find agents benchmarks kododo_env notebooks tests -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true
