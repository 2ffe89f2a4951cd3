"""Runs chapters and keeps their outputs: `python -m tools.run_chapters chapters/additive.ipynb`."""

import sys
from base64 import b64decode, b64encode
from pathlib import Path

import nbformat
from nbclient import NotebookClient

from course.display.style import in_256_colours

KERNEL = {"name": "python3", "display_name": "Python 3", "language": "python"}


def execute(path: Path) -> None:
    """Run a notebook in its own folder and write its outputs back, without times or versions."""
    notebook = nbformat.read(path, as_version=4)
    notebook.metadata = {"kernelspec": KERNEL, "language_info": {"name": "python"}}
    client = NotebookClient(
        notebook,
        timeout=600,
        record_timing=False,
        coalesce_streams=True,
        resources={"metadata": {"path": path.parent}},
    )
    client.execute()
    notebook.metadata = {"kernelspec": KERNEL, "language_info": {"name": "python"}}
    for output in (output for cell in notebook.cells for output in cell.get("outputs", ())):
        if png := output.get("data", {}).get("image/png"):
            output.data["image/png"] = b64encode(in_256_colours(b64decode(png))).decode()
    nbformat.write(notebook, path)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        sys.stdout.write(f"{name}\n")
        execute(Path(name))
