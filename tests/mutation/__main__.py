"""Mutation testing: make one change to the code at a time; each change must make a test fail.

    python -m tests.mutation                     all areas, mutants without a result
    python -m tests.mutation core kado           some areas
    python -m tests.mutation kado --only '*.x_open_cells*' '*_place__*'

The exit status is 1 if mutants survive that survivors.md does not list.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

from tests.mutation.areas import AREAS, prepare
from tests.mutation.survivors import report


def main() -> int:
    """Run the areas one after the other, then report the survivors."""
    parser = argparse.ArgumentParser(description="Mutation testing, area by area.")
    parser.add_argument("areas", nargs="*", metavar="AREA", help=f"default: {', '.join(AREAS)}")
    parser.add_argument(
        "--only", nargs="+", default=[], metavar="NAME", help="run only these mutants, again"
    )
    parser.add_argument("--jobs", type=int, default=1, help="number of mutants to run in parallel")
    parser.add_argument("--report", action="store_true", help="only report existing results")
    options = parser.parse_args()
    unknown = sorted(set(options.areas) - set(AREAS))
    if unknown:
        parser.error(f"unknown area {', '.join(unknown)}; choose from {', '.join(AREAS)}")
    areas = options.areas or list(AREAS)
    if not options.report:
        for name in areas:
            print(f"== {name}", flush=True)
            run(prepare(name), options.jobs, options.only)
    return report(areas)


def run(folder: Path, jobs: int, only: list[str]) -> None:
    """Call mutmut in the copy of an area."""
    command = [str(Path(sys.executable).with_name("mutmut")), "run", "--max-children", str(jobs)]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "MPLBACKEND": "Agg"}
    environment.pop("PYTHONPATH", None)  # it would import the original code instead of the mutants
    subprocess.run([*command, *only], cwd=folder, env=environment, check=True)


if __name__ == "__main__":
    sys.exit(main())
