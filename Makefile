# `make` says what can be done here. All of it is safe to repeat.
# Settings: PYTHON=python3.12 (3.11 to 3.14), TORCH_INDEX=https://... (see the README).

PYTHON ?= python3

VENV := .venv
BIN := $(VENV)/bin
WORKSHOP := $(BIN)/python -m workshop

export TITLE URL
# Names and titles in any script, whatever the locale.
export PYTHONUTF8 := 1

# The environment's stamp, written last, is named after its Python and its folder: without it, or
# where one of the two is another, the environment is made anew. pip refuses a Python that is too old.
MADE := import os, sys, zlib; \
	print("%d.%d-%x" % (*sys.version_info[:2], zlib.crc32(os.getcwd().encode())))
ASKED := $(if $(filter file,$(origin PYTHON)),$(BIN)/python,$(PYTHON))
STAMP := $(VENV)/$(shell $(ASKED) -c '$(MADE)' 2>/dev/null).stamp

.NOTPARALLEL:
.DEFAULT_GOAL := help
.PHONY: help check format test mutants page pages measure new renumber book handout slides pdf lock lab address clean distclean

help: ## say what can be done here
	@echo "make ..."
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  %-10s %s\n", $$1, $$2}' Makefile

check: $(STAMP) ## hold every page to the rules, without running it (half a minute)
	$(WORKSHOP) check

format: $(STAMP) ## give all code the one style, and the pages their normal form
	$(WORKSHOP) format

test: $(STAMP) ## build the book, and run everything there is to check
	$(WORKSHOP) test

mutants: $(STAMP) ## show that the tests notice code that is wrong on purpose, and run what is weekly (minutes)
	$(WORKSHOP) mutants

page: $(STAMP) ## execute one page, store its outputs and judge it: make page P=03
	$(WORKSHOP) page $(P)

pages: $(STAMP) ## execute the pages whose code or data have changed, write what is made from pages
	$(WORKSHOP) pages

measure: $(STAMP) ## make runs again: make measure P=09, one with RUN=run_of, old ones P=all; alone, list these
	$(WORKSHOP) measure $(P) $(RUN)

new: $(STAMP) ## begin a page: make new N=12 TITLE="Linear attention"
	$(WORKSHOP) new $(N) "$$TITLE"

renumber: $(STAMP) ## give a page another number: make renumber FROM=4 TO=5
	$(WORKSHOP) renumber $(FROM) $(TO)

book: $(STAMP) ## build the book in _build/html; a warning is an error
	$(WORKSHOP) book

handout: $(STAMP) ## notebooks without and with solutions, and what Otter grades with: make handout P=03
	$(WORKSHOP) handout $(P)

slides: $(STAMP) ## slides of a page: make slides P=03
	$(WORKSHOP) slides $(P)

pdf: $(STAMP) ## print the book as one PDF, dist/book.pdf
	$(WORKSHOP) pdf

lock: $(STAMP) ## renew requirements.lock after a change in requirements.txt
	$(WORKSHOP) lock

lab: $(STAMP) ## open the chapters in JupyterLab
	$(WORKSHOP) lab

address: $(STAMP) ## move the course: make address URL=https://github.com/you/fork
	$(WORKSHOP) address "$$URL"

clean: ## remove what was built, but not the environment
	rm -rf _build dist *.egg-info clinic/*.egg-info clinic/build .pytest_cache .hypothesis .ruff_cache
	find . -path ./$(VENV) -prune -o -type d \( -name __pycache__ -o -name .ipynb_checkpoints \) \
	-exec rm -rf {} +

distclean: clean ## remove the environment too
	rm -rf $(VENV)

$(STAMP): requirements.txt requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; v = sys.version_info; (3, 11) <= v < (3, 15) or sys.exit("this is Python \
	%d.%d; wanted 3.11 to 3.14: make PYTHON=python3.13" % v[:2])'
	@[ -f $@ ] || $(PYTHON) -m venv --clear $(VENV) || { $(PYTHON) -c 'import ensurepip' 2>/dev/null || echo \
	"On Debian and Ubuntu: sudo apt-get install $(notdir $(PYTHON))-venv" >&2; exit 1; }
	@rm -f $(VENV)/*.stamp
	$(if $(TORCH_INDEX),$(BIN)/python -m pip install --index-url "$(TORCH_INDEX)" \
	"$$(sed -n 's/^\(torch==[^ ]*\).*/\1/p' requirements.txt)")
	$(BIN)/python -m pip install --quiet -r requirements.txt
	@touch "$(VENV)/$$($(BIN)/python -c '$(MADE)').stamp"
