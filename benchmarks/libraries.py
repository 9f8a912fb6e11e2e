"""Measure how fast other libraries learn: ``python -m benchmarks.libraries [NAME ...]``.

Each library gets its own environment, in which ``library_curve.py`` trains the library's example
with three seeds, one after the other. docs/library_curves.json holds the results, from which
``docs/update_tables.py`` makes the table of docs/libraries.md. A library that cannot be installed
is skipped, and its row stays. A complete row is not trained again; delete it from the file to
repeat it.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from kododo_env.system.files import write_json
from tests.clients.libraries import CLIENTS, Client
from tests.clients.python_clients import EXAMPLES, ROOT, Skipped, make_environment, versions

PAGE = ROOT / "docs" / "library_curves.json"
CURVE = Path(__file__).with_name("library_curve.py")
SEEDS = 3


@dataclass(frozen=True)
class LibraryRun:
    """A row of the table.

    Attributes:
        name: The name of the row.
        learner: The algorithm, in a few words.
        library: The name of the client whose environment and example are used; None: train.py in
            this environment.
        options: Keyword arguments of the example's ``train``.
    """

    name: str
    learner: str
    library: str | None
    options: dict[str, Any] = field(default_factory=dict)


SB3 = "stable-baselines3"
KADO = {"game": "kado", "players": 3, "imitation": 1_000_000, "steps": 300_000}
COMBI_COMBO = {"game": "combi_combo", "players": 4}
MLP = {"policy": "MlpPolicy"}
RUNS = (
    LibraryRun("train.py", "imitation, then PPO", None),
    LibraryRun("train.py, from nothing", "PPO, network", None, {"recipe": "scratch"}),
    LibraryRun("CleanRL style", "PPO, network", "CleanRL style"),
    LibraryRun(SB3, "MaskablePPO, network", SB3),
    LibraryRun(f"{SB3}, canonical", "MaskablePPO, MlpPolicy", SB3, {**MLP, "canonical": True}),
    LibraryRun(f"{SB3}, plain", "MaskablePPO, MlpPolicy", SB3, MLP),
    LibraryRun("TorchRL", "PPO, network", "TorchRL"),
    LibraryRun("BenchMARL", "MAPPO", "BenchMARL"),
    LibraryRun("AgileRL", "PPO", "AgileRL"),
    LibraryRun("RLlib", "PPO", "RLlib"),
    LibraryRun("JAX", "PPO, canonical", "JAX"),
    LibraryRun("Tianshou", "Q-learning", "Tianshou"),
    LibraryRun(f"{SB3}, 9 M steps", "MaskablePPO, network", SB3, {"steps": 9_000_000}),
    LibraryRun("train.py, 9 M steps", "imitation, then PPO", None, {"steps": 9_000_000}),
    LibraryRun(f"{SB3}, Combi-Combo", "MaskablePPO, network", SB3, COMBI_COMBO),
    LibraryRun(f"{SB3}, KADO", "imitation, then MaskablePPO, network", SB3, KADO),
)


def measure(run: LibraryRun, environments: Path, seed: int) -> dict[str, Any]:
    """Train with one seed; return what library_curve.py writes."""
    if run.library is None:
        python = Path(sys.executable)
        example = Path(__file__).with_name("recipe_curve.py")
    else:
        client = client_of(run.library)
        python = make_environment(client, environments / client.example.removesuffix(".py"))
        example = EXAMPLES / client.example
    options = [f"--option={name}={json.dumps(option)}" for name, option in run.options.items()]
    with TemporaryDirectory() as folder:
        result = Path(folder) / "curve.json"
        command = [python, CURVE, example, f"--seed={seed}", f"--json={result}", *options]
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "MPLBACKEND": "Agg"}
        if run.library is None:
            environment["PYTHONPATH"] = str(ROOT)
        subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)
        curve: dict[str, Any] = json.loads(result.read_text())
    return curve


def client_of(library: str) -> Client:
    """Return the client of a library."""
    return next(client for client in CLIENTS if client.name == library)


def main() -> int:
    """Measure the requested rows, by default all; return 1 if an example fails, else 0."""
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", help="names of rows (default: all)")
    parser.add_argument("--environments", type=Path, default=ROOT / "runs" / "libraries")
    parser.add_argument("--page", type=Path, default=PAGE)
    arguments = parser.parse_args()
    unknown = set(arguments.names) - {run.name for run in RUNS}
    if unknown:
        names = ", ".join(run.name for run in RUNS)
        parser.error(f"unknown row {', '.join(sorted(unknown))}; choose from {names}")
    failures = 0
    for run in RUNS:
        if arguments.names and run.name not in arguments.names:
            continue
        try:
            complete(run, arguments.environments, arguments.page)
        except Skipped as reason:
            print(f"{run.name}: skipped, {reason}", flush=True)
        except subprocess.CalledProcessError as error:
            failures += 1
            print(f"{run.name}: FAILED\n{error.stderr.decode()[-4000:]}", flush=True)
    return int(failures > 0)


def complete(run: LibraryRun, environments: Path, page: Path) -> None:
    """Train with the seeds that the file lacks, and write each result to the file."""
    for seed in range(SEEDS):
        rows = json.loads(page.read_text()) if page.exists() else {}
        row = rows.get(run.name, {"seeds": []})
        if any(curve["seed"] == seed for curve in row["seeds"]):
            continue
        curve = measure(run, environments, seed)
        rows = json.loads(page.read_text()) if page.exists() else {}  # others may add rows
        row = rows.get(run.name, {"seeds": []})
        row |= {"learner": run.learner, "library": run.library, "options": run.options}
        row["versions"] = versions_of(run, environments)
        row["seeds"] = sorted([*row["seeds"], curve], key=lambda curve: curve["seed"])
        rows[run.name] = row
        write_json(page, {run.name: rows[run.name] for run in RUNS if run.name in rows})
        print(f"{run.name}, seed {seed}: {curve['last']}", flush=True)


def versions_of(run: LibraryRun, environments: Path) -> dict[str, str]:
    """Return the versions of the library, and of torch for train.py."""
    if run.library is None:
        return versions(Path(sys.executable), ("torch",))
    client = client_of(run.library)
    python = make_environment(client, environments / client.example.removesuffix(".py"))
    return versions(python, client.installs)


if __name__ == "__main__":
    sys.exit(main())
