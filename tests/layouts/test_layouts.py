"""Layouts of observations and actions: names, positions, sizes and errors."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from kododo_env.layouts import observation
from kododo_env.layouts.actions import ActionLayout, ActionPiece, SlotPiece
from kododo_env.layouts.observation import (
    GAMES_AT_A_TIME,
    ObservationLayout,
    Piece,
    Symmetry,
    gathered,
    numbered,
)

HAND = Piece("hand", (2, 3), 4, "own cards", ("colour", "value"))
TURN = Piece("turn", (), 9, "which turn it is")
SEATS = Piece("scores", (3,), 300, "points", ("seat",))
LAYOUT = ObservationLayout((HAND, TURN, SEATS))


def test_the_pieces_lie_one_after_the_other() -> None:
    assert [LAYOUT.where(name) for name in ("hand", "turn", "scores")] == [
        slice(0, 6),
        slice(6, 7),
        slice(7, 10),
    ]
    assert [piece.size for piece in LAYOUT.pieces] == [6, 1, 3]
    assert LAYOUT.size == 10
    assert LAYOUT.piece("turn") is TURN
    assert LAYOUT.maxima.tolist() == [4] * 6 + [9] + [300] * 3


@pytest.mark.parametrize(
    ("maximum", "dtype"), [(1, np.uint8), (255, np.uint8), (256, np.uint16), (65_536, np.uint32)]
)
def test_the_dtype_is_the_smallest_that_holds_every_maximum(maximum: int, dtype: type) -> None:
    assert ObservationLayout((replace(TURN, maximum=maximum),)).dtype == dtype
    assert ObservationLayout((HAND, replace(TURN, maximum=maximum), HAND_TOO)).dtype == dtype


HAND_TOO = replace(HAND, name="too", maximum=1)


def test_views_cut_observations_of_any_shape() -> None:
    numbers = np.arange(2 * 5 * 10).reshape(2, 5, 10)
    views = LAYOUT.views(numbers)
    assert list(views) == ["hand", "turn", "scores"]
    assert [view.shape for view in views.values()] == [(2, 5, 2, 3), (2, 5), (2, 5, 3)]
    assert views["hand"][1, 4].ravel().tolist() == numbers[1, 4, :6].tolist()
    assert views["turn"][1, 4] == numbers[1, 4, 6]
    views["scores"][0, 0] = -1
    assert (numbers[0, 0, 7:] == -1).all()


@pytest.mark.parametrize("numbers", [9, 11, 40])
def test_views_refuse_observations_of_another_layout(numbers: int) -> None:
    """Regression: longer arrays, such as a state of all players, were silently cut."""
    with pytest.raises(ValueError, match=f"10 numbers.*{numbers}$"):
        LAYOUT.views(np.zeros((2, numbers)))


def test_a_fingerprint_is_that_of_names_shapes_maxima_and_axes() -> None:
    """It must not change, since policies with another fingerprint are rejected."""
    redescribed = ObservationLayout((replace(HAND, description="?"), TURN, SEATS))
    assert LAYOUT.fingerprint() == redescribed.fingerprint() == "a7ab4a0eb6c8c5ce"
    changed_layouts = [
        ObservationLayout((TURN, HAND, SEATS)),
        ObservationLayout((replace(HAND, name="cards"), TURN, SEATS)),
        ObservationLayout((replace(HAND, maximum=5), TURN, SEATS)),
        ObservationLayout((replace(HAND, shape=(3, 2)), TURN, SEATS)),
        ObservationLayout((replace(HAND, axes=("value", "colour")), TURN, SEATS)),
    ]
    assert len({LAYOUT.fingerprint(), *(layout.fingerprint() for layout in changed_layouts)}) == 6


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: replace(HAND, axes=("colour",)),
            "piece 'hand'.*2 axes.*1 axis names.*colour",
        ),
        (lambda: replace(TURN, maximum=0), "maximum.*'turn'.*at least 1.*0$"),
        (lambda: ObservationLayout((HAND, TURN, HAND)), "two pieces.*'hand'"),
        (
            lambda: ObservationLayout((HAND, TURN), tied_axes=("seat",)),
            r"axis \'seat\'.*one length.*\[\]",
        ),
        (
            lambda: ObservationLayout(
                (HAND, replace(HAND, name="other", shape=(4, 3))), tied_axes=("colour",)
            ),
            r"axis \'colour\'.*one length.*\[2, 4\]",
        ),
        (
            lambda: ActionPiece("give", (3, 2), ("seat",)),
            r"\'give\'.*\(3, 2\).*seat",
        ),
        (lambda: SlotPiece("card", "hand", 5, 0), "plays.*1 to 2.*0$"),
        (lambda: SlotPiece("card", "hand", 5, 3), "plays.*1 to 2.*3$"),
        (
            lambda: ActionPiece("give", (0,), ("seat",)),
            "shape.*'give'.*at least 1.*0$",
        ),
        (
            lambda: ActionPiece("give", 2, ("seat",)),
            "shape.*'give'.*tuple of integers.*2$",
        ),
        (
            lambda: Piece("held", (0,), 3, "", ("seat",)),
            "shape.*'held'.*at least 1.*0$",
        ),
        (
            lambda: Piece("held", (2,), 3.5, "", ("seat",)),
            "maximum.*'held'.*integer.*3.5$",
        ),
        (
            lambda: Piece("held", (), True, ""),
            "maximum.*'held'.*integer.*True$",
        ),
        (
            lambda: Piece("held", (1.5,), 1, "", ("seat",)),
            "shape.*'held'.*integer.*1.5$",
        ),
        (lambda: SlotPiece("card", "hand", 1.0, 1), "slots.*integer.*1.0$"),
        (lambda: SlotPiece("card", "hand", 300, 1), "slots.*1 to 255.*300$"),
        (lambda: ObservationLayout(()), "at least one piece"),
        (lambda: ActionLayout(()), "at least one block"),
        (
            lambda: ActionLayout((ActionPiece("give"), SlotPiece("give", "hand", 5, 1))),
            "two blocks.*'give'",
        ),
        (
            lambda: Piece("held", (), 2**63, ""),
            f"maximum.*'held'.*{2**63 - 1}.*{2**63}",
        ),
        (
            lambda: ObservationLayout((HAND,), Symmetry(("colour",), "shifts", ("hand",))),
            "permutations.*rotations.*'shifts'",
        ),
        (
            lambda: ObservationLayout((HAND,), Symmetry(("seat",), "rotations", ("hand",))),
            r"axis \'seat\'.*one length.*\[\]",
        ),
        *(
            (
                lambda axes=axes: ObservationLayout((HAND,), Symmetry(axes, "rotations", ())),
                f"axes.*{re.escape(str(axes))}.*one length",
            )
            for axes in ((), ("colour", "value"))
        ),
        *(
            (
                lambda key=key: ObservationLayout(
                    (HAND, TURN), Symmetry(("colour",), "rotations", (key,))
                ),
                f"key.*colour.*{key!r}",
            )
            for key in ("deck", "turn")
        ),
    ],
)
def test_layouts_that_contradict_themselves_are_refused(make: object, words: str) -> None:
    assert callable(make)
    with pytest.raises(ValueError, match=words):
        make()


@pytest.mark.parametrize("shape", [(2, 1), [2, 1], np.array([2, 1], np.uint8)])
def test_shapes_are_tuples_of_pythons_ints(shape: Any) -> None:
    axes = ("seat", "row")
    for piece in (ActionPiece("give", shape, axes), Piece("held", shape, np.int8(3), "", axes)):
        assert piece.shape == (2, 1)
        assert {type(size) for size in piece.shape} == {int}
        assert piece.size == 2


def test_a_hand_may_be_a_single_slot() -> None:
    assert SlotPiece("card", "hand", 1, 1).choices == ((0,),)


def test_a_name_that_there_is_not() -> None:
    for look in (LAYOUT.piece, LAYOUT.where):
        with pytest.raises(KeyError, match=r"'deck'.*hand, turn, scores"):
            look("deck")
    actions = ActionLayout((ActionPiece("give", (2,), ("seat",)), ActionPiece("pass")))
    with pytest.raises(KeyError, match=r"'take'.*give, pass"):
        actions.where("take")


def test_actions_are_numbered_block_after_block() -> None:
    actions = ActionLayout(
        (
            ActionPiece("give", (3,), ("seat",)),
            ActionPiece("pass"),
            SlotPiece("card", "hand", 4, 1),
            SlotPiece("pair", "hand", 4, 2),
        )
    )
    assert [piece.size for piece in actions.pieces] == [3, 1, 4, 6]
    assert actions.size == 14
    assert [actions.where(piece.name) for piece in actions.pieces] == [
        slice(0, 3),
        slice(3, 4),
        slice(4, 8),
        slice(8, 14),
    ]


def test_pairs_of_slots_come_in_lexicographic_order() -> None:
    assert SlotPiece("card", "hand", 3, 1).choices == ((0,), (1,), (2,))
    assert SlotPiece("pair", "hand", 4, 2).choices == (
        (0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3),
    )  # fmt: skip


def some_knowledge(num: int) -> dict[str, np.ndarray[Any, Any]]:
    """Random numbers of different dtypes for the pieces of ``LAYOUT`` and two players."""
    rng = np.random.default_rng(0)
    return {
        "hand": rng.integers(0, 9, (2, 2, 3, num)).astype(np.uint8),
        "turn": rng.integers(0, 9, num).astype(np.int16),
        "scores": rng.integers(0, 9, (2, 3, num)),
    }


@pytest.mark.parametrize(("num", "threshold"), [(1, 100), (5, 1), (5, 100)])
def test_observations_are_gathered_from_rows_few_or_many(
    num: int, threshold: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many games are gathered row by row, few at once, with the same result."""
    monkeypatch.setattr(observation, "MANY_NUMBERS", threshold)
    arrays = some_knowledge(num)
    observations = gathered(arrays, LAYOUT.rows(numbered(arrays), 2), LAYOUT.dtype)
    assert observations.flags.writeable
    assert (observations.shape, observations.dtype) == ((2, LAYOUT.size, num), LAYOUT.dtype)
    for player in range(2):
        pieces = LAYOUT.views(observations[player].T)
        assert np.array_equal(pieces["hand"].transpose(1, 2, 0), arrays["hand"][player])
        assert np.array_equal(pieces["turn"], arrays["turn"])
        assert np.array_equal(pieces["scores"].T, arrays["scores"][player])


