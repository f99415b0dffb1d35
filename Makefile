# Everything sets itself up: a Python >= 3.12 is found (or name one: make PYTHON=python3.13 test), .venv is made and
# filled from the lock files in requirements/. `make help` lists the targets.

SHELL := /bin/sh
BIN := .venv/bin
RUN := $(BIN)/bayesbridge
LEAD := AJ6532.K742.Q.96
WORKERS ?= 2
export PYTHON
# Hundreds of processes import the package: what one has compiled to bytecode is kept for the others.
export PYTHONDONTWRITEBYTECODE :=

# Tests and examples fill the cores with processes, whose threads would wait for each other.
test test-all docs: export OPENBLAS_NUM_THREADS = 1

PLUGINS := $(wildcard plugins/*/pyproject.toml)
SETUP := scripts/setup-venv pyproject.toml requirements/uv.txt $(PLUGINS)

.PHONY: help demo explore quick test test-all lint docs package bench reproduce figures lock clean
.DEFAULT_GOAL := help

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-9s %s\n", $$1, $$2}' Makefile

demo: .venv/.user ## answer three questions of bridge in the terminal, and one as a page with pictures
	@echo
	@echo "East opens 1H. What do experts bid with KQ84.75.KJ73.A98?"
	@echo
	@$(RUN) bid KQ84.75.KJ73.A98 --auction "(1H)"
	@echo "1H by you, 3H by partner, and you play Standard American: shall South bid 4H with A742.KQ852.K3.J7?"
	@echo
	@$(RUN) estimate --hand A742.KQ852.K3.J7 --auction "1H p 3H p" --contract 4H --system sayc
	@echo "West is on lead against 3NT with $(LEAD): what has partner?"
	@mkdir -p demo
	@$(RUN) report --observer W --hand $(LEAD) --auction "1NT p 3NT p p p" --out demo/report.html
	@echo "The paper's game of three players: bayesbridge estimate --hand AKQ2.KJ3.A54.Q32 --call W:1NT"

explore: .venv/.user ## open the explorer, a page to set positions on, in a browser; Ctrl-C ends it
	@$(RUN) serve

quick: .venv/.dev ## for every small step: ruff, mypy and the tests marked quick, in a minute or two
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/pytest -m quick --hypothesis-profile=quick -q -r fE tests

test: lint docs package ## all that a change must pass: linters, site, package, then tests and doctests with coverage
	$(BIN)/pytest -n $(WORKERS) --dist loadfile --cov --cov-report=term

test-all: lint docs package ## the slow tests too
	$(BIN)/pytest -n $(WORKERS) --dist loadfile --cov --cov-report=term -m "" --hypothesis-profile=all

lint: .venv/.dev ## ruff, mypy (strict), the layers contract, repo-review, the schemas of .github
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/repo-review --show err
	scripts/sentences
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-issue-forms \
		.github/ISSUE_TEMPLATE/*.yml

package: .venv/.dev ## build sdist and wheels, install them into empty environments and test them there
	$(BIN)/python scripts/check-package

bench: .venv/.dev ## side-by-side speed ratios; ARGS=--write puts them into docs/benchmarks.md
	for file in benchmarks/speed/bench_*.py; do $(BIN)/python "$$file" $(ARGS) || exit 1; done

docs: .venv/.dev ## the documentation, in docs/_build/html
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going -b html -d docs/_build/doctrees docs docs/_build/html
	@! grep -rlE --include='*.html' '<(script|img|link rel="stylesheet")[^>]*(src|href)="https?:' docs/_build/html || \
		{ echo "these pages ask others for something"; exit 1; }
	@echo "open docs/_build/html/index.html"

reproduce: .venv/.user ## the paper's tables beside own figures, in docs/reproduction.md
	$(BIN)/python scripts/reproduce

figures: .venv/.dev ## pictures and tables of the docs; ARGS=bidders.md some of them, RECORDS=test.pbn those of real boards
	$(BIN)/python scripts/figures $(ARGS)

lock: .venv/.dev ## renew the lock files from pyproject.toml
	scripts/lock

clean: ## remove what was installed and built
	rm -rf .venv .uv build dist docs/_build demo .coverage .mypy_cache .pytest_cache .ruff_cache .hypothesis

version = $(shell '$1' -c 'import sys; print(sys.version)' 2>/dev/null || true)
ifneq ($(PYTHON),) # a name: what another Python made is out of date
ifneq ($(call version,$(PYTHON)),$(call version,.venv/bin/python))
.PHONY: .venv/.user .venv/.dev
endif
endif

.venv/.user: requirements/user.txt $(SETUP)
	@scripts/setup-venv user
	@touch $@

.venv/.dev: requirements/dev.txt $(SETUP)
	@scripts/setup-venv dev
	@touch $@ .venv/.user
