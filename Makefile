# Every target sets up what it needs, when it is first asked for. PYTHON chooses the interpreter, 3.11 to 3.14.
PYTHON ?= python3
export VENV ?= .venv
BIN := $(VENV)/bin
# The extras of pyproject.toml that are installed.
HAS := $(VENV)/.has
# npm is there where the machine has none.
export PATH := $(PATH):$(CURDIR)/$(BIN)
# What only the CUDA build of PyTorch needs: it brings these itself, at versions of its own choice.
CUDA := $(addprefix nvidia-,cublas cuda-cupti cuda-nvrtc cuda-runtime cudnn-cu13 cufft cufile curand cusolver \
  cusparse cusparselt-cu13 nccl-cu13 nvjitlink nvshmem-cu13 nvtx) cuda-bindings cuda-pathfinder cuda-toolkit triton
# Small tensors on a shared machine: one thread each is the fastest.
export OMP_NUM_THREADS := 1
# Images of containers often set it; then each of a hundred processes compiles all of PyTorch and MXNet that it imports.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: book serve pdf test ci test-newest lint mutants coverage sync exercise chapters learn grade bench lock clean

book: $(HAS)-book
	$(BIN)/attention book

# The book over http, as its checks in the page need it: from a file a browser loads no WebAssembly.
serve: book
	$(BIN)/python -m tools.serve

# The whole book as one PDF, _build/latex/attention_side_by_side.pdf, where LaTeX is installed and a browser, which
# prints the drawings.
pdf: $(HAS)-book
	@command -v latexmk >/dev/null && command -v xelatex >/dev/null && command -v chromium >/dev/null || { echo "The PDF \
	  needs LaTeX and Chromium: install them (apt install latexmk texlive-xetex texlive-fonts-recommended \
	  texlive-fonts-extra fonts-freefont-otf chromium), or print a page from the browser."; exit 1; }
	@rm -rf _build/latex  # latexmk gives up at once after an attempt that failed
	$(BIN)/jupyter-book build . --builder pdflatex

PYTEST := $(BIN)/pytest tests --nbval --nbval-sanitize-with tests/nbval.cfg -n 2 --dist loadgroup
# Before every commit: lint, types, and all that is quick (tests/quick.py). One topic, in about a minute:
# `make test TOPIC=masked_softmax`.
ifdef TOPIC
test: $(HAS)-test
	$(PYTEST) chapters/$(TOPIC).ipynb -m "not browser" --topic $(TOPIC)
else
test: $(HAS)-test lint
	$(PYTEST) chapters --quick
endif

# Everything.
ci: test
	$(PYTEST) chapters --rest

# A part of the tests with another interpreter, in an environment of its own and without PyTorch, of which there may
# be only a build for CUDA: make test-newest PYTHON=python3.14
test-newest:
	VENV=_build/newest $(PYTHON) tools/set_up.py mxnet tools
	_build/newest/bin/pytest $(addprefix tests/,exercises judge diagnose model) -n 2 --dist loadgroup \
	  -m "not slow and not browser"

lint: $(HAS)-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m tools.sync --check

# Writes exercises and solutions into the chapters, and the stored figures into BENCHMARKS.md.
sync: $(HAS)-test
	$(BIN)/python -m tools.sync

# The skeleton of a new exercise: make exercise NAME=row_entropy TOPIC=masked_softmax TITLE="Entropy of a row"
ARGUMENTS ?= X
exercise: $(HAS)-test
	$(BIN)/python -m tools.new_exercise "$(NAME)" "$(TOPIC)" "$(TITLE)" --arguments $(ARGUMENTS)

# Every small change of a module that decides a mark, against its tests: an hour or more.
mutants: $(HAS)-test
	$(BIN)/python -m tools.mutants_of_modules

# Which lines no test runs. Python 3.12 can count them at little cost (COVERAGE_CORE); 3.11 takes longer.
coverage: $(HAS)-test
	@mkdir -p _build
	COVERAGE_CORE=$$($(BIN)/python -c 'import sys; print("sysmon" if sys.version_info >= (3, 12) else "ctrace")') \
	  $(BIN)/pytest tests -n 2 --dist loadgroup --cov --cov-report=term --cov-report=markdown:_build/coverage.md

# Runs chapters and keeps their outputs: all of them, or those named by TOPIC.
chapters: $(HAS)-test
	$(BIN)/python -m tools.run_chapters chapters/$(or $(TOPIC),*).ipynb

learn: $(HAS)-learn
	$(BIN)/attention learn

grade: $(HAS)-grade
	$(BIN)/attention grade tests/sample_class --gradebook $(VENV)/sample_class.sqlite

bench: $(HAS)-test
	$(BIN)/python -m benchmarks

# An environment that came along with a copy of another folder, or was moved, runs what lies there: it is made anew.
MOVED := $(if $(wildcard $(BIN)/attention),$(shell grep -qF -e "$$(cd $(BIN) && pwd)/" -e "$$(cd $(BIN) && pwd -P)/" $(BIN)/attention || echo moved))
.PHONY: moved
moved:

$(HAS)-%: requirements.lock overrides.txt pyproject.toml $(MOVED)
	$(PYTHON) tools/set_up.py $*
	@touch $@ $(if $(filter test,$*),$(addprefix $(HAS)-,book learn grade))

# Brings requirements.lock up to pyproject.toml, for every system and every interpreter. What is locked already keeps
# its version; remove its lines to let it move. PyTorch's builds differ from index to index, so it has no hashes.
lock: $(HAS)-test
	$(BIN)/uv pip compile pyproject.toml --all-extras --override overrides.txt --output-file requirements.lock --quiet \
	  --no-annotate --no-header --universal --python-version 3.11.0 --fork-strategy fewest --generate-hashes \
	  $(addprefix --no-emit-package ,$(CUDA))
	awk '/^[^ ]/ { torch = /^torch==/ } torch && /hash/ { next } torch { sub(/ \\$$/, "") } 1' requirements.lock \
	  > $(VENV)/lock && mv $(VENV)/lock requirements.lock

clean:
	rm -rf _build $(VENV)
