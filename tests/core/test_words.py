"""Descriptions of choices, which use card names and only what the player knows."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from kododo_env import registry
from kododo_env.core.batch_game import IllegalAction
from kododo_env.games.kado import KadoGame
from kododo_env.registry import picture_of, words_of
from kododo_env.rendering.plain_words import event
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
                descriptions = {
                    words_of(worlds).describe_choice(action, player, world) for world in range(3)
                }
                assert descriptions == {words_of(game).describe_choice(action, player, 0)}
        game.step(random_actions(game, rng))


@pytest.mark.parametrize(("name", "players"), EXTREMES)
def test_words_and_pictures_of_a_view_are_those_of_its_player(name: str, players: int) -> None:
    game = registry.batch_game(name, 2, seed=1, num_players=players)
    view = game.view(1)
    words = words_of(view)
    pictures = picture_of(view)
    for index in (0, 1):
        assert pictures.text(index) == picture_of(game).text(index, 1)
        assert pictures.svg(index) == picture_of(game).svg(index, 1)
        assert words.hand(1, index) == words_of(game).hand(1, index)
        for action in np.flatnonzero(game.legal_action_mask()[index, 1]).tolist():
            choice = (action, 1, index)
            assert words.describe_choice(*choice) == words_of(game).describe_choice(*choice)
    for call in (pictures.text, pictures.svg):
        with pytest.raises(ValueError, match="player must be 1, whose view this is"):
            call(0, 0)
    with pytest.raises(ValueError, match="player must be 1, whose view this is"):
        words.hand(0)
    game.step(game.legal_action_mask().argmax(axis=2))
    with pytest.raises(RuntimeError, match="earlier turn"):
        words_of(view)


@pytest.mark.parametrize(("name", "players"), EXTREMES)
def test_after_the_end_the_one_legal_action_plays_no_card(name: str, players: int) -> None:
    """Regression: two games described it as the first card, or as a card of an empty hand."""
    game = registry.batch_game(name, 1, seed=1, num_players=players)
    play_random(game, np.random.default_rng(0))
    assert game.terminated.all()
    view = game.view(1)
    (action,) = np.flatnonzero(view.legal_action_mask[0]).tolist()
    words = words_of(view)
    assert (words.cards_played(action, 1), words.short_form(action, 1)) == ((), "wait")


def test_a_game_without_words_has_no_cards_to_tell_of() -> None:
    """Its actions are described by their layout, and its pictures by the observation."""
    view = HighCard(2, seed=0).view(1)
    words = words_of(view)
    assert (words.hand(1), words.cards_played(0, 1), words.short_form(0, 1)) == ([], (), "")
    assert words.memory(view) == {"tables": [], "ruled_out": []}
    assert words.describe_choice(1, 1) == "lay slot=1"
    assert (words.title(), words.moment()) == ("high_card", ("step 0",))
    happening = event("{player} lays {card}", seats=[1], cards=[7])
    assert words.sentence(happening, ["Ann", "Bo", "Cem"]) == "Bo lays card 7"
    assert "player_1 knows\n  hand: [" in picture_of(view).text()
    assert ElementTree.fromstring(picture_of(view).svg()).get("aria-label") == "high_card: step 0"


def test_an_illegal_action_is_refused_by_its_place_in_the_layout() -> None:
    game = registry.batch_game("kododo", 1, seed=1)
    message = r"game 0, player 2, action 0 \(card slot=0\); legal now: 5, 6, "
    with pytest.raises(IllegalAction, match=message):
        game.step([[5, 5, 0, 5]])


def test_illegal_actions_are_described_without_cards() -> None:
    game = registry.batch_game("kododo", 1, seed=1)
    words = words_of(game)
    assert words.describe_choice(0, 0) == words.describe_action(0) == "lay the card in slot 0"
    kado = registry.batch_game("kado", 1, seed=1)
    assert words_of(kado).describe_choice(0, 1) == "keep the card"
    assert words_of(kado).describe_choice(0, 0).startswith("keep ")
    assert "ribbon" in words_of(kado).describe_choice(0, 0)


def test_choices_are_called_by_the_cards_that_they_move() -> None:
    kododo = registry.batch_game("kododo", 1, seed=1)
    assert words_of(kododo).describe_choice(5, 0) == "lay blue 1 and blue 6"
    descriptions: dict[str, str] = {}
    for players in (2, 3):
        kado = registry.batch_game("kado", 1, 1, num_players=players)
        rng = np.random.default_rng(1)
        assert isinstance(kado, KadoGame)
        named = {1: "give", kado.moves.discard: "put", kado.moves.place: "place"}
        while not kado.terminated.all():
            for player, action in np.argwhere(kado.legal_action_mask()[0]).tolist():
                if action in named:
                    descriptions[named[action]] = words_of(kado).describe_choice(action, player)
            kado.step(random_actions(kado, rng))
    card = r"[a-z]+ \d \([a-z]+ ribbon\)"
    side = "(left of|right of|above|below)"
    assert re.fullmatch(f"place {card} {side} {card}", descriptions["place"])
    assert re.fullmatch(f"put {card} aside", descriptions["put"])
    assert re.fullmatch(f"give {card} to player_[0-2]", descriptions["give"])


def test_a_finished_game_has_nothing_in_hand() -> None:
    game = registry.batch_game("kododo", 1, seed=1)
    rng = np.random.default_rng(2)
    while not game.terminated.all():
        game.step(random_actions(game, rng))
    assert words_of(game).describe_choice(0, 0) == words_of(game).describe_action(0)


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
    before = game.clone()
    actions = game.legal_action_mask().argmax(axis=2)
    game.step(actions)
    other_game = registry.batch_game("kado" if name == "kododo" else "kododo", 2)
    words = words_of(game)
    calls = [
        *((lambda at=at: words.hand(*at), at) for at in ((-1, 0), (4, 0), (0, -1), (0, 2))),
        *((lambda at=at: words.cards_played(*at), at) for at in ((-1, 0), (999, 0), (0, 0, 2))),
        *((lambda at=at: words.short_form(*at), at) for at in ((-1, 0), (999, 0), (0, -1))),
        *((lambda at=at: words.ending(np.zeros((1, 4)), at), at) for at in (-1, 2)),
        (lambda: words.ending(np.zeros(4)), "gained"),
        (lambda: words.events(before, actions), "actions"),
        (lambda: words.events(before, actions[0], 4), "player"),
        (lambda: words.events(before, actions[0], None, -1), "index"),
        (lambda: words.events(before.take(np.array([0])), actions[0]), "a smaller batch"),
        (lambda: words.events(other_game, actions[0]), "another game"),
    ]
    for call, label in calls:
        with pytest.raises(ValueError, match="must"):
            pytest.fail(f"{label}: {call()}")
    view = game.view(0)
    for index in (-1, 2):
        with pytest.raises(ValueError, match=r"^index must be 0 to 1, not"):
            words_of(view).memory(view, index)
