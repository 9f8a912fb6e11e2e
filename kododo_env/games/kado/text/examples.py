"""Worked examples of KADO: the cards of a turn and the challenges, and a tableau at the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from kododo_env.games.kado.game import KadoGame
from kododo_env.games.kado.rules import Rules
from kododo_env.games.kado.scoring import score_columns, score_rows
from kododo_env.games.kado.state import Phase
from kododo_env.games.kado.text import words
from kododo_env.games.kado.text.cards import GIFT_SUITS, RIBBON_SUITS, face, gift_name, ribbon_name
from kododo_env.rendering.game_words import Words
from kododo_env.rendering.languages import say
from kododo_env.rendering.lesson import (
    EXAMPLE_PLAYERS,
    WIDTH,
    WorkedExample,
    named_row,
    on_felt,
)
from kododo_env.rendering.plain_words import Event
from kododo_env.rendering.svg import GOLD, Box, label
from kododo_env.rendering.svg_cards import Card, card
from kododo_env.rendering.words import counted

DEALER = EXAMPLE_PLAYERS[0]
ASIDE = "aside"
"""The word in place of a player's name for a card that is put aside."""


def worked(lines: Sequence[str]) -> WorkedExample:
    """Return the worked example of the first turn of a game, or of a tableau.

    Args:
        lines: For a turn, a line for each card in the order in which Ada deals them: the name of
            the player who gets it, or ``aside``; the card; and if this player challenges,
            ``guesses`` and the letters of gift and ribbon, such as PG. For a tableau, its rows.
    """
    words_by_line = [line.split() for line in lines]
    if any(line_words[0] == DEALER for line_words in words_by_line):
        return _turn(words_by_line)
    return _tableau(words_by_line)


def _cards(game: KadoGame) -> dict[str, int]:
    """The ids of the cards, by their short names."""
    faces = {number: face(game, number) for number in set(game.cards.tolist())}
    return {drawn.short: number for number, drawn in faces.items() if isinstance(drawn, Card)}


# --- a turn -------------------------------------------------------------------------------


def _turn(lines: list[list[str]]) -> WorkedExample:
    """The cards that Ada deals, and the guesses of the others."""
    to = {line_words[0]: line_words[1] for line_words in lines}
    game = KadoGame(1, Rules(num_players=len(to) - (ASIDE in to)), seed=0)
    names = _cards(game)
    dealt = [names[name] for name in to.values()]
    remaining = Counter(game.cards.tolist())
    remaining.subtract(dealt)
    game.reset(decks=[[*dealt, *sorted(remaining.elements())]])
    events: list[Event] = []
    for owner in to:
        action = game.moves.discard if owner == ASIDE else game.moves.give + _seat(owner)
        if game.phase == Phase.DEALING:
            before = _act(game, game.dealer, action)
            events += words.dealing(game, before, action, None, 0)
    guesses = {line_words[0]: line_words[3] for line_words in lines if len(line_words) > 2}
    if guesses:  # then the example does not include the dealing
        events = []
    for guesser in sorted(guesses):
        action = game.moves.guess + _guess(game, guesses[guesser])
        before = _act(game, _seat(guesser), action)
        events += words.challenge(before, action, 0)
    players = EXAMPLE_PLAYERS[: game.num_players]
    in_words = Words(game, words)
    sentences = [in_words.sentence(event, players) for event in events]
    return WorkedExample(_cards_of_turn(game, to, names, guesses), sentences)


def _seat(name: str) -> int:
    return EXAMPLE_PLAYERS.index(name)


def _act(game: KadoGame, seat: int, action: int) -> KadoGame:
    """Play one player's action and return a copy of the game before it."""
    before = game.clone()
    actions = np.full((1, game.num_players), game.no_op)
    actions[0, seat] = action
    game.step(actions)
    return before


def _guess(game: KadoGame, letters: str) -> int:
    """The number of a guess among all."""
    gifts, ribbons = (
        "".join(suit.letter for suit in suits) for suits in (GIFT_SUITS, RIBBON_SUITS)
    )
    return gifts.index(letters[0]) * game.rules.num_ribbons + ribbons.index(letters[1])


def _cards_of_turn(
    game: KadoGame, to: dict[str, str], names: dict[str, int], guesses: dict[str, str]
) -> str:
    """The cards side by side, and the guesses below them."""
    pieces = []
    pitch = (WIDTH - 20) / len(to)
    for place, owner in enumerate(sorted(to, key=lambda name: (name == ASIDE, name))):
        x = 14 + place * pitch
        pieces += named_row(
            say("kado.aside") if owner == ASIDE else owner,
            "",
            [face(game, names[to[owner]])],
            Box(x, 6, pitch, 0),
            70,
        )
        below = say("kado.deal") if owner == DEALER else ""
        if owner in guesses:
            gift, ribbon = divmod(_guess(game, guesses[owner]), game.rules.num_ribbons)
            below = f"{gift_name(gift)}, {ribbon_name(ribbon)}?"
        pieces.append(label(below, x, 142, 13, GOLD))
    return on_felt(pieces, say("kado.turn_picture"), 154)


# --- a tableau ----------------------------------------------------------------------------


def _tableau(lines: list[list[str]]) -> WorkedExample:
    """The cards of a tableau, row by row, and the points of rows and columns."""
    game = KadoGame(1, Rules(), seed=0)
    names = _cards(game)
    rules = game.rules
    numbers = np.array([[names[name] for name in line] for line in lines])
    parts = [[rules.parts(card) for card in line] for line in numbers.tolist()]
    gifts, ribbons, values = np.array(parts).transpose(2, 0, 1)
    by_gift = values * (gifts == np.arange(rules.num_gifts)[:, None, None])
    by_ribbon = (ribbons == np.arange(rules.num_ribbons)[:, None, None]).sum(axis=1)
    rows = [int(score_rows(row[None, None])[0]) for row in by_gift.sum(axis=2).T]
    columns = [
        int(score_columns(ribbon[None, None], best[None, None], len(lines))[0])
        for ribbon, best in zip(by_ribbon.T, values.max(axis=0), strict=True)
    ]
    sentences = [
        say(
            "kado.row_points",
            row=place,
            points=counted(points, "game.points"),
            gift=gift_name(int(gift)),
        )
        for place, (points, gift) in enumerate(
            zip(rows, by_gift.sum(axis=2).argmax(axis=0), strict=True), 1
        )
    ]
    sentences += [
        say("kado.column_points", column=place, points=counted(points, "game.points"))
        for place, points in enumerate(columns, 1)
    ]
    total = counted(sum(rows) + sum(columns), "game.points")
    return WorkedExample(
        _board(game, numbers.tolist(), rows, columns),
        [*sentences, say("kado.sum", points=total)],
    )


def _board(game: KadoGame, numbers: list[list[int]], rows: list[int], columns: list[int]) -> str:
    """The tableau, with the points of each row at its right and of each column below it."""
    pieces = []
    wide = 78.0
    high = 108.0
    for row, cards in enumerate(numbers):
        y = 12 + row * high
        pieces += [card(face(game, number), 14 + k * wide, y, 72) for k, number in enumerate(cards)]
        right = 14 + len(cards) * wide + 8
        pieces.append(
            label(counted(rows[row], "game.points"), right, y + high / 2, 18, GOLD, bold=True)
        )
    bottom = 12 + len(numbers) * high + 16
    for place, points in enumerate(columns):
        middle = 14 + place * wide + 36
        pieces.append(label(str(points), middle, bottom, 18, GOLD, anchor="middle", bold=True))
    return on_felt(pieces, say("kado.tableau_picture"), bottom + 14)
