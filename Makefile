# Everything a person or a machine runs on this project. Each goal does its own set-up.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: help venv demo test endure fast check format docs lock clean

help:
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 10

venv: .venv/.ready ## make .venv with sabir, its extras and the development tools

.venv/.ready: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "sabir needs Python 3.11 or newer; set PYTHON=/path/to/it" >&2; exit 2; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@# Where the environment forbids Python to write bytecode, every start would compile the sources anew.
	$(BIN)/python -m compileall -q src
	@touch $@

# The demo needs sabir and what it cannot do without: seven small packages, not the tools of developers.
build/demo/.ready: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "sabir needs Python 3.11 or newer; set PYTHON=/path/to/it" >&2; exit 2; }
	@echo "installing sabir and its seven dependencies into build/demo …"
	@$(PYTHON) -m venv build/demo
	@build/demo/bin/python -m pip install --quiet --disable-pip-version-check --constraint requirements.lock --editable .
	@build/demo/bin/python -m compileall -q src
	@touch $@

demo: build/demo/.ready ## run the main jobs on the shipped examples
	@build/demo/bin/python examples/demo.py

test: venv ## the whole test suite
	$(BIN)/python -m pytest -n 2 --dist worksteal -q

endure: venv ## the long runs: deployments killed 200 times on each store
	$(BIN)/python -m tests.deploy.killing 200 1000

fast: venv ## the suite without its slow part
	$(BIN)/python -m pytest -n 2 --dist worksteal -q -m 'not slow'

check: venv ## what a reviewer would run: format, lint, types, layers, tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/pyright
	$(BIN)/lint-imports
	$(MAKE) test

format: venv ## put the code in the project's form
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: venv ## build the documentation site into site/
	$(BIN)/python -m docs.build

lock: ## compute requirements.lock anew
	$(PYTHON) -m venv build/lock && build/lock/bin/python -m pip install --quiet uv
	build/lock/bin/uv pip compile pyproject.toml --all-extras --group dev --no-header --no-annotate --no-emit-index-url --python-version 3.11 --output-file requirements.lock --upgrade

clean:
	rm -rf .venv build dist site .mypy_cache .ruff_cache .pytest_cache .hypothesis
