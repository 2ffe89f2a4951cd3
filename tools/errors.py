"""What may keep a maintainer's tool from its work."""


class ToolError(Exception):
    """An error to be told in one sentence that says what to do, and not as a traceback."""
