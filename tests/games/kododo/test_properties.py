"""What holds in every game of Kododo, whatever the cards and the choices."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kododo_env import kododo_v0
from kododo_env.core import rows
from kododo_env.core.arrays import Int8, Int64, Intp, Uint8
from kododo_env.games.kododo import KododoGame, Rules
from kododo_env.testing import check_batch_game
from tests.games.kododo.written_deals import action_for
from tests.helpers import assert_same_state, differences, few, play_random, random_actions

SMALL = {"num_colours": 3, "copies": (2, 1, 1, 1), "hand_size": 3, "plays": (1, 2)}
ALL_RULES = [
    *(Rules(num_players=players) for players in (2, 3, 4, 5)),
    *(Rules(num_players=players, variant="long") for players in (2, 3, 4, 5)),
    Rules(num_players=2, removed_cards=3, **SMALL),
    Rules(num_players=2, removed_cards=3, variant="long", target_score=9, **SMALL),
]


def short_name(rules: Rules) -> str:
    return f"{rules.num_players}-{rules.variant}-{rules.num_cards}-cards"


ANY_RULES = st.sampled_from(ALL_RULES)
SEEDS = st.integers(0, 2**32 - 1)


class Position(NamedTuple):
    """Where a game stands: which rules, from which seed, after how many random steps."""

    rules: Rules
    seed: int
    steps: int

    def decks(self, num: int = 1) -> Uint8:
        """The decks of the position's games, (num, K, D): all deals that may be needed."""
        drawn = KododoGame(1, self.rules).sample_decks(num, np.random.default_rng(self.seed))
        return drawn if drawn.ndim == 3 else drawn[:, None]

    def game(self, num: int = 1) -> KododoGame:
        """A batch that stands there; its decks were injected."""
        game = new_game(self.rules, self.decks(num))
        play_random(game, np.random.default_rng(self.seed), self.steps)
        return game


@st.composite
def positions(draw: st.DrawFn) -> Position:
    rules = draw(ANY_RULES)
    deals = 1 if rules.variant == "standard" else 3
    return Position(
        rules, draw(SEEDS), draw(st.integers(0, deals * rules.num_rounds * rules.num_turns))
    )


def new_game(rules: Rules, decks: Uint8) -> KododoGame:
    """A batch dealt from decks of shape (N, K, D)."""
    game = KododoGame(len(decks), rules, seed=0)
    game.reset(decks=decks if rules.variant == "long" else decks[:, 0])
    return game


def present(hands: Int8) -> list[int]:
    """The cards in some hands, empty slots left out."""
    return [card for card in hands.ravel().tolist() if card >= 0]


# --- what any batch game promises -----------------------------------------------------


@pytest.mark.parametrize("rules", ALL_RULES, ids=short_name)
def test_the_game_keeps_its_promises(rules: Rules) -> None:
    """Under the real rules all but the seats is checked with every other game's."""
    check_batch_game(
        kododo_v0.batch_game,
        rules=rules,
        reseat=lambda _, decks, order: reseated(decks, order, rules),
        places=5,
        only=["seats"] if rules in ALL_RULES[:4] else [],
    )


# --- the cards ------------------------------------------------------------------------


@few(20)
@given(ANY_RULES, SEEDS)
def test_cards_are_conserved(rules: Rules, seed: int) -> None:
    position = Position(rules, seed, 0)
    decks, game = position.decks(3), position.game(3)
    rng, deal = np.random.default_rng(seed), 0
    while not game.terminated.all():
        undrawn = len(rules.cards) - rules.removed - game.draw_pile_size
        for index in np.flatnonzero(~game.terminated):
            seen = game.view(0).pieces["seen"][index].ravel()
            cards = Counter(dict(enumerate(seen.tolist())))
            cards.update(present(game.hands[index]))
            cards.update(decks[index, deal, undrawn:].tolist())
            assert +cards == Counter(rules.cards.tolist())
        play_random(game, rng, steps=1)
        deal += game.turn == game.round_index == 0


