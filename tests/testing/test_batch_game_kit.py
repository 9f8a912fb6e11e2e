"""Every check of a batch game finds its planted fault, names it, and lets the sound game pass."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from kododo_env.testing import CheckFailed, Report, check_batch_game
from tests.testing import planted
from tests.testing.high_card import HighCard, Rules, make

HIGH_STAKES: dict[str, Any] = {"num_players": 2, "num_cards": 202, "turns": 100, "prize": 85}
CHECKS = (
    "determinism", "decks", "observations", "masks", "scores", "batches", "seats", "copies",
    "states", "views", "hidden cards", "determinize", "bounds",
)  # fmt: skip
PLANTED = [
    ("determinism", planted.RandomLater, "after step 3 two batches of the same seed"),
    ("determinism", planted.GlobalRandom, r"after the deal two batches .* differ: state\(\)"),
    ("determinism", planted.LookingDraws, "one has only been looked at, .* state of|'rng'"),
    ("determinism", planted.SeedIgnored, "two seeds deal the same cards"),
    ("determinism", planted.RoundIsOver, "round_steps must be 1 or more, not 0"),
    ("decks", planted.DeckCut, r"after step 0 two batches of the same decks differ: observe\(\)"),
    ("decks", planted.DeckOfOthers, "reset takes decks for too few games"),
    ("decks", planted.SamplesFromOwn, "takes numbers from the generator of the batch"),
    ("observations", planted.OneBuffer, "step 1 changes an observation that was handed out"),
    ("observations", planted.WiderThanTold, r"after the deal observe\(\) is int64"),
    ("masks", planted.EmptyMask, "after step 3 nothing is legal for player 0 of game 0"),
    ("masks", planted.MaskTooWide, "after step 3 step refuses what the mask allows: illegal"),
    ("masks", planted.StepTooWide, "after step 0 action -1 of player 0 .* is played"),
    ("masks", planted.RefusalMoves, r"refused, but not without a change: state\(\)\['turn'\]"),
    ("scores", planted.RewardsTwice, r"after step 4 player \d .* has \d points; the rewards"),
    ("scores", planted.SharesOfMore, "after the deal the shares of the victory .* not sum to 1"),
    ("scores", planted.EndsLater, "a step after the end gives rewards"),
    ("batches", planted.BestOfTheBatch, r"game \d of the batch is not as it is alone: _scores"),
    ("batches", planted.TurnOfTheOthers, r"game \d of the batch is not .* alone: observe\(\)"),
    ("seats", planted.AbsoluteSeats, "two players see different numbers of 'scores'"),
    ("seats", planted.FirstSeatWins, "among random players seat 0 wins"),
    (
        "copies",
        planted.PhaseByIdentity,
        r"checkpoint's file .*'stage'\] is 0 \(int\), not",
    ),
    ("copies", planted.ForgottenArray, r"load_state\(\) is not exact: observe\(\)"),
    ("copies", planted.SharedArray, r"clone\(\): what becomes of the copy changes the game"),
    ("copies", planted.SharedState, r"copy.copy\(\): what becomes of the copy changes the game"),
    ("copies", planted.StateHandedOut, r"load_state\(\): what becomes of the copy changes"),
    ("states", planted.ArraysFirst, r"not without a change: state\(\)\['turn'\]"),
    ("states", planted.TakesAnything, "load_state takes a state of another number of games"),
    ("states", planted.GoesOnWithNonsense, "full of .*, with which the game cannot go on"),
    ("views", planted.HandOfAll, r"view\(0\).hand.base leads to 12 bytes, of which 4 are shown"),
    ("views", planted.ViewForEver, "a view of an earlier turn still shows an observation"),
    ("hidden cards", planted.DrawnInOrder, r"cannot tell apart, state\['_deck'\]\[\d+, 0\] is"),
    ("hidden cards", planted.OldCache, r"cannot tell apart, attributes\['last_hands'\]"),
    ("hidden cards", planted.TellingObservation, r"dealt again, view\(\d\).observation"),
    ("hidden cards", planted.TellingText, r"text\(\) for player 0 shows what the player cannot"),
    ("hidden cards", planted.TellingPicture, r"svg\(\) for player 0 shows what the player cannot"),
    ("hidden cards", planted.TellingView, r"dealt again, view\(0\).others"),
    ("hidden cards", planted.NothingDealtAgain, "all copies dealt again for player 0 are the same"),
    (
        "hidden cards",
        planted.NoGame,
        "step 0 a game dealt again .* cannot be played on: not a",
    ),
    ("determinize", planted.OneCardStays, "for player 0, at once, number .* of 'hand'"),
    ("determinize", planted.OnlyRotated, "spread over what may be very unevenly: chi-square"),
    ("determinize", planted.TruthFavoured, "for player 0, at once, number .* of 'hand'"),
    (
        "bounds",
        planted.ScoresInBytes,
        r"does not fit into an array of uint8.*; the rules: .*prize=85",
    ),
    ("bounds", planted.SumsInBytes, r"does not fit into an array of uint8, which then says"),
    ("bounds", planted.BeyondTheMaximum, "observed in 'scores', whose maximum is"),
]


def reseat(game: Any, decks: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Hands of two first, then a card for each player in every turn."""
    players = game.num_players
    moved, end = decks.copy(), players * 2
    moved[:, :end] = decks[:, :end].reshape(len(decks), players, 2)[:, order].reshape(-1, end)
    for first in range(end, players * game.rules.turns, players):
        moved[:, first : first + players] = decks[:, first : first + players][:, order]
    return moved


