"""What IPython takes off a cell is taken off here, and lines stay where they are."""

import ast

import pytest

from autograder.read.magics import without_magics

manager = pytest.importorskip("IPython.core.inputtransformer2", reason="IPython is not installed")
DEFINED = "def f(x):\n    return x + 1\n"
PROMPTED = ">>> def f(x):\n...     return x + 1\n"
CELLS = {
    "pip of several lines": "!pip install -q \\\n    torch \\\n    numpy\n" + DEFINED,
    "a magic of several lines": "%pip install -q \\\n    torch\n" + DEFINED,
    "a command at the end": DEFINED + "!wget a \\\n  -O b",
    "a command of one line": "!ls\n" + DEFINED,
    "a command with an open quote": "%cd it's\n" + DEFINED,
    "a command with an open bracket": '!echo "(\n' + DEFINED,
    "a command with an open text": "!echo '''\n" + DEFINED,
    "output of a command": "x = !ls \\\n  -l\n" + DEFINED,
    "output of a command for an attribute": "f = print\nf.x = !ls\n" + DEFINED,
    "output of a magic": "x = %time 3\n" + DEFINED,
    "output of a magic in two names": "a, b = %magic 1\n" + DEFINED,
    "two exclamation marks": "!!ls\n" + DEFINED,
    "a magic behind a comment": "  # c\n%time 1\n" + DEFINED,
    "a command in a block": "if True:\n    !ls \\\n       a\n    y = 2\n" + DEFINED,
    "a magic in a function": "def g():\n    '''is it?\n    !no\n    '''\n    %time 1\n    return 2\n"
    + DEFINED,
    "a magic behind a list": "x = [1,\n  2\n]\n%matplotlib inline\n" + DEFINED,
    "what only looks like commands": "x = '''\n!ls\n%a\nb?\n'''\n!ls\n" + DEFINED,
    "a remainder": "x = (7\n    % 2)\n!ls\n" + DEFINED,
    "a question": DEFINED + "f?\n",
    "two question marks": DEFINED + "f??\n",
    "a question of an attribute": "f.g?\n" + DEFINED,
    "a question in front": "?f\n" + DEFINED,
    "a question of an assignment": "x = f?\n" + DEFINED,
    "a question of a magic": "%time?\n" + DEFINED,
    "a comment with a question": "f(1, # why?\n 2)\n!ls\n" + DEFINED,
    "a call with a slash": "f = print\n/f 1\n" + DEFINED,
    "a call with a semicolon": "f = print\n;f a b\n" + DEFINED,
    "a call with a comma": "f = print\n,f a b\n" + DEFINED,
    "indentation": "    def f(x):\n        return x + 1\n",
    "indentation and a command": "  !ls\n  def f(x):\n      return x + 1\n",
    "prompts of Python": PROMPTED,
    "prompts of Python and their output": PROMPTED + ">>> x = 2\n",
    "prompts of IPython": "In [1]: def f(x):\n   ...:     return x + 1\n",
    "prompts of vi": "[ins] In [3]: def f(x):\n        ...:     return x + 1\n",
    "blank lines before a magic": "\n\n  \n%time x = 3\n" + DEFINED,
}


class WithoutIPython(ast.NodeTransformer):
    """Leaves `pass` where IPython or a command is called."""

    def visit_Expr(self, node):
        return ast.Pass() if isinstance(node.value, ast.Call) else node

    def visit_Assign(self, node):
        return ast.Pass() if "get_ipython" in ast.unparse(node) else node


def statements(text):
    return [ast.dump(s) for s in WithoutIPython().visit(ast.parse(text)).body if not isinstance(s, ast.Pass)]


@pytest.mark.parametrize("kind", CELLS)
def test_a_cell_is_read_as_ipython_reads_it(kind):
    read, transformed = without_magics(CELLS[kind]), manager.TransformerManager().transform_cell(CELLS[kind])
    assert statements(read) == statements(transformed)
    assert read.count("\n") == CELLS[kind].count("\n"), "its errors would name other lines"


@pytest.mark.parametrize("magic", ["time", "capture output", "prun", "capture\n%%time", "writefile a.py"])
def test_a_cell_that_a_magic_runs_is_read(magic):
    assert without_magics(f"\n%%{magic}\n!ls\n{DEFINED}").strip().removeprefix("pass\n") == DEFINED.strip()


@pytest.mark.parametrize("magic", ["bash", "html", "javascript", "script python", "latex"])
def test_a_cell_that_a_magic_gives_to_others_is_not(magic):
    assert without_magics(f"%%{magic}\n{DEFINED}") == ""
