# Everything starts here; `make help` lists the targets. Needed: Python 3.11+ with venv and pip, make.
# The system's own Python before another one in the path: Debian builds it with profiles, others
# often do without, and everything takes 5 % longer. `make setup PYTHON=...` takes any.
PYTHON ?= $(shell /usr/bin/python3 -c 'import ensurepip, sys; assert sys.version_info >= (3, 11); print(sys.executable)' 2> /dev/null || echo python3)
UV_VERSION := 0.13.7
UV := .uv/$(UV_VERSION)/bin/uv
RUN := .venv/bin/
STAMP := .venv/.synced

# Tests and the demo start hundreds of processes: none of them shall compile 400 files anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-cluster browser screenshots check format fuzz chaos soak gates walk harvest bench bench-clueweb sbom wheel pythons plain-cpu lock clean

help:  ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 15

setup: $(STAMP)  ## prepare .venv with the locked packages

$(UV):
	@echo "== fetching uv $(UV_VERSION), the installer, into .uv"
	$(PYTHON) -m venv .uv/$(UV_VERSION)
	.uv/$(UV_VERSION)/bin/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)

$(STAMP): pyproject.toml uv.lock | $(UV)
	@echo "== installing the locked packages into .venv"
	$(UV) sync --frozen --compile-bytecode --python $(PYTHON)
	@touch $@

demo: setup  ## the main job on the built-in web, offline, into ./demo
	$(RUN)blickfang demo demo

# Three at once on two cores: a third of the time they wait, for servers and for each other.
test: setup browser  ## all quick tests
	$(RUN)python -m pytest -n 3 --dist loadfile

# A cluster of two nodes on this machine, the second one in a network namespace: needs root.
test-cluster: setup  ## crawls and builds on a real cluster of two nodes (as root; ten minutes)
	@if ! command -v ip > /dev/null && [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null; then \
	  echo "== installing iproute2, for the network of the second node"; \
	  (apt-get install -y -q --no-install-recommends iproute2 || (apt-get update -q && apt-get install -y -q --no-install-recommends iproute2)) \
	    > /dev/null 2>&1 || echo "== iproute2 cannot be installed"; fi
	$(UV) sync --frozen --python $(PYTHON) --group cluster
	$(RUN)python -m pytest tests/cluster

# libatomic1 is for the program with which Playwright drives it; a small Debian does not have it.
browser:  # Debian's chromium for the tests of the application, where it may be installed
	@if [ -x /usr/bin/chromium ] && /sbin/ldconfig -p | grep -q libatomic.so.1; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null; then \
	  echo "== installing Debian's chromium for the browser tests"; \
	  (apt-get install -y -q --no-install-recommends chromium libatomic1 || (apt-get update -q && apt-get install -y -q --no-install-recommends chromium libatomic1)) \
	    > /dev/null 2>&1 || echo "== chromium cannot be installed: browser tests are skipped"; \
	else echo "== no chromium, and no right to install it: browser tests are skipped"; fi

screenshots: setup browser  ## the pictures of the application in docs, of a demo made for them
	$(RUN)python -m tests.app.screenshots

check: setup browser  ## format, lint, types, tests
	$(RUN)ruff format --check .
	$(RUN)ruff check .
	$(RUN)mypy
	$(RUN)python -m pytest -n 3 --dist loadfile

format: setup  ## let ruff rewrite the sources
	$(RUN)ruff format .
	$(RUN)ruff check --fix .

# Runs add up in docs/fuzzing.json; findings stay under tests/fuzz/regressions.
fuzz: setup  ## everything that reads bytes of others, a million inputs or 20 CPU minutes each; goes on where it stopped (TARGETS= SECONDS= JOBS= ANEW=1)
	$(UV) sync --frozen --inexact --python $(PYTHON) --group fuzz
	$(RUN)python -m tests.fuzz --targets $(TARGETS) --seconds $(or $(SECONDS),1200) $(if $(JOBS),--jobs $(JOBS)) $(if $(ANEW),--anew)

chaos: setup  ## commands under faults of disk, process, clock, network, database (SCHEDULES= SEED= ONLY=)
	$(RUN)python -m tests.chaos $(if $(SCHEDULES),--schedules $(SCHEDULES)) $(if $(SEED),--seed $(SEED)) $(if $(ONLY),--only $(ONLY))

gates: setup  ## quality floors on the gold data in ../shared
	$(RUN)python -m tests.gate

# A kind of page is clicked through once; all samples are asked for, and two thirds of the pages. Part of the gates.
walk: setup browser  ## every route, page and control of the application over a crawl of the testbed (COLLECTION=)
	$(RUN)python -m tests.walk $(COLLECTION)

bench: setup  ## speed and memory against named peers (kenlm needs a C++ compiler)
	$(UV) sync --frozen --python $(PYTHON) --group bench
	$(RUN)python -m benchmarks

bench-clueweb: setup  ## near-duplicates of 504 M × 733 M fingerprints: 10 GB of disk, 14 GiB of memory
	$(RUN)python -m benchmarks.joining --clueweb

harvest: setup  ## real crawls of the testbed in ../shared: how much of the first pages and samples is on topic
	$(RUN)python -m benchmarks.harvest
	$(RUN)python -m benchmarks.harvest --replay --sentences 20000
	$(RUN)python -m benchmarks.ranking

MINUTES ?= 60
HOSTS ?= 2400
RATE ?= 60
soak: setup  ## an hour of crawling 2,400 hosts, watched: memory, descriptors, speed (MINUTES=, HOSTS=, RATE=)
	$(RUN)python -m benchmarks.soak --minutes $(MINUTES) --hosts $(HOSTS) --rate $(RATE)

sbom: setup  ## dist/sbom.json: all packages that users install, with their hashes (CycloneDX)
	UV=$(UV) $(RUN)python scripts/supply.py sbom

wheel: setup  ## build wheel and sdist twice, compare, install them with hashes elsewhere, run
	UV=$(UV) $(RUN)python scripts/supply.py wheel

pythons: setup  ## install from the lock and run some tests with Python 3.11, 3.12 and 3.13
	UV=$(UV) $(RUN)python scripts/supply.py pythons

plain-cpu: setup  ## pages are read alike by kernels for a processor without AVX
	UV=$(UV) $(RUN)python scripts/supply.py plain-cpu

lock: $(UV)  ## resolve the dependencies anew
	$(UV) lock --upgrade

clean:  ## remove everything make made
	rm -rf .uv .venv .pythons .pytest_cache .mypy_cache .ruff_cache .hypothesis demo
