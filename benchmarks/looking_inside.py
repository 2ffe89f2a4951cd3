"""What the figure of two heads shows: `python -m benchmarks.looking_inside --store`.

The cells of the chapter *Looking inside a trained model* are run in PyTorch, as they stand there. Kept are the loss at
each moment, the weights of the best head of each layer on one sequence, and, for each choice of heads that are kept,
the loss and the tokens that are predicted at each moment. Another processor may train another model: the chapter's last digits, and
these, are those of the machine that stored them.
"""

import argparse
import json
import sys
from itertools import product
from typing import Any

import matplotlib as mpl
import numpy as np

from autograder.book.contents import notebook_of, source
from autograder.model.paths import BOOK

STORED = BOOK / "_static" / "figures" / "induction_run.mjs"
HEAD = "// Written by `python -m benchmarks.looking_inside --store`, from the chapter's own run in PyTorch.\n"
SHOWN = 14  # tokens of the sequence, as in the chapter's maps
OTHER = {"framework-mxnet"}


def run_chapter() -> dict[str, Any]:
    """The names that the chapter's cells leave, run in PyTorch up to the removal of heads."""
    mpl.use("Agg")
    names: dict[str, Any] = {}
    for cell in notebook_of("looking_inside")["cells"]:
        if cell["cell_type"] == "code" and not OTHER & set(cell["metadata"].get("tags", [])):
            exec(compile(source(cell), cell["id"], "exec"), names)
        if "removals(without" in source(cell) and "torch" in source(cell):
            break
    return names


def figures_of(names: dict[str, Any]) -> dict[str, Any]:
    """What the figure draws; weights are in hundredths."""
    history, sample, seen = names["history"], names["sample"], names["seen"]
    moments = removals(names)
    _, back, find, _ = history[-1]
    pair = [int(back[0].argmax()), int(find[1].argmax())]
    maps = [[whole(step[3][layer][head]) for layer, head in enumerate(pair)] for step in history]
    tokens = seen[sample][:SHOWN]
    return {
        "letters": ["·", *(chr(96 + token) for token in tokens[1:])],
        "steps": [names["every"] * i for i in range(len(history))],
        "losses": [round(float(step[0]), 3) for step in history],
        "single": [round(float(step[0]), 3) for step in names["single"]],
        "guess": round(float(names["guess"]), 3),
        "known": names["known"][sample][: SHOWN - 1].tolist(),
        "best": pair,
        "maps": maps,
        "kept": {
            kept: {name: [one[kept][name] for one in moments] for name in ("loss", "predicted")}
            for kept in moments[0]
        },
    }


def removals(names: dict[str, Any]) -> list[dict[str, dict[str, Any]]]:
    """What is left at each moment, for each choice of heads: the chapter's training once more, with the same seeds."""
    moments = []
    look = names["look"]

    def each(model: Any) -> dict[str, dict[str, Any]]:
        return {"".join(map(str, kept)): removed(names, model, kept) for kept in product((0, 1), repeat=4)}

    def looked(model: Any, *measured: Any) -> Any:
        moments.append(each(model))
        return look(model, *measured)

    names["look"] = looked
    names["train"](2)
    # The chapter removes heads of the model that it ends with, one step later.
    return [*moments[:-1], each(names["model"])]


def whole(weights: np.ndarray) -> list[list[int]]:
    """The weights of the first SHOWN tokens in hundredths, each row up to its own token."""
    return [np.rint(100 * row[: t + 1]).astype(int).tolist() for t, row in enumerate(weights[:SHOWN])]


def removed(names: dict[str, Any], model: Any, kept: tuple[int, ...]) -> dict[str, Any]:
    """The loss of a model where only these heads are kept, their means in the others' place, and the tokens predicted."""
    torch, sample = names["torch"], names["sample"]
    with torch.inference_mode():
        _, inside = model(torch.tensor(names["other"]))
        means = [contexts.mean(dim=(0, 2)) for _, contexts in inside]
        changes = [
            (torch.tensor(kept[2 * layer : 2 * layer + 2]).float(), mean) for layer, mean in enumerate(means)
        ]
        logits = model(torch.tensor(names["seen"]), changes)[0].numpy()
    predicted = logits[sample, : SHOWN - 1].argmax(axis=-1)
    return {
        "loss": round(float(names["loss_at"](logits, names["seen"], names["known"])), 2),
        "predicted": "".join("·" if token == 0 else chr(96 + token) for token in predicted.tolist()),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--store", action="store_true", help=f"write {STORED.name}")
    arguments = parser.parse_args()
    found = figures_of(run_chapter())
    sys.stdout.write(
        "\n".join(
            f"{kept}: {one['loss'][-1]:.2f} {one['predicted'][-1]}" for kept, one in found["kept"].items()
        )
    )
    sys.stdout.write("\n")
    if arguments.store:
        text = json.dumps(found, ensure_ascii=False, separators=(",", ":"))
        STORED.write_text(f"{HEAD}export const RUN = {text};\n", encoding="utf-8")


if __name__ == "__main__":
    main()
