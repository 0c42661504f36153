# Everything runs from a virtual environment in .venv; nothing else is changed on the machine by `make run`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
MANAGE := $(BIN)/python manage.py
STATIC := $(wildcard canvases/static/canvases/*)

.PHONY: help run setup test lint types clean

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

clean: ## remove the virtual environment and what set-up made
	rm -rf $(VENV) vendor build

$(VENV)/bin/uv: requirements-bootstrap.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or newer is needed; name one: make PYTHON=python3.12 ..." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { echo "The venv module is needed (Debian: apt install python3-venv)." >&2; exit 1; }
	@$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r requirements-bootstrap.lock
	@touch $@

$(VENV)/.ready: requirements.lock $(STATIC) $(VENV)/bin/uv
	@echo "setting up .venv ..."
	@VIRTUAL_ENV=$(VENV) $(BIN)/uv pip install -q --require-hashes -r requirements.lock
	@$(MAKE) -s assets
	@touch $@

$(VENV)/.ready-dev: requirements-dev.lock $(STATIC) $(VENV)/bin/uv
	@echo "setting up .venv for tests ..."
	@VIRTUAL_ENV=$(VENV) $(BIN)/uv pip install -q --require-hashes -r requirements-dev.lock
	@$(MAKE) -s assets
	@touch $@

.PHONY: assets
assets:
	@$(MANAGE) vendor_assets
	@$(MANAGE) collectstatic --noinput --verbosity 0
