"""Code from the course's own modules, shown in a chapter exactly as it runs."""

import inspect
import textwrap
from typing import Any


class Source:
    """The source of functions and classes; a notebook and the book show it as code."""

    def __init__(self, *objects: Any) -> None:
        self.text = "\n\n\n".join(textwrap.dedent(inspect.getsource(part)).rstrip() for part in objects)

    def __repr__(self) -> str:
        return self.text

    def _repr_markdown_(self) -> str:
        return f"```python\n{self.text}\n```"
