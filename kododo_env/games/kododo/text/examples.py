"""Worked examples of Kododo: the cards that players lay in a round, and its evaluation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from kododo_env.games.kododo.game import KododoGame
from kododo_env.games.kododo.rules import Rules
from kododo_env.games.kododo.text import words
from kododo_env.games.kododo.text.cards import face
from kododo_env.games.kododo.text.picture import laid_cards, meters_of
from kododo_env.rendering.game_words import Words
from kododo_env.rendering.languages import say
from kododo_env.rendering.lesson import (
    EXAMPLE_PLAYERS,
    WIDTH,
    WorkedExample,
    named_row,
    on_felt,
)
from kododo_env.rendering.svg import Box
from kododo_env.rendering.svg_table import meter
from kododo_env.rendering.words import counted


def worked(lines: Sequence[str]) -> WorkedExample:
    """Return the worked example of a round.

    Args:
        lines: A line for each player: the name, and the four cards in the order of laying.
    """
    game = KododoGame(1, Rules(num_players=len(lines)), seed=0)
    names = {face(game, card).short: card for card in range(game.rules.num_card_types)}
    laid = [[names[name] for name in line.split()[1:]] for line in lines]
    play_round(game, laid)
    players = EXAMPLE_PLAYERS[: len(lines)]
    in_words = Words(game, words)
    sentences = [in_words.sentence(event, players) for event in words.evaluation(game, 0)]
    return WorkedExample(_picture(game), sentences)


def play_round(game: KododoGame, laid: Sequence[Sequence[int]]) -> None:
    """Deal a batch of one game so that each player has these cards, and play its first round."""
    unlaid = Counter(game.cards.tolist())
    unlaid.subtract(card for cards in laid for card in cards)
    pile = iter(sorted(unlaid.elements()))
    dealt = [card for cards in laid for card in (*cards, next(pile))]
    game.reset(decks=[[*dealt, *pile]])
    first = 0
    for number in game.rules.plays:
        turn = [sorted(cards[first : first + number]) for cards in laid]
        game.step([[_laying(game, seat, cards) for seat, cards in enumerate(turn)]])
        first += number


def _laying(game: KododoGame, seat: int, cards: list[int]) -> int:
    """The first action of a player that lays these cards."""
    hand = game.hands[0, seat]
    return next(
        action
        for action in range(game.num_actions)
        if game.legal_action_mask()[0, seat, action]
        and sorted(hand[slot] for slot in game.actions.locate(action)[1]) == cards
    )


def _picture(game: KododoGame) -> str:
    """What the players have laid, two beside each other, above the meters."""
    pieces = []
    width = (WIDTH - 20) / 2
    height = 90.0
    for seat in range(game.num_players):
        points = game.rewards[0, seat]
        note = counted(int(points), "game.points") if points else ""
        box = Box(14 + seat % 2 * width, 6 + seat // 2 * height, width - 12, height)
        pieces += named_row(EXAMPLE_PLAYERS[seat], note, laid_cards(game, 0, seat), box, 44)
    top = 14 + (game.num_players + 1) // 2 * height
    tiles = meters_of(game, 0)
    pitch = (WIDTH - 16) / len(tiles)
    for place, tile in enumerate(tiles):
        pieces.append(meter(tile, Box(10 + place * pitch, top, pitch - 4, 126)))
    return on_felt(pieces, say("kododo.round_picture"), top + 136)