@pytest.mark.parametrize("num", [1, 5, GAMES_AT_A_TIME, 2 * GAMES_AT_A_TIME + 5])
@pytest.mark.parametrize("order", [*permutations(range(3))])
@pytest.mark.parametrize("dtype", [LAYOUT.dtype, np.float32])
@pytest.mark.parametrize("cached", [100, 4 * GAMES_AT_A_TIME, 1 << 20])
def test_observations_are_gathered_into_an_array_of_any_order_and_dtype(
    num: int, order: tuple[int, ...], dtype: Any, cached: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(observation, "CACHED", cached)
    arrays = some_knowledge(num)
    rows = LAYOUT.rows(numbered(arrays), 2)
    expected = gathered(arrays, rows, LAYOUT.dtype)
    shape = expected.shape
    out = np.full([shape[axis] for axis in order], 99, dtype).transpose(np.argsort(order))
    assert gathered(arrays, rows, LAYOUT.dtype, out) is out
    assert np.array_equal(out, expected)


def test_what_all_know_is_the_same_to_each_player_and_seats_are_in_turn_order() -> None:
    layout = ObservationLayout((TURN, replace(SEATS, shape=(2,)), HAND))
    knowledge = {
        "hand": np.zeros((2, 6, 1)),
        "scores": np.zeros((2, 1)),
        "turn": np.zeros(1),
    }
    hand = [*range(6)], [*range(6, 12)]
    rows = layout.rows(numbered(knowledge), 2)
    assert rows.tolist() == [[14, 12, 13, *hand[0]], [14, 13, 12, *hand[1]]]
