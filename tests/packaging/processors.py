"""Test numerical packages as on older processors: ``make test-processors``, by nox.

Libraries choose the order of sums by the instruction set of the processor, so the last bits of a
sum differ between machines, and no test may depend on them. Each session uses the environment that
runs nox.

    nox --noxfile tests/packaging/processors.py --sessions "processors(oldest)" -- tests/policy
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import nox

ROOT = Path(__file__).parents[2]
ROOMS = (
    "policy", "search", "export", "networks", "ppo", "arena", "release", "baselines",
    "pages/test_leaderboard.py",
)  # fmt: skip
OLD = {
    "haswell": {
        "OPENBLAS_CORETYPE": "Haswell", "ATEN_CPU_CAPABILITY": "avx2",
        "ONEDNN_MAX_CPU_ISA": "AVX2",
    },
    "oldest": {
        "OPENBLAS_CORETYPE": "Prescott", "ATEN_CPU_CAPABILITY": "default",
        "ONEDNN_MAX_CPU_ISA": "SSE41",
    },
}  # fmt: skip


def disabled(name: str) -> str:
    """Those of numpy's features on this processor that an older one has not."""
    code = "import numpy; numpy.show_runtime()"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    match = re.search(r"'found': \[(.*?)\]", result.stdout, re.DOTALL)
    features = re.findall(r"'(\w+)'", match[1]) if match else []
    newer = re.compile("512|V4" if name == "haswell" else "")
    return " ".join(filter(newer.search, features))


@nox.session(venv_backend="none")
@nox.parametrize("processor", [nox.param(name, id=name) for name in ("this", *OLD)])
def processors(session: nox.Session, processor: str) -> None:
    """The tests that are named, or those of all rooms that compute."""
    environment = {"OMP_NUM_THREADS": "1", "MPLBACKEND": "Agg", "PYTHONPATH": str(ROOT)}
    if processor in OLD:
        environment |= OLD[processor] | {"NPY_DISABLE_CPU_FEATURES": disabled(processor)}
    session.log(environment)
    session.chdir(ROOT)
    tests = session.posargs or [f"tests/{room}" for room in ROOMS]
    session.run(sys.executable, "-m", "pytest", "-q", "-n", "2", *tests, env=environment)
