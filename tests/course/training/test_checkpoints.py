"""Checkpoints: whole, or not there."""

import errno

import pytest

from course.training import checkpoints


def test_a_checkpoint_is_whole_or_not_there(tmp_path):
    checkpoints.save(tmp_path, 1, {"a": 1}, lambda folder: (folder / "x").write_text("first"))

    def dies(folder):
        (folder / "x").write_text("half")
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(checkpoints.CheckpointError, match="No space left"):
        checkpoints.save(tmp_path, 2, {"a": 2}, dies)
    path, state = checkpoints.newest(tmp_path)
    assert (path.name, state) == ("1", {"a": 1}) and (path / "x").read_text() == "first"
