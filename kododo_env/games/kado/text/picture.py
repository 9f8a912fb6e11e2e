"""Rendering of KADO as text and SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest

import numpy as np

from kododo_env.games.kado.display import KadoDisplay
from kododo_env.games.kado.text.cards import face, gift_suit, ribbon_suit, shown_cells
from kododo_env.games.kado.text.words import moment, title
from kododo_env.rendering.languages import say
from kododo_env.rendering.scene import (
    Block,
    CardGrid,
    CardRow,
    Emblems,
    Pile,
    Scene,
    SceneSeat,
)
from kododo_env.rendering.svg import (
    GOLD,
    HEIGHT,
    PALE,
    WIDTH,
    Box,
    at,
    label,
    picture,
)
from kododo_env.rendering.svg_cards import CARD, Blank, Card, Suit, card, pile, suit_emblem
from kododo_env.rendering.svg_table import HEAD, Seat, panel, seats
from kododo_env.rendering.words import counted

BAND = 104
"""The height of the band between the players, in units of the SVG picture."""


def _word(game: KadoDisplay, number: int) -> str:
    """Return the short form of a card: gift, ribbon and value, such as PR3; ?? if face down."""
    card_face = face(game, number)
    return "??" if isinstance(card_face, Blank) else card_face.short


def _offered(game: KadoDisplay, index: int, player: int | None) -> int:
    """Return the offered card as the viewer sees it: -1 if face down."""
    return int(game.offered[index]) if player in (None, game.dealer) else -1


def _held(game: KadoDisplay, index: int, player: int | None) -> list[int | None]:
    """Return the players' cards of this turn as the viewer sees them: -1 if face down, or None."""
    visible = game.held if player is None else game.held_as_seen_by(player)
    occupied = game.held[index] >= 0
    return [
        int(visible[index, seat]) if occupied[seat] else None for seat in range(game.num_players)
    ]


def _counted(game: KadoDisplay, index: int, seat: int) -> list[str]:
    """Return a player's points and perfects in words."""
    points = game.scores[index, seat]
    perfects = game.perfects[index, seat]
    return [counted(points, "game.points"), counted(perfects, "kado.perfects")]


def _ruled_out(game: KadoDisplay, index: int) -> list[Suit]:
    """Return the gifts and ribbons excluded for the dealer's hidden card by wrong guesses."""
    if game.swapped[index]:  # everybody has seen the card, and the dealer has another one now
        return []
    gifts = np.flatnonzero(game.ruled_out_gifts[index])
    ribbons = np.flatnonzero(game.ruled_out_ribbons[index])
    return [gift_suit(int(gift)) for gift in gifts] + [
        ribbon_suit(int(ribbon)) for ribbon in ribbons
    ]


# --- text -----------------------------------------------------------------------------


def text(game: KadoDisplay, index: int, player: int | None, names: Sequence[str]) -> str:
    """Return the progress of the game, and each player's points, card of this turn and tableau.

    A card is written as the letters of its gift and its ribbon, and its value; ``??`` is a card
    face down, ``..`` a cell where the next card may be placed. Two players share a line.
    """
    draw_pile = say("kado.draws_left", n=game.draw_pile_sizes[index])
    lines = [f"{title(game)}: {', '.join((*moment(game, index, names), draw_pile))}"]
    if game.offered[index] >= 0:
        lines.append(say("kado.offer", card=_word(game, _offered(game, index, player))))
    if ruled_out := _ruled_out(game, index):
        excluded = ", ".join(say(suit.name) for suit in ruled_out)
        lines.append(say("kado.wrong_guesses", names=excluded))
    held = _held(game, index, player)
    blocks = [_player_lines(game, index, seat, held[seat], name) for seat, name in enumerate(names)]
    for first in range(0, game.num_players, 2):
        lines.append("")
        beside = zip_longest(*blocks[first : first + 2], fillvalue="")
        lines += ["".join(f"{line:40}" for line in pair).rstrip() for pair in beside]
    return "\n".join(lines) + "\n"


def _player_lines(
    game: KadoDisplay, index: int, seat: int, held: int | None, name: str
) -> list[str]:
    """Return a player's points, card and tableau as text."""
    this_turn = [] if held is None else [_word(game, held)]
    lines = [f"{name}: {', '.join(_counted(game, index, seat) + this_turn)}"]
    for row in shown_cells(game, index, seat)[0]:
        words = ["" if cell == -2 else ".." if cell == -1 else _word(game, cell) for cell in row]
        lines.append("".join(f"  {word:3}" for word in words).rstrip())
    return lines


# --- scene ----------------------------------------------------------------------------


def scene(game: KadoDisplay, index: int, player: int | None, names: Sequence[str]) -> Scene:
    """Return the table as data: tableaus, cards of this turn, the offered card, wrong guesses."""
    held = _held(game, index, player)
    seats = []
    for seat, name in enumerate(names):
        blocks: list[Block] = [_grid(game, index, seat, player)]
        if not game.terminated[index]:
            card_held = held[seat]
            cards = [] if card_held is None else [face(game, card_held)]
            blocks.append(CardRow("turn", say("kado.turn_title"), cards))
        note = _note(game, index, seat)
        gained = game.rewards[index, seat]
        seats.append(SceneSeat.of(game, index, seat, player, name, blocks, note, gained))
    middle: list[Block] = [Pile(say("game.draw_pile"), int(game.draw_pile_sizes[index]))]
    if game.offered[index] >= 0:
        offered = face(game, _offered(game, index, player))
        middle.append(CardRow("offer", say("kado.offer_title"), [offered]))
    if ruled_out := _ruled_out(game, index):
        emblems = [(suit, suit_emblem(suit)) for suit in ruled_out]
        middle.append(Emblems(say("kado.wrong_guess_title"), emblems, crossed=True))
    return Scene(seats, middle)


