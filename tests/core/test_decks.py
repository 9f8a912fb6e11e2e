"""Shuffling decks, and checks of given decks."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest

from kododo_env.core.deck import (
    NONE,
    check_decks,
    shuffled_counts,
    shuffled_decks,
    shuffled_rows,
)

CARDS = np.array([0, 0, 1, 2, 2, 2, 255], np.uint8)


@pytest.mark.parametrize(("rows", "size"), [(1, 1), (3, 5), (4, 6), (0, 4)])
def test_each_row_keeps_its_own_cards(rows: int, size: int) -> None:
    """Two keys are drawn per word, so odd and even numbers of cards are different cases."""
    cards = np.random.default_rng(0).integers(0, 256, (rows, size)).astype(np.uint8)
    before = cards.copy()
    shuffled = shuffled_rows(cards, np.random.default_rng(1))
    assert (shuffled.shape, shuffled.dtype) == ((rows, size), np.dtype(np.uint8))
    assert np.array_equal(np.sort(shuffled, axis=1), np.sort(before, axis=1))
    assert np.array_equal(cards, before)


def test_all_orders_have_the_same_probability() -> None:
    decks = shuffled_decks(np.arange(3, dtype=np.uint8), 60_000, np.random.default_rng(0))
    count = Counter(map(tuple, decks.tolist()))
    assert len(count) == 6
    # Six bins of 10,000 with a standard deviation of 91 each.
    assert all(abs(number - 10_000) < 500 for number in count.values())


def test_rows_are_shuffled_each_by_itself() -> None:
    decks = shuffled_decks(np.arange(60, dtype=np.uint8), 200, np.random.default_rng(0))
    assert len(set(map(tuple, decks.tolist()))) == 200


def test_a_shuffle_follows_from_the_generator_and_nothing_else() -> None:
    first_decks, second_decks = (
        shuffled_decks(CARDS, 5, np.random.default_rng(7)) for _ in range(2)
    )
    assert np.array_equal(first_decks, second_decks)
    assert not np.array_equal(first_decks, shuffled_decks(CARDS, 5, np.random.default_rng(8)))


@pytest.mark.parametrize(("rows", "size", "words"), [(1, 4, 2), (1, 5, 3), (3, 3, 5), (2, 3, 3)])
def test_two_cards_take_one_word_of_the_generator(rows: int, size: int, words: int) -> None:
    """The number of words determines all later random numbers of a seed."""
    rng = np.random.default_rng(7)
    expected_rng = np.random.default_rng(7)
    shuffled_rows(np.zeros((rows, size), np.uint8), rng)
    expected_rng.integers(1 << 64, size=words, dtype=np.uint64)
    assert rng.bit_generator.state == expected_rng.bit_generator.state


def test_decks_are_taken_in_any_integer_dtype_as_one_deal_or_several() -> None:
    rows = shuffled_decks(CARDS, 4, np.random.default_rng(0))
    for dtype in (np.uint8, np.int16, np.int64):
        checked = check_decks(rows.astype(dtype), CARDS, 4, "game", 1)
        assert (checked.shape, checked.dtype) == ((4, 1, 7), np.dtype(np.uint8))
        assert np.array_equal(checked[:, 0], rows)
    assert check_decks(rows[:, None], CARDS, 4, "game", 1).shape == (4, 1, 7)
    assert check_decks(rows[:, None].repeat(3, 1), CARDS, 4, "game", 3).shape == (4, 3, 7)
    several = check_decks(rows.reshape(2, 2, 7), CARDS, 2, "game", 2)
    assert np.array_equal(several, rows.reshape(2, 2, 7))


@pytest.mark.parametrize(
    ("shape", "most_deals", "words"),
    [
        ((7,), 2, ""),
        ((3, 7), 2, ""),
        ((4, 6), 2, ""),
        ((4, 2, 7), 1, ""),
        ((4, 0, 7), 2, ""),
        ((4, 2, 6), 2, ""),
        ((3, 2, 7), 2, ""),
        ((4, 1, 1, 7), 2, ""),
        ((4, 4, 7), 3, "at most 3 deals.*4$"),
    ],
)
def test_decks_of_another_shape_are_refused(
    shape: tuple[int, ...], most_deals: int, words: str
) -> None:
    decks = np.broadcast_to(np.resize(CARDS, shape[-1]), shape)
    words = words or r"decks of game.*shape \(4, 7\).*" + re.escape(str(shape))
    with pytest.raises(ValueError, match=words):
        check_decks(decks, CARDS, 4, "game", most_deals)


FEW = np.array([0, 1, 1], np.uint8)


@pytest.mark.parametrize(
    ("cards", "deck", "counts"),
    [
        (CARDS, [0, 0, 1, 2, 2, 1, 255], "2 of card 1.* 1$"),
        (CARDS, [0, 1, 1, 2, 2, 2, 255], "1 of card 0.* 2$"),
        (CARDS, [0, 0, 1, 2, 2, 2, 3], "1 of card 3.* 0$"),
        (CARDS, [0, 0, 1, 2, 2, 2, 256], "0 of card 255.* 1$"),
        (CARDS, [-1, 0, 1, 2, 2, 2, 255], "1 of card 0.* 2$"),
        (CARDS, [0, 0, 1, 2, 2, 2, 2**40], "0 of card 255.* 1$"),
        (FEW, [9, 1, 1], "0 of card 0.* 1$"),
        (FEW, [0, 1, 9], "1 of card 1.* 2$"),
    ],
)
def test_a_deck_of_other_cards_is_refused_and_the_first_wrong_card_named(
    cards: np.ndarray, deck: list[int], counts: str
) -> None:
    good = cards.astype(np.int64)[::-1]
    for decks in ([good, deck, deck], [[good, good], [good, deck]]):  # a later deal too
        with pytest.raises(ValueError, match=f"deck 1 .*game.*{counts}"):
            check_decks(np.array(decks), cards, len(decks), "game", 2)


def test_cards_given_by_their_numbers_come_in_any_order_with_nothing_behind_them() -> None:
    counts = np.array([[2, 0, 1], [1, 0, 0], [0, 1, 3]])
    dealt = shuffled_counts(counts, 4, np.random.default_rng(0))
    assert (dealt.shape, dealt.dtype) == ((4, 3), np.dtype(np.uint8))
    assert [sorted(game_cards) for game_cards in dealt.T.tolist()] == [
        [0, 0, 1, NONE],
        [2, NONE, NONE, NONE],
        [0, 2, 2, 2],
    ]
    assert dealt[3, 0] == NONE
    assert dealt[0, 1] == 2


def test_cards_given_by_their_numbers_have_all_orders_with_the_same_probability() -> None:
    counts = np.repeat([[2], [1], [0]], 30_000, axis=1)
    dealt = shuffled_counts(counts, 3, np.random.default_rng(0))
    count = Counter(map(tuple, dealt.T.tolist()))
    assert set(count) == {(0, 0, 1), (0, 1, 0), (1, 0, 0)}
    # Three bins of 10,000 with a standard deviation of 82 each.
    assert all(abs(number - 10_000) < 450 for number in count.values())
    dealt_again = shuffled_counts(counts, 3, np.random.default_rng(0))
    assert np.array_equal(dealt_again, dealt)
