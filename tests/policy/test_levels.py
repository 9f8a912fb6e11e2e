"""The levels: five agents for each number of players, all from its shipped policy."""

from __future__ import annotations

import json
import shutil
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

import gymnasium
import numpy as np
import pytest

import kododo_env
from kododo_env import agent_registry, registry
from kododo_env.agent_registry import OUTCOMES_FILE, make_agent, policy_path, policy_tables
from kododo_env.arena.head_to_head import Match
from kododo_env.arena.tournament import Tournament
from kododo_env.levels import AS_IT_SHIPS, LEVELS, LEVELS_FILE, SEARCHING, WEAKER, levels
from kododo_env.policy.onnx_agent import OnnxAgent
from kododo_env.search.outcome_model import OutcomeModel
from kododo_env.search.search import SearchAgent
from kododo_env.table.factory import make_table
from tests.game_tables import TABLES


def test_they_were_measured_with_the_policies_that_ship() -> None:
    measured = json.loads(LEVELS_FILE.read_text("utf-8"))
    for name in policy_tables():
        digest = sha256(policy_path(name).read_bytes()).hexdigest()
        assert measured[name]["sha256"] == digest, f"{name} has changed: run make levels"


@pytest.mark.parametrize(("game", "players"), TABLES)
def test_they_are_apart_by_their_intervals(game: str, players: int) -> None:
    """Up to the policy; games with search are few, so it is only shown to be no worse."""
    shares = {name: level["share"] for name, level in levels(game, players).items()}
    assert tuple(shares) == LEVELS
    for weaker, stronger in pairwise((*WEAKER, AS_IT_SHIPS)):
        assert shares[weaker]["high"] < shares[stronger]["low"]
    assert shares[AS_IT_SHIPS]["mean"] == pytest.approx(1 / players, abs=0.03)
    assert (shares[SEARCHING]["high"] or 1.0) > 1 / players - 1e-9


@pytest.mark.parametrize(("game", "players"), TABLES)
def test_all_play_by_the_policy(game: str, players: int) -> None:
    agents = {name: make_agent(name, game, players) for name in LEVELS}
    assert [agent.name for agent in agents.values()] == list(LEVELS)
    search = agents.pop(SEARCHING)
    assert isinstance(search, SearchAgent)
    assert search.budget.milliseconds == 500
    heated = [*agents.values(), search.policy]
    assert {agent.path for agent in heated} == {policy_path(f"{game}-{players}p")}
    *temperatures, last, searched = [agent.temperature for agent in heated]
    assert temperatures == sorted(temperatures, reverse=True)
    assert last == searched == OnnxAgent(heated[0].path).temperature < temperatures[-1]


def test_they_sit_wherever_agents_are_named() -> None:
    position = make_table("kododo", 3, ["level-2"], hints="level-1").talk(0, {"type": "look"})[0][0]
    assert [player["name"] for player in position["players"][1:]] == ["level-2", "level-2"]
    agents = ("level-1", "search:level-1:4", "heuristic")
    loaded = Tournament("kado", agents, 2, games=40).load_agents()
    assert [agent.name for agent in loaded] == list(agents)
    assert Match("level-1", "level-4", "kododo", 2, games=400).play().share.mean < 0.3
    env = gymnasium.make(kododo_env.kododo_v0.GYMNASIUM_ID, num_players=2, opponents="level-3")
    _, info = env.reset(seed=0)
    env.step(env.action_space.sample(info["action_mask"]))


@pytest.mark.parametrize(
    ("name", "players", "message"),
    [
        ("level-6", 4, "unknown level 'level-6'"),
        ("level-1", None, "level-1 needs the number of players"),
        ("level-1", 9, "kododo with 9 players has no levels"),
    ],
)
def test_a_level_that_is_none_is_rejected(name: str, players: int | None, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_agent(name, "kododo", players)


def test_a_file_may_be_called_as_levels_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A contest rejected such a bot, because only levels 1 to 5 exist."""
    monkeypatch.chdir(tmp_path)
    shutil.copyfile(policy_path("kododo-2p"), "level-best.onnx")
    Path("level-up.py").write_text("def act(view, rng):\n    return 0\n")
    assert make_agent("level-best.onnx", "kododo", 2).name == "level-best"
    assert make_agent("level-up.py:act", "kododo", 2).name.startswith("level-up")


def test_what_is_of_another_file_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    outcomes = json.loads(OUTCOMES_FILE.read_text("utf-8"))
    outcomes["kododo-2p"]["sha256"] = "that of another policy"
    monkeypatch.setattr(agent_registry, "_outcomes", lambda: outcomes)
    assert agent_registry.load("kododo-2p").outcome_weights is None  # type: ignore[attr-defined]


def test_a_level_that_is_not_measured_yet_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    measured = levels("kododo", 2)
    del measured[SEARCHING]
    monkeypatch.setattr(agent_registry, "levels", lambda *_: measured)
    with pytest.raises(ValueError, match="kododo-2p has no level-5 yet"):
        make_agent(SEARCHING, "kododo", 2)


def test_searches_bring_what_would_be_fitted_again() -> None:
    outcomes = json.loads(OUTCOMES_FILE.read_text("utf-8"))
    for name, (game, players) in policy_tables().items():
        digest = sha256(policy_path(name).read_bytes()).hexdigest()
        assert outcomes[name]["sha256"] == digest, f"{name} has changed: run make levels"
        search = make_agent(SEARCHING, game, players)
        assert isinstance(search, SearchAgent)
        np.testing.assert_array_equal(search.policy.outcome_weights, outcomes[name]["weights"])
    shortest = registry.batch_game("combi_combo", 1, num_players=4)
    fitted = OutcomeModel(OnnxAgent(policy_path("combi_combo-4p")), shortest).weights
    np.testing.assert_allclose(outcomes["combi_combo-4p"]["weights"], fitted, rtol=1e-3, atol=1e-3)
