"""Forked kernels are what kernels that are started afresh are, but that the frameworks are imported already."""

import sys

import pytest
from jupyter_client.provisioning import local_provisioner
from nbval import plugin

from tests.warm_kernels import fork_kernels

# The process that forks this chapter's kernel forks these too.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("masked_softmax.ipynb")]
PLOT = "import matplotlib.pyplot as plt; plt.plot([1, 2])\nprint('torch' in known, os.getcwd(), os.getpgrp() == os.getpid(), os.environ['KERAS_BACKEND'])"


@pytest.mark.skipif(sys.platform != "linux", reason="kernels are forked on Linux alone")
def test_forked_kernels_share_their_imports_and_nothing_else(tmp_path, monkeypatch):
    monkeypatch.setattr(plugin, "RunningKernel", plugin.RunningKernel)
    started_by_others = local_provisioner.launch_kernel
    fork_kernels()
    messages = []
    for _ in range(2):
        kernel = plugin.RunningKernel("python3", cwd=str(tmp_path))
        assert local_provisioner.launch_kernel is started_by_others
        process = kernel.km.provisioner.process
        try:
            for source in (
                "import os, sys; known = {*sys.modules, *dir()}; mine = 1",
                PLOT,
                "'mine' in known",
            ):
                kernel.kc.execute_interactive(source, output_hook=messages.append, timeout=60)
        finally:
            kernel.stop()
        assert process.poll() is not None
    contents = [message["content"] for message in messages]
    printed = [content["text"] for content in contents if content.get("name") == "stdout"]
    assert printed == [f"True {tmp_path} True torch\n"] * 2
    results = [message["content"]["data"] for message in messages if message["msg_type"] == "execute_result"]
    assert [result["text/plain"] for result in results] == ["False"] * 2
    displays = [message["content"]["data"] for message in messages if message["msg_type"] == "display_data"]
    assert len(displays) == 2 and all("image/png" in data for data in displays)
