"""Time and memory of exact attention against sequence length: `python -m benchmarks.efficient`.

Seven ways, all equal in value: from `solutions/efficient` the plain form, tiles over the keys, and tiles over queries
and keys ("blocks"), in PyTorch and in MXNet; and PyTorch's own `scaled_dot_product_attention`. On one thread, without
gradients.

Time is the median over several rounds. In each round every way is called once, in turn, so that
other load on the machine affects all of them alike.

Memory is how much one call raises the peak of a process's resident memory, as the system
reports it (`getrusage`). Each figure comes from a process of its own, forked from one that has imported the
frameworks and done nothing else; before the call that counts it calls the same way once on a few keys,
and makes the inputs. The inputs are not part of the figure; the result is. Memory that an allocator asked
for and never touched is not resident, and so does not count.

With a CUDA device PyTorch's ways run there as well, in rows of their own; their memory is
`torch.cuda.max_memory_allocated` above what was allocated before the call.
"""

import argparse
import importlib
import json
import multiprocessing
import resource
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np

from autograder.frameworks.libraries import installed_versions, mx, torch

BATCH, WIDTH = 4, 64  # sequences, or heads, at a time; numbers in a query, a key and a value
LENGTHS = (256, 512, 1024, 2048, 4096)
TILE = 128
FEW = 8
MEBIBYTE = 1 << 20
# The first prepares the frameworks, the others import them; one that is missing is passed over.
PRELOAD = ["autograder.frameworks.libraries", "solutions.efficient.in_torch", "solutions.efficient.in_mxnet"]

# A call that is ready to be made, and returns when its result is there.
Call = Callable[[], object]


@dataclass(frozen=True)
class Measurement:
    """One way at one length. time: seconds; memory: bytes."""

    way: str
    length: int
    time: float
    memory: int


def inputs(length: int) -> list[np.ndarray]:
    """Return queries, keys and values, the same on every run, made without temporary arrays."""
    random = np.random.default_rng(length)
    return [random.standard_normal((BATCH, length, WIDTH), dtype=np.float32) for _ in range(3)]


def _torch(function: Callable[..., Any], length: int, device: str = "cpu") -> Call:
    arrays = [torch.from_numpy(array).to(device) for array in inputs(length)]

    def call() -> None:
        with torch.inference_mode():
            function(*arrays)
        if device != "cpu":
            torch.cuda.synchronize()

    return call


def _built_in(queries: Any, keys: Any, values: Any) -> Any:
    # Its fast paths need an axis of heads.
    return torch.nn.functional.scaled_dot_product_attention(queries[None], keys[None], values[None])[0]


def _mxnet(name: str, length: int, **settings: int) -> Call:
    from solutions.efficient import in_mxnet

    assert mx is not None
    numpy_arrays = inputs(length)
    arrays = [mx.nd.array(array) for array in numpy_arrays]

    def call() -> None:
        # Keep the NumPy arrays: a call could use their freed memory, which would not be counted.
        assert numpy_arrays
        getattr(in_mxnet, name)(*arrays, **settings).wait_to_read()

    return call


def ways(tile: int = TILE, devices: Sequence[str] = ("cpu",)) -> dict[str, Callable[[int], Call]]:
    """Return by the name of each way what makes the call for a length. A framework that is missing has none."""
    makers: dict[str, Callable[[int], Call]] = {}
    for device in devices if torch is not None else ():
        from solutions.efficient import in_torch

        where = "" if device == "cpu" else f" on {device.upper()}"
        for name, function in (
            ("plain", in_torch.plain_attention),
            ("tiles", partial(in_torch.tiled_attention, tile=tile)),
            ("blocks", partial(in_torch.block_attention, rows=tile, tile=tile)),
            ("built in", _built_in),
        ):
            makers[f"PyTorch {name}{where}"] = partial(_torch, function, device=device)
    if mx is not None:
        makers["MXNet plain"] = partial(_mxnet, "plain_attention")
        makers["MXNet tiles"] = partial(_mxnet, "tiled_attention", tile=tile)
        makers["MXNet blocks"] = partial(_mxnet, "block_attention", rows=tile, tile=tile)
    return makers


