"""Games played in two environments, compared by hashes of all that can be observed.

Runs here and, as text, in Pyodide, with only the package and numpy.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from kododo_env import registry
from kododo_env.agent_registry import policy_path
from kododo_env.bots.messages import to_json
from kododo_env.core.agent import RandomAgent, joint_action
from kododo_env.play.worker import LOOK, SharedDevice
from kododo_env.policy.onnx_agent import OnnxAgent
from kododo_env.table.factory import make_table


def games(game: str, players: int, number: int, seed: int) -> str:
    """Hash whole random games: observations, masks, rewards, scores and outcomes."""
    batch = registry.batch_game(game, number, seed, num_players=players)
    agents = [RandomAgent()] * players
    rng = np.random.default_rng(seed)
    digest = hashlib.sha256()
    while not batch.terminated.all():
        _add(digest, batch.observe(), batch.legal_action_mask())
        batch.step(joint_action(agents, batch, rng))
        _add(digest, batch.rewards, batch.scores)
    _add(digest, batch.observe(), batch.outcome())
    return digest.hexdigest()


def _add(digest: Any, *arrays: np.ndarray) -> None:
    for array in arrays:
        digest.update(f"{array.dtype.str}{array.shape}".encode())
        digest.update(np.ascontiguousarray(array).tobytes())


def choices(name: str, number: int) -> list[list[int]]:
    """Return a policy's actions in self-play at temperature 0, game by game."""
    policy = OnnxAgent(policy_path(name), temperature=0)
    batch = registry.batch_game(policy.game, number, 0, num_players=policy.num_players)
    agents = [policy] * policy.num_players
    rng = np.random.default_rng(0)
    played = []
    while not batch.terminated.all():
        played.append(joint_action(agents, batch, rng))
        batch.step(played[-1])
    chosen: list[list[int]] = np.concatenate(played, axis=1).tolist()
    return chosen


def messages(
    game: str, players: int, opponents: list[str], hints: str | None, seed: int
) -> dict[str, Any]:
    """Return a hash of all messages in a game at a table, and the numbers in its hints."""
    table = make_table(game, players, opponents, hints=hints, seed=seed)
    digest = hashlib.sha256()
    hint_numbers = []
    rng = np.random.default_rng(seed)
    replies = table.talk(0, {"type": "look"})[0]
    while replies[-1]["type"] != "record":
        for message in replies:
            hint_numbers += _numbers(message)
            digest.update(_named(to_json(message), opponents))
        replies = table.talk(0, _next(replies[-1], rng))[0]
    return {"said": digest.hexdigest(), "hints": hint_numbers}


def page(game: str, players: int, policy: str, seed: int) -> str:
    """Hash all messages of a page's worker in a game among copies of a policy."""
    table = SharedDevice(game, players, [policy], seed=seed)
    digest = hashlib.sha256()
    for lines in _played(table, seed):
        digest.update(_named("".join(lines), [policy]))
    return digest.hexdigest()


def looked_back(game: str, players: int, rules: list[str], seed: int) -> dict[str, Any]:
    """Return a page's analysis of a random game, under rules without a shipped policy."""
    table = SharedDevice(game, players, ["random"], rules=rules, seed=seed)
    for _ in _played(table, seed):
        pass
    lines = table.receive(json.dumps({"type": "analyse"}))
    while (last := json.loads(lines[-1]))["type"] == "analysing":
        lines = table.advance()
    analysis: dict[str, Any] = last
    return analysis


def _played(table: SharedDevice, seed: int) -> Iterator[list[str]]:
    """Return all messages of a page's worker in a game with a random person."""
    lines = table.receive(LOOK)
    rng = np.random.default_rng(seed)
    while True:
        yield lines
        last = json.loads(lines[-1])
        if last["over"]:
            return
        if last["actions"]:
            action = int(rng.choice(last["actions"])["action"])
            lines = table.receive(
                json.dumps({"type": "act", "step": last["step"], "action": action})
            )
        else:
            lines = table.advance()


def _named(text: str, opponents: list[str]) -> bytes:
    """Return a text with file names instead of paths; the command of a deal has the whole path."""
    for name in opponents:
        text = text.replace(name, Path(name).stem)
    return text.encode()


def _numbers(message: dict[str, Any]) -> list[float]:
    """Remove the numbers from a hint, since their last bits differ between platforms.

    The order of the actions stays.
    """
    if message["type"] != "hint":
        return []
    actions = message.pop("actions")
    message["best"] = actions[0]["action"]
    by_action = sorted(actions, key=lambda action: action["action"])
    rated = [action.get("probability", action.get("value")) for action in by_action]
    return [message.pop("value", 0.0), message.pop("chance", 0.0), *rated]


def _next(last: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    """Return the next message of a random person who sometimes asks for a hint."""
    if last["type"] == "hint":
        return {"type": "look"}
    if last["over"]:
        return {"type": "record"}
    if rng.random() < 0.3:
        return {"type": "hint", "step": last["step"]}
    action = rng.choice(last["actions"])["action"]
    return {"type": "act", "step": last["step"], "action": int(action)}


def all_of(text: str) -> str:
    """Return the results of calls as JSON: ``[["games", [...]], ["messages", [...]]]``."""
    calls = {
        function.__name__: function for function in (games, choices, messages, page, looked_back)
    }
    return json.dumps([calls[name](*arguments) for name, arguments in json.loads(text)])