@few(20)
@given(positions())
def test_hands_are_sorted_with_the_empty_slots_last(position: Position) -> None:
    for hand in position.game(4).hands.reshape(-1, position.rules.hand_size).tolist():
        held = [card for card in hand if card >= 0]
        assert hand == sorted(held) + [-1] * (len(hand) - len(held))


# --- legal actions --------------------------------------------------------------------


@few(25)
@given(positions())
def test_legal_actions_lay_the_right_number_of_cards_from_full_slots(position: Position) -> None:
    game, rules = position.game(3), position.rules
    slots = [c for plays in (1, 2) for c in combinations(range(rules.hand_size), plays)]
    mask = game.legal_action_mask()
    for index, player in np.ndindex(mask.shape[:2]):
        if game.terminated[index]:
            assert mask[index, player].nonzero()[0].tolist() == [game.no_op]
            continue
        full = [slot for slot, card in enumerate(game.hands[index, player]) if card >= 0]
        plays = rules.plays[game.turn]
        legal = [len(each) == plays and set(each) <= set(full) for each in slots]
        assert mask[index, player].tolist() == legal


# --- batches and seats ----------------------------------------------------------------


@few(20)
@given(ANY_RULES, SEEDS)
def test_seats_permuted_results_permuted(rules: Rules, seed: int) -> None:
    order = np.random.default_rng(seed).permutation(rules.num_players)
    decks = Position(rules, seed, 0).decks(2)
    game, moved = new_game(rules, decks), new_game(rules, reseated(decks, order, rules))
    rng = np.random.default_rng(seed)
    while not game.terminated.all():
        assert (moved.legal_action_mask() == game.legal_action_mask()[:, order]).all()
        actions = random_actions(game, rng)
        game.step(actions)
        moved.step(actions[:, order])
        for name in ("hands", "table", "scores", "pile_sizes", "rewards"):
            assert (getattr(moved, name) == getattr(game, name)[:, order]).all(), name
        assert (moved.terminated == game.terminated).all()
        assert (moved.outcome() == game.outcome()[:, order]).all()


def reseated(decks: Uint8, order: Intp, rules: Rules) -> Uint8:
    """Decks that deal to seat s what the old ones dealt to seat order[s]."""
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


# --- what is hidden -------------------------------------------------------------------


@few(40)
@given(positions(), SEEDS)
def test_nobodys_hidden_cards_change_anothers_observation(position: Position, seed: int) -> None:
    rules, rng = position.rules, np.random.default_rng(seed)
    observer = seed % rules.num_players
    decks, choices = position.decks(), np.random.default_rng(position.seed)
    game, laid, looked = new_game(rules, decks), [], []
    while len(laid) < position.steps and not game.terminated[0]:
        looked.append(look(game, observer))
        actions = random_actions(game, choices)
        laid.append(cards_laid(game.hands[0], actions[0]))
        game.step(actions)
    looked.append(look(game, observer))

    other = new_game(rules, with_hidden_cards_shuffled(decks, laid, observer, rules, rng))
    for turn, cards in enumerate(laid):
        assert look(other, observer) == looked[turn]
        hands = other.hands[0].tolist()
        other.step([[action_for(*each) for each in zip(hands, cards, strict=True)]])
    assert look(other, observer) == looked[-1]


def look(game: KododoGame, player: int) -> tuple[bytes, ...]:
    """All that a player is shown, as bytes."""
    view = game.view(player)
    shown = (view.observation, view.legal_action_mask, view.hand, game.table, game.last_table)
    words = game.text(0, player), game.svg(0, player)
    return (*(part.tobytes() for part in shown), *(part.encode() for part in words))


def cards_laid(hands: Int8, actions: Int64) -> list[list[int]]:
    """The cards that the players' actions lay."""
    size = hands.shape[1]
    slots = [each for plays in (1, 2) for each in combinations(range(size), plays)]
    return [[int(hand[s]) for s in slots[a]] for hand, a in zip(hands, actions, strict=True)]


