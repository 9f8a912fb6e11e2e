"""Descriptions of choices, which use card names and only what the player knows."""

from __future__ import annotations

import re

import numpy as np
import pytest

from kododo_env import registry
from kododo_env.core.batch_game import IllegalAction
from kododo_env.core.capabilities import WordDescriptions
from kododo_env.games.kado import KadoGame
from tests.game_tables import EXTREMES
from tests.helpers import play_random, random_actions
from tests.toy_game.high_card.game import HighCard


@pytest.mark.parametrize(("name", "players"), EXTREMES)
def test_words_say_no_more_than_the_player_knows(name: str, players: int) -> None:
    """In every world possible for the player, each choice has the same description."""
    game = registry.batch_game(name, 2, seed=1, num_players=players)
    rng = np.random.default_rng(2)
    while not game.terminated.all():
        for player in range(players):
            worlds = game.determinize(player, rng, 3)
            for action in range(game.num_actions):
                descriptions = {worlds.describe_choice(action, player, world) for world in range(3)}
                assert descriptions == {game.describe_choice(action, player, 0)}
        game.step(random_actions(game, rng))


@pytest.mark.parametrize(("name", "players"), EXTREMES)
def test_a_view_shows_what_its_player_sees_by_default_of_the_first_game(
    name: str, players: int
) -> None:
    game = registry.batch_game(name, 2, seed=1, num_players=players)
    view = game.view(1)
    legal = np.flatnonzero(game.legal_action_mask()[0, 1]).tolist()
    assert (view.text(), view.svg()) == (game.text(0, 1), game.svg(0, 1))
    assert (view.text(1), view.svg(1)) == (game.text(1, 1), game.svg(1, 1))
    assert isinstance(game, WordDescriptions)
    for action in legal:
        assert view.cards_played(action) == game.cards_played(action, 1)
    second_legal = np.flatnonzero(game.legal_action_mask()[1, 1]).tolist()
    for action in second_legal:
        assert view.cards_played(action, 1) == game.cards_played(action, 1, 1)
        assert view.short_form(action, 1) == game.short_form(action, 1, 1)
        assert view.describe_choice(action, 1) == game.describe_choice(action, 1, 1)
    for index in (0, 1):
        assert view.held(index) == game.hand_of(1, index)


@pytest.mark.parametrize(("name", "players"), EXTREMES)
def test_after_the_end_the_one_legal_action_plays_no_card(name: str, players: int) -> None:
    """Regression: two games described it as the first card, or as a card of an empty hand."""
    game = registry.batch_game(name, 1, seed=1, num_players=players)
    play_random(game, np.random.default_rng(0))
    assert game.terminated.all()
    view = game.view(1)
    (action,) = np.flatnonzero(view.legal_action_mask[0]).tolist()
    assert (view.cards_played(action), view.short_form(action)) == ((), "wait")


def test_a_game_without_words_has_no_cards_to_tell_of() -> None:
    view = HighCard(2, seed=0).view(1)
    assert (view.held(), view.cards_played(0), view.short_form(0)) == ([], (), "")
    assert view.memory() == {"tables": [], "ruled_out": []}


def test_an_illegal_action_is_refused_by_its_words() -> None:
    game = registry.batch_game("kododo", 1, seed=1)
    message = r"game 0, player 2, action 0 \(lay the card in slot 0\); legal now: 5, 6, "
    with pytest.raises(IllegalAction, match=message):
        game.step([[5, 5, 0, 5]])


def test_illegal_actions_are_described_without_cards() -> None:
    game = registry.batch_game("kododo", 1, seed=1)
    assert game.describe_choice(0, 0) == game.describe_action(0) == "lay the card in slot 0"
    kado = registry.batch_game("kado", 1, seed=1)
    assert kado.describe_choice(0, 1) == "keep the card"
    assert kado.describe_choice(0, 0).startswith("keep ")
    assert "ribbon" in kado.describe_choice(0, 0)


