# `make demo` and `make test` each work alone on a machine with Python 3.11, pip, make and git.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export PIP_DISABLE_PIP_VERSION_CHECK = 1
# Without compiled files every process of the tests would compile the package anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test lint bench training docs release figures openai2 sbom lock clean
.DEFAULT_GOAL := demo

STREAMS := packages/quire-streams

# A stamp per lock file: a second `make` installs nothing.
$(VENV)/default.stamp: requirements.lock pyproject.toml $(STREAMS)/pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install -q --no-deps --require-hashes -r requirements.lock
	$(BIN)/pip install -q --no-deps --no-build-isolation -e . -e $(STREAMS)
	touch $@

$(VENV)/dev.stamp: $(VENV)/default.stamp requirements-dev.lock
	$(BIN)/pip install -q --no-deps --require-hashes -r requirements-dev.lock
	touch $@

demo: $(VENV)/default.stamp
	$(BIN)/python examples/demo.py

lint: $(VENV)/dev.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: lint
	@command -v chromium chromium-browser >/dev/null || echo "No Chromium: the browser tests are skipped (apt-get install chromium)."
	$(BIN)/pytest -n 2 --dist worksteal  # neighbours share what a module's tests are given

bench: $(VENV)/audit.stamp
	@ls benchmarks/*.py
	$(BIN)/python benchmarks/fuzz.py --seconds 60

# What trainers need besides (the group `training`, without pins); `--check` alone does without.
$(VENV)/training.stamp: $(VENV)/dev.stamp
	$(BIN)/pip install -q "pip>=25.1"
	$(BIN)/pip install -q --group training
	touch $@

# Every model of the package anew, and the manifest of their weights (DATA: see `python -m training.manifest -h`).
training: $(if $(DATA),$(VENV)/training.stamp,$(VENV)/dev.stamp)
	PYTHONPATH=.:benchmarks $(BIN)/python -m training.manifest $(or $(DATA),--check)

# The tests' client of `quire serve` is openai 3; that of the same tests here is 2, which litellm wants.
openai2: $(VENV)/dev.stamp
	$(BIN)/pip install -q --no-deps --target dist/openai2 "openai>=2,<3" distro sniffio  # which 3 does not need
	PYTHONPATH=dist/openai2 $(BIN)/pytest tests/app/server/test_openai.py

# The documentation as a site, in dist/site; a broken link is an error.
docs: $(VENV)/dev.stamp
	$(BIN)/pip install -q "mkdocs-material>=9.6"
	$(BIN)/mkdocs build --strict

# Wheels and sources of all packages in dist, then installed into an empty environment and tried.
release: $(VENV)/dev.stamp
	rm -rf dist && mkdir dist
	$(BIN)/pip install -q "build>=1.2"
	for part in . $(STREAMS); do $(BIN)/python -m build --no-isolation -o dist $$part || exit 1; done
	$(PYTHON) -m venv dist/empty
	dist/empty/bin/pip install -q dist/*.whl
	dist/empty/bin/python examples/try_install.py examples/papers
	rm -rf dist/empty
	ls -l dist

# Figures that need no foreign data; each result is kept in benchmarks/results.
figures: $(VENV)/dev.stamp
	$(BIN)/python -m benchmarks here

# Tools of development alone, without pins: fuzzing, mutants, the list of parts, the list of licences.
$(VENV)/audit.stamp: $(VENV)/dev.stamp
	$(BIN)/pip install -q "atheris>=3.0" "cosmic-ray>=8.4" "cyclonedx-bom>=7.0" "pip-licenses>=5.0"
	touch $@

# What the default install consists of (CycloneDX), and its licences; fails at GPL and AGPL.
sbom: $(VENV)/audit.stamp
	mkdir -p dist
	$(BIN)/cyclonedx-py requirements requirements.lock --output-reproducible -o dist/sbom.json
	$(BIN)/pip-licenses --packages $$(sed -n 's/==.*//p' requirements.lock) --format=markdown --partial-match \
	  --fail-on "Affero;AGPL;GNU General Public;GPLv" --output-file dist/licences.md

# Rewrite the pins (needs `uv` on the path).
lock:
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-header \
	  --group weights pyproject.toml requirements-build.in -o requirements.lock
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-header \
	  --group weights --group dev -c requirements.lock pyproject.toml requirements-build.in -o requirements-dev.lock

clean:
	rm -rf $(VENV) demo-library
