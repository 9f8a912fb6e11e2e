"""Every check of a batch game finds its planted fault and passes the sound game."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from kododo_env import combi_combo_v0
from kododo_env.testing import CheckFailed, Report, check_batch_game, check_parallel_env
from tests.testing import faulty_games
from tests.testing.fault_cases import assert_found, assert_sound
from tests.toy_game.high_card import high_card_v0
from tests.toy_game.high_card.game import HighCard, Rules, make

HIGH_STAKES: dict[str, Any] = {"num_players": 2, "num_cards": 202, "turns": 100, "prize": 85}
CHECKS = (
    "determinism", "decks", "observations", "masks", "scores", "batches", "seats", "copies",
    "states", "views", "hidden cards", "determinize", "bounds",
)  # fmt: skip


def reseat(game: Any, decks: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Rotate a deck: hands of two first, then a card for each player in every turn."""
    players = game.num_players
    end = players * 2
    moved = decks.copy()
    moved[:, :end] = decks[:, :end].reshape(len(decks), players, 2)[:, order].reshape(-1, end)
    for first in range(end, players * game.rules.turns, players):
        moved[:, first : first + players] = decks[:, first : first + players][:, order]
    return moved


def only(check: str, kind: type[HighCard], **options: Any) -> Report:
    """Run one check of a faulty game."""
    options.setdefault("any_rules", [HIGH_STAKES])
    return check_batch_game(
        lambda num_envs, seed=None, **rules: kind(num_envs, Rules(**rules), seed),
        only=[check],
        **options,
    )


def test_a_game_whose_first_steps_are_forced_is_sound() -> None:
    """Combi-Combo without an opening hand: that nobody has a choice at first was called a fault.
    So were determinised copies, because forced actions depend on the cards."""
    rules = {"num_players": 4, "opening_hand": 0, "num_turns": 3}
    checks = ["scores", "determinize"]
    report = check_batch_game(combi_combo_v0.batch_game, rules=rules, places=3, only=checks)
    assert "2 checks, no faults" in str(report)


def test_what_would_check_nothing_is_rejected() -> None:
    with pytest.raises(ValueError, match="places must be 1 to"):
        check_batch_game(make, places=0)
    with pytest.raises(ValueError, match="only and skip must be lists"):
        check_batch_game(make, only="masks")
    with pytest.raises(ValueError, match="any_rules must be a list"):
        check_batch_game(make, any_rules={"num_players": 3})
    with pytest.raises(ValueError, match="at least one episode"):
        check_parallel_env(high_card_v0.parallel_env, resets=[])


@pytest.mark.parametrize(
    "options", [{}, {"reseat": reseat}, {"rules": {"num_players": 4, "num_cards": 20}}]
)
def test_a_sound_game_passes_every_check(options: dict[str, Any]) -> None:
    report = check_batch_game(make, any_rules=[HIGH_STAKES, Rules(num_players=2)], **options)
    assert_sound(report, faulty_games.PLANTS, CHECKS)
    assert " players: 13 checks, no faults\n  ok    determinism " in str(report)


@faulty_games.PLANTS.parametrize()
def test_a_planted_fault_is_found_and_named(check: str, kind: type[HighCard], words: str) -> None:
    assert_found(lambda: only(check, kind), check, words)


def test_rules_can_be_drawn_by_hypothesis_which_finds_the_smallest_that_break() -> None:
    any_rules = st.builds(Rules, st.just(2), st.just(250), st.integers(3, 100), st.integers(1, 85))
    assert check_batch_game(make, any_rules=any_rules, only=["bounds"]).faults == {}
    with pytest.raises(CheckFailed) as caught:
        only("bounds", faulty_games.scores_in_bytes, any_rules=any_rules)
    message = caught.value.report.faults["bounds"]
    assert message.startswith("decks sorted and played with the first legal action, after step ")
    turns, prize = (int(number) for number in re.findall(r"(?:turns|prize)=(\d+)", message))
    assert 255 < turns * prize < 300, message
