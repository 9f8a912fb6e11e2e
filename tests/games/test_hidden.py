"""A view and the games that it deals give away nothing that its player does not know."""

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
from tests.doors import GAMES, TABLES
from tests.games.hidden import arrays, contents, reached, shown
from tests.helpers import differences, random_actions

KINDS: tuple[tuple[str, dict[str, Any]], ...] = (
    *((game, {"num_players": players}) for game, players in TABLES),
    ("kododo", {"num_players": 3, "variant": "long", "target_score": 30}),
)
each_kind = pytest.mark.parametrize(
    ("game", "rules"), KINDS, ids=[f"{game}-{'-'.join(map(str, r.values()))}" for game, r in KINDS]
)
A_TURN = 7  # steps in a row in the middle, so that every phase of a turn is among them


def positions(game: str, rules: dict[str, Any]) -> Iterator[BatchGame]:
    """The deal, some turns of the same games, and their end; the caches are filled."""
    whole = registry.batch_game(game, 3, 1, **rules)
    rng = np.random.default_rng(2)
    whole.reset(decks=whole.sample_decks(3, rng))  # in the long variant with all later deals
    found = [whole.clone()]
    while not whole.terminated.all():
        whole.step(random_actions(whole, rng))
        found.append(whole.clone())
    middle = len(found) // 2
    for each in (found[0], *found[middle : middle + A_TURN], found[-1]):
        each.observe(), each.legal_action_mask()
        yield each


def kept_by(game: BatchGame) -> list[np.ndarray]:
    """The arrays that say how the games stand; others are the same in all games of the rules."""
    caches = [getattr(game, name) for name in game._caches]
    # Kododo's mask is a row of such a table.
    tables = [array for _, array in arrays(getattr(game, "_tables", ()), "tables")]
    kept = [array for _, array in arrays([game._state, caches], "game") if array.size]
    return [each for each in kept if not any(np.may_share_memory(each, one) for one in tables)]


@each_kind
def test_all_that_a_view_hands_out_leads_to_nothing_else(game: str, rules: dict[str, Any]) -> None:
    """observation.base was everybody's observations, hand.base the game's own writable hands."""
    for played in positions(game, rules):
        for player in range(played.num_players):
            view = played.view(player)
            world = view.determinize(np.random.default_rng(3), 2)
            given = {**shown(view), "determinize": world}
            everything = kept_by(played)
            for path, thing in reached(given, "view"):
                about = f"{path}: {type(thing).__name__}"
                assert thing is world or not isinstance(thing, BatchGame | View), about
                if isinstance(thing, np.ndarray):
                    behind = [kept for kept in everything if np.may_share_memory(thing, kept)]
                    assert not behind, f"{path} lies in an array of the game"
                    most = max(view.observation.nbytes, view.legal_action_mask.nbytes)
                    assert thing.nbytes <= most or "determinize" in path, path


# --- what wrappers hand out ---------------------------------------------------------------


def handed_out(env: Any) -> Iterator[dict[str, Any]]:
    """The arrays of each agent of an environment, turn by turn of a whole game."""
    if isinstance(env, ParallelEnv):
        seen, told = env.reset(seed=1)
        while env.agents:
            yield {name: (seen[name], told[name]) for name in env.agents}
            actions = {name: int(seen[name]["action_mask"].argmax()) for name in env.agents}
            seen, *_, told = env.step(actions)
    elif isinstance(env, AECEnv):
        env.reset(seed=1)
        for name in env.agent_iter():
            yield {each: (env.observe(each), env.infos[each]) for each in env.agents}
            over = env.terminations[name]
            env.step(None if over else int(env.infos[name]["action_mask"].argmax()))
    else:
        seen, told, over = *env.reset(seed=1), False
        while not over:
            yield {"the learner": (seen, told)}
            seen, _, over, _, told = env.step(int(seen["action_mask"].argmax()))


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("kind", ["parallel_env", "env", "gymnasium"])
def test_an_agents_arrays_lead_to_nobody_elses(game: str, kind: str) -> None:
    """Each row's base was everybody's observations, and in Combi-Combo all masks tell the hands."""
    door = registry.door(game)
    name = f"kododo_env:{door.GYMNASIUM_ID}"
    env: Any = gymnasium.make(name) if kind == "gymnasium" else getattr(door, kind)()
    own = {"observation": env.unwrapped.game.layout.size, "mask": env.unwrapped.game.num_actions}
    for given in handed_out(env):
        for who, each in given.items():
            for path, array in arrays(each, who):
                assert array.size in own.values(), path
            for other in set(given) - {who}:
                for _, array in arrays(given[other], other):
                    assert not any(
                        np.may_share_memory(array, mine) for _, mine in arrays(each, who)
                    )


