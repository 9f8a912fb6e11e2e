"""Properties of all games of Kododo, for any cards and choices."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from kododo_env import kododo_v0
from kododo_env.arrays.dtypes import Int8, Intp, Uint8
from kododo_env.games.kododo import KododoGame, Rules
from kododo_env.registry import words_of
from kododo_env.testing import check_batch_game
from tests.helpers import assert_same_state, play_random, random_actions

SMALL = {"num_colours": 3, "copies": (2, 1, 1, 1), "hand_size": 3, "plays": (1, 2)}
ALL_RULES = [
    *(Rules(num_players=players) for players in (2, 3, 4, 5)),
    *(Rules(num_players=players, variant="long") for players in (2, 3, 4, 5)),
    Rules(num_players=2, removed_cards=3, **SMALL),
    Rules(num_players=2, removed_cards=3, variant="long", target_score=9, **SMALL),
]


def short_name(rules: Rules) -> str:
    return f"{rules.num_players}-{rules.variant}-{rules.num_cards}-cards"


def present(hands: Int8) -> list[int]:
    """Return the cards in some hands without empty slots."""
    return [card for card in hands.ravel().tolist() if card >= 0]


# --- what any batch game promises -----------------------------------------------------


@pytest.mark.parametrize(
    "rules",
    [
        *ALL_RULES[:4],
        *(replace(rules, target_score=20) for rules in (ALL_RULES[4], ALL_RULES[7])),
        *ALL_RULES[8:],
    ],
    ids=short_name,
)
def test_the_game_keeps_its_promises(rules: Rules) -> None:
    """Under the real rules everything but the seats is checked by the tests of all games.

    The long variant repeats deals, in the same way for any number of players.
    """
    check_batch_game(
        kododo_v0.batch_game,
        rules=rules,
        reseat=lambda _, decks, order: reseated(decks, order, rules),
        places=3,
        only=["seats"] if rules in ALL_RULES[:4] else [],
    )


def reseated(decks: Uint8, order: Intp, rules: Rules) -> Uint8:
    """Return decks that deal the cards of seat order[s] to seat s."""
    dealt = rules.num_players * rules.hand_size
    blocks = [np.arange(dealt)]
    for _ in range(rules.num_rounds - 1):
        for plays in rules.plays:
            first = blocks[-1][-1] + 1
            blocks.append(np.arange(first, first + rules.num_players * plays))
    moved = [block.reshape(rules.num_players, -1)[order].ravel() for block in blocks]
    removed = np.arange(blocks[-1][-1] + 1, decks.shape[-1])
    assert len(removed) == rules.removed
    return decks[..., np.concatenate([*moved, removed])]


# --- determinised copies --------------------------------------------------------------


@pytest.mark.parametrize("rules", ALL_RULES[:8], ids=short_name)
def test_determinised_hands_have_every_card_as_often_as_it_is_hidden(rules: Rules) -> None:
    samples = 4_000
    player = 1
    game = KododoGame(1, rules, seed=7)
    play_random(game, np.random.default_rng(8), steps=4)
    pieces = game.view(player).pieces
    visible = (pieces["seen"][0] + pieces["hand"][0]).ravel()
    hidden = np.bincount(rules.cards, minlength=30) - visible
    copies = game.determinize(player, np.random.default_rng(9), samples)
    for opponent in set(range(rules.num_players)) - {player}:
        held = (copies.hands[:, opponent, :, None] == np.arange(30)).sum(axis=1)
        share = hidden / hidden.sum()
        # Five cards drawn without replacement: the hypergeometric distribution.
        spread = np.sqrt(5 * share * (1 - share) * (hidden.sum() - 5) / (hidden.sum() - 1))
        error = (held.mean(axis=0) - 5 * share) * np.sqrt(samples)
        assert (np.abs(error) <= 5 * spread + 1e-9).all()


@pytest.mark.parametrize("turn", [1, 2])
def test_any_card_in_hand_may_be_what_was_drawn_last(turn: int) -> None:
    """Nobody saw which card was drawn, so every card of the hand is equally likely."""
    samples = 6_000
    plays = Rules().plays[turn - 1]
    game = KododoGame(1, Rules(3), seed=7)
    play_random(game, np.random.default_rng(8), steps=turn)
    before, candidates = game.take(np.zeros(samples, np.intp)).before_last_step(
        np.random.default_rng(1)
    )
    assert (before.turn, before.draw_pile_size) == (turn - 1, game.draw_pile_size + 3 * plays)
    for player in range(3):
        held, laid = (
            Counter(map(int, cards))
            for cards in (game.hands[0, player], laid_last(game, player, plays))
        )
        drawn = Counter(
            card
            for hand in before.hands[:, player]
            for card in (held - (Counter(map(int, hand)) - laid)).elements()
        )
        assert set(drawn) == set(held)
        for card, count in held.items():
            probability = count * plays / 5
            assert abs(drawn[card] / samples - probability) < 5 * np.sqrt(probability / samples)
        for hand, actions in zip(before.hands[:50, player], candidates[:50, player], strict=True):
            for action in np.flatnonzero(actions):
                slots = game._tables.slots[action]
                assert Counter(int(hand[slot]) for slot in slots) == laid


def laid_last(game: KododoGame, player: int, plays: int) -> list[int]:
    table = game.table[0, player]
    return [int(card) for card in table[table >= 0][-plays:]]


def ended_and_going_on(rules: Rules, num: int = 60) -> KododoGame:
    """Return a batch of the long variant with some finished games that have cards in hand."""
    game = KododoGame(num, rules, seed=0)
    rng = np.random.default_rng(0)
    while True:
        play_random(game, rng, steps=1)
        held = (game.hands >= 0).any(axis=(1, 2))
        if (game.terminated & held).any() and (game.terminated & ~held).any() and game.turn:
            assert not game.terminated.all()
            return game


@pytest.mark.parametrize(
    "rules",
    [
        Rules(num_players=2, variant="long", target_score=20, copies=(5, 6, 5, 3, 1, 0)),
        Rules(num_players=3, variant="long", target_score=18),
    ],
    ids=short_name,
)
def test_cards_left_in_hand_are_dealt_again_in_games_that_are_over(rules: Rules) -> None:
    game = ended_and_going_on(rules)
    over = game.terminated
    copies = game.determinize(1, np.random.default_rng(0), 1)
    assert ((copies.hands < 0) == (game.hands < 0)).all()
    assert (copies.hands[:, 1] == game.hands[:, 1]).all()
    unchanged = (copies.hands[:, 0] == game.hands[:, 0]).all(axis=1)
    has_cards = (game.hands[:, 0] >= 0).any(axis=1)
    assert unchanged[over & ~has_cards].all()
    assert unchanged[over & has_cards].mean() < 0.3
    for index in np.flatnonzero(over & has_cards):
        cards = Counter(dict(enumerate(copies.view(0).pieces["seen"][index].ravel().tolist())))
        cards.update(present(copies.hands[index]))
        assert cards <= Counter(rules.cards.tolist())


def test_a_game_that_is_over_is_not_shown_as_the_others_go_on() -> None:
    """Regression: its observation had the rounds left and the draw pile of running games.

    Alone it had none after a whole deal. And a story told of cards that nobody had laid.
    """
    rules = {"rules": Rules(num_players=3, variant="long", target_score=26)}
    check_batch_game(KododoGame, rules=rules, only=["batches"])
    game = ended_and_going_on(Rules(num_players=3, variant="long", target_score=18))
    has_cards = (game.hands >= 0).any(axis=(1, 2))
    observed = game.layout.views(game.observe()[:, 0])
    going_on = ~game.terminated
    for piece in ("rounds_left", "draw_pile"):
        assert (observed[piece][game.terminated & ~has_cards] == 0).all()
        assert (observed[piece][game.terminated & has_cards] > 0).all()
        assert len(set(observed[piece][going_on].tolist())) == 1
    assert (observed["turn"][game.terminated] == [1, 0, 0]).all()
    before = game.clone()
    actions = random_actions(game, np.random.default_rng(0))
    game.step(actions)
    for index in np.flatnonzero(before.terminated).tolist():
        assert words_of(game).events(before, actions[index], None, index) == []
        assert words_of(game).describe_choice(0, 1, index) == words_of(game).describe_action(0)
    state = game.state()
    state["_counts"][-1, -1, game.terminated] += 1
    with pytest.raises(ValueError, match="_counts must have whole rounds"):
        game.load_state(state)


# --- later deals ------------------------------------------------------------------


def test_a_later_deal_of_the_long_variant_differs_between_seeds_and_games() -> None:
    rules = Rules(num_players=4, variant="long", target_score=1_000)
    deck = np.random.default_rng(17).permutation(rules.cards)
    later = []
    for seed in (1, 2, 3):
        game = KododoGame(2, rules)
        game.reset(seed=seed, decks=np.stack([deck, deck]))
        for deal in range(3):
            play_random(game, np.random.default_rng(18), steps=3 * 6)
            later += [(deal, hands.tobytes()) for hands in game.hands]
    assert len(set(later)) == 3 * 3 * 2


# --- starting finished games again -----------------------------------------------------


@pytest.mark.parametrize("injected", [False, True])
def test_in_the_long_variant_finished_games_are_dealt_again_between_deals(injected: bool) -> None:
    rules = Rules(num_players=4, variant="long", target_score=20)
    game = KododoGame(60, rules, seed=22)
    if injected:
        game.reset(decks=game.sample_decks(60, np.random.default_rng(23)))
    rng = np.random.default_rng(24)
    play_random(game, rng, steps=18)
    over = game.terminated.copy()
    before = game.clone()
    assert over.any()
    assert not over.all()
    assert (game.restart_finished() == over).all()
    game.load_state(state := game.state())  # it is a reachable state
    assert (
        state["_next_later_deck"][over] == len(state["_later_decks"])
    ).all()  # they were the old games'
    assert not game.terminated.any()
    assert not game.scores[over].any()
    assert not game.pile_sizes[over].any()
    assert not game.view(0).pieces["later_deal"][over].any()
    assert game.view(0).pieces["later_deal"][~over].all()
    for name in ("hands", "scores", "pile_sizes"):
        assert (getattr(game, name)[~over] == getattr(before, name)[~over]).all(), name
    for hands in game.hands[over]:
        assert Counter(present(hands)) <= Counter(rules.cards.tolist())
    assert len({hands.tobytes() for hands in game.hands}) == 60
    # A new game is in its first deal, where the target is not tested before the end.
    for _ in range(17):
        play_random(game, rng, steps=1)
        assert not game.restart_finished().any()
    assert not game.terminated[over].any()
    assert game.terminated[~over].any()
    # Its second deal is of whole decks too.
    play_random(game, rng, steps=1)
    assert not game.terminated[over].all()
    for hands in game.hands[over & ~game.terminated]:
        assert Counter(present(hands)) <= Counter(rules.cards.tolist())


def test_games_dealt_again_follow_from_the_seed_and_differ_between_seeds() -> None:
    rules = Rules(num_players=4, variant="long", target_score=20)
    dealt = set()
    for seed in (1, 2):
        game = KododoGame(60, rules, seed=0)
        play_random(game, np.random.default_rng(28), steps=18)
        game.rng = np.random.default_rng(seed)
        twin = game.clone()
        restarted = game.restart_finished()
        assert np.array_equal(restarted, twin.restart_finished())
        assert_same_state(game, twin)
        dealt |= {hands.tobytes() for hands in game.hands[restarted]}
    assert len(dealt) == 2 * restarted.sum()


# --- taking back the last turn ----------------------------------------------------------


def test_taking_back_leaves_alone_the_games_that_wait_for_the_others() -> None:
    game = KododoGame(60, Rules(num_players=3, variant="long", target_score=18), seed=0)
    rng = np.random.default_rng(0)
    while not (game.terminated.any() and game.turn == 2):
        game.step(random_actions(game, rng))
    over = game.terminated.copy()
    assert not over.all()
    before, candidates = game.before_last_step(np.random.default_rng(1))
    assert (before.turn, before.steps_played) == (1, game.steps_played - 1)
    assert candidates.dtype == np.bool_
    for name, array in game.state().items():
        if isinstance(array, np.ndarray) and array.ndim and array.shape[-1] == 60:
            assert (before.state()[name][..., over] == array[..., over]).all(), name
    going = ~over
    assert (before.table[going, :, 3] == -1).all()
    before.step(np.where(over[:, None], 0, candidates.argmax(axis=2)))
    assert (before.observe()[going] == game.observe()[going]).all()