def with_hidden_cards_shuffled(
    decks: Uint8, laid: list[list[list[int]]], observer: int, rules: Rules, rng: np.random.Generator
) -> Uint8:
    """Decks under which the observer's game could have gone just the same so far.

    Args:
        decks: One game's, shape (1, K, D).
        laid: The cards that each player laid in each turn so far.
        observer: Whose own cards stay where they are.
        rules: The game's.
        rng: Shuffles the others' cards not yet laid, the draw pile and the removed cards.
    """
    changed = decks.copy()
    deal, turns = divmod(len(laid), rules.num_rounds * rules.num_turns)
    for later in range(deal + 1, decks.shape[1]):
        changed[0, later] = rng.permutation(decks[0, later])
    if deal < decks.shape[1]:
        hidden = hidden_places(decks[0, deal].tolist(), laid[len(laid) - turns :], observer, rules)
        changed[0, deal, hidden] = rng.permutation(decks[0, deal, hidden])
    return changed


def hidden_places(
    deck: list[int], laid: list[list[list[int]]], observer: int, rules: Rules
) -> list[int]:
    """Where in the deck the cards were that the observer has not seen yet."""
    players, size = range(rules.num_players), rules.hand_size
    held = [list(range(size * player, size * player + size)) for player in players]
    drawn = size * rules.num_players
    for cards in laid:
        for player in players:
            for card in cards[player]:
                place = next(place for place in held[player] if deck[place] == card)
                held[player].remove(place)
        if drawn < len(deck) - rules.removed:
            for player in players:
                held[player] += range(drawn, drawn + len(cards[player]))
                drawn += len(cards[player])
    others = [place for player in players if player != observer for place in held[player]]
    return [*others, *range(drawn, len(deck))]


# --- determinised copies --------------------------------------------------------------


@few(25)
@given(positions(), SEEDS)
def test_determinised_copies_look_the_same_to_their_player(position: Position, seed: int) -> None:
    game = position.game(3)
    before, player, samples = game.state(), seed % game.num_players, 4
    view = game.view(player)
    copies = view.determinize(np.random.default_rng(seed), samples)
    assert copies.num_envs == 3 * samples
    assert differences(before, game.state()) == []
    again = copies.view(player)
    for name in ("observation", "legal_action_mask", "hand"):
        expected = np.repeat(getattr(view, name), samples, axis=0)
        assert (getattr(again, name) == expected).all(), name
    for name in ("table", "last_table", "scores", "pile_sizes", "terminated"):
        assert (getattr(copies, name) == np.repeat(getattr(game, name), samples, axis=0)).all()
    # How many cards the others hold is public too.
    assert ((copies.hands < 0) == np.repeat(game.hands < 0, samples, axis=0)).all()
    assert (copies.turn, copies.round_index) == (game.turn, game.round_index)
    play_random(copies, np.random.default_rng(seed), steps=1)
    assert differences(before, game.state()) == []


@few(20)
@given(positions(), SEEDS)
def test_determinised_copies_conserve_the_deck(position: Position, seed: int) -> None:
    """Played to the end of the deal, the cards that come up are a deck less the removed ones."""
    game, rules = position.game(2), position.rules
    copies = game.determinize(seed % game.num_players, np.random.default_rng(seed), 3)
    turns = rules.num_rounds * rules.num_turns
    now = game.round_index * rules.num_turns + game.turn
    if game.terminated.all():
        return
    rng = np.random.default_rng(seed)
    play_random(copies, rng, steps=turns - 1 - now)
    deck = Counter(rules.cards.tolist())
    for index in np.flatnonzero(~copies.terminated):
        seen = copies.view(0).pieces["seen"][index].ravel()
        cards = Counter(dict(enumerate(seen.tolist())))
        cards.update(present(copies.hands[index]))
        assert cards.total() == deck.total() - rules.removed
        assert cards <= deck


TINY = Rules(
    num_players=2, num_colours=3, copies=(1, 1, 1), hand_size=2, plays=(1, 1), removed_cards=1
)
"""Nine different cards: two each in hand, four to draw, one removed."""