def _grid(game: KadoDisplay, index: int, seat: int, player: int | None) -> CardGrid:
    """Return a tableau, with the places for the next card on the reader's own one."""
    cells, (row, column) = shown_cells(game, index, seat, with_places=seat == player)
    content = [
        [None if cell == -2 else Blank.SLOT if cell == -1 else face(game, cell) for cell in line]
        for line in cells.tolist()
    ]
    sums: list[list[str]] = [[], []]
    if game.terminated[index]:
        rows, columns = game.points_by_line()
        sums[0] = list(map(str, rows[index, seat, row : row + cells.shape[0]]))
        sums[1] = list(map(str, columns[index, seat, column : column + cells.shape[1]]))
    return CardGrid("tableau", (row, column), content, seat == player, *sums)


# --- picture --------------------------------------------------------------------------


def svg(game: KadoDisplay, index: int, player: int | None, names: Sequence[str]) -> str:
    """Return a picture of the table, 900 by 600 units; outlines are cells for the next card."""
    pieces = [_clock(game, index, names), _middle(game, index, player)]
    held = _held(game, index, player)
    for seat, box in enumerate(seats(game.num_players, BAND, player)):
        lying = _tableau(game, index, seat, player, box)
        lying += _this_turn(game, held[seat], box)
        head = _head(game, index, seat, player, names[seat])
        pieces.append(panel(box, head, lying))
    return picture(pieces, f"{title(game)}: {', '.join(moment(game, index, names))}")


def _head(game: KadoDisplay, index: int, seat: int, player: int | None, name: str) -> Seat:
    """Draw the head of a player's panel."""
    note = _note(game, index, seat)
    return Seat.of(game, index, seat, player, name, note, game.rewards[index, seat])


def _note(game: KadoDisplay, index: int, seat: int) -> str:
    """Return whether a player is the dealer, and the number of perfects."""
    deals = say("kado.dealer") if seat == game.dealer and not game.terminated[index] else ""
    won = _counted(game, index, seat)[1] if game.perfects[index, seat] else ""
    return ", ".join(words for words in (deals, won) if words)


def _tableau(game: KadoDisplay, index: int, seat: int, player: int | None, box: Box) -> str:
    """Draw a tableau as large as the panel allows, with outlines of the open cells."""
    cells, _ = shown_cells(game, index, seat)
    rows, columns = (max(size, minimum) for size, minimum in zip(cells.shape, (3, 4), strict=True))
    gap = 4.0
    margin = 12.0
    right = 78.0
    width = min(
        (box.width - 2 * margin - right - gap * (columns - 1)) / columns,
        ((box.height - HEAD - margin - gap * (rows - 1)) / rows) * CARD.width / CARD.height,
    )
    height = width * CARD.height / CARD.width
    rows, columns = cells.shape
    left_edge = (
        box.x + margin + (box.width - 2 * margin - right - columns * (width + gap) + gap) / 2
    )
    top_edge = box.y + HEAD + (box.height - HEAD - margin - rows * (height + gap) + gap) / 2
    pieces = []
    for (row, column), cell in np.ndenumerate(cells):
        if cell > -2:
            card_face = Blank.SLOT if cell == -1 else face(game, int(cell))
            if isinstance(card_face, Card):
                card_face = replace(card_face, laid=True)
            x = left_edge + column * (width + gap)
            y = top_edge + row * (height + gap)
            pieces.append(card(card_face, x, y, width))
    return "".join(pieces)


def _this_turn(game: KadoDisplay, held: int | None, box: Box) -> str:
    """Draw the card of this turn at the right."""
    if held is None:
        return ""
    width = 56.0
    x = box.x + box.width - width - 16
    y = box.y + HEAD + 22
    words = label(say("kado.turn_title"), x + width / 2, y - 8, 12, PALE, anchor="middle")
    return words + card(face(game, held), x, y, width)


def _clock(game: KadoDisplay, index: int, names: Sequence[str]) -> str:
    """Draw the progress of the game."""
    middle = HEIGHT / 2
    pieces = [label(title(game), 16, middle - 24, 22, bold=True)]
    for line, words in enumerate(moment(game, index, names)):
        pieces.append(label(words, 16, middle + 4 + 21 * line, 14))
    return "".join(pieces)


def _middle(game: KadoDisplay, index: int, player: int | None) -> str:
    """The draw pile, the card the dealer looks at, and the things that guesses have ruled out."""
    middle = HEIGHT / 2
    width = 54.0
    top = middle - width * CARD.height / CARD.width / 2
    pieces = [pile(int(game.draw_pile_sizes[index]), 330, top, width)]
    if game.offered[index] >= 0:
        pieces.append(card(face(game, _offered(game, index, player)), 420, top, width))
        pieces.append(label(say("kado.offer_title"), 486, middle + 5, 14))
    if ruled_out := _ruled_out(game, index):
        pieces.append(label(say("kado.wrong_guess_title"), 420, middle - 18, 14))
        for place, suit in enumerate(ruled_out):
            x = 440 + place * (WIDTH - 470) / 10
            pieces.append(at(x, middle + 16, 18, suit_emblem(suit)))
            pieces.append(at(x, middle + 16, 18, f'<path d="M-.9 .9L.9-.9" {_CROSS}/>'))
    return "".join(pieces)


_CROSS = f'stroke="{GOLD}" stroke-width=".16"'
