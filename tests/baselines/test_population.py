"""The population: held-out opponents of three kinds, for validation and test."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from kododo_env import registry
from kododo_env.agent_registry import make_agent, policy_path
from kododo_env.baselines.kododo_forecaster import ForecasterWeights
from kododo_env.baselines.weights import drawn_weights
from kododo_env.core.agent import ActionValueAgent, joint_action
from kododo_env.held_out import HELD_OUT, POPULATION, SPLITS, TEST, population
from tests.game_tables import GAMES, TABLES


@pytest.mark.parametrize(("game", "players"), TABLES)
def test_the_halves_are_as_large_and_nobody_is_in_both(game: str, players: int) -> None:
    validation, test = (population(game, players, half) for half in SPLITS)
    assert not {*validation} & {*test}
    assert len(validation) == len(test) >= 12
    kinds = [Counter(entry["kind"] for entry in half.values()) for half in (validation, test)]
    # KADO's policies with few steps are too weak, and so are its flat searches for two players.
    assert {*kinds[0], *kinds[1]} >= ({"drawn"} if game == "kado" else {"drawn", "flat", "policy"})
    assert all(abs(kinds[0][kind] - kinds[1][kind]) <= 1 for kind in kinds[0] | kinds[1])
    for name, member in (validation | test).items():
        assert member["share"] >= 0.4 / players
        assert make_agent(name, game).name == name


def test_every_policy_of_the_population_is_a_member_and_small() -> None:
    members = {name for table in TABLES for half in SPLITS for name in population(*table, half)}
    files = {f"{HELD_OUT}{path.stem}" for path in POPULATION.glob("*.onnx")}
    assert files < members
    assert sum(policy_path(name).stat().st_size for name in files) < 8_000_000


def test_a_half_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match=r"unknown split.* 'best'"):
        population("kododo", 4, "best")
    with pytest.raises(ValueError, match="kododo with 9 players has no population"):
        population("kododo", 9, TEST)


# --- drawn weights ------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_a_seed_draws_a_player(game: str) -> None:
    """The same seed plays alike, another seed differently."""
    batch = registry.batch_game(game, 300, 0)
    rng = np.random.default_rng(0)
    agents = [make_agent("held-out:drawn-3", game)] * batch.num_players
    for _ in range(4):
        batch.step(joint_action(agents, batch, rng))
    view = batch.view(int(batch.deciding().any(axis=0).argmax()))
    chosen = [
        make_agent(f"held-out:drawn-{seed}", game).act(view, np.random.default_rng(1))
        for seed in (3, 3, 4)
    ]
    assert np.array_equal(chosen[0], chosen[1])
    assert not np.array_equal(chosen[0], chosen[2])
    assert isinstance(agents[0], ActionValueAgent)


def test_weights_are_drawn_from_their_ranges() -> None:
    drawn = [drawn_weights(ForecasterWeights, seed).stake for seed in range(200)]
    assert 0 <= min(drawn) < 0.01
    assert 0.24 < max(drawn) <= 0.25
    assert ForecasterWeights().stake == 0.1


@pytest.mark.parametrize("name", ["", "nobody", "drawn-", "drawn-²", "drawn-" + "9" * 20])
def test_a_seed_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="unknown held-out opponent"):
        make_agent(f"{HELD_OUT}{name}", "kododo")
