"""Run the benchmarks of this tree in another process, with the package of any tree."""

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
from benchmarks.speed.figures import Sample, SkippedBench
from benchmarks.speed.parts import all_benches

ROOT = Path(__file__).parents[2]
BENCHMARKS = Path("benchmarks", "speed")


class Tree:
    """A process that runs the benchmarks with the package of one tree.

    Args:
        folder: The root of the tree.
    """

    def __init__(self, folder: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "benchmarks.speed.tree"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=folder,
            env={**os.environ, "PYTHONPATH": str(folder), "OMP_NUM_THREADS": "1"},
        )  # fmt: skip
        package = Path(self._response("its package"))
        if not package.is_relative_to(folder.resolve()):
            raise RuntimeError(f"expected the package of {folder}, got {package}")

    def sample(self, name: str) -> dict[str, float]:
        """Take one sample of a benchmark.

        Raises:
            SkippedBench: The tree cannot run the benchmark.
        """
        assert self._process.stdin is not None
        self._process.stdin.write(f"{name}\n")
        self._process.stdin.flush()
        response = json.loads(self._response(name))
        if "left out" in response:
            raise SkippedBench(response["left out"])
        return dict(response)

    def _response(self, request: str) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise ChildProcessError(f"the benchmark process ended at the request for {request}")
        return line.rstrip("\n")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()


def work() -> None:
    """Run the benchmark that each line of the standard input names; print its result as JSON."""
    responses = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # printed text must not mix with responses
    print(Path(kododo_env.__file__).resolve(), file=responses, flush=True)
    benches = {bench.name: bench for bench in all_benches()}
    samples: dict[str, Sample] = {}
    for line in sys.stdin:
        bench = benches[line.rstrip("\n")]
        try:
            if bench.name not in samples:
                samples.clear()  # frees the previous benchmark's memory
                samples[bench.name] = bench.make()
                if bench.max_rounds > 1:
                    samples[bench.name]()
            response: dict[str, Any] = samples[bench.name]()
        except Exception as error:  # an older tree may lack anything
            response = {"left out": f"{type(error).__name__}: {error}".splitlines()[0]}
        print(json.dumps(response), file=responses, flush=True)


@contextmanager
def tree_of(rev: str) -> Iterator[Path]:
    """Yield a temporary folder with the files of a revision and the benchmarks of this tree.

    Raises:
        ValueError: The revision is unknown.
    """
    git = ["git", "-C", str(ROOT), "archive", "--format=tar", rev]
    done = subprocess.run(git, capture_output=True, check=False)
    if done.returncode:
        raise ValueError(f"unknown revision {rev!r}: {done.stderr.decode().strip()}")
    with TemporaryDirectory(prefix="bench-compare-") as folder:
        with tarfile.open(fileobj=io.BytesIO(done.stdout)) as files:
            files.extractall(folder, filter="data")
        tree = Path(folder).resolve()
        shutil.rmtree(tree / BENCHMARKS, ignore_errors=True)
        shutil.copytree(ROOT / BENCHMARKS, tree / BENCHMARKS)
        yield tree


if __name__ == "__main__":
    work()
