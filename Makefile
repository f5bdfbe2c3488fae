# Everything runs in a virtual environment, which is made on first use.
PYTHON ?= python3
VENV ?= .venv
export PIP_DISABLE_PIP_VERSION_CHECK = 1
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
INSTALLED_TRAIN := $(VENV)/.installed-train
INSTALLED_DEV := $(VENV)/.installed-dev
INSTALLED_DOCS := $(VENV)/.installed-docs

.PHONY: demo test lint docs picture bench fuzz faults results models ablation transfer claims clean

demo: $(INSTALLED_TRAIN)
	$(BIN)/proofmatch demo --out demo

test: lint
	$(BIN)/python -m pytest -n auto --dist worksteal

lint: $(INSTALLED_DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/basedpyright --pythonpath $(BIN)/python
	# import-linter needs the packages in folders of their import names, unlike the repository's layout.
	rm -rf build/imports && mkdir -p build/imports/proofmatch && cp proofmatch/*.py build/imports/proofmatch
	ln -s $(addprefix ../../../,builder dataset_card evaluation training) build/imports/proofmatch
	cd build/imports && PYTHONPATH=. $(abspath $(BIN))/lint-imports --config ../../pyproject.toml

# The site of the documentation, in site/; a broken link is an error.
docs: $(INSTALLED_DOCS)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build

# The README's table and picture of the demo; the picture needs chromium.
picture: $(INSTALLED_DEV)
	$(BIN)/python -m tests.browser.picture docs/report.png

bench: $(INSTALLED_DEV)
	$(BIN)/python -m tests.benchmarks.run

fuzz: $(INSTALLED_DEV)
	$(BIN)/python -m tests.fuzz.run

faults: $(INSTALLED_DEV)
	$(BIN)/python -m tests.faults.run

results: $(INSTALLED)
	$(BIN)/python -m experiments.run baselines $(RELEASE)

# RELEASE: a release folder; MODELS: the folder of the models; NAMES: systems of models.toml, default all.
models: $(INSTALLED_DEV)
	$(BIN)/python -m experiments.run models $(RELEASE) $(MODELS) $(NAMES)

# Ablations, renamed symbols and normalized scores; needs the trained models. RELEASE and MODELS as above.
ablation: $(INSTALLED_DEV)
	$(BIN)/python -m experiments.run ablation $(RELEASE) $(MODELS) $(NAMES)

# Evaluates systems NAMES of models.toml that were trained on another release, on all pairs of RELEASE.
transfer: $(INSTALLED_DEV)
	$(BIN)/python -m experiments.run transfer $(RELEASE) $(MODELS) $(NAMES)

# Tests the paper's claims on RELEASE, ideally built from both corpora; MODELS and NAMES as above.
claims: $(INSTALLED_DEV)
	$(BIN)/python -m experiments.run claims $(RELEASE) $(MODELS) $(NAMES)

clean:
	rm -rf $(VENV) demo site build *.egg-info

$(INSTALLED): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable .
	touch $@

$(INSTALLED_TRAIN): $(INSTALLED)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[train]"
	touch $@

$(INSTALLED_DOCS): $(INSTALLED)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[docs]"
	touch $@

$(INSTALLED_DEV): $(INSTALLED)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt \
	  --editable ".[dev,docs,train,serve,distributed,integrations,bzip2]"
	# polyglot's PyICU is compiled, with headers of ICU (Debian's libicu-dev) that not every machine has.
	! pkg-config --exists icu-i18n 2>/dev/null || \
	  $(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[polyglot]" || \
	  echo "PyICU cannot be compiled: the test of polyglot will be skipped" >&2
	touch $@
