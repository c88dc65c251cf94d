# Everything a person or a machine runs on this project. Each goal does its own set-up.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: help venv kubernetes demo test endure fuzz fast check format vscode docs lock clean

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

# The demo needs sabir, what it takes to deploy, and the service: some thirty packages, not the tools of developers.
build/demo/.ready: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "sabir needs Python 3.11 or newer; set PYTHON=/path/to/it" >&2; exit 2; }
	@echo "installing sabir and what it needs to deploy and to serve into build/demo …"
	@$(PYTHON) -m venv build/demo
	@build/demo/bin/python -m pip install --quiet --disable-pip-version-check --constraint requirements.lock --editable '.[serve]'
	@build/demo/bin/python -m compileall -q src
	@touch $@

demo: build/demo/.ready ## run the main jobs on the shipped examples
	@build/demo/bin/python examples/demo.py

test: venv ## the whole test suite
	$(BIN)/python -m pytest -n 2 --dist worksteal -q

kubernetes: ## build a Kubernetes control plane for the tests, from Debian's source package, into build/kubernetes
	tests/kubernetes/build build/kubernetes

# Keystone and Heat as they are released, in an environment of their own.
build/openstack/.ready:
	$(PYTHON) -m venv build/openstack
	build/openstack/bin/python -m pip install --quiet --disable-pip-version-check openstack-heat==27.0.1 keystone
	@touch $@

build/agent/.ready:
	$(PYTHON) -m venv build/agent
	build/agent/bin/python -m pip install --quiet --disable-pip-version-check murano-agent==12.0.0 'setuptools<81'
	@touch $@

# Murano's own client, and what asks a service everything that its OpenAPI document allows.
build/muranoclient/.ready:
	$(PYTHON) -m venv build/muranoclient
	build/muranoclient/bin/python -m pip install --quiet --disable-pip-version-check python-muranoclient==2.8.0 'setuptools<81'
	@touch $@

build/schemathesis/.ready:
	$(PYTHON) -m venv build/schemathesis
	build/schemathesis/bin/python -m pip install --quiet --disable-pip-version-check 'schemathesis>=4.3,<5'
	@touch $@

endure: venv build/openstack/.ready build/agent/.ready build/muranoclient/.ready build/schemathesis/.ready ## the long runs: deployments killed 200 times, raced and stopped 50 times on each store, stacks of a real Heat, workers killed
	$(BIN)/python -m tests.deployments.killing 200 1000 50
	SABIR_LAWS=500 $(BIN)/python -m pytest -q -n 0 tests/deployments/test_laws.py
	$(BIN)/python -m tests.hostile.endure
	SABIR_TEST_ENDURE=1 $(BIN)/python -m pytest -q tests/languages/ccp/test_deploy.py
	SABIR_TEST_OPENSTACK=build/openstack $(BIN)/python -m pytest -q tests/deployments/drivers/heat tests/languages/muranopl/test_heat.py
	SABIR_TEST_AGENT=build/agent $(BIN)/python -m pytest -q tests/deployments/drivers/amqp tests/deployments/drivers/machine_pool tests/languages/muranopl/test_agents.py
	SABIR_TEST_WORKER_KILLS=20 $(BIN)/python -m pytest -q -s tests/deployments/test_cluster.py
	SABIR_TEST_MURANOCLIENT=build/muranoclient $(BIN)/python -m pytest -q -n 0 tests/server/test_muranoclient.py
	$(BIN)/python -m tests.server.endure build/schemathesis/bin/schemathesis

# atheris is for fuzzing only and stays out of the tools of everybody.
build/fuzz/.ready: requirements.lock pyproject.toml
	$(PYTHON) -m venv build/fuzz
	build/fuzz/bin/python -m pip install --quiet --disable-pip-version-check --constraint requirements.lock --editable '.[all]' hypothesis pytest atheris
	@touch $@

fuzz: venv build/fuzz/.ready ## a million inputs: damaged projects through every command, guided ones for readers and expressions
	$(BIN)/python -m tests.fuzz doors --count 55000
	build/fuzz/bin/python -m tests.fuzz.guided all 45000

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

vscode: ## test the extension for Visual Studio Code, and build it into editors/vscode/sabir.vsix
	cd editors/vscode && npm ci --no-audit --no-fund --silent && npm test --silent && npm run --silent package

lock: ## compute requirements.lock anew
	$(PYTHON) -m venv build/lock && build/lock/bin/python -m pip install --quiet uv
	build/lock/bin/uv pip compile pyproject.toml --all-extras --group dev --no-header --no-annotate --no-emit-index-url --python-version 3.11 --output-file requirements.lock --upgrade

clean:
	rm -rf .venv build dist site .mypy_cache .ruff_cache .pytest_cache .hypothesis
