"""Views and determinized games contain nothing that the player does not know."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest
from pettingzoo import AECEnv, ParallelEnv

from kododo_env import registry
from kododo_env.core import BatchGame, View
from tests.game_tables import GAMES, TABLES
from tests.games.reachable_objects import arrays, public_attributes, reached
from tests.helpers import random_actions

KINDS: tuple[tuple[str, dict[str, Any]], ...] = (
    *((game, {"num_players": players}) for game, players in TABLES),
    ("kododo", {"num_players": 3, "variant": "long", "target_score": 30}),
)
per_kind = pytest.mark.parametrize(
    ("game", "rules"), KINDS, ids=[f"{game}-{'-'.join(map(str, r.values()))}" for game, r in KINDS]
)
A_TURN = 7  # steps in a row in the middle, so that every phase of a turn is among them


def positions(game: str, rules: dict[str, Any]) -> Iterator[BatchGame]:
    """Return the deal, some turns and the end of the same games, with filled caches."""
    whole = registry.batch_game(game, 3, 1, **rules)
    rng = np.random.default_rng(2)
    whole.reset(decks=whole.sample_decks(3, rng))  # in the long variant with all later deals
    games = [whole.clone()]
    while not whole.terminated.all():
        whole.step(random_actions(whole, rng))
        games.append(whole.clone())
    middle = len(games) // 2
    for position in (games[0], *games[middle : middle + A_TURN], games[-1]):
        position.observe(), position.legal_action_mask()
        yield position


def kept_by(game: BatchGame) -> list[np.ndarray]:
    """Return the arrays of the state; other arrays are shared by all games of the rules."""
    caches = [getattr(game, name) for name in game._caches]
    # Kododo's mask is a row of such a table.
    tables = [array for _, array in arrays(getattr(game, "_tables", ()), "tables")]
    own_arrays = [array for _, array in arrays([game._state, caches], "game") if array.size]
    return [
        array
        for array in own_arrays
        if not any(np.may_share_memory(array, table) for table in tables)
    ]


@per_kind
def test_all_that_a_view_hands_out_leads_to_nothing_else(game: str, rules: dict[str, Any]) -> None:
    """Regression: observation.base had all observations, hand.base the game's writable hands."""
    for played in positions(game, rules):
        for player in range(played.num_players):
            view = played.view(player)
            world = view.determinize(np.random.default_rng(3), 2)
            attributes = {**public_attributes(view), "determinize": world}
            game_arrays = kept_by(played)
            for path, obj in reached(attributes, "view"):
                about = f"{path}: {type(obj).__name__}"
                assert obj is world or not isinstance(obj, BatchGame | View), about
                if isinstance(obj, np.ndarray):
                    behind = [array for array in game_arrays if np.may_share_memory(obj, array)]
                    assert not behind, f"{path} lies in an array of the game"
                    limit = max(view.observation.nbytes, view.legal_action_mask.nbytes)
                    assert obj.nbytes <= limit or "determinize" in path, path


# --- what wrappers hand out ---------------------------------------------------------------


def handed_out(env: Any) -> Iterator[dict[str, Any]]:
    """Yield the arrays of each agent of an environment for every turn of a whole game."""
    if isinstance(env, ParallelEnv):
        observations, infos = env.reset(seed=1)
        while env.agents:
            yield {name: (observations[name], infos[name]) for name in env.agents}
            actions = {name: int(observations[name]["action_mask"].argmax()) for name in env.agents}
            observations, *_, infos = env.step(actions)
    elif isinstance(env, AECEnv):
        env.reset(seed=1)
        for name in env.agent_iter():
            yield {agent: (env.observe(agent), env.infos[agent]) for agent in env.agents}
            over = env.terminations[name]
            env.step(None if over else int(env.infos[name]["action_mask"].argmax()))
    else:
        observations, infos = env.reset(seed=1)
        over = False
        while not over:
            yield {"the learner": (observations, infos)}
            observations, _, over, _, infos = env.step(int(observations["action_mask"].argmax()))


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("kind", ["parallel_env", "env", "gymnasium"])
def test_an_agents_arrays_lead_to_nobody_elses(game: str, kind: str) -> None:
    """Regression: each row's base had all observations; in Combi-Combo masks reveal hands."""
    module = registry.environment_module(game)
    name = f"kododo_env:{module.GYMNASIUM_ID}"
    env: Any = gymnasium.make(name) if kind == "gymnasium" else getattr(module, kind)()
    sizes = {"observation": env.unwrapped.game.layout.size, "mask": env.unwrapped.game.num_actions}
    for arrays_by_agent in handed_out(env):
        for agent, own_arrays in arrays_by_agent.items():
            for path, array in arrays(own_arrays, agent):
                assert array.size in sizes.values(), path
            for other_agent in set(arrays_by_agent) - {agent}:
                for _, array in arrays(arrays_by_agent[other_agent], other_agent):
                    assert not any(
                        np.may_share_memory(array, own_array)
                        for _, own_array in arrays(own_arrays, agent)
                    )


@pytest.mark.parametrize("game", GAMES)
def test_an_aec_mask_that_is_written_into_allows_nothing(game: str) -> None:
    """Regression: the mask in the info was the one used to check the next action."""
    env = registry.environment_module(game).env()
    env.reset(seed=1)
    illegal = int(env.infos[env.agent_selection]["action_mask"].argmin())
    env.infos[env.agent_selection]["action_mask"][...] = 1
    with pytest.raises(ValueError, match="illegal action of player_"):
        env.step(illegal)
