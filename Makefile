# Everything that is run by hand or by the continuous integration. `make help` lists the targets.

# Not ?=: a folder that is removed and built again must not come from the environment by chance.
VENV := .venv
GAME ?= kododo
PLAYERS ?= 4
MINUTES ?= 3
# Where in the code and which mutants, by default all without a result; how many at a time.
AREA ?=
ONLY ?=
JOBS ?= 1
# Of make bench (with ONLY) and make bench-compare: against which revision, how many rounds, and
# files for the ratios.
REV ?= main
ROUNDS ?=
JSON ?=
MARKDOWN ?=
# Of make faults: how many of each game, and of the moments; of make soak, for all games.
KILLS ?= 20
SEED ?= 0
SOAK_MINUTES ?= 60
EPISODES ?= 100000
# Of make test-matrix and make test-processors, and which tests the latter runs; by default all.
SESSIONS ?=
ROOMS ?=
# Of make web and make docs: numpy for Pyodide, to be put into the folder; otherwise the page loads it.
NUMPY_WHEEL ?=
# Where to; by default train.py finds a free folder, such as runs/kododo-4p.
RUN_DIR ?=

PY := $(VENV)/bin/python
# Four processes for two cores: while two wait, two compute. They keep what they compile, also where
# the environment says otherwise: all of them, and what they start, read the same sources.
PYTEST = PYTHONDONTWRITEBYTECODE= OMP_NUM_THREADS=1 MPLBACKEND=Agg $(PY) -m pytest -n 4 --dist worksteal
PAGES := tests/pages tests/clients tests/packaging tests/play/browser tests/play/static
TOOLS := tests/fuzz tests/faults tests/release
EXTRAS := train,render,open-spiel,dataset,mcp
# Written last, so that an interrupted install does not count as one.
READY := $(VENV)/.complete
# Ray has an environment of its own: it wants a gymnasium of its own.
RAY_VENV := .venv-ray
RAY_READY := $(RAY_VENV)/.complete
# The first interpreter that runs and is new enough (the one below, if that is a virtual
# environment's: it may be the one about to be replaced); empty if there is none.
PYTHON ?= $(shell for name in python3.11 python3; do "$$name" -c 'import sys; \
	sys.version_info >= (3, 11) or sys.exit(1); print(sys._base_executable)' 2>/dev/null && break; done)

SHELL := /bin/sh
.SHELLFLAGS := -eu -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
.PHONY: help venv train test test-pages test-tools test-clients test-ray ray lint types format bench bench-compare baselines ablation libraries truth ceilings all-players specialists mutants test-matrix test-processors fuzz audit faults soak policies population levels pins docs web web-parts clean

define remove_venv
@test ! -e "$(1)" || test -f "$(1)/pyvenv.cfg" || { \
	echo '$(1) is no virtual environment and would be removed: move it away' >&2; exit 1; }
