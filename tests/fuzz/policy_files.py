"""Damaged and malicious policy files."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import onnx
from onnx import helper

from agents.export.policy_weights import game_of
from kododo_env.agent_registry import POLICIES
from kododo_env.arena.match import play
from kododo_env.core.batch_game import BatchGame
from kododo_env.policy.metadata import KEY
from kododo_env.policy.onnx_agent import OnnxAgent
from kododo_env.policy.policy_file import sealed
from tests.fuzz import graphs
from tests.fuzz.odd_values import byte_edits, edited_bytes, edited_json, json_edits
from tests.fuzz.promises import ACCEPTED, REFUSED, FaultFound, refuses
from tests.game_tables import TABLES

SEAL = len(sealed(b""))  # bytes of a digest
SHIPPED = ("kododo-2p", "combi_combo-4p", "kado-2p")


# Targets of links that are not regular files; tests/policy/test_policy_files.py has more.
SPECIAL = (
    "/dev/zero", "/dev/null", "/dev/urandom", "/dev/tty", "/proc/self/mem", "/proc/self/maps", ".",
    "p.onnx", "nothing",
)  # fmt: skip


def generate(rng: Random) -> dict[str, Any]:
    """Return a file and its damage; mostly with a valid digest."""
    how = rng.choice(
        ("bytes", "bytes", "metadata", "metadata", "graph", "nodes", "nodes", "special")
    )
    if how == "special":
        return {"special": rng.choice(SPECIAL)}
    game, players = rng.choice(TABLES)
    case: dict[str, Any] = {"game": game, "players": players}
    if how == "nodes" or (how == "bytes" and rng.random() < 0.7):
        case["shipped"] = rng.choice(SHIPPED)
    if how == "bytes":
        return {**case, "bytes": byte_edits(rng), "sealed": rng.random() < 0.5}
    if how == "metadata":
        return {**case, "metadata": json_edits(rng, depth=3)}
    if how == "nodes":
        return {**case, "nodes": graphs.node_edits(rng)}
    return {**case, "graph": graphs.generated(rng)}


def content_of(case: dict[str, Any]) -> bytes:
    """Return the content of the file."""
    if "shipped" in case:
        content = (POLICIES / f"{case['shipped']}.onnx").read_bytes()
    else:
        graph = case.get("graph", {"trick": "none"})
        model = graphs.model_of(case["game"], case["players"], graph)
        if "metadata" in case:
            metadata = json.loads(model.metadata_props[0].value)
            helper.set_model_props(model, {KEY: edited_json(metadata, case["metadata"])})
        content = sealed(model.SerializeToString())
    if "nodes" in case:
        model = onnx.load_from_string(content)
        graphs.edit_nodes(model.graph, case["nodes"])
        del model.metadata_props[1:]
        content = sealed(model.SerializeToString())
    edits = case.get("bytes", [])
    if case.get("sealed"):
        return sealed(edited_bytes(content[:-SEAL], edits))
    return edited_bytes(content, edits)


def check(case: dict[str, Any], base: Path) -> str:
    """Check that a file is rejected or plays a whole game, and that damaged bytes are rejected."""
    path = Path("p.onnx")
    if "special" in case:
        path.symlink_to(case["special"])
    else:
        path.write_bytes(content_of(case))
    agents: list[OnnxAgent] = []
    if refuses(lambda: agents.append(OnnxAgent(path))):
        return REFUSED
    if "special" in case:
        raise FaultFound("something that is no file was taken for a policy")
    if not case.get("sealed", True) and content_of(case) != content_of({**case, "bytes": []}):
        raise FaultFound("a damaged policy was taken")
    return _played(*agents)


def _played(agent: OnnxAgent) -> str:
    """Return how far an agent gets in the game that its file names."""
    games: list[BatchGame] = []
    if refuses(lambda: games.append(game_of(agent.metadata))):
        return "no such rules"
    game = games[0].fresh(3, 0)
    if refuses(lambda: agent.check(game)):
        return "no such game"
    decks = game.sample_decks(3, np.random.default_rng(0))
    rng = np.random.default_rng(0)
    if refuses(lambda: play([agent] * game.num_players, game, decks, rng)):
        return "refused in play"
    return ACCEPTED
