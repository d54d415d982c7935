# Torch Playground. `make run` and `make test` set up what they need on a fresh machine.
.DEFAULT_GOAL := help
VENV := .venv
BIN := $(VENV)/bin
# Most of what is installed is never imported: it is not compiled. What is, is compiled once, here.
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile
COMPILE := $(BIN)/python -W ignore -c "import torch._dynamo, matplotlib.pyplot, pandas, streamlit.web.cli"
COMPILE_TESTED := $(BIN)/python -W ignore -c "import hypothesis.strategies, nbclient, ray, streamlit.testing.v1"
CORES := $(shell getconf _NPROCESSORS_ONLN)
TESTS := $(BIN)/python -m pytest -q
# One process for each part: its tests share servers, workers and jails, and no other collects them.
COMPUTE := tests/compute tests/faults
ENGINES := tests/lab tests/lessons tests/machines tests/modules tests/training
SANDBOX := tests/sandbox tests/checkpoints tests/pages/test_xray.py
SERVERS := tests/deploy tests/hosting
# Where no test reads the log, pytest need not catch it: that takes seconds. stderr has the warnings.
UNLOGGED := -p no:logging
UNITS := unit-compute unit-servers unit-rest unit-sandbox unit-engines  # that wait first
unexport PYTHONDONTWRITEBYTECODE  # the tests start hundreds of processes; each would compile again

.PHONY: help run dev fix lint types unit $(UNITS) check pages-in-a-browser system test bench bench-load mutations record-gpu lock upgrade-check test-cuda-build demo lesson browser proxy clean

help:  ## Say what each target does
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(BIN)/python:
	@python=$$(sh tools/find_python.sh "$(PYTHON)") && set -x && "$$python" -m venv $(VENV)
	-$(INSTALL) "pip>=25"  # which takes half the time of the one that comes with Python 3.11

$(VENV)/.installed: requirements.txt | $(BIN)/python
	@sh tools/install_torch.sh $(BIN)/python
	$(INSTALL) -r requirements.txt
	@touch $@

$(VENV)/.run: $(VENV)/.installed
	-@$(COMPILE)  # beside pip, which may be in the middle of a package
	@touch $@

$(VENV)/.tools: requirements-dev.txt $(wildcard requirements*.txt) $(VENV)/.installed
	$(INSTALL) -r requirements-dev.txt
	@touch $@

$(VENV)/.dev: $(VENV)/.run $(VENV)/.tools
	@$(COMPILE_TESTED)
	@touch $@

run: $(VENV)/.run  ## Start the playground on http://127.0.0.1:8501, in a browser where there is a display
	$(BIN)/python -m tools.run

dev: $(VENV)/.dev  ## Start it with hot reload
	PYTHONPATH=. $(BIN)/streamlit run app.py --server.fileWatcherType=auto --server.runOnSave=true --client.showErrorDetails=full

fix: $(VENV)/.dev  ## Fix and format with ruff
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: $(VENV)/.dev
	$(BIN)/mypy

unit: $(VENV)/.dev
	@$(MAKE) $(ABREAST) --jobs=$$(($(CORES) + 1)) $(UNITS)  # they also wait: one more than cores

unit-compute: $(VENV)/.dev
	$(TESTS) $(COMPUTE)

unit-engines: $(VENV)/.dev
	$(TESTS) $(UNLOGGED) $(ENGINES)

unit-sandbox: $(VENV)/.dev
	$(TESTS) $(UNLOGGED) $(SANDBOX)

unit-servers: $(VENV)/.dev
	$(TESTS) $(SERVERS)

unit-rest: $(VENV)/.dev
	$(TESTS) $(addprefix --ignore=,$(COMPUTE) $(ENGINES) $(SANDBOX) $(SERVERS))

pages-in-a-browser: $(VENV)/.dev
	$(TESTS) -m e2e tests/e2e

check: proxy lint types unit  ## Lint, types, imports, unit and page tests: the quick loop

proxy:  ## Install nginx for the tests of deploy/, where Debian's package manager can
	@sh tools/ensure_nginx.sh

browser:  ## Install Chromium for the browser tests, where Debian's package manager can
	@sh tools/ensure_chromium.sh

system: proxy
	@sh tools/ensure_chromium.sh

# Downloads wait, and so do servers and browsers: beside each other, each uses what the other leaves.
# Beyond one more than the cores, they only push each other out of the processor's caches.
ABREAST = --no-print-directory $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)
test:  ## Every check, the browser included, as CI runs it
	@$(MAKE) $(ABREAST) --jobs=2 $(VENV)/.dev system
	@$(MAKE) $(ABREAST) --keep-going --jobs=$$(($(CORES) + 1)) lint pages-in-a-browser $(UNITS) types

bench: $(VENV)/.dev browser  ## Measure, and rewrite BENCHMARKS.md
	$(BIN)/python -m benchmarks

bench-load: $(VENV)/.dev  ## Let a class of 150 work for ten minutes, and rewrite its part
	$(BIN)/python -m benchmarks.class_load

mutations: $(VENV)/.dev  ## Plant faults, one after another, and see that the tests catch each
	$(BIN)/python -m tests.mutations $(IDS)

record-gpu:  ## Record what only an NVIDIA GPU shows, where one is; needs torch and NumPy alone
	$(or $(PYTHON),$(wildcard $(BIN)/python),python3) -m tools.record_gpu

lock: $(VENV)/.dev  ## Write uv.lock and requirements*.txt after a change of pyproject.toml
	$(BIN)/python -m tools.lock

upgrade-check: $(VENV)/.dev  ## Lock the newest versions, and run the quick checks with them
	sh tools/upgrade_check.sh

test-cuda-build:  ## Run the tests with PyPI's CUDA build of torch, in an environment of its own (5 GB)
	@PIP_FIND_LINKS= TORCH=cu130 TORCH_INDEX=https://pypi.org/simple $(MAKE) --no-print-directory .venv-cuda/.dev VENV=.venv-cuda
	@.venv-cuda/bin/python -c "import torch; assert torch.version.cuda, torch.__version__"
	@$(MAKE) --no-print-directory test VENV=.venv-cuda

demo: $(VENV)/.dev browser  ## Record the moving picture of the README from the running app
	$(BIN)/python -m tools.record_demo

lesson: $(VENV)/.dev  ## Scaffold a lesson: make lesson NAME=buffers
	@test -n "$(NAME)" || { echo "Say which: make lesson NAME=buffers"; exit 1; }
	$(BIN)/python tools/new_lesson.py $(NAME)

clean:  ## Remove what the targets made
	rm -rf .venv .venv-cuda .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
