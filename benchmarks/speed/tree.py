"""One tree whose package is measured, in a process of its own, by the benchmarks of this one."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self

import kododo_env
from benchmarks.speed.figures import LeftOut, Sample
from benchmarks.speed.parts import all_benches

ROOT = Path(__file__).parents[2]
BENCHMARKS = Path("benchmarks", "speed")


class Tree:
    """The benchmarks, running in a process of their own on the package of one tree.

    Args:
        folder: The tree's.
    """

    def __init__(self, folder: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "benchmarks.speed.tree"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=folder,
            env={**os.environ, "PYTHONPATH": str(folder), "OMP_NUM_THREADS": "1"},
        )  # fmt: skip
        found = Path(self._said("its package"))
        if not found.is_relative_to(folder.resolve()):
            raise RuntimeError(f"{folder} was to be measured, and {found} was found")

    def sample(self, name: str) -> dict[str, float]:
        """Measure something once.

        Raises:
            LeftOut: This tree cannot do it.
        """
        assert self._process.stdin is not None
        self._process.stdin.write(f"{name}\n")
        self._process.stdin.flush()
        found = json.loads(self._said(name))
        if "left out" in found:
            raise LeftOut(found["left out"])
        return dict(found)

    def _said(self, asked: str) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise ChildProcessError(f"the process that measures ended: {asked}")
        return line.rstrip("\n")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()


def work() -> None:
    """Measure what the lines of the standard input name, until there are no more."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever is printed is no answer
    print(Path(kododo_env.__file__).resolve(), file=answers, flush=True)
    benches, made = {bench.name: bench for bench in all_benches()}, dict[str, Sample]()
    for line in sys.stdin:
        bench = benches[line.rstrip("\n")]
        try:
            if bench.name not in made:
                made.clear()  # what was measured before is done with
                made[bench.name] = bench.make()
                if bench.most > 1:
                    made[bench.name]()
            answer: dict[str, Any] = made[bench.name]()
        except Exception as error:  # an older tree may lack anything
            answer = {"left out": f"{type(error).__name__}: {error}".splitlines()[0]}
        print(json.dumps(answer), file=answers, flush=True)


@contextmanager
def tree_of(rev: str) -> Iterator[Path]:
    """A folder with a revision's files, and the benchmarks of this tree.

    Raises:
        ValueError: There is no such revision.
    """
    git = ["git", "-C", str(ROOT), "archive", "--format=tar", rev]
    done = subprocess.run(git, capture_output=True, check=False)
    if done.returncode:
        raise ValueError(f"git knows no revision {rev!r}: {done.stderr.decode().strip()}")
    with TemporaryDirectory(prefix="bench-compare-") as folder:
        with tarfile.open(fileobj=io.BytesIO(done.stdout)) as files:
            files.extractall(folder, filter="data")
        there = Path(folder).resolve()
        shutil.rmtree(there / BENCHMARKS, ignore_errors=True)
        shutil.copytree(ROOT / BENCHMARKS, there / BENCHMARKS)
        yield there


if __name__ == "__main__":
    work()