@pytest.mark.parametrize("steps", [0, 1])
@pytest.mark.parametrize("player", [0, 1])
def test_determinised_hands_and_draws_are_uniform(player: int, steps: int) -> None:
    samples = 21_000
    game = KododoGame(1, TINY, seed=1)
    play_random(game, np.random.default_rng(2), steps)
    copies = game.determinize(player, np.random.default_rng(3), samples)
    hands = copies.hands[:, 1 - player].copy()
    kept = copies.hands[:, player, 1].copy()
    copies.step(np.zeros((samples, 2), np.int64))
    # The other's hand is any pair of the hidden cards, and the card drawn any of the rest.
    drawn = copies.hands[:, player].sum(axis=1) - kept
    found = Counter(zip(*hands.T.tolist(), drawn.tolist(), strict=True))
    hidden = 7 - 2 * steps
    assert len(found) == comb(hidden, 2) * (hidden - 2)
    assert chi_square(found, samples) < loose_bound(len(found) - 1)


def test_the_removed_card_is_uniform_among_what_the_player_has_not_seen() -> None:
    samples = 7_000
    copies = KododoGame(1, TINY, seed=4).determinize(0, np.random.default_rng(5), samples)
    play_random(copies, np.random.default_rng(6), steps=3)
    seen = copies.view(0).pieces["seen"].reshape(samples, -1).astype(int)
    for player in (0, 1):
        np.add.at(seen, (np.arange(samples), copies.hands[:, player, 0].astype(int)), 1)
    removed = Counter((seen == 0).argmax(axis=1).tolist())
    assert (seen.sum(axis=1) == 8).all()
    assert len(removed) == 7
    assert chi_square(removed, samples) < loose_bound(6)


@pytest.mark.parametrize("rules", ALL_RULES[:8], ids=short_name)
def test_determinised_hands_have_every_card_as_often_as_it_is_hidden(rules: Rules) -> None:
    samples, player = 4_000, 1
    game = KododoGame(1, rules, seed=7)
    play_random(game, np.random.default_rng(8), steps=4)
    pieces = game.view(player).pieces
    known = (pieces["seen"][0] + pieces["hand"][0]).ravel()
    hidden = np.bincount(rules.cards, minlength=30) - known
    copies = game.determinize(player, np.random.default_rng(9), samples)
    for other in set(range(rules.num_players)) - {player}:
        held = (copies.hands[:, other, :, None] == np.arange(30)).sum(axis=1)
        share = hidden / hidden.sum()
        # Five cards drawn without replacement: the hypergeometric distribution.
        spread = np.sqrt(5 * share * (1 - share) * (hidden.sum() - 5) / (hidden.sum() - 1))
        error = (held.mean(axis=0) - 5 * share) * np.sqrt(samples)
        assert (np.abs(error) <= 5 * spread + 1e-9).all()


def chi_square(found: Counter[object], samples: int) -> float:
    expected = samples / len(found)
    return sum((count - expected) ** 2 / expected for count in found.values())


def loose_bound(freedom: int) -> float:
    """Five standard deviations above the mean of chi-square."""
    return freedom + 5 * np.sqrt(2 * freedom)


@pytest.mark.parametrize("turn", [1, 2])
def test_any_card_in_hand_may_be_what_was_drawn_last(turn: int) -> None:
    """Nobody saw which it was, so any with the same chance: the others were there before."""
    samples, plays = 6_000, Rules().plays[turn - 1]
    one = KododoGame(1, Rules(3), seed=7)
    play_random(one, np.random.default_rng(8), steps=turn)
    before, shown = one.take(np.zeros(samples, np.intp)).before_last_step(np.random.default_rng(1))
    assert (before.turn, before.draw_pile_size) == (turn - 1, one.draw_pile_size + 3 * plays)
    for player in range(3):
        now, laid = (
            Counter(map(int, cards))
            for cards in (one.hands[0, player], laid_last(one, player, plays))
        )
        drawn = Counter(
            card
            for hand in before.hands[:, player]
            for card in (now - (Counter(map(int, hand)) - laid)).elements()
        )
        assert set(drawn) == set(now)
        for card, count in now.items():
            chance = count * plays / 5
            assert abs(drawn[card] / samples - chance) < 5 * np.sqrt(chance / samples)
        for hand, actions in zip(before.hands[:50, player], shown[:50, player], strict=True):
            for action in np.flatnonzero(actions):
                slots = one._tables.slots[action]
                assert Counter(int(hand[slot]) for slot in slots) == laid


