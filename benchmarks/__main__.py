"""`make bench`: every figure that the README quotes, each made by a command of its own."""

import runpy
import sys

for name in ("checks", "speed", "scale", "graders", "efficient"):
    sys.stdout.write(f"\n$ python -m benchmarks.{name}\n")
    sys.stdout.flush()
    runpy.run_module(f"benchmarks.{name}", run_name="__main__")
