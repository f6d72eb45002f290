# `make` says what can be done here. All of it is safe to repeat.
# Settings: PYTHON=python3.12 (3.11 to 3.13), TORCH_INDEX=https://... (see the README), PORT=8000.

PYTHON ?= python3
PORT ?= 8000

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/installed
BUILD := $(BIN)/jupyter-book build . --all -W -n --keep-going

export URL

.NOTPARALLEL:
.DEFAULT_GOAL := help
.PHONY: help book test bench lab serve pages address clean distclean FORCE

help: ## say what can be done here
	@echo "make ..."
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  %-10s %s\n", $$1, $$2}' Makefile

# Always with --all: an incremental build shows the warnings of only the pages that it reads again,
# so it could call a broken book whole. A page that was renamed must not stay behind either.
book: $(STAMP) ## build the book in _build/html; a warning is an error
	@rm -rf _build
	$(BUILD)
	@$(BIN)/python -c 'from pathlib import Path; \
	print("\nThe book is built. Open", Path("_build/html/index.html").resolve().as_uri())'

# The tests run even where the build has warned, so that one run names every fault.
test: $(STAMP) ## build the book, then run everything there is to check
	@rm -rf _build
	@built=0; echo "$(BUILD)"; $(BUILD) || built=$$?; \
	tested=0; echo "$(BIN)/pytest"; $(BIN)/pytest || tested=$$?; \
	if [ $$built -eq 0 ]; then echo "The book: built without a warning."; \
	else echo "The book: did not build cleanly. Its warnings stand above the tests."; fi; \
	if [ $$tested -eq 0 ]; then echo "The tests: passed."; else echo "The tests: failed."; fi; \
	[ $$built -eq 0 ] && [ $$tested -eq 0 ]

# Without conftest.py, which leaves torch one thread, and without the options of the tests.
bench: $(STAMP) ## measure how long attention and decoding take, beside torch's classes (minutes)
	$(BIN)/pytest -q --noconftest -o addopts= -o pythonpath=. --benchmark-quiet tests/benchmarks/bench_*.py

lab: $(STAMP) ## open the chapters in JupyterLab
	$(BIN)/jupyter-lab chapters $(if $(filter 0,$(shell id -u)),--allow-root)

serve: $(STAMP) ## show the built book at http://127.0.0.1:8000, to this machine alone
	@[ -f _build/html/index.html ] || { echo "No book yet: run 'make book' first." >&2; exit 1; }
	$(BIN)/python -m http.server --bind 127.0.0.1 --directory _build/html $(PORT)

# The export comes first: a page runs with what the pages before it keep.
pages: $(STAMP) ## execute all pages and store their outputs in normal form
	$(BIN)/pytest -q -n 0 tests/test_sync.py --write
	$(BIN)/python -m tests.pages execute

address: $(STAMP) ## move the course: make address URL=https://github.com/you/fork
	@[ -n "$$URL" ] || { echo "Wanted: make address URL=https://github.com/you/fork" >&2; exit 1; }
	$(BIN)/python -m tests.pages address "$$URL"

clean: ## remove what was built, but not the environment
	rm -rf _build *.egg-info .pytest_cache .hypothesis
	find . -path ./$(VENV) -prune -o -type d \( -name __pycache__ -o -name .ipynb_checkpoints \) \
	-exec rm -rf {} +

distclean: clean ## remove the environment too
	rm -rf $(VENV)

# The environment. The stamp is written last: a broken installation leaves none, and the next call
# begins again. It names version and folder: an environment made by another version than the PYTHON
# that is asked for, or moved with its folder, or whose Python is gone, is made anew.
say_minor := -c 'import sys; print("%d.%d" % sys.version_info[:2])'
minor = $(shell $(1) $(say_minor) 2>/dev/null)
asked := $(if $(filter file,$(origin PYTHON)),$(BIN)/python,$(PYTHON))
whole := $(shell $(BIN)/python -c '' 2>/dev/null && cat $(STAMP) 2>/dev/null)
ifneq ($(whole),$(call minor,$(asked)) $(CURDIR))
NEW := yes
$(STAMP): FORCE
endif

# Debian and Ubuntu keep the module that brings pip into a new environment in a package of its own.
# Without it we take the pip of the machine, or else pip's own file for this purpose.
GET_PIP ?= https://bootstrap.pypa.io/pip/pip.pyz
FETCH := import sys, urllib.request; urllib.request.urlretrieve(*sys.argv[1:])
NO_PIP = This Python cannot make an environment: it has no ensurepip, and pip was not to be had. \
On Debian and Ubuntu install it with: sudo apt-get install python$(call minor,$(PYTHON))-venv

$(STAMP): requirements.txt pyproject.toml
	@rm -f $@
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' \
	2>/dev/null || { echo \
	"The course needs Python 3.11, 3.12 or 3.13, and '$(PYTHON)' is: $$($(PYTHON) --version 2>&1)." \
	"Name another: make PYTHON=python3.12 ..." >&2; exit 1; }
	@[ -z "$(NEW)" ] || if $(PYTHON) -c 'import ensurepip' 2>/dev/null; then \
	$(PYTHON) -m venv --clear $(VENV); \
	else $(PYTHON) -m venv --clear --without-pip $(VENV) && { \
	$(PYTHON) -m pip --python $(VENV) install pip 2>/dev/null || { \
	$(PYTHON) -c '$(FETCH)' "$(GET_PIP)" $(VENV)/pip.pyz 2>/dev/null && \
	$(BIN)/python $(VENV)/pip.pyz install --ignore-installed pip; }; }; fi || { \
	echo "$(NO_PIP)" >&2; exit 1; }
	$(if $(TORCH_INDEX),$(BIN)/python -m pip install --index-url "$(TORCH_INDEX)" \
	"$$(sed -n 's/^\(torch==[^ ]*\).*/\1/p' requirements.txt)")
	$(BIN)/python -m pip install -r requirements.txt
	@echo "$$($(BIN)/python $(say_minor)) $(CURDIR)" > $@