def test_choices_are_called_by_the_cards_that_they_move() -> None:
    kododo = registry.batch_game("kododo", 1, seed=1)
    assert kododo.describe_choice(5, 0) == "lay blue 1 and blue 6"
    descriptions: dict[str, str] = {}
    for players in (2, 3):
        kado = registry.batch_game("kado", 1, 1, num_players=players)
        rng = np.random.default_rng(1)
        assert isinstance(kado, KadoGame)
        named = {1: "give", kado.moves.discard: "put", kado.moves.place: "place"}
        while not kado.terminated.all():
            for player, action in np.argwhere(kado.legal_action_mask()[0]).tolist():
                if action in named:
                    descriptions[named[action]] = kado.describe_choice(action, player)
            kado.step(random_actions(kado, rng))
    card = r"[a-z]+ \d \([a-z]+ ribbon\)"
    assert re.fullmatch(f"place {card} in row 1, column 1", descriptions["place"])
    assert re.fullmatch(f"put {card} aside", descriptions["put"])
    assert re.fullmatch(f"give {card} to player_[0-2]", descriptions["give"])


def test_a_finished_game_has_nothing_in_hand() -> None:
    game = registry.batch_game("kododo", 1, seed=1)
    rng = np.random.default_rng(2)
    while not game.terminated.all():
        game.step(random_actions(game, rng))
    assert game.describe_choice(0, 0) == game.describe_action(0)


@pytest.mark.parametrize(("name", "players"), EXTREMES)
def test_decks_deal_the_same_game_again(name: str, players: int) -> None:
    game = registry.batch_game(name, 3, seed=1, num_players=players)
    replayed = registry.batch_game(name, 3, seed=2, num_players=players)
    replayed.reset(decks=game.decks)
    assert np.array_equal(replayed.decks, game.decks)
    assert np.array_equal(replayed.observe(), game.observe())
    with pytest.raises(ValueError, match="read-only"):
        game.decks[:] = 0


def test_the_deck_of_a_later_deal() -> None:
    game = registry.batch_game("kododo", 20, seed=1, variant="long")
    first = game.decks.copy()
    rng = np.random.default_rng(2)
    while not game.deal_index.any():
        assert np.array_equal(game.decks, first)
        game.step(random_actions(game, rng))
    dealt = game.deal_index > 0
    assert (game.decks != first).any(axis=1)[dealt].all()
    assert game.deal_index.tolist() == dealt.astype(int).tolist()


@pytest.mark.parametrize("name", registry.ENVIRONMENT_MODULES)
def test_what_is_asked_of_a_player_game_or_step_that_there_is_not_is_refused(name: str) -> None:
    """Regression: player -1 was the last player, and ``before`` could be any batch."""
    game = registry.batch_game(name, 2, 0, num_players=4)
    assert isinstance(game, WordDescriptions)
    before = game.clone()
    actions = game.legal_action_mask().argmax(axis=2)
    game.step(actions)
    other_game = registry.batch_game("kado" if name == "kododo" else "kododo", 2)
    calls = [
        *((lambda at=at: game.hand_of(*at), at) for at in ((-1, 0), (4, 0), (0, -1), (0, 2))),
        *((lambda at=at: game.cards_played(*at), at) for at in ((-1, 0), (999, 0), (0, 0, 2))),
        *((lambda at=at: game.short_form(*at), at) for at in ((-1, 0), (999, 0), (0, -1))),
        *((lambda at=at: game.tie_breaks_of(at), at) for at in (-1, 2)),
        *((lambda at=at: game.breakdown_of(np.zeros((1, 4)), at), at) for at in (-1, 2)),
        (lambda: game.breakdown_of(np.zeros(4)), "gained"),
        (lambda: game.story_of(before, actions), "actions"),
        (lambda: game.story_of(before, actions[0], 4), "player"),
        (lambda: game.story_of(before, actions[0], None, -1), "index"),
        (lambda: game.story_of(before.take(np.array([0])), actions[0]), "a smaller batch"),
        (lambda: game.story_of(other_game, actions[0]), "another game"),
    ]
    for call, label in calls:
        with pytest.raises(ValueError, match="must"):
            pytest.fail(f"{label}: {call()}")
    view = game.view(0)
    for index in (-1, 2):
        with pytest.raises(ValueError, match=r"^index must be 0 to 1, not"):
            view.memory(index)