def only(check: str, kind: type[HighCard], **options: Any) -> Report:
    """One check of a game of that kind."""
    options.setdefault("any_rules", [HIGH_STAKES])
    return check_batch_game(
        lambda num_envs, seed=None, **rules: kind(num_envs, Rules(**rules), seed),
        only=[check],
        **options,
    )


@pytest.mark.parametrize(
    "options", [{}, {"reseat": reseat}, {"rules": {"num_players": 4, "num_cards": 20}}]
)
def test_a_sound_game_passes_every_check(options: dict[str, Any]) -> None:
    report = check_batch_game(make, any_rules=[HIGH_STAKES, Rules(num_players=2)], **options)
    assert [found.check for found in report.findings] == list(CHECKS)
    assert not any(found.fault or found.left_out for found in report.findings)
    assert " players: 13 checks, no faults\n  ok    determinism " in str(report)


@pytest.mark.parametrize(
    ("check", "kind", "said"), PLANTED, ids=[kind.__name__ for _, kind, _ in PLANTED]
)
def test_a_planted_fault_is_found_and_named(check: str, kind: type[HighCard], said: str) -> None:
    with pytest.raises(CheckFailed) as caught:
        only(check, kind)
    faults = caught.value.report.faults
    assert list(faults) == [check]
    assert re.search(said, faults[check]), faults[check]


def test_every_check_has_a_planted_fault() -> None:
    assert {check for check, _, _ in PLANTED} == set(CHECKS)


def test_rules_can_be_drawn_by_hypothesis_which_finds_the_smallest_that_break() -> None:
    any_rules = st.builds(Rules, st.just(2), st.just(250), st.integers(3, 100), st.integers(1, 85))
    assert check_batch_game(make, any_rules=any_rules, only=["bounds"]).faults == {}
    with pytest.raises(CheckFailed) as caught:
        only("bounds", planted.ScoresInBytes, any_rules=any_rules)
    found = caught.value.report.faults["bounds"]
    assert found.startswith("decks sorted and played with the first legal action, after step ")
    turns, prize = (int(number) for number in re.findall(r"(?:turns|prize)=(\d+)", found))
    assert 255 < turns * prize < 300, found
