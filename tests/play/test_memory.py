"""The memory aids: cards that a player has not seen, and guesses that are ruled out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kododo_env import registry
from kododo_env.core.batch_game import BatchGame
from kododo_env.registry import words_of
from tests.game_tables import EXTREMES
from tests.helpers import random_actions


def tables(game: BatchGame, seat: int) -> list[Any]:
    """Return the numbers left in each table, (rows, columns)."""
    memory_tables = words_of(game).memory(game.view(seat))["tables"]
    for table in memory_tables:
        unseen, totals = (np.array([row[name] for row in table["rows"]]) for name in ("left", "of"))
        assert unseen.shape == (len(table["rows"]), len(table["columns"]))
        assert (unseen >= 0).all()
        assert (unseen <= totals).all()
        assert totals.sum() == len(game.cards)
    return [np.array([row["left"] for row in table["rows"]]) for table in memory_tables]


@pytest.mark.parametrize(("game", "players"), EXTREMES)
def test_cards_that_one_holds_are_not_left_and_those_of_the_draw_pile_are(
    game: str, players: int
) -> None:
    batch = registry.batch_game(game, 1, seed=3, num_players=players)
    rng = np.random.default_rng(4)
    in_words = 0
    while not batch.terminated[0]:
        for seat in range(players):
            counts = {len(batch.cards) - int(unseen.sum()) for unseen in tables(batch, seat)}
            assert len(counts) == 1  # all tables count the same cards
            assert counts.pop() >= len(words_of(batch).hand(seat))
            in_words += len(words_of(batch).hand(seat))
        batch.step(random_actions(batch, rng))
    assert in_words


def test_the_cards_left_in_kododo_are_the_draw_pile_and_what_others_hold() -> None:
    game: Any = registry.batch_game("kododo", 1, seed=3, num_players=4)
    rng = np.random.default_rng(4)
    for _ in range(7):
        game.step(random_actions(game, rng))
    (unseen,) = tables(game, 1)
    held_cards = [card for seat in (0, 2, 3) for card in game.hands[0, seat] if card >= 0]
    assert unseen.sum() == game.draw_pile_size + len(held_cards)
    assert (unseen.ravel() >= np.bincount(held_cards, minlength=unseen.size)).all()


def test_what_the_dealer_of_kado_has_is_never_ruled_out() -> None:
    game: Any = registry.batch_game("kado", 1, seed=5, num_players=4)
    rng = np.random.default_rng(6)
    num_guesses = 0
    while not game.terminated[0]:
        if game.phase == 1:
            gift, ribbon, _ = game.rules.parts(int(game.held[0, game.dealer]))
            wrong = words_of(game).memory(game.view(game.challenger))["ruled_out"]
            num_guesses += len(wrong)
            true = {"gift": gift, "ribbon": ribbon}
            if not game.swapped[0]:
                assert not [guess for guess in wrong if guess.items() <= true.items()]
        game.step(random_actions(game, rng))
    assert num_guesses > 10
