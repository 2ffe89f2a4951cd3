# Every target sets up what it needs. PYTHON chooses the interpreter (3.11, or 3.12).
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# uv looks where pip was told to look.
export UV_FIND_LINKS ?= $(PIP_FIND_LINKS)
export UV_EXTRA_INDEX_URL ?= $(PIP_EXTRA_INDEX_URL)
export UV_INDEX_STRATEGY ?= unsafe-best-match
# What only the CUDA build of PyTorch needs: it brings these itself, at versions of its own choice.
CUDA := $(addprefix nvidia-,cublas cuda-cupti cuda-nvrtc cuda-runtime cudnn-cu13 cufft cufile curand cusolver \
  cusparse cusparselt-cu13 nccl-cu13 nvjitlink nvshmem-cu13 nvtx) cuda-bindings cuda-pathfinder cuda-toolkit triton
# Small tensors on a shared machine: one thread each is the fastest.
export OMP_NUM_THREADS := 1

.PHONY: book serve pdf test test-fast lint coverage sync exercise chapters learn grade bench lock clean

book: $(READY)
	$(BIN)/attention book

# The book over http, as its checks in the page need it: from a file a browser loads no WebAssembly.
serve: book
	$(BIN)/python -m http.server --bind 127.0.0.1 --directory _build/html 8000

# The whole book as one PDF, _build/latex/attention_side_by_side.pdf, where LaTeX is installed and a browser, which
# prints the drawings.
pdf: $(READY)
	@command -v latexmk >/dev/null && command -v xelatex >/dev/null && command -v chromium >/dev/null || { echo "The PDF \
	  needs LaTeX and Chromium: install them (apt install latexmk texlive-xetex texlive-fonts-recommended \
	  texlive-fonts-extra fonts-freefont-otf chromium), or print a page from the browser."; exit 1; }
	@rm -rf _build/latex  # latexmk gives up at once after an attempt that failed
	$(BIN)/jupyter-book build . --builder pdflatex

NBVAL := $(BIN)/pytest --nbval --nbval-sanitize-with tests/nbval.cfg -p no:cacheprovider
# Everything: `make test`. One topic, in about a minute: `make test TOPIC=masked_softmax`.
ifdef TOPIC
test: $(READY)
	$(BIN)/pytest tests -n 2 --dist loadgroup -m "not browser" --topic $(TOPIC)
	$(NBVAL) chapters/$(TOPIC).ipynb
else
test: $(READY) lint
	$(BIN)/pytest tests -n 2 --dist loadgroup
	$(NBVAL) -n 2 --dist loadfile chapters
endif

# Below two minutes: no mutants, no attacks, no trainings, no browser.
test-fast: $(READY)
	$(BIN)/pytest tests -n 2 --dist loadgroup -m "not slow and not browser"

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m tools.sync --check

# Writes exercises and solutions into the chapters, and the stored figures into the README.
sync: $(READY)
	$(BIN)/python -m tools.sync

# The skeleton of a new exercise: make exercise NAME=row_entropy TOPIC=masked_softmax TITLE="Entropy of a row"
ARGUMENTS ?= X
exercise: $(READY)
	$(BIN)/python -m tools.new_exercise "$(NAME)" "$(TOPIC)" "$(TITLE)" --arguments $(ARGUMENTS)

# Which lines no test runs. Python 3.12 can count them at little cost (COVERAGE_CORE); 3.11 takes longer.
coverage: $(READY)
	@mkdir -p _build
	COVERAGE_CORE=$$($(BIN)/python -c 'import sys; print("sysmon" if sys.version_info >= (3, 12) else "ctrace")') \
	  $(BIN)/pytest tests -n 2 --dist loadgroup --cov --cov-report=term --cov-report=markdown:_build/coverage.md

# Runs chapters and keeps their outputs: all of them, or those named by TOPIC.
chapters: $(READY)
	$(BIN)/python -m tools.run_chapters chapters/$(or $(TOPIC),*).ipynb

learn: $(READY)
	$(BIN)/attention learn

grade: $(READY)
	$(BIN)/attention grade tests/sample_class --gradebook $(VENV)/sample_class.sqlite

bench: $(READY)
	$(BIN)/python -m benchmarks

$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 12))' \
	  || { echo "Python 3.11 or 3.12 is needed; name one with 'make PYTHON=python3.11 ...'"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet "$$(grep ^uv== requirements.lock)"
	$(BIN)/uv pip install --quiet --python $(BIN)/python --requirement requirements.lock
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	@$(BIN)/python -m course.frameworks
	@touch $@

# Brings requirements.lock up to pyproject.toml, for every system and for both interpreters.
# What is locked already keeps its version; remove its line to let it move.
lock: $(READY)
	$(BIN)/uv pip compile pyproject.toml --all-extras --output-file requirements.lock --quiet --no-annotate --no-header \
	  --universal --python-version 3.11.0 $(addprefix --no-emit-package ,$(CUDA))

clean:
	rm -rf _build $(VENV)
