"""The parts that need only numpy: games, scripted players, policies and pictures."""

from __future__ import annotations

import json
from importlib.metadata import distribution
from pathlib import Path

import pytest

from kododo_env.agent_registry import shipped
from kododo_env.held_out import held_out_policies
from tests.game_tables import TABLES
from tests.packaging.bare_environment import fresh, output_of

# A game of copies of each scripted player, with a picture of the start and of the end.
PLAY = """
import json
from importlib.metadata import distributions
import kododo_env
import numpy as np
from kododo_env import make_agent, registry
from kododo_env.agent_registry import scripted
from kododo_env.core.agent import joint_action

found = []
for name in registry.ENVIRONMENT_MODULES:
    for players in registry.environment_module(name).PLAYERS:
        for agent in scripted(name):
            game = registry.batch_game(name, 3, 0, num_players=players)
            rng = np.random.default_rng(0)
            pictures = [registry.picture_of(game).svg(0, 0)]
            while not game.terminated.all():
                game.step(joint_action([make_agent(agent, name)] * players, game, rng))
            pictures += [registry.picture_of(game).svg(2), registry.picture_of(game).text(2)]
            found.append([name, players, agent, game.scores.tolist(), pictures])
missing = []
for make in (kododo_env.kododo_v0.parallel_env, kododo_env.kado_v0.env):
    try:
        make()
    except ImportError as error:
        missing.append(str(error))
print(json.dumps([[each.name for each in distributions()], missing, found]))
"""
POLICIES = """
import kododo_env
import numpy as np
from kododo_env import registry
from kododo_env.agent_registry import shipped
from kododo_env.held_out import held_out_policies
from kododo_env.core.agent import joint_action

for name in (*shipped(), *held_out_policies()):
    agent, rng = kododo_env.load(name), np.random.default_rng(0)
    game = registry.batch_game(agent.game, 4, 0, num_players=agent.num_players)
    assert np.allclose(agent.probabilities(game.view(0)).sum(axis=1), 1)
    assert agent.value(game.view(0)).shape == (4,)
    while not game.terminated.all():
        game.step(joint_action([agent] * agent.num_players, game, rng))
    print(name)
"""

SEARCHES = """
import numpy as np
from kododo_env import make_agent, registry

for name, policy in (("kododo", "kododo-4p"), ("kado", "kado-2p"), ("combi_combo", "heuristic")):
    game = registry.batch_game(name, 2, 0, num_players=2 if name == "kado" else 4)
    for kind in ("search", "flat"):
        agent = make_agent(f"{kind}:{policy}:4", name)
        for player in range(2):
            chosen = agent.act(game.view(player), np.random.default_rng(0))
            assert game.legal_action_mask()[[0, 1], player, chosen].all()
        print(agent.name)
"""


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of a fresh environment with this one's numpy."""
    return fresh(tmp_path_factory.mktemp("alone") / "venv", [distribution("numpy")])


def test_games_scripted_players_and_pictures(python: Path) -> None:
    """``import kododo_env`` wanted Gymnasium and PettingZoo, and so did every environment
    module."""
    installed, missing, played = json.loads(output_of(python, "-c", PLAY))
    # The checkout, if an editable installation added it.
    assert {*installed} <= {"numpy", "kododo-env"}
    assert missing == 2 * ["kododo_env.wrappers needs gymnasium: pip install kododo-env"]
    assert {(game, players) for game, players, *_ in played} == {*TABLES}
    assert {"random", "heuristic"} <= {agent for *_, agent, _, _ in played}
    assert all(picture.startswith("<svg") for *_, pictures in played for picture in pictures[:2])


def test_policies_play(python: Path) -> None:
    """``load`` said that it needed onnxruntime."""
    assert output_of(python, "-c", POLICIES).split() == [*shipped(), *held_out_policies()]


def test_searches_play(python: Path) -> None:
    """They fitted their model of outcomes by scipy."""
    assert len(output_of(python, "-c", SEARCHES).split()) == 6


def test_a_gymnasium_that_cannot_be_imported_is_nobodys_concern(
    python: Path, tmp_path: Path
) -> None:
    """As it is with another numpy than it was made for."""
    (tmp_path / "gymnasium.py").write_text("raise RuntimeError('made for another numpy')\n")
    path = Path(f"{tmp_path}:{Path(__file__).parents[2]}")
    code = """
import kododo_env
for _ in range(2):
    try:
        import gymnasium
    except RuntimeError as error:
        print(error, kododo_env.kado_v0.batch_game(1).name)
"""
    assert output_of(python, "-c", code, path=path) == 2 * "made for another numpy kado\n"
