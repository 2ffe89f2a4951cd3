"""What a check leaves in the process is taken back here too."""

from tests.checking.conftest import nothing_is_remembered  # noqa: F401
