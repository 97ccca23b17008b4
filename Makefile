# make demo    tables and figures of the main paper and three further works from small generated graphs, on whatever
#              device is here
# make test    the tests
# make setup   the environment in .venv, which the other two make as well
# make lock    new requirement locks from pyproject.toml (needs uv)
# make clean   remove the environment and the demo's files
#
# PYTHON=python3.12 make setup   with another Python than python3
# LOCK=cuda12 make setup         with another lock than this machine's own, say on a cluster's login node without a GPU

SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
ifndef LOCK
  LOCK := $(shell envs/choose-lock.sh)
endif
INSTALLED := $(VENV)/.installed-$(LOCK)
# As many works as fit into three minutes on two cores without a GPU; the README names the commands of the others. Each of
# the hundred steps is a Python of its own, which without kept bytecode, as in many containers, would compile warpath anew.
WORKS := future_work telang_grid floyd_warshall_tutorial
DEMO := env -u PYTHONDONTWRITEBYTECODE $(VENV)/bin/snakemake all $(WORKS) \
	--workflow-profile workflow/profiles/local --configfile workflow/suites/demo.yaml

.PHONY: demo test setup lock clean

demo: setup
	@$(DEMO) --quiet rules host && \
	printf '\n%s\n' "The demo took $$SECONDS s. Its tables and figures:" && \
	ls results/demo/table*.md figures/demo/*.png $(WORKS:%=results/demo/%/*.md) $(WORKS:%=figures/demo/%/*.png) && \
	echo "(also .csv beside the tables, .svg and .pdf beside the figures; the runs are in the folders named runs)"

test: setup
	$(VENV)/bin/python -m pytest -q -n auto --maxprocesses 4 --dist worksteal $(PYTEST_OPTIONS)

setup: $(INSTALLED)

$(INSTALLED): envs/requirements-$(LOCK).txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	{ echo "warpath needs Python 3.11 or newer as '$(PYTHON)'; name another one: PYTHON=python3.12 make $(MAKECMDGOALS)"; exit 1; }
	@echo "Installing envs/requirements-$(LOCK).txt into $(VENV); the first time this takes a minute or two."
	@rm -f $(VENV)/.installed-*
	@$(PYTHON) -m venv $(VENV)
	@$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check -r envs/requirements-$(LOCK).txt
	@$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@

lock:
	envs/lock.sh

clean:
	rm -rf $(VENV) results/demo figures/demo logs data/graphs/demo-*.npz
