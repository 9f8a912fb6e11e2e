"""The canonical form: the same for all equivalent positions."""

from __future__ import annotations

import numpy as np
import pytest

from kododo_env import registry
from kododo_env.core.agent import random_legal_actions
from kododo_env.core.batch_game import BatchGame
from kododo_env.layouts import canonical
from kododo_env.layouts.actions import ActionLayout, ActionPiece, SlotPiece
from kododo_env.layouts.canonical import CanonicalForm, CanonicalRows
from kododo_env.layouts.observation import ObservationLayout, Piece, Symmetry
from tests.helpers import rearranged

TABLES = [
    (name, players)
    for name in registry.ENVIRONMENT_MODULES
    for players in registry.environment_module(name).PLAYERS
]


def rows_of(game: BatchGame) -> tuple[np.ndarray, np.ndarray]:
    """The observations and masks of all seats of all games, (N * P, ...)."""
    rows = np.empty((game.num_envs, game.num_players, game.layout.size), game.layout.dtype)
    observations = game.observe(rows).reshape(-1, game.layout.size)
    masks = np.array(game.legal_action_mask(), order="C").reshape(-1, game.num_actions)
    return observations, masks


def canonical_rows(game: BatchGame) -> CanonicalRows:
    return CanonicalForm(game.layout, game.actions)(*rows_of(game))


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_equivalent_positions_have_one_canonical_form(name: str, players: int) -> None:
    game = registry.batch_game(name, 64, num_players=players, seed=3)
    symmetry = game.layout.symmetry
    assert symmetry is not None
    form = CanonicalForm(game.layout, game.actions)
    rng = np.random.default_rng(0)
    for _ in range(5):
        observations, masks = rows_of(game)
        entries = canonical.num_entries(game.layout)
        order = rng.permutation(entries)
        if symmetry.group == "rotations":
            order = np.roll(np.arange(entries), int(rng.integers(entries)))
        renamed = rearranged(game, observations, symmetry.axes, order)
        plain = form(observations, masks)
        assert np.array_equal(form(renamed, masks).observations, plain.observations)
        assert np.array_equal(
            form(plain.observations, plain.masks).actions, actions_in_order(plain)
        )
        game.step(random_legal_actions(game.legal_action_mask(), rng))


def actions_in_order(rows: CanonicalRows) -> np.ndarray:
    """The identity mapping: a canonical row is its own canonical form."""
    return np.broadcast_to(np.arange(rows.actions.shape[1]), rows.actions.shape)


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_a_canonical_action_is_one_plain_action_of_the_same_legality(
    name: str, players: int
) -> None:
    game = registry.batch_game(name, 64, num_players=players, seed=4)
    rng = np.random.default_rng(1)
    for _ in range(12):
        observations, masks = rows_of(game)
        rows = CanonicalForm(game.layout, game.actions)(observations, masks)
        assert np.array_equal(np.sort(rows.actions, axis=1), actions_in_order(rows))
        assert np.array_equal(np.take_along_axis(masks, rows.actions, axis=1), rows.masks)
        assert (rows.observations.dtype, rows.masks.dtype) == (observations.dtype, masks.dtype)
        game.step(random_legal_actions(game.legal_action_mask(), rng))


COLOURS = 7  # of which there are more orders than a table keeps


def seven_colours() -> tuple[ObservationLayout, ActionLayout]:
    layout = ObservationLayout(
        (
            Piece("hand", (2, COLOURS), 3, "own cards", ("value", "colour")),
            Piece("table", (COLOURS, COLOURS), 9, "pairs laid", ("colour", "with")),
            Piece("turn", (), 5, "which turn it is"),
        ),
        Symmetry(("colour",), "permutations", ("table",)),
    )
    actions = ActionLayout(
        (
            SlotPiece("pair", "hand", 3, 2),
            ActionPiece("name", (COLOURS,), ("colour",)),
            SlotPiece("card", "hand", 3, 1),
        )
    )
    return layout, actions


def test_many_colours_need_no_table(monkeypatch: pytest.MonkeyPatch) -> None:
    layout, actions = seven_colours()
    rng = np.random.default_rng(2)
    observations = np.zeros((300, layout.size), np.uint8)
    pieces = layout.views(observations)
    for row in range(len(observations)):
        cards = rng.integers(2 * COLOURS, size=rng.integers(4))
        pieces["hand"].reshape(300, -1)[row] = np.bincount(cards, minlength=2 * COLOURS)
    pieces["table"][:] = rng.integers(3, size=pieces["table"].shape)
    masks = rng.integers(2, size=(300, actions.size), dtype=np.int8)
    without_table = CanonicalForm(layout, actions)(observations, masks)
    monkeypatch.setattr(canonical, "MOST_ARRANGEMENTS", 5040)
    with_table = CanonicalForm(layout, actions)(observations, masks)
    for plain, tabled in zip(without_table, with_table, strict=True):
        assert np.array_equal(plain, tabled)
    totals = layout.views(without_table.observations)["table"].sum(axis=2)
    assert (np.diff(totals.astype(int), axis=1) <= 0).all()


def test_slots_follow_the_canonical_order_of_their_cards() -> None:
    layout, actions = seven_colours()
    observation = np.zeros((1, layout.size), np.uint8)
    pieces = layout.views(observation)
    pieces["table"][0, 6] = 1  # colour 6 comes first
    pieces["hand"][0, 0, [0, 6]] = 1  # in the slots 0 and 1
    rows = CanonicalForm(layout, actions)(observation, np.ones((1, actions.size), np.int8))
    card = actions.where("card").start
    assert rows.actions[0, card:].tolist() == [card + 1, card + 0, card + 2]
    pair = actions.where("pair")
    assert rows.actions[0, pair].tolist() == [0, 2, 1]  # the pairs 1-0, 1-2 and 0-2
    name = actions.where("name")
    assert rows.actions[0, name.start] == name.start + 6


def test_no_rows_and_a_game_without_symmetry() -> None:
    layout = ObservationLayout((Piece("hand", (4,), 3, "own cards", ("value",)),))
    actions = ActionLayout((SlotPiece("card", "hand", 2, 1),))
    form = CanonicalForm(layout, actions)
    observations = np.array([[0, 1, 0, 1], [2, 0, 0, 0]], np.uint8)
    rows = form(observations, np.ones((2, 2), np.bool_))
    assert np.array_equal(rows.observations, observations)
    assert np.array_equal(rows.actions, actions_in_order(rows))
    empty = form(observations[:0], np.ones((0, 2), np.bool_))
    assert empty.observations.shape == (0, 4)
    assert empty.actions.shape == (0, 2)


def test_many_rows_are_the_same_as_a_few(monkeypatch: pytest.MonkeyPatch) -> None:
    game = registry.batch_game("kododo", 16, num_players=3, seed=5)
    rows = canonical_rows(game)
    monkeypatch.setattr(canonical, "CHUNK", 7)
    for chunked, whole in zip(canonical_rows(game), rows, strict=True):
        assert np.array_equal(chunked, whole)
