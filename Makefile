# `make` says what can be done here. All of it is safe to repeat.
# Settings: PYTHON=python3.12 (3.11 to 3.13), TORCH_INDEX=https://... (see the README), PORT=8000.

PYTHON ?= python3
PORT ?= 8000

VENV := .venv
BIN := $(VENV)/bin
BUILD := $(BIN)/jupyter-book build . --all -W -n --keep-going

export TITLE URL

# The environment's stamp, written last, is named after its Python and its folder: without it, or
# where one of the two is another, the environment is made anew. pip refuses a Python that is too old.
MADE := import os, sys, zlib; \
	print("%d.%d-%x" % (*sys.version_info[:2], zlib.crc32(os.getcwd().encode())))
ASKED := $(if $(filter file,$(origin PYTHON)),$(BIN)/python,$(PYTHON))
STAMP := $(VENV)/$(shell $(ASKED) -c '$(MADE)' 2>/dev/null).stamp

.NOTPARALLEL:
.DEFAULT_GOAL := help
.PHONY: help check format test page pages new renumber book bench lab serve address clean distclean

help: ## say what can be done here
	@echo "make ..."
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  %-10s %s\n", $$1, $$2}' Makefile

check: $(STAMP) ## hold every page to the rules, without running it (seconds)
	$(BIN)/python -m workshop check

format: $(STAMP) ## give all code the one style, and the pages their normal form
	$(BIN)/python -m workshop format

test: $(STAMP) ## build the book, then run everything there is to check
	$(BIN)/python -m workshop test

page: $(STAMP) ## execute one page, store its outputs and judge it: make page P=03
	@[ -n "$(P)" ] || { echo "Wanted: make page P=03" >&2; exit 1; }
	$(BIN)/python -m workshop page $(P)

pages: $(STAMP) ## execute the pages whose code has changed, write what is made from pages
	$(BIN)/python -m workshop pages

new: $(STAMP) ## begin a page: make new N=12 TITLE="Linear attention"
	@[ -n "$(N)" ] && [ -n "$$TITLE" ] || \
	{ echo 'Wanted: make new N=12 TITLE="Linear attention"' >&2; exit 1; }
	$(BIN)/python -m workshop new $(N) "$$TITLE"

renumber: $(STAMP) ## give a page another number: make renumber FROM=4 TO=5
	@[ -n "$(FROM)" ] && [ -n "$(TO)" ] || \
	{ echo "Wanted: make renumber FROM=4 TO=5" >&2; exit 1; }
	$(BIN)/python -m workshop renumber $(FROM) $(TO)

# Always with --all: an incremental build shows the warnings of only the pages that it reads again,
# so it could call a broken book whole. A page that was renamed must not stay behind either.
book: $(STAMP) ## build the book in _build/html; a warning is an error
	@rm -rf _build
	$(BUILD)
	@$(BIN)/python -c 'from pathlib import Path; \
	print("\nThe book is built. Open", Path("_build/html/index.html").resolve().as_uri())'

# Without conftest.py, which leaves torch one thread, and without the options of the tests.
bench: $(STAMP) ## measure how long attention and decoding take, beside torch's classes (minutes)
	$(BIN)/pytest -q --noconftest -o addopts= -o pythonpath=. --benchmark-quiet tests/benchmarks/bench_*.py

lab: $(STAMP) ## open the chapters in JupyterLab
	$(BIN)/jupyter-lab chapters $(if $(filter 0,$(shell id -u)),--allow-root)

serve: $(STAMP) ## show the built book at http://127.0.0.1:8000, to this machine alone
	@[ -f _build/html/index.html ] || { echo "No book yet: run 'make book' first." >&2; exit 1; }
	$(BIN)/python -m http.server --bind 127.0.0.1 --directory _build/html $(PORT)

address: $(STAMP) ## move the course: make address URL=https://github.com/you/fork
	@[ -n "$$URL" ] || { echo "Wanted: make address URL=https://github.com/you/fork" >&2; exit 1; }
	$(BIN)/python -m workshop address "$$URL"

clean: ## remove what was built, but not the environment
	rm -rf _build *.egg-info .pytest_cache .hypothesis .ruff_cache
	find . -path ./$(VENV) -prune -o -type d \( -name __pycache__ -o -name .ipynb_checkpoints \) \
	-exec rm -rf {} +

distclean: clean ## remove the environment too
	rm -rf $(VENV)

$(STAMP): requirements.txt pyproject.toml
	@[ -f $@ ] || $(PYTHON) -m venv --clear $(VENV) || { echo "This Python made no environment." \
	"On Debian and Ubuntu: sudo apt-get install $(notdir $(PYTHON))-venv" >&2; exit 1; }
	@rm -f $(VENV)/*.stamp
	$(if $(TORCH_INDEX),$(BIN)/python -m pip install --index-url "$(TORCH_INDEX)" \
	"$$(sed -n 's/^\(torch==[^ ]*\).*/\1/p' requirements.txt)")
	$(BIN)/python -m pip install -r requirements.txt
	@touch "$(VENV)/$$($(BIN)/python -c '$(MADE)').stamp"