def laid_last(game: KododoGame, player: int, plays: int) -> list[int]:
    table = game.table[0, player]
    return [int(card) for card in table[table >= 0][-plays:]]


def test_determinised_copies_do_not_know_the_decks_of_later_deals() -> None:
    rules = Rules(num_players=2, variant="long", target_score=1_000)
    position = Position(rules, 10, rules.num_rounds * rules.num_turns - 1)
    game = position.game()
    copies = game.determinize(0, np.random.default_rng(11), 50)
    before = game.state()
    play_random(copies, np.random.default_rng(12), steps=1)
    assert differences(before, game.state()) == []
    play_random(game, np.random.default_rng(12), steps=1)
    assert game.hands[0, 0].tolist() == sorted(position.decks()[0, 1, :5].tolist())
    assert len({hands.tobytes() for hands in copies.hands}) == 50
    assert not any((hands == game.hands[0]).all() for hands in copies.hands)


def ended_and_going_on(rules: Rules, num: int = 60) -> KododoGame:
    """A batch of the long variant in which some games are over, with cards left in hand."""
    game, rng = KododoGame(num, rules, seed=0), np.random.default_rng(0)
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
    same = (copies.hands[:, 0] == game.hands[:, 0]).all(axis=1)
    left = (game.hands[:, 0] >= 0).any(axis=1)
    assert same[over & ~left].all()
    assert same[over & left].mean() < 0.3
    for index in np.flatnonzero(over & left):
        cards = Counter(dict(enumerate(copies.view(0).pieces["seen"][index].ravel().tolist())))
        cards.update(present(copies.hands[index]))
        assert cards <= Counter(rules.cards.tolist())


def test_what_is_shown_of_a_game_that_is_over_does_not_follow_the_others() -> None:
    """It was observed with the rounds left and the draw pile of those that go on.

    Alone it had none after a whole deal. And a story told of cards that nobody had laid.
    """
    rules = {"rules": Rules(num_players=3, variant="long", target_score=26)}
    check_batch_game(KododoGame, rules=rules, only=["batches"])
    game = ended_and_going_on(Rules(num_players=3, variant="long", target_score=18))
    left = (game.hands >= 0).any(axis=(1, 2))
    observed, going_on = game.layout.views(game.observe()[:, 0]), ~game.terminated
    for piece in ("rounds_left", "draw_pile"):
        assert (observed[piece][game.terminated & ~left] == 0).all()
        assert (observed[piece][game.terminated & left] > 0).all()
        assert len(set(observed[piece][going_on].tolist())) == 1
    assert (observed["turn"][game.terminated] == [1, 0, 0]).all()
    before, actions = game.clone(), random_actions(game, np.random.default_rng(0))
    game.step(actions)
    for index in np.flatnonzero(before.terminated).tolist():
        assert game.story_of(before, actions[index], None, index) == []
        assert game.describe_choice(0, 1, index) == game.describe_action(0)
    state = game.state()
    state["_counts"][-1, -1, game.terminated] += 1
    with pytest.raises(ValueError, match="_counts must hold whole rounds of games that are over"):
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


def test_a_standard_batch_is_dealt_anew_when_all_is_over() -> None:
    game = KododoGame(4, Rules(), seed=19)
    first = game.hands.copy()
    play_random(game, np.random.default_rng(20), steps=17)
    assert not game.restart_finished().any()
    play_random(game, np.random.default_rng(21), steps=1)
    assert game.terminated.all()
    assert game.restart_finished().all()
    assert not game.terminated.any()
    assert not game.scores.any()
    assert (game.turn, game.round_index) == (0, 0)
    assert (game.hands != first).any()


