# Everything runs from a virtual environment in .venv; nothing else is changed on the machine by `make run`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
MANAGE := $(BIN)/python manage.py
INSTALL := $(BIN)/python -m pip install -q --disable-pip-version-check --no-input --require-hashes
COMPILE := $(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-annotate pyproject.toml
STATIC := $(wildcard canvases/static/canvases/*)

.PHONY: help run setup test lint types lock clean

help: ## show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

run: $(VENV)/.ready ## set up what is missing and start the server
	@$(MANAGE) serve

setup: $(VENV)/.ready ## only set up: virtual environment, packages, front-end library, tokenizer files

test: $(VENV)/.ready-dev ## set up what is missing, then lint, types, migrations and all tests
	@$(BIN)/python tests/run.py

lint: $(VENV)/.ready-dev ## ruff
	@$(BIN)/ruff check . && $(BIN)/ruff format --check .

types: $(VENV)/.ready-dev ## mypy
	@$(BIN)/mypy

lock: $(VENV)/.ready-dev ## choose package versions anew from pyproject.toml
	@$(COMPILE) -o requirements.lock
	@$(COMPILE) --group dev -c requirements.lock -o requirements-dev.lock

clean: ## remove the virtual environment and what set-up made
	rm -rf $(VENV) vendor build

$(VENV)/bin/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or newer is needed; name one: make PYTHON=python3.12 ..." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { echo "The venv module is needed (Debian: apt install python3-venv)." >&2; exit 1; }

$(VENV)/.ready: requirements.lock $(STATIC) | $(VENV)/bin/pip
	@echo "setting up .venv (a minute or so, once) ..."
	@$(INSTALL) -r requirements.lock
	@$(MAKE) -s assets
	@touch $@

$(VENV)/.ready-dev: requirements-dev.lock $(STATIC) | $(VENV)/bin/pip
	@echo "setting up .venv for tests (a minute or so, once) ..."
	@$(INSTALL) -r requirements-dev.lock
	@$(MAKE) -s assets
	@touch $@

.PHONY: assets
assets:
	@$(MANAGE) vendor_assets
	@$(MANAGE) collectstatic --noinput --verbosity 0
