"""A small book that holds every kind of cell, for the tests of the book's machinery."""

from __future__ import annotations

import base64
import shutil
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from autograder.model.paths import ROOT

SIXTY = "scores = softmax(query @ key.T / sqrt(d_k), axis=-1)  # 60ch"
VERDICT = (
    '<div class="verdict {0}"><strong>{0}</strong>: your weights do not sum to one over the keys;'
    " the softmax runs over the queries. Got 0.25, expected 0.75 at (0, 1, 2).</div>"
)
EXERCISE = """\
````{exercise-start} Mask the scores
:label: masked
````
*Difficulty 2 of 5, ten minutes.* Write `masked_softmax(scores, valid_length)`.
"""
BOX = """\
```{exercise} Attend
:label: ex-attend
**Difficulty 1 of 5.** Write it.

`attend(query: (batch, num_queries, d_k), key: (batch, num_keys, d_k), value) -> context`

| name | shape | rule |
| --- | --- | --- |
| `query` | `(batch, num_queries, d_k)` | not changed |

Do not call `torch.nn.functional.scaled_dot_product_attention`.
```

:::{dropdown} Hint 1
Think.
:::
"""
INDEX = """\
# A sample

A weight $\\alpha_{ij}$ says how much query $i$ looks at key $j$; only this page needs mathematics.

$$
\\operatorname{context}(q) = \\sum_{j=1}^{n} \\softmax_j\\left(\\frac{q^\\top k_j}{\\sqrt{d_k}}\\right) v_j,
\\qquad \\softmax_j(s) = \\frac{\\exp s_j}{\\sum_{l \\le \\text{length}} \\exp s_l}
$$

```{tableofcontents}
```
"""
PROSE = """\
# Masked softmax

Weights are positive and sum to one over the keys, so that the context is a weighted *mean* of the values;
padding must not take part in it, see {ref}`sample-wide-table`.

:::{admonition} Before you begin
:class: before
**You need** an earlier chapter.

**Time:** about 5 minutes to read, and 3 for its exercise. All its cells run in less than a minute.
:::

## Two frameworks
"""
TABLE = """\
(sample-wide-table)=
## A wide table

| difference | MXNet | PyTorch | what goes wrong when it is forgotten |
| --- | --- | --- | --- |
| a dense layer | `Dense(8, flatten=False)` | `nn.Linear(4, 8)` | the batch and the queries become one axis |
| a mask's meaning | 1 keeps a position | `True` keeps or drops, by function | attention to the padding |

```{note}
A note, as themes show it.
```

## Sources

- A paper.
"""
WORDS = """\
Said of all. [Said of **both**.]{.both} [Said of MXNet, `a[0]`.]{.mxnet} [Said of PyTorch.]{.torch}

- [An item of MXNet]{.mxnet}
- [An item of PyTorch]{.torch}

| what | MXNet | PyTorch |
| --- | --- | --- |
| an axis | `axis` | `dim` |
| [recording]{.mxnet} | `record` | |
"""
FIGURE = """\
<attention-map><label>temperature <input type="range" min="1" max="9" value="5"></label>
<table><tr><td>5</td></tr></table></attention-map>
<script>
document.currentScript.previousElementSibling.addEventListener("input", (event) => {
  event.currentTarget.querySelector("td").textContent = event.target.value;
});
</script>"""


def white_png(width: int = 360, height: int = 90) -> str:
    """A picture with a white ground and a grey slope, as base64."""
    row = b"\0" + bytes(255 if x > width // 2 else 96 + x * 159 // width for x in range(width))

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(row * height)) + chunk(b"IEND", b"")
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + body).decode()


def code(source: str, *tags: str, **output: str) -> nbformat.NotebookNode:
    """A code cell with tags and at most one output: `text`, `html` or `png`."""
    cell = new_code_cell(source, metadata={"tags": list(tags)}, execution_count=1)
    kinds = {"html": "text/html", "png": "image/png"}
    for kind, value in output.items():
        if kind == "text":
            cell.outputs.append(new_output("stream", name="stdout", text=value))
        else:
            cell.outputs.append(new_output("display_data", data={kinds[kind]: value, "text/plain": kind}))
    return cell


def definition(framework: str) -> str:
    """A function of 60 characters a line, as a chapter would show it."""
    return f'''\
def attend(query, key, value):
    """Context ({framework}): (batch, num_queries, d_v)."""
    # (batch, num_queries, num_keys)
    {SIXTY[:56]}
    return scores @ value  # "{framework}" {3.14} {None}'''