@test ! -e "$(1)" || case "$$(cd -P "$(1)" && pwd)" in "$$(pwd -P)"/*) ;; *) \
	echo '$(1) lies outside of this checkout and would be built again: remove it yourself' >&2; exit 1;; esac
rm -rf "$(1)"
endef

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

venv: $(READY) ## Install everything, at the pinned versions, into .venv

$(READY): pyproject.toml constraints.txt
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo 'kododo-env needs Python 3.11 or newer, which python3.11 and python3 are not here' \
			'(PYTHON="$(PYTHON)"): name one with make PYTHON=/path/to/python3.11' >&2; exit 1; }
	$(call remove_venv,$(VENV))
	"$(PYTHON)" -m venv "$(VENV)"
	$(PY) -m pip install --quiet --constraint constraints.txt pip setuptools
	$(PY) -m pip install --quiet --constraint constraints.txt --no-build-isolation --editable '.[$(EXTRAS)]' --group dev
	touch $@

train: $(READY) ## Train a bot and rate it: GAME=kododo PLAYERS=4 MINUTES=3 RUN_DIR=FOLDER
	$(PY) train.py --game $(GAME) --players $(PLAYERS) --minutes $(MINUTES) $(if $(RUN_DIR),--run-dir $(RUN_DIR))

test: lint types ## Lint, types, then the tests
	$(PYTEST) $(PAGES:%=--ignore=%) $(TOOLS:%=--ignore=%)

test-pages: $(READY) ## Test the documentation, notebooks, examples, packages, and the page in a browser
	$(PYTEST) $(PAGES)

test-tools: $(READY) ## Test the maintainers' tools: the fuzzer, the faults, what makes the policies
	$(PYTEST) $(TOOLS)

$(RAY_READY): pyproject.toml constraints-ray.txt
	$(call remove_venv,$(RAY_VENV))
	"$(PYTHON)" -m venv "$(RAY_VENV)"
	$(RAY_VENV)/bin/python -m pip install --quiet --constraint constraints-ray.txt setuptools torch
	$(RAY_VENV)/bin/python -m pip install --quiet --constraint constraints-ray.txt \
		--no-build-isolation --editable '.[ray]' pytest
	touch $@

test-ray: $(RAY_READY) ## The tests of --engine ray, in .venv-ray (some minutes)
	OMP_NUM_THREADS=1 MPLBACKEND=Agg $(RAY_VENV)/bin/python -m pytest tests/ray_engine

ray: $(RAY_READY) ## Measure --engine ray beside one process, for docs/evidence/ray.md (some minutes)
	PYTHONPATH=. OMP_NUM_THREADS=1 $(RAY_VENV)/bin/python benchmarks/bench_ray.py
	$(RAY_VENV)/bin/python -m docs.update_tables

test-clients: $(READY) ## Try the examples of docs/libraries.md, each library in an environment of its own
	OMP_NUM_THREADS=1 $(PY) -m tests.clients
	$(PY) -m docs.update_tables

lint: $(READY) ## Check style, names and imports
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m tests.plain_names
	PYTHONPATH=. $(VENV)/bin/lint-imports --no-logo

types: $(READY) ## Check the types
	$(PY) -m mypy
	$(PY) -m mypy --platform win32 --cache-dir .mypy_cache/win32

format: $(READY) ## Lay out the code and mend what ruff can mend
	$(PY) -m ruff check --fix --exit-zero .
	$(PY) -m ruff format .

bench: $(READY) ## The speed of everything, for docs/evidence/speed.md (five minutes): ONLY=core,one-game ROUNDS=5
	PYTHONPATH=. OMP_NUM_THREADS=1 $(PY) -m benchmarks.speed \
		$(if $(ONLY),--only "$(ONLY)") $(if $(ROUNDS),--rounds $(ROUNDS))
	$(PY) -m docs.update_tables

bench-compare: $(READY) ## Hold this tree's speed against a revision's: REV=main ONLY=core/kododo,one-game ROUNDS=8
	PYTHONPATH=. OMP_NUM_THREADS=1 $(PY) -m benchmarks.speed.compare "$(REV)" \
		$(if $(ONLY),--only "$(ONLY)") $(if $(ROUNDS),--rounds $(ROUNDS)) \
		$(if $(JSON),--json "$(JSON)") $(if $(MARKDOWN),--markdown "$(MARKDOWN)")

baselines: $(READY) ## Measure the scripted players, for docs/games (some minutes)
	PYTHONPATH=. OMP_NUM_THREADS=1 $(PY) benchmarks/baselines.py
	$(PY) -m docs.update_tables

ablation: $(READY) ## Train recipes with changes, three seeds each, for docs/evidence/ablations.md (hours)
	PYTHONPATH=. MPLBACKEND=Agg $(PY) benchmarks/ablation.py
	$(PY) -m docs.update_tables

libraries: $(READY) ## How fast other libraries learn, for docs/libraries.md (two hours): LIBRARIES="TorchRL JAX"
	OMP_NUM_THREADS=1 $(PY) -m benchmarks.libraries $(LIBRARIES)
	$(PY) -m docs.update_tables

truth: $(READY) ## Solve a small game, and train on it, for docs/evidence/exact.md (some minutes)
	PYTHONPATH=. OMP_NUM_THREADS=1 MPLBACKEND=Agg $(PY) benchmarks/exact_truth.py
	$(PY) -m docs.update_tables
	PYTHONPATH=. MPLBACKEND=Agg $(PY) docs/make_images.py

all-players: $(READY) ## Train one network for all numbers of players, three seeds, for docs/strength.md (half an hour)
	mkdir -p docs/all_players
	for seed in 0 1 2; do PYTHONPATH=. $(PY) docs/examples/all_players.py --decisions 1000000 \
		--seed $$seed --folder build/all-players-$$seed --json docs/all_players/$$seed.json; done
	$(PY) -m docs.update_tables

ceilings: $(READY) ## What search gains on the policies, and would by the true hands, for docs/evidence/ceilings.md (an hour)
	PYTHONPATH=. OMP_NUM_THREADS=1 MPLBACKEND=Agg $(PY) benchmarks/search_ceilings.py
	$(PY) -m docs.update_tables

specialists: $(READY) ## Train specialists against held-out opponents, for docs/evidence/specialists.md (hours)
	PYTHONPATH=. OMP_NUM_THREADS=1 MPLBACKEND=Agg $(PY) benchmarks/specialists.py
	$(PY) -m docs.update_tables

mutants: $(READY) ## Change the code spot by spot; tests must notice: AREA=core, ONLY='*deck*'
	$(PY) -m tests.mutation $(AREA) --jobs $(JOBS) $(if $(ONLY),--only '$(ONLY)')

test-matrix: $(READY) ## Every Python that is here, the oldest and the newest versions: SESSIONS="lowest newest-3.11"
	$(VENV)/bin/nox --noxfile tests/packaging/matrix.py --envdir "$(CURDIR)/.nox" $(if $(SESSIONS),--sessions $(SESSIONS))

test-processors: $(READY) ## What computes, as it is and as if on older processors: SESSIONS="processors(oldest)" ROOMS=tests/policy
	$(VENV)/bin/nox --noxfile tests/packaging/processors.py $(if $(SESSIONS),--sessions "$(SESSIONS)") \
		$(if $(ROOMS),-- $(ROOMS))

fuzz: $(READY) ## Give everything wrong input, another each time: MINUTES=3
	$(PY) -m tests.fuzz --minutes $(MINUTES)

# In an environment of its own, which nobody tests. What could not be looked up was not checked:
# pip-audit itself says "no known vulnerabilities" then.
audit: ## Look up known vulnerabilities of the pinned versions
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

faults: $(READY) ## Kill, fill the disk, take folders away, and compare what comes of it: KILLS=20 SEED=0
	MPLBACKEND=Agg $(PY) -m tests.faults --kills $(KILLS) --seed $(SEED)

soak: $(READY) ## Long self-play and many episodes with flat memory: SOAK_MINUTES=60 EPISODES=100000
	MPLBACKEND=Agg $(PY) -m tests.faults.soak --minutes $(SOAK_MINUTES) --episodes $(EPISODES)

population: $(READY) ## Draw, train and measure the strangers by which policies are chosen and measured
	$(PY) -m agents.release.population

levels: $(READY) ## Find how hot the policies that ship play at each level, and measure the levels (hours)
	$(PY) -m agents.release.levels
	$(PY) -m docs.update_tables

policies: $(READY) ## Train all shipped policies again from nothing
	$(PY) -m agents.release.make_policies

# The game first, so that the pages link it; it wants npm, and they do without.
docs: $(READY) ## Write the documentation as a site, with the games to play, into build/docs
	rm -rf build/docs
	@said=$$(PYTHONPATH=. $(PY) -m docs.static_page.build build/docs/play \
		$(if $(NUMPY_WHEEL),--numpy-wheel "$(NUMPY_WHEEL)") 2>&1) || \
		echo "make docs: the site is without the games to play: $$said" >&2
	PYTHONPATH="$(CURDIR)" OMP_NUM_THREADS=1 MPLBACKEND= $(PY) -m sphinx -b html -EWq \
		-c docs/site -d build/doctrees . build/docs
	@echo "build/docs: python -m http.server --directory build/docs serves it"

web: $(READY) ## Write the static page, the games in a browser, into build/web: NUMPY_WHEEL=FILE puts numpy into it
	PYTHONPATH=. $(PY) -m docs.static_page.build build/web $(if $(NUMPY_WHEEL),--numpy-wheel "$(NUMPY_WHEEL)")

web-parts: $(READY) ## Fetch what the tests of the static page need (46 MB, by npm)
	PYTHONPATH=. $(PY) -m tests.play.static.folder

# torch stays at its pin: newer builds may bring several gigabytes of GPU libraries.
pins: ## Resolve the ranges of pyproject.toml again and write constraints.txt
	scratch=$$(mktemp -d); trap 'rm -rf "$$scratch"' EXIT; \
	"$(PYTHON)" -m venv "$$scratch"; \
	"$$scratch/bin/python" -m pip install --upgrade pip; \
	"$$scratch/bin/python" -m pip install "$$(grep '^torch==' constraints.txt)" --editable '.[$(EXTRAS)]' \
		--group dev; \
	{ grep '^#' constraints.txt; \
	"$$scratch/bin/python" -m pip freeze --all --exclude-editable \
	| sed 's/+cpu$$//'; } > "$$scratch/constraints.txt"; \
	cp "$$scratch/constraints.txt" constraints.txt

clean: ## Remove the environment and all caches; trained runs stay
	$(call remove_venv,$(VENV))
	$(call remove_venv,$(RAY_VENV))
	rm -rf build dist mutants .nox *.egg-info .mypy_cache .import_linter_cache .ruff_cache .pytest_cache .hypothesis
	find agents benchmarks kododo_env notebooks tests -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true