def times(calls: dict[str, Call], repeats: int) -> dict[str, float]:
    """Return the median time of each call, in seconds; the calls take turns."""
    measured: dict[str, list[float]] = {name: [] for name in calls}
    for call in calls.values():
        call()
    for _ in range(repeats):
        for name, call in calls.items():
            start = time.perf_counter()
            call()
            measured[name].append(time.perf_counter() - start)
    return {name: statistics.median(seconds) for name, seconds in measured.items()}


def _peak_memory() -> int:
    """Return the most resident memory that this process has had, in bytes."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def peak_increase(way: str, length: int, tile: int) -> int:
    """Return how much one call raises the peak memory, in bytes. Runs in a process of its own."""
    make = ways(tile)[way]
    make(FEW)()
    call = make(length)
    before = _peak_memory()
    call()
    return _peak_memory() - before


def memory(way: str, length: int, tile: int = TILE) -> int:
    """Return the memory that a way takes at a length, in bytes."""
    if way.endswith("CUDA"):
        call = ways(tile, ("cuda",))[way](length)
        call()
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        call()
        return int(torch.cuda.max_memory_allocated() - before)
    fresh = multiprocessing.get_context("forkserver")
    # Nothing but imports happens in the process that the others are forked from.
    fresh.set_forkserver_preload(PRELOAD)
    # By the module's own name, whatever name it runs under here.
    increase = importlib.import_module("benchmarks.efficient").peak_increase
    with ProcessPoolExecutor(1, mp_context=fresh) as process:
        return int(process.submit(increase, way, length, tile).result())


def measure(
    lengths: Sequence[int] = LENGTHS, repeats: int = 7, tile: int = TILE, framework: str = ""
) -> list[Measurement]:
    """Return time and memory of every way at every length; of one framework, if it is named."""
    makers = ways(tile, ("cpu", "cuda") if torch is not None and torch.cuda.is_available() else ("cpu",))
    makers = {name: make for name, make in makers.items() if framework in name.lower()}
    rows = []
    for length in lengths:
        medians = times({name: make(length) for name, make in makers.items()}, repeats)
        rows += [Measurement(name, length, medians[name], memory(name, length, tile)) for name in makers]
    return rows


def table(rows: Sequence[Measurement]) -> str:
    """Return milliseconds, times as fast as the plain form, and mebibytes, as a Markdown table."""
    lines = [
        "| way | keys | time, ms | plain form's time / this | memory, MiB |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    plain = {(row.way, row.length): row.time for row in rows}
    for row in rows:
        framework, _, where = row.way.partition(" ")
        other = f"{framework} plain{' on CUDA' if where.endswith('CUDA') else ''}"
        ratio = plain[other, row.length] / row.time
        lines.append(
            f"| {row.way} | {row.length} | {1000 * row.time:.2f} | {ratio:.2f} | {row.memory / MEBIBYTE:.1f} |"
        )
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table, or the rows as JSON."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.efficient", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--lengths", type=int, nargs="+", default=LENGTHS, metavar="N")
    parser.add_argument(
        "--repeats", type=int, default=7, metavar="N", help="rounds of which the median is taken"
    )
    parser.add_argument("--tile", type=int, default=TILE, metavar="N", help="keys that are read at a time")
    parser.add_argument("--framework", choices=("torch", "mxnet"), default="", help="the only one")
    parser.add_argument("--json", action="store_true", help="print rows as JSON, in seconds and bytes")
    options = parser.parse_args(arguments)
    if min([*options.lengths, options.repeats, options.tile]) < 1:
        parser.error("lengths, repeats and tile must be at least 1.")
    rows = measure(options.lengths, options.repeats, options.tile, options.framework)
    if options.json:
        sys.stdout.write(json.dumps([asdict(row) for row in rows]) + "\n")
        return
    about = f"{BATCH} sequences, {WIDTH} numbers in a query, a key and a value, tiles of {options.tile} keys"
    sys.stdout.write(f"{installed_versions()}\n{about}\n\n{table(rows)}\n")


if __name__ == "__main__":
    main()