def first_page() -> list[nbformat.NotebookNode]:
    """Pairs, groups of several cells, outputs, hidden cells, an exercise, a table and a picture."""
    return [
        new_markdown_cell(PROSE),
        code("import numpy as np\n\nnp.set_printoptions(precision=4)"),
        code(SIXTY, "framework-mxnet", text="[[0.4967 0.5033 0.     0.    ]]\n<NDArray 1x4 @cpu(0)>\n"),
        code(SIXTY, "framework-torch", text="tensor([[0.4967, 0.5033, 0.0000, 0.0000]])\n"),
        new_markdown_cell("Prose ends a group, and now several cells stand on each side."),
        code(definition("mxnet"), "framework-mxnet"),
        code("attend(query)", "framework-mxnet", text="one\n"),
        code(definition("torch") + "\n# one line more", "framework-torch"),
        code("attend(query)", "framework-torch", text="two\n"),
        new_markdown_cell(BOX),
        code("from solutions import needed", "framework-mxnet"),
        code(definition("mxnet"), "framework-mxnet", "exercise:attend", "hide-input"),
        code("check(attend)", "framework-mxnet", html=VERDICT.format("accepted")),
        code("attend(the_answer)", "framework-mxnet", text="used in MXNet\n"),
        code("from solutions import needed", "framework-torch"),
        code(definition("torch") + "\n# one line more", "framework-torch", "exercise:attend", "hide-input"),
        code("check(attend)", "framework-torch", html=VERDICT.format("rejected")),
        code("attend(the_answer)", "framework-torch", text="used in PyTorch\n"),
        new_markdown_cell("Hidden inputs and outputs, and one long line."),
        code("hidden_input_mxnet = 1", "framework-mxnet", "hide-input", png=white_png()),
        code("removed_cell = 1", "framework-torch", "remove-cell"),
        code(
            "shown_torch = 1",
            "framework-torch",
            "hide-output",
            html=f"<table><tr>{'<td>0.1234</td>' * 40}</tr></table>",
        ),
        code(SIXTY, "framework-mxnet", text="MXNet again: a new group\n"),
        code(SIXTY, "framework-torch", text="PyTorch again\n"),
        new_markdown_cell(TABLE),
        code("class Pooling: ...", "framework-mxnet", text="pooled in MXNet\n"),
        code("class Pooling: ...", "framework-torch", text="pooled in PyTorch\n"),
        code("class Pooling: ...", "framework-keras", text="pooled in Keras\n"),
        new_markdown_cell(EXERCISE),
        code("def masked_softmax(scores):\n    return scores", "framework-mxnet"),
        code("def masked_softmax(scores):\n    return scores", "framework-torch"),
        new_markdown_cell("```{exercise-end}\n```"),
        new_markdown_cell("## One framework alone"),
        code("alone = 'only PyTorch'", "framework-torch", text="stays as it is\n"),
        code("shown = attend(query)", text="computed, and shown\n"),
        code("frames = many(weights)"),
        code("figures.WeightMap(frames)", html=FIGURE),
        code("kept = attend(key)"),
        new_markdown_cell("Prose keeps a cell apart from a picture."),
        code("fig, ax = plt.subplots()\nax.plot(kept)", png=white_png()),
        code("check(attend)", html=VERDICT.format("error")),
        code("1 / 0", text="x" * 200 + "\n"),
    ]


def second_page() -> list[nbformat.NotebookNode]:
    """One pair, to which the choice must follow."""
    return [
        new_markdown_cell(
            "# Dot product\n\nIts weights come from `masked_softmax`, a softmax that is masked."
        ),
        code(SIXTY, "framework-mxnet", text="mxnet on page two\n"),
        code(SIXTY, "framework-torch", text="torch on page two\n"),
        code("for step in progress(steps, 3): train(step)", html=""),
        new_markdown_cell(WORDS),
        code("compare()", "framework-both", text="a cell that compares\n"),
        new_markdown_cell("## Of one\n\nA cell of PyTorch.", metadata={"tags": ["framework-torch"]}),
        new_markdown_cell("A cell of Keras.", metadata={"tags": ["framework-keras"]}),
    ]


def write_sample_book(folder: Path) -> None:
    """Write the sample's sources into `folder`, with the real book's configuration, extension and style."""
    for part in ("_ext", "_static"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "_config.yml", folder)
    (folder / "_toc.yml").write_text(
        "format: jb-book\nroot: chapters/index\nparts:\n- caption: Basics\n  chapters:\n"
        "  - file: chapters/masked_softmax\n  - file: chapters/dot_product\n"
    )
    chapters = folder / "chapters"
    chapters.mkdir()
    shutil.copy(ROOT / "chapters" / "references.bib", chapters)
    (chapters / "index.md").write_text(INDEX)
    metadata = {"language_info": {"name": "python", "pygments_lexer": "ipython3"}}
    for name, cells in (("masked_softmax", first_page()), ("dot_product", second_page())):
        nbformat.write(new_notebook(cells=cells, metadata=metadata), chapters / f"{name}.ipynb")


def build(folder: Path, *options: str) -> str:
    """Build the book in `folder` as `make book` does; return what the build said, or fail with it."""
    program = Path(sys.executable).with_name("jupyter-book")
    strict = ["--quiet", "--warningiserror", "--keep-going", "--nitpick"]
    done = subprocess.run(
        [program, "build", ".", *strict, *options], cwd=folder, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr
