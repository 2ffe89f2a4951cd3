"""The chapters' kernels under nbval, forked from one process that has imported what every chapter imports.

A kernel that is started afresh takes some eight seconds of processor for its imports, a forked one less than one.
"""

import contextlib
import multiprocessing
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path
from typing import Any
from unittest.mock import patch

from IPython.core.interactiveshell import InteractiveShell
from jupyter_client.provisioning import local_provisioner
from nbval import plugin
from nbval.kernel import RunningKernel

# The first lets MXNet be imported. pyplot is left out, since it looks for a running kernel when it is imported.
IMPORTED = ["autograder.frameworks.libraries", "torch", "mxnet", "matplotlib.figure", "ipykernel.kernelapp"]
# Matplotlib reads it when it is imported; a kernel that starts afresh sets it before.
BACKEND = {"MPLBACKEND": "module://matplotlib_inline.backend_inline"}


class Kernel:
    """A forked kernel, with what jupyter_client asks of a `subprocess.Popen`."""

    stdin = stdout = stderr = None

    def __init__(self, process: ForkServerProcess) -> None:
        self._process = process
        self.pid = process.pid
        self.kill, self.terminate = process.kill, process.terminate

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self) -> int | None:
        self._process.join()
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        os.kill(self.pid, number)


class ForkedKernel(RunningKernel):
    """A kernel of nbval that is forked. Those that tests start for themselves stay what they are."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        with patch.object(local_provisioner, "launch_kernel", launch):
            super().__init__(*arguments, **options)


def fork_kernels() -> None:
    """Have nbval fork the kernels that it starts in this process from now on."""
    plugin.RunningKernel = ForkedKernel


def warm_context() -> ForkServerContext:
    """Return the context whose processes are forked from one with all imports; it is started if it does not run yet."""
    multiprocessing.set_forkserver_preload(IMPORTED)
    with patch.dict(os.environ, BACKEND):
        forkserver.ensure_running()
    return multiprocessing.get_context("forkserver")


def launch(command: list[str], cwd: str, env: Mapping[str, str], **_: object) -> Kernel:
    """In place of jupyter_client's own: start the kernel of a command `python -m ipykernel_launcher -f FILE …`."""
    context = warm_context()
    begun, begins = context.Pipe(duplex=False)
    process = context.Process(target=run, args=(command[3:], cwd, dict(env), begins), daemon=True)
    process.start()
    begun.recv()
    return Kernel(process)


def run(arguments: list[str], cwd: str, env: dict[str, str], begins: Connection) -> None:
    """Be a kernel, in a process group of its own: jupyter_client asks for the group, to end all of it."""
    from ipykernel import kernelapp

    os.setsid()
    begins.send(True)
    os.chdir(cwd)
    os.environ.update(env)  # and what the imports have set stays, such as the backend of Keras
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    kernelapp.launch_new_instance(arguments)


def printed_by(folder: Path, *cells: str) -> str:
    """Run cells by IPython in a folder and in a forked process of their own; return what they print."""
    context = warm_context()
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as output:
        process = context.Process(target=run_cells, args=(folder, cells, output.name))
        process.start()
        process.join()
        text = output.read()
    assert process.exitcode == 0, text
    return text


def run_cells(folder: Path, cells: Sequence[str], output: str) -> None:
    """Be a process in which cells are run, as a kernel runs them; what they print is written to a file."""
    os.chdir(folder)
    sys.path.insert(0, "")
    with Path(output).open("w", encoding="utf-8") as stream, contextlib.redirect_stdout(stream):
        shell = InteractiveShell.instance()
        for cell in cells:
            assert shell.run_cell(cell).success
