# Every target sets up what it needs. PYTHON chooses the interpreter (3.11, or 3.12).
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
MXNET_WHEELS := sys_platform == "linux" or (sys_platform == "darwin" and platform_machine == "x86_64")
# Small tensors on a shared machine: one thread each is the fastest.
export OMP_NUM_THREADS := 1

.PHONY: book test lint chapters learn grade bench lock clean

book: $(READY)
	$(BIN)/jupyter-book build . --quiet --warningiserror --keep-going --nitpick
	@echo "The book is built. Open _build/html/index.html"

test: $(READY) lint
	$(BIN)/pytest tests -n 2 --dist loadgroup
	$(BIN)/pytest --nbval --nbval-sanitize-with tests/nbval.cfg -p no:cacheprovider -n 2 --dist loadfile chapters

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Runs chapters and keeps their outputs: all of them, or those named by TOPIC.
TOPIC ?= *
chapters: $(READY)
	$(BIN)/python -m course.chapters chapters/$(TOPIC).ipynb

learn: $(READY)
	$(BIN)/python -m autograder start learn
	$(BIN)/jupyter lab learn

grade: $(READY)
	$(BIN)/python -m autograder grade tests/sample_class --gradebook $(VENV)/sample_class.sqlite

bench: $(READY)
	$(BIN)/python -m benchmarks

$(READY): requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 12))' \
	  || { echo "Python 3.11 or 3.12 is needed; name one with 'make PYTHON=python3.11 ...'"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --requirement requirements.lock
	@$(BIN)/python -c 'import pathlib, site; pathlib.Path(site.getsitepackages()[0], "course.pth").write_text("$(CURDIR)\n")'
	@$(BIN)/python -m course.frameworks
	@touch $@

# Makes requirements.lock anew from requirements.in, in a clean environment.
lock:
	rm -rf $(VENV)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --requirement requirements.in
	$(BIN)/pip freeze | sed -E -e 's/^(torch==[^+]*)\+.*/\1/' -e 's/^mxnet==.*/& ; $(MXNET_WHEELS)/' \
	  -e 's/^pyseccomp==.*/& ; sys_platform == "linux"/' > requirements.lock

clean:
	rm -rf _build $(VENV)