@pytest.mark.parametrize("game", GAMES)
def test_an_aec_mask_that_is_written_into_allows_nothing(game: str) -> None:
    """The mask in the info was the one that the next action was checked against."""
    env = registry.door(game).env()
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
    """All that a player has seen on the way though no observation showed it, (..., N)."""
    state = game.state()
    if game.name == "combi_combo":  # the own cards in the order in which they were drawn
        rules = game.rules
        drawn = rules.opening_hand + min(state["turn"] + 1, rules.num_turns)
        return state["_deck"][player * rules.pile_size :][:drawn]
    if game.name == "kado":  # which of the cards was dealt when, also in phases that pass at once
        seen = viewers_by_place(game._state, game.rules, tables(game.rules))
        return np.where(seen >> player & 1, state["_deck"][:-1], 255)
    return np.zeros((0, game.num_envs))


def stories(game: BatchGame, known: list[tuple[Any, ...]], player: int) -> list[tuple[Any, ...]]:
    """All that the player of each game has known so far, and now; equal for twins.

    The words of a game are costly, and say more than these only when it is over.
    """
    view = game.view(player)
    memory = remembered(game, player).T
    now = zip(view.observation, view.legal_action_mask, memory, strict=True)
    over = [game.text(at, player) if end else "" for at, end in enumerate(game.terminated)]
    return [
        (*before, *(each.tobytes() for each in seen), end)
        for before, seen, end in zip(known, now, over, strict=True)
    ]


def twins(name: str) -> Iterator[tuple[BatchGame, int, int, int]]:
    """Games played at random on small decks, and two of them with the same story of a player."""
    game, rules = SMALL[name]
    played = registry.batch_game(game, NUM, 0, **rules)
    rng = np.random.default_rng(1)
    played.reset(decks=played.sample_decks(NUM, rng))
    known: list[list[tuple[Any, ...]]] = [[()] * NUM for _ in range(played.num_players)]
    for _ in range(LONGEST):
        played.observe()
        for player in range(played.num_players):
            known[player] = stories(played, known[player], player)
            alike = defaultdict(list)
            for index, story in enumerate(known[player]):
                alike[story].append(index)
            pairs = [each[:2] for each in alike.values() if len(each) > 1]
            for one, other in pairs[:PAIRS]:
                yield played, player, one, other
        if played.terminated.all():
            return
        # The same likes in all games, so that many take the same course.
        likes = rng.random((played.num_players, played.num_actions))
        actions = np.where(played.legal_action_mask(), likes, -1).argmax(axis=2)
        for player, each in enumerate(known):
            known[player] = [(*s, int(a)) for s, a in zip(each, actions[:, player], strict=True)]
        played.step(actions)


@pytest.mark.parametrize("name", SMALL)
def test_games_that_a_player_cannot_tell_apart_are_dealt_alike_to_the_bit(name: str) -> None:
    """In Kododo the drawn cards lay in true order, and all later deals of the long variant."""
    differ = 0
    over = 0
    for played, player, *pair in twins(name):
        one, other = (played.take(np.array([index])) for index in pair)
        assert one.text(0, player) == other.text(0, player)
        one.rng = np.random.default_rng(5)
        other.rng = np.random.default_rng(6)
        one.observe()
        differ += differences(one.state(), other.state()) != []
        over += bool(one.terminated.all())
        dealt, alike = (
            each.view(player).determinize(np.random.default_rng(7), 2) for each in (one, other)
        )
        assert contents(dealt) == contents(alike)
        assert contents(dealt.state()) == contents(alike.state())
        assert pickle.dumps(dealt) == pickle.dumps(alike)
    assert differ > 20
    assert over > 0
