# make demo    tables and figures of the main work, of its future work and of two further works, from small generated
#              graphs, on a GPU if there is one and on a simulated one if not
# make test    run the tests, but for the slow ones
# make test-slow  run the slow ones: all works by one command, a cluster, interruptions, the guide to extending
# make test-nightly  run all tests, in all orders of threads
# make fuzz    feed warpath with hostile input for ten minutes, from a fresh seed: FUZZ_SECONDS=60 FUZZ_SEED=7 make fuzz
# make lint    check style, types, imports and size: lint-python, lint-types, lint-imports, lint-kernels, lint-workflow
#              and lint-size one by one
# make docs    make the site of the documentation in build/site, with the tutorials executed
# make schemas write workflow/schemas from the types that read work.yaml, config.yaml and the catalog
# make check-claims  check what the pages claim, as far as this machine can, in a quarter of an hour and a fresh clone:
#              CLAIMS_OPTIONS="--minutes 120" make check-claims
# make artifact  write one archive into build: code, records, tables and figures of the last commit, or of a tag:
#              COMMIT=v0.1.0 make artifact
# make setup   install the environment into .venv; the targets above do this first
# make lock    write the requirement locks from pyproject.toml (needs uv)
# make clean   remove the environment and the demo's files
#
# PYTHON=python3.12 make setup   use another Python than python3
# LOCK=cuda12 make setup         use another lock than the one for this machine, say on a login node without a GPU

SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
ifndef LOCK
  LOCK := $(shell envs/choose-lock.sh)
endif
INSTALLED := $(VENV)/.installed-$(LOCK)
# Each of the hundred steps starts Python, as many tests do. Containers often set PYTHONDONTWRITEBYTECODE, and each start
# would compile warpath again; OpenBLAS starts a thread for each core, which by default waits for work by spinning.
STARTING := env -u PYTHONDONTWRITEBYTECODE OPENBLAS_THREAD_TIMEOUT=4
# The other works take longer without a GPU.
WORKS := future_work telang_grid floyd_warshall_tutorial
DEMO := $(STARTING) $(VENV)/bin/snakemake all $(WORKS) \
	--workflow-profile local --configfile workflow/suites/demo.yaml

KERNELS = $(shell find src tests -name '*.cu' -o -name '*.cuh' -o -name '*.h' -o -name '*.cpp')

.PHONY: demo test test-slow test-nightly compiled fuzz lint lint-python lint-types lint-imports lint-kernels lint-workflow lint-size docs schemas check-claims artifact setup lock clean

demo: setup
	@$(DEMO) --config device=$$($(VENV)/bin/python -c \
	'from warpath.system.driver import gpu_count; print("cuda" if gpu_count() else "simulated")')
	@echo "The tables, claims and figures are in results/demo and figures/demo; open results/demo/index.html first."

TESTING := $(STARTING) $(VENV)/bin/python
PYTEST := $(TESTING) -m pytest -q

test: setup compiled
	$(PYTEST) -n auto --maxprocesses 4 --dist worksteal -m "not slow and not nightly" $(PYTEST_OPTIONS)

# Many tests wait for Slurm, so there are more processes than cores. Each takes one test at a time; tests/conftest.py puts
# long ones first.
test-slow: setup compiled
	$(PYTEST) -n 4 --dist load --maxschedchunk 1 -m "slow and not nightly" $(PYTEST_OPTIONS)

test-nightly: setup compiled
	WARPATH_TEST_ORDERS=all $(PYTEST) -n auto --dist worksteal -m "" $(PYTEST_OPTIONS)

compiled: setup
	@OMP_WAIT_POLICY=passive $(TESTING) tests/helpers/compile_first.py

fuzz: setup
	$(VENV)/bin/python tests/fuzz --seconds $(or $(FUZZ_SECONDS),600) $(if $(FUZZ_SEED),--seed $(FUZZ_SEED)) $(FUZZ_OPTIONS)

docs: setup
	$(TESTING) tools/site/tutorials.py
	NO_MKDOCS_2_WARNING=1 $(TESTING) -m mkdocs build --quiet

lint: lint-python lint-types lint-imports lint-kernels lint-workflow lint-size

lint-python: setup
	$(VENV)/bin/ruff check
	$(VENV)/bin/ruff format --check

lint-types: setup
	$(VENV)/bin/mypy

lint-imports: setup
	$(VENV)/bin/lint-imports

lint-kernels: setup
	$(VENV)/bin/clang-format --dry-run --Werror $(KERNELS)

lint-workflow: setup
	$(VENV)/bin/snakefmt --check Snakefile workflow
	$(VENV)/bin/snakemake --lint

lint-size: setup
	$(VENV)/bin/python tools/size.py

schemas: setup
	$(VENV)/bin/python workflow/schemas/write.py

check-claims: setup
	$(VENV)/bin/python tools/check_claims.py $(CLAIMS_OPTIONS)

artifact: setup
	@$(VENV)/bin/python tools/artifact.py $(if $(COMMIT),--commit $(COMMIT))

setup: $(INSTALLED)

$(INSTALLED): envs/requirements-$(LOCK).txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	{ echo "warpath needs Python 3.11 or newer as '$(PYTHON)'; choose another: PYTHON=python3.12 make $(MAKECMDGOALS)"; exit 1; }
	@echo "Installing envs/requirements-$(LOCK).txt into $(VENV); the first time this takes a minute or two."
	@rm -f $(VENV)/.installed-*
	@$(PYTHON) -m venv $(VENV)
	@$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --no-compile -r envs/requirements-$(LOCK).txt
	@# On all cores, which pip does not do. Packages may hold files of other Pythons, which do not compile.
	@$(VENV)/bin/python -m compileall -qq -j 0 $(VENV)/lib || true
	@$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@

lock:
	envs/lock.sh

clean:
	rm -rf $(VENV) results/demo figures/demo logs data/graphs/demo-*.npz
