"""`make bench`: every figure of BENCHMARKS.md, each made by a command of its own.

`python -m benchmarks --store` keeps them, and `make sync` then writes them there.
"""

import runpy
import sys

from tools.figures import QUOTES

if __name__ == "__main__":
    keep = sys.argv[1:]
    for name in (*QUOTES, "efficient"):
        sys.stdout.write(f"\n$ python -m benchmarks.{name}\n")
        sys.stdout.flush()
        sys.argv[1:] = keep if name in QUOTES else []
        runpy.run_module(f"benchmarks.{name}", run_name="__main__")
