"""Exact best responses in small games, checked by brute force, by hand and by invariants."""

from __future__ import annotations

import itertools
from dataclasses import asdict
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from kododo_env import combi_combo_v0, kado_v0, kododo_v0, registry
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.view import View
from kododo_env.games.kododo.rules import Rules
from kododo_env.search import exact as module
from kododo_env.search.exact import (
    UniformAgent,
    best_response,
    exact,
    exact_of,
    strategy,
    value,
)
from kododo_env.search.game_tree import GameTree

TINY, SMALL, MIXED = (asdict(make_rules()) for make_rules in (Rules.tiny, Rules.small, Rules.mixed))
DRAWS = {**TINY, "copies": (1, 1, 1)}  # two rounds of one card
THREE_PLAYERS = {**TINY, "num_players": 3, "num_colours": 3}
FEW_CARDS = {
    "num_colours": 2, "copies": (1, 1, 1, 1), "opening_hand": 1, "num_turns": 1,
    "fours_points": (0, 1, 2),
}  # fmt: skip
DUEL = {
    "num_players": 2, "num_rows": 1, "num_columns": 2, "discards": 0,
    "deck": (((1,), (1, 2)), ((1, 2), (2,))),
}  # fmt: skip


class Hashed(UniformAgent):
    """Plays by probabilities that are a hash of what it sees."""

    name = "hashed"

    def probabilities(self, view: View) -> npt.NDArray[np.float64]:
        observation = view.observation.astype(np.int64)
        mixed = (observation * np.arange(3, 3 + observation.shape[1]) ** 2).sum(axis=1)
        weights = 1 + np.outer(mixed, np.arange(5, 5 + view.num_actions)) % 7
        weights = weights * view.legal_action_mask
        probabilities: npt.NDArray[np.float64] = weights / weights.sum(axis=1, keepdims=True)
        return probabilities


def tree_of(rules: dict[str, Any], game: str = "kododo") -> GameTree:
    return GameTree(registry.batch_game(game, 1, 0, **rules))


def test_by_hand_the_tiny_game() -> None:
    """Uniform loses to a best response 1/12 of the victory in each seat; evidence/open_spiel.md."""
    tree = tree_of(TINY)
    assert (len(tree.probabilities), tree.positions, tree.information_sets) == (6, 6, 12)
    solution = exact(tree, UniformAgent())
    assert solution.values == pytest.approx([1 / 2, 1 / 2])
    assert solution.gains == pytest.approx([1 / 12, 1 / 12])
    assert solution.nash_conv == pytest.approx(1 / 6)


@pytest.mark.parametrize("player", [0, 1])
def test_by_brute_force_the_tiny_game(player: int) -> None:
    """All orders of the cards, and every way to play each hand."""
    game = kododo_v0.batch_game(24, **TINY)
    game.reset(decks=np.array(list(itertools.permutations(game.cards.tolist())), np.uint8))
    hands, hand_numbers = np.unique(game.hands[:, player], axis=0, return_inverse=True)
    hand_numbers = hand_numbers.ravel()  # numpy 2.0.0 returns a column
    probabilities = Hashed().probabilities(game.view(1 - player))
    best = 0.0
    for pure in itertools.product((0, 1), repeat=len(hands)):
        mean = 0.0
        for reply in (0, 1):
            played = game.clone()
            actions = np.empty((24, 2), np.int64)
            actions[:, player] = np.array(pure)[hand_numbers]
            actions[:, 1 - player] = reply
            played.step(actions)
            mean += float((probabilities[:, reply] * played.outcome()[:, player]).mean())
        best = max(best, mean)
    assert exact(tree_of(TINY), Hashed()).best[player] == pytest.approx(best)


@pytest.mark.parametrize(
    ("game", "rules"),
    [
        ("kododo", DRAWS), ("kododo", SMALL), ("kododo", THREE_PLAYERS),
        ("combi_combo", FEW_CARDS), ("kado", DUEL),
    ],
)  # fmt: skip
def test_a_best_response_gains_what_it_says(game: str, rules: dict[str, Any]) -> None:
    tree = tree_of(rules, game)
    played = [strategy(tree, Hashed(), player) for player in range(tree.num_players)]
    solution = exact_of(tree, played)
    assert solution.values.sum() == pytest.approx(1)
    assert (solution.gains > -1e-12).all()
    for player in range(tree.num_players):
        share, best = best_response(tree, played, player)
        with_it = [
            best if seat == player else own_strategy for seat, own_strategy in enumerate(played)
        ]
        assert value(tree, with_it)[player] == pytest.approx(share)
        assert share == solution.best[player]
        pairs = zip(tree.steps, best, strict=True)
        assert not any((probabilities * ~step.legal[player]).any() for step, probabilities in pairs)


def test_a_player_knows_no_more_than_the_view_shows() -> None:
    """Different hands of the opponent are in the same information set."""
    tree = tree_of(SMALL)
    hands = tree.steps[0].games.hands
    for player in (0, 1):
        assert len(tree.steps[0].first[player]) == len(np.unique(hands[:, player], axis=0))


def test_the_mixed_game_is_as_it_says() -> None:
    tree = tree_of(MIXED)
    assert (len(tree.probabilities), tree.positions, tree.information_sets) == (186, 3162, 1584)
    assert exact(tree, UniformAgent()).nash_conv == pytest.approx(0.35476, abs=1e-5)


def test_temperatures() -> None:
    tree = tree_of(SMALL)
    warm = strategy(tree, Hashed(), 0)[0]
    legal = tree.steps[0].legal[0]
    assert strategy(tree, Hashed(), 0, 0.5)[0] == pytest.approx(
        warm**2 / (warm**2).sum(axis=1, keepdims=True)
    )
    coldest = strategy(tree, Hashed(), 0, 0)[0]
    assert (coldest.max(axis=1) == 1).all()
    assert (coldest.argmax(axis=1) == warm.argmax(axis=1)).all()
    assert strategy(tree, Hashed(), 0, 1000)[0] == pytest.approx(
        legal / legal.sum(axis=1, keepdims=True), abs=0.01
    )
    with pytest.raises(ValueError, match="temperature"):
        strategy(tree, Hashed(), 0, -1)


@pytest.mark.parametrize(
    ("game", "message"),
    [
        (kododo_v0.batch_game(1, 2), "kododo .* more than 2,000,000 positions"),
        (kado_v0.batch_game(1), "kado .* more than 2,000,000 positions"),
        (combi_combo_v0.batch_game(1), "combi_combo .* more than 2,000,000 positions"),
        (
            kododo_v0.batch_game(1, **{**TINY, "variant": "long", "target_score": 3}),
            "a tree of kododo needs rules",
        ),
    ],
)
def test_a_game_that_is_too_large_is_refused_in_a_line(game: BatchGame, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}[^\n]*$"):
        GameTree(game)


@pytest.mark.parametrize(
    "wrong", [lambda legal: legal, lambda legal: legal[:1], lambda legal: ~legal / 1.0,
              lambda legal: np.where(legal, np.nan, 0)],
)  # fmt: skip
def test_an_agent_that_gives_no_probabilities_is_named(wrong: Any) -> None:
    class InvalidAgent(UniformAgent):
        name = "wrong"

        def probabilities(self, view: View) -> Any:
            return wrong(view.legal_action_mask)

    with pytest.raises(ValueError, match=r"^agent 'wrong' must return probabilities"):
        module.exact(tree_of(TINY), InvalidAgent())
