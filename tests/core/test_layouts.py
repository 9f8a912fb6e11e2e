"""Layouts of observations and actions: names, places, sizes, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from kododo_env.core import observation
from kododo_env.core.actions import ActionLayout, ActionPiece, SlotPiece
from kododo_env.core.observation import ObservationLayout, Piece, Symmetry, gathered, numbered

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
    """Longer ones, such as a state of all players, were cut in silence."""
    with pytest.raises(ValueError, match=f"^an observation has 10 numbers here, not {numbers}$"):
        LAYOUT.views(np.zeros((2, numbers)))


def test_the_table_of_the_documentation() -> None:
    assert LAYOUT.table().split("\n") == [
        "| index | piece | shape | axes | values | meaning |",
        "|---|---|---|---|---|---|",
        "| 0–5 | `hand` | 2 × 3 | colour, value | 0–4 | own cards |",
        "| 6 | `turn` | 1 | – | 0–9 | which turn it is |",
        "| 7–9 | `scores` | 3 | seat | 0–300 | points |",
    ]


def test_a_fingerprint_is_that_of_names_shapes_maxima_and_axes() -> None:
    """Policies are refused by it, so it stays what it is."""
    told_otherwise = ObservationLayout((replace(HAND, description="?"), TURN, SEATS))
    assert LAYOUT.fingerprint() == told_otherwise.fingerprint() == "a7ab4a0eb6c8c5ce"
    others = [
        ObservationLayout((TURN, HAND, SEATS)),
        ObservationLayout((replace(HAND, name="cards"), TURN, SEATS)),
        ObservationLayout((replace(HAND, maximum=5), TURN, SEATS)),
        ObservationLayout((replace(HAND, shape=(3, 2)), TURN, SEATS)),
        ObservationLayout((replace(HAND, axes=("value", "colour")), TURN, SEATS)),
    ]
    assert len({LAYOUT.fingerprint(), *(other.fingerprint() for other in others)}) == 6


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (
            lambda: replace(HAND, axes=("colour",)),
            "piece 'hand' has 2 axes (2, 3) but 1 names for them: ('colour',)",
        ),
        (lambda: replace(TURN, maximum=0), "the maximum of piece 'turn' must be at least 1, not 0"),
        (lambda: ObservationLayout((HAND, TURN, HAND)), "two pieces are called 'hand'"),
        (
            lambda: ObservationLayout((HAND, TURN), alike=("seat",)),
            "the axis 'seat' must have one length, not []",
        ),
        (
            lambda: ObservationLayout(
                (HAND, replace(HAND, name="other", shape=(4, 3))), alike=("colour",)
            ),
            "the axis 'colour' must have one length, not [2, 4]",
        ),
        (
            lambda: ActionPiece("give", (3, 2), ("seat",)),
            "actions 'give': ('seat',) do not name (3, 2)",
        ),
        (lambda: SlotPiece("card", "hand", 5, 0), "plays must be 1 to 2, not 0"),
        (lambda: SlotPiece("card", "hand", 5, 3), "plays must be 1 to 2, not 3"),
        (
            lambda: ActionPiece("give", (0,), ("seat",)),
            "each of the shape of actions 'give' must be at least 1, not 0",
        ),
        (
            lambda: ActionPiece("give", 2, ("seat",)),
            "the shape of actions 'give' must be a tuple of integers, not 2",
        ),
        (
            lambda: Piece("held", (0,), 3, "", ("seat",)),
            "each of the shape of piece 'held' must be at least 1, not 0",
        ),
        (
            lambda: Piece("held", (2,), 3.5, "", ("seat",)),
            "the maximum of piece 'held' must be an integer, not 3.5",
        ),
        (
            lambda: Piece("held", (), True, ""),
            "the maximum of piece 'held' must be an integer, not True",
        ),
        (
            lambda: Piece("held", (1.5,), 1, "", ("seat",)),
            "each of the shape of piece 'held' must be an integer, not 1.5",
        ),
        (lambda: SlotPiece("card", "hand", 1.0, 1), "slots must be an integer, not 1.0"),
        (lambda: SlotPiece("card", "hand", 300, 1), "slots must be 1 to 255, not 300"),
        (lambda: ObservationLayout(()), "a layout has one piece at least"),
        (lambda: ActionLayout(()), "a layout has one block of actions at least"),
        (
            lambda: ActionLayout((ActionPiece("give"), SlotPiece("give", "hand", 5, 1))),
            "two blocks of actions are called 'give'",
        ),
        (
            lambda: Piece("held", (), 2**63, ""),
            f"the maximum of piece 'held' must be at most {2**63 - 1}, not {2**63}",
        ),
        (
            lambda: ObservationLayout((HAND,), Symmetry(("colour",), "shifts", ("hand",))),
            "a symmetry is of permutations or rotations, not 'shifts'",
        ),
        (
            lambda: ObservationLayout((HAND,), Symmetry(("seat",), "rotations", ("hand",))),
            "the axis 'seat' must have one length, not []",
        ),
        *(
            (
                lambda axes=axes: ObservationLayout((HAND,), Symmetry(axes, "rotations", ())),
                f"the axes {axes} of a symmetry must have one length",
            )
            for axes in ((), ("colour", "value"))
        ),
        *(
            (
                lambda key=key: ObservationLayout(
                    (HAND, TURN), Symmetry(("colour",), "rotations", (key,))
                ),
                f"no piece {key!r} with one of the axes ('colour',) is a key",
            )
            for key in ("deck", "turn")
        ),
    ],
)
def test_layouts_that_contradict_themselves_are_refused(make: object, said: str) -> None:
    assert callable(make)
    with pytest.raises(ValueError) as error:  # noqa: PT011
        make()
    assert str(error.value) == said


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
        with pytest.raises(KeyError) as error:
            look("deck")
        assert error.value.args == ("no piece 'deck'; there are hand, turn, scores",)
    actions = ActionLayout((ActionPiece("give", (2,), ("seat",)), ActionPiece("pass")))
    with pytest.raises(KeyError) as error:
        actions.where("take")
    assert error.value.args == ("no actions 'take'; there are give, pass",)


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


@pytest.mark.parametrize(("num", "many"), [(1, 100), (5, 1), (5, 100)])
def test_observations_are_gathered_from_rows_few_or_many(
    num: int, many: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many games are put together row by row, few at once: every number must be the same."""
    monkeypatch.setattr(observation, "MANY_NUMBERS", many)
    rng, rows = np.random.default_rng(0), numbered(hand=(2, 2, 3), turn=(), scores=(2, 3))
    assert np.concatenate([each.ravel() for each in rows.values()]).tolist() == list(range(19))
    kinds: list[type[np.integer[Any]]] = [np.uint8, np.int16, np.int64]
    known = [
        rng.integers(0, 9, (*each.shape, num)).astype(kind)
        for each, kind in zip(rows.values(), kinds, strict=True)
    ]
    places = LAYOUT.filled(rows, 2)
    found = gathered(known, places, LAYOUT.dtype)
    assert found.flags.writeable
    assert (found.shape, found.dtype) == ((2, LAYOUT.size, num), LAYOUT.dtype)
    for player in range(2):
        pieces = LAYOUT.views(found[player].T)
        assert np.array_equal(pieces["hand"].transpose(1, 2, 0), known[0][player])
        assert np.array_equal(pieces["turn"], known[1])
        assert np.array_equal(pieces["scores"].T, known[2][player])