@pytest.mark.parametrize("injected", [False, True])
def test_in_the_long_variant_finished_games_are_dealt_anew_between_deals(injected: bool) -> None:
    rules = Rules(num_players=4, variant="long", target_score=20)
    game = KododoGame(60, rules, seed=22)
    if injected:
        game.reset(decks=game.sample_decks(60, np.random.default_rng(23)))
    rng = np.random.default_rng(24)
    play_random(game, rng, steps=18)
    over, before = game.terminated.copy(), game.clone()
    assert over.any()
    assert not over.all()
    assert (game.restart_finished() == over).all()
    game.load_state(game.state())  # it is one in which a game can stand
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
    play_random(game, rng, steps=17)
    assert not game.terminated[over].any()
    assert game.terminated[~over].any()
    assert not game.restart_finished().any()
    # Its second deal is of whole decks too.
    play_random(game, rng, steps=1)
    assert not game.terminated[over].all()
    for hands in game.hands[over & ~game.terminated]:
        assert Counter(present(hands)) <= Counter(rules.cards.tolist())


def test_games_dealt_anew_differ_between_seeds() -> None:
    rules, dealt = Rules(num_players=4, variant="long", target_score=20), set()
    for seed in (1, 2):
        game = KododoGame(60, rules, seed=0)
        play_random(game, np.random.default_rng(28), steps=18)
        game.rng = np.random.default_rng(seed)
        again = game.restart_finished()
        dealt |= {hands.tobytes() for hands in game.hands[again]}
    assert len(dealt) == 2 * again.sum()


def between_deals() -> KododoGame:
    """A batch of the long variant after its first deal, some games of which are over."""
    game = KododoGame(60, Rules(variant="long", target_score=20), seed=22)
    play_random(game, np.random.default_rng(24), steps=18)
    assert 0 < np.count_nonzero(game.terminated) < 60
    return game


def test_nothing_is_dealt_anew_while_a_deal_is_played() -> None:
    game = between_deals()
    for _ in range(4):
        play_random(game, np.random.default_rng(0), steps=1)
        assert not game.restart_finished().any()


def test_games_dealt_anew_follow_from_the_seed() -> None:
    game = between_deals()
    twin = game.clone()
    assert np.array_equal(game.restart_finished(), twin.restart_finished())
    assert_same_state(game, twin)


def test_a_view_of_before_does_not_come_back_when_games_are_dealt_anew() -> None:
    game, views = KododoGame(60, Rules(variant="long", target_score=20), seed=22), []
    for _ in range(18):
        views.append(game.view(0))
        play_random(game, np.random.default_rng(24), steps=1)
    views.append(game.view(0))
    assert game.restart_finished().any()
    for view in views:
        with pytest.raises(RuntimeError, match="earlier turn"):
            _ = view.observation


# --- what is handed out ---------------------------------------------------------------


@pytest.mark.parametrize("variant", ["standard", "long"])
def test_at_least_one_deck_is_asked_for(variant: str) -> None:
    game = KododoGame(1, Rules(variant=variant), seed=0)
    for num, said in ((0, "1 or more, not 0"), (1.0, "a whole number, not 1.0")):
        with pytest.raises(ValueError, match=f"^num must be {said}$"):
            game.sample_decks(num, np.random.default_rng(0))  # type: ignore[arg-type]


@pytest.mark.parametrize("variant", ["standard", "long"])
def test_cards_are_bytes_and_what_is_counted_over_the_game_is_of_16_bits(variant: str) -> None:
    game = KododoGame(3, Rules(variant=variant), seed=0)
    for _ in range(20):
        assert {game.scores.dtype, game.pile_sizes.dtype} == {np.dtype(np.int16)}
        assert {array.dtype for array in (game.hands, game.table, game.last_table)} == {
            np.dtype(np.int8)
        }
        play_random(game, np.random.default_rng(0), steps=1)


