"""Views and determinized games contain nothing that the player does not know."""

from __future__ import annotations

import pickle
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest
from pettingzoo import AECEnv, ParallelEnv

from kododo_env import registry
from kododo_env.core import BatchGame, View
from kododo_env.games.kado.cards import viewers_by_place
from kododo_env.games.kado.tables import tables
from kododo_env.registry import picture_of
from tests.game_tables import GAMES, TABLES
from tests.games.reachable_objects import arrays, contents, public_attributes, reached
from tests.helpers import differences, random_actions

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


# --- twins: games that a player cannot tell apart -----------------------------------------

SEVEN = (((1,), (1, 2)), ((1, 2), (2, 1)))
SMALL: dict[str, tuple[str, dict[str, Any]]] = {
    "kododo": ("kododo", {
        "num_players": 2, "num_colours": 3, "copies": (1, 1, 1), "hand_size": 2, "plays": (1, 1),
        "removed_cards": 1,
    }),
    "kododo, long": ("kododo", {
        "num_players": 2, "num_colours": 2, "copies": (1, 1, 2), "hand_size": 2, "plays": (1,),
        "removed_cards": 0, "variant": "long", "target_score": 3,
    }),
    "combi_combo": ("combi_combo", {
        "num_colours": 2, "copies": (1, 1, 2, 2), "opening_hand": 1, "num_turns": 2,
        "fours_points": (0, 1, 2),
    }),
    "combi_combo, one turn": ("combi_combo", {
        "num_colours": 2, "copies": (1, 1, 1, 1), "opening_hand": 1, "num_turns": 1,
        "fours_points": (0, 1, 2),
    }),
    "kado": ("kado", {
        "num_players": 3, "num_rows": 1, "num_columns": 2, "deck": SEVEN,
    }),
    "kado, duel": ("kado", {
        "num_players": 2, "num_rows": 1, "num_columns": 2, "deck": SEVEN,
    }),
}  # fmt: skip
NUM = 400
PAIRS = 4
LONGEST = 12


def remembered(game: BatchGame, player: int) -> np.ndarray:
    """Return what a player has seen that no observation shows, (..., N)."""
    state = game.state()
    if game.name == "combi_combo":  # the own cards in the order in which they were drawn
        rules = game.rules
        drawn = rules.opening_hand + min(state["turn"] + 1, rules.num_turns)
        return state["_deck"][player * rules.pile_size :][:drawn]
    if game.name == "kado":  # which of the cards was dealt when, also in phases that pass at once
        viewers = viewers_by_place(game._state, game.rules, tables(game.rules))
        return np.where(viewers >> player & 1, state["_deck"][:-1], 255)
    return np.zeros((0, game.num_envs))


def stories(game: BatchGame, past: list[tuple[Any, ...]], player: int) -> list[tuple[Any, ...]]:
    """Return the player's knowledge so far and now in each game; equal for twins.

    The words of a game are costly, and say more than these only when it is over.
    """
    view = game.view(player)
    memory = remembered(game, player).T
    moments = zip(view.observation, view.legal_action_mask, memory, strict=True)
    over = [
        picture_of(game).text(at, player) if end else "" for at, end in enumerate(game.terminated)
    ]
    return [
        (*before, *(part.tobytes() for part in moment), end)
        for before, moment, end in zip(past, moments, over, strict=True)
    ]


def twins(name: str) -> Iterator[tuple[BatchGame, int, int, int]]:
    """Return random games on small decks of which two have the same history for a player."""
    game, rules = SMALL[name]
    played = registry.batch_game(game, NUM, 0, **rules)
    rng = np.random.default_rng(1)
    played.reset(decks=played.sample_decks(NUM, rng))
    histories: list[list[tuple[Any, ...]]] = [[()] * NUM for _ in range(played.num_players)]
    for _ in range(LONGEST):
        played.observe()
        for player in range(played.num_players):
            histories[player] = stories(played, histories[player], player)
            indices_by_story = defaultdict(list)
            for index, story in enumerate(histories[player]):
                indices_by_story[story].append(index)
            pairs = [indices[:2] for indices in indices_by_story.values() if len(indices) > 1]
            for first, second in pairs[:PAIRS]:
                yield played, player, first, second
        if played.terminated.all():
            return
        # The same preferences in all games, so that many games are alike.
        likes = rng.random((played.num_players, played.num_actions))
        actions = np.where(played.legal_action_mask(), likes, -1).argmax(axis=2)
        for player, player_histories in enumerate(histories):
            histories[player] = [
                (*s, int(a)) for s, a in zip(player_histories, actions[:, player], strict=True)
            ]
        played.step(actions)


@pytest.mark.parametrize("name", SMALL)
def test_games_that_a_player_cannot_tell_apart_are_dealt_alike_to_the_bit(name: str) -> None:
    """Regression: Kododo kept the order of drawn cards, and all later deals of the long variant."""
    differ = 0
    over = 0
    for played, player, *pair in twins(name):
        first, second = (played.take(np.array([index])) for index in pair)
        assert picture_of(first).text(0, player) == picture_of(second).text(0, player)
        first.rng = np.random.default_rng(5)
        second.rng = np.random.default_rng(6)
        first.observe()
        differ += differences(first.state(), second.state()) != []
        over += bool(first.terminated.all())
        dealt, second_dealt = (
            twin.view(player).determinize(np.random.default_rng(7), 2) for twin in (first, second)
        )
        assert contents(dealt) == contents(second_dealt)
        assert contents(dealt.state()) == contents(second_dealt.state())
        assert pickle.dumps(dealt) == pickle.dumps(second_dealt)
    assert differ > 20
    assert over > 0
