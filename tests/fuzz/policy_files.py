"""Policy files that are damaged, or made by somebody who means no good."""

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
from kododo_env.arena.duplicates import play
from kododo_env.core.batch_game import BatchGame
from kododo_env.policy.metadata import KEY
from kododo_env.policy.onnx_agent import OnnxAgent
from kododo_env.policy.policy_file import sealed
from tests.doors import TABLES
from tests.fuzz import graphs
from tests.fuzz.expected import ACCEPTED, REFUSED, Wrong, refuses
from tests.fuzz.odd import byte_edits, edited_bytes, edited_json, json_edits

SEAL = len(sealed(b""))  # bytes of a digest
SHIPPED = ("kododo-2p", "combi_combo-4p", "kado-2p")


# What a link may lead to that is no file; tests/policy/test_policy_files.py has more.
SPECIAL = (
    "/dev/zero", "/dev/null", "/dev/urandom", "/dev/tty", "/proc/self/mem", "/proc/self/maps", ".",
    "p.onnx", "nothing",
)  # fmt: skip


def generate(rng: Random) -> dict[str, Any]:
    """A file to begin with, and what is wrong with it; in most the digest fits all the same."""
    how = rng.choice(
        ("bytes", "bytes", "metadata", "metadata", "graph", "nodes", "nodes", "special")
    )
    if how == "special":
        return {"special": rng.choice(SPECIAL)}
    game, players = rng.choice(TABLES)
    given: dict[str, Any] = {"game": game, "players": players}
    if how == "nodes" or (how == "bytes" and rng.random() < 0.7):
        given["shipped"] = rng.choice(SHIPPED)
    if how == "bytes":
        return {**given, "bytes": byte_edits(rng), "sealed": rng.random() < 0.5}
    if how == "metadata":
        return {**given, "metadata": json_edits(rng, depth=3)}
    if how == "nodes":
        return {**given, "nodes": graphs.node_edits(rng)}
    return {**given, "graph": graphs.generated(rng)}


def content_of(given: dict[str, Any]) -> bytes:
    """The file."""
    if "shipped" in given:
        content = (POLICIES / f"{given['shipped']}.onnx").read_bytes()
    else:
        graph = given.get("graph", {"trick": "none"})
        model = graphs.model_of(given["game"], given["players"], graph)
        if "metadata" in given:
            found = json.loads(model.metadata_props[0].value)
            helper.set_model_props(model, {KEY: edited_json(found, given["metadata"])})
        content = sealed(model.SerializeToString())
    if "nodes" in given:
        model = onnx.load_from_string(content)
        graphs.edit_nodes(model.graph, given["nodes"])
        del model.metadata_props[1:]
        content = sealed(model.SerializeToString())
    edits = given.get("bytes", [])
    if given.get("sealed"):
        return sealed(edited_bytes(content[:-SEAL], edits))
    return edited_bytes(content, edits)


def check(given: dict[str, Any], base: Path) -> str:
    """It is refused, or plays a whole game; damaged in its bytes it is refused."""
    path = Path("p.onnx")
    if "special" in given:
        path.symlink_to(given["special"])
    else:
        path.write_bytes(content_of(given))
    agents: list[OnnxAgent] = []
    if refuses(lambda: agents.append(OnnxAgent(path))):
        return REFUSED
    if "special" in given:
        raise Wrong("something that is no file was taken for a policy")
    if not given.get("sealed", True) and content_of(given) != content_of({**given, "bytes": []}):
        raise Wrong("a damaged policy was taken")
    return _played(*agents)


def _played(agent: OnnxAgent) -> str:
    """How far an agent comes in the game that its file names."""
    made: list[BatchGame] = []
    if refuses(lambda: made.append(game_of(agent.metadata))):
        return "no such rules"
    game = made[0].fresh(3, 0)
    if refuses(lambda: agent.check(game)):
        return "no such game"
    decks, rng = game.sample_decks(3, np.random.default_rng(0)), np.random.default_rng(0)
    if refuses(lambda: play([agent] * game.num_players, game, decks, rng)):
        return "refused in play"
    return ACCEPTED