def test_arrays_handed_out_are_read_only_or_fresh() -> None:
    game = KododoGame(3, Rules(), seed=25)
    names = ("hands", "table", "last_table", "scores", "pile_sizes", "rewards", "terminated")
    shown = [getattr(game, name) for name in names]
    view = game.view(2)
    for array in (*shown, game.legal_action_mask(), view.observation, view.legal_action_mask):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
    observation = game.observe()
    kept = observation.copy()
    play_random(game, np.random.default_rng(26), steps=2)
    assert (game.observe() != kept).any()
    assert (observation == kept).all()
    with pytest.raises(RuntimeError, match="earlier turn"):
        _ = view.observation


@pytest.mark.parametrize("dtype", [np.uint8, np.int64, np.float32])
@pytest.mark.parametrize("num_envs", [1, 300])
def test_observe_fills_the_callers_array(dtype: type, num_envs: int) -> None:
    game = Position(Rules(num_players=3), 27, 5).game(num_envs)
    shape = (num_envs, 3, game.layout.size)
    for out in (np.full(shape, 99, dtype), np.full(shape[::-1], 99, dtype).T):
        assert game.observe(out=out) is out
        assert (out == game.observe()).all()
    assert game.observe().dtype == game.layout.dtype


# --- taking back the last turn ----------------------------------------------------------


def test_before_the_first_turn_of_a_round_there_is_nothing_to_take_back() -> None:
    game = KododoGame(2, Rules(), seed=0)
    for _ in range(2):
        assert game.known_past == 0
        with pytest.raises(ValueError, match=r"^kododo cannot take back .* known_past is 0$"):
            game.before_last_step(np.random.default_rng(0))
        play_random(game, np.random.default_rng(0), steps=3)


def test_taking_back_leaves_alone_the_games_that_wait_for_the_others() -> None:
    game = KododoGame(60, Rules(num_players=3, variant="long", target_score=18), seed=0)
    rng = np.random.default_rng(0)
    while not (game.terminated.any() and game.turn == 2):
        game.step(random_actions(game, rng))
    over = game.terminated.copy()
    assert not over.all()
    before, shown = game.before_last_step(np.random.default_rng(1))
    assert (before.turn, before.steps_played) == (1, game.steps_played - 1)
    assert shown.dtype == np.bool_
    for name, now in game.state().items():
        if isinstance(now, np.ndarray) and now.ndim and now.shape[-1] == 60:
            assert (before.state()[name][..., over] == now[..., over]).all(), name
    going = ~over
    assert (before.table[going, :, 3] == -1).all()
    before.step(np.where(over[:, None], 0, shown.argmax(axis=2)))
    assert (before.observe()[going] == game.observe()[going]).all()


# --- many games -------------------------------------------------------------------------


@pytest.mark.parametrize("few", [1, 7])
@pytest.mark.parametrize("variant", ["standard", "long"])
@pytest.mark.parametrize("num_players", [2, 5])
def test_many_games_at_once_go_as_few_of_them_do(
    num_players: int, variant: str, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One game is played card by card, several are in blocks: all must be the same."""
    rules = Rules(num_players=num_players, variant=variant, target_score=20)
    monkeypatch.setattr(
        rows, "GAMES_AT_A_TIME", 100
    )  # the last two of the many are a block of theirs
    rows.blocks.cache_clear()
    many, few_games = KododoGame(102, rules), KododoGame(few, rules)
    decks = many.sample_decks(102, np.random.default_rng(0))
    many.reset(seed=0, decks=decks)
    few_games.reset(seed=0, decks=decks[-few:])
    rng = np.random.default_rng(1)
    while True:
        actions = random_actions(many, rng)
        many.step(actions)
        few_games.step(actions[-few:])
        if few_games.terminated.all():
            break  # those who play on are at another turn
        assert np.array_equal(many.observe()[-few:], few_games.observe())
        assert np.array_equal(many.legal_action_mask()[-few:], few_games.legal_action_mask())
        for name in ("hands", "table", "last_table", "scores", "pile_sizes", "rewards"):
            assert np.array_equal(getattr(many, name)[-few:], getattr(few_games, name)), name
    assert np.array_equal(many.scores[-few:], few_games.scores)
