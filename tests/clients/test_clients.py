"""The examples run with the installed libraries; make test-clients runs the others."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.clients import __main__ as clients
from tests.clients import python_clients
from tests.clients.libraries import CLIENTS, Client

PAGE = (python_clients.ROOT / "docs" / "libraries.md").read_text()
# MaskablePPO with another game.
ANOTHER_GAME = replace(
    next(client for client in CLIENTS if client.name == "stable-baselines3"),
    name="another game",
    arguments=("--steps", "40000", "--games", "200", "--game", "combi_combo"),
    says="share among heuristics",
    learns=False,
)


@pytest.mark.parametrize("client", [*CLIENTS, ANOTHER_GAME], ids=lambda client: client.name)
def test_an_example_runs(client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not python_clients.is_here(client):
        pytest.skip(f"{client.installs[0]} is not installed here; make test-clients tries it")
    monkeypatch.setenv("PYTHONPATH", str(python_clients.ROOT))
    python_clients.run_example(client, sys.executable, tmp_path)


def test_the_page_tells_of_every_example_and_what_was_tried() -> None:
    tried = json.loads(clients.PAGE.read_text())
    assert list(tried) == list(clients.TRIALS)
    for name, facts in tried.items():
        assert f"\n## {name}\n" in PAGE
        assert PAGE.count(f"(examples/{facts['example']})") >= 2  # the table and the paragraph
        assert all(facts["versions"].values())
    for client in CLIENTS:
        assert tried[client.name]["example"] == client.example
        assert set(tried[client.name]["versions"]) == {*client.installs, "Python"}
    used = [set(facts.get("file", ())) for facts in tried.values()]
    assert sum({"measured", "played", "by numpy alone"} <= uses for uses in used) >= 6
    assert any("in Pyodide" in uses for uses in used)
