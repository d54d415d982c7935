# Torch Playground. `make run` and `make test` set up what they need on a fresh machine.
.DEFAULT_GOAL := help
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin

.PHONY: help run dev fix check test bench lesson browser clean

help:  ## Say what each target does
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(VENV)/.run: requirements.txt
	@command -v $(PYTHON) >/dev/null || { echo "Python 3.11 is needed: install it, or say PYTHON=/path/to/python3.11"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

$(VENV)/.dev: requirements-dev.txt $(VENV)/.run
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@touch $@

run: $(VENV)/.run  ## Start the playground on http://127.0.0.1:8501
	$(BIN)/streamlit run app.py

dev: $(VENV)/.dev  ## Start it with hot reload
	PYTHONPATH=. $(BIN)/streamlit run app.py --server.fileWatcherType=auto --server.runOnSave=true --client.showErrorDetails=full

fix: $(VENV)/.dev  ## Let ruff mend what it can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

check: $(VENV)/.dev  ## Lint, types, imports, unit and page tests: the quick loop
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -q -n auto --dist worksteal

browser:  ## Install Chromium for the browser tests, where Debian's package manager can
	@sh tools/ensure_chromium.sh

test: check browser  ## Every check, the browser included, as CI runs it
	$(BIN)/python -m pytest -q -n auto --dist worksteal -m e2e tests/e2e

bench: $(VENV)/.dev browser  ## Measure, and rewrite BENCHMARKS.md
	$(BIN)/python -m benchmarks

lesson: $(VENV)/.dev  ## Scaffold a lesson: make lesson NAME=buffers
	@test -n "$(NAME)" || { echo "Say which: make lesson NAME=buffers"; exit 1; }
	$(BIN)/python tools/new_lesson.py $(NAME)

clean:  ## Remove what the targets made
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
