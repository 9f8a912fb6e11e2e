"""Rendering of Combi-Combo as text and SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kododo_env.games.combi_combo.display import CombiComboDisplay
from kododo_env.games.combi_combo.text.cards import LINES, faces, is_visible, line_points
from kododo_env.games.combi_combo.text.words import moment, title
from kododo_env.rendering.languages import say
from kododo_env.rendering.scene import CardRow, Pile, Scene, SceneSeat
from kododo_env.rendering.svg import HEIGHT, PALE, WIDTH, Box, label, picture
from kododo_env.rendering.svg_cards import Blank, Card, card, pile
from kododo_env.rendering.svg_table import Seat, panel, rows, seats

BAND = 126
"""The height of the band between the players, in units of the SVG picture."""


def _hand(game: CombiComboDisplay, index: int, seat: int, player: int | None) -> list[Card | Blank]:
    """Return a hand as the viewer sees it."""
    counts = game.hands[index, seat]
    if is_visible(game, index, seat, player):
        return [*faces(game, counts, in_hand=True)]
    return [Blank.BACK] * int(counts.sum())


# --- text -----------------------------------------------------------------------------


def text(game: CombiComboDisplay, index: int, player: int | None, names: Sequence[str]) -> str:
    """Return the cards face up, and each player's score, points of each line, and hand.

    A card is written as the letter of its colour and its value; ``??`` is a card face down.
    """
    lines = [f"{title(game)}: {', '.join(moment(game, index, names))}"]
    if game.rules.central_pile:
        lines.append(say("combi_combo.face_up", cards=_words(faces(game, game.face_up[index]))))
    titles = list(map(say, LINES))
    widths = [max(4, len(title) + 2) for title in titles]
    heads = "".join(f"{title:>{width}}" for title, width in zip(titles, widths, strict=True))
    lines += ["", f"{'':10}{say('combi_combo.score'):>5}{heads}  {say('game.hand')}"]
    for seat in range(game.num_players):
        columns = zip(line_points(game, index, seat, player), widths, strict=True)
        points = "".join(f"{line:>{width}}" for line, width in columns)
        hand = _words(_hand(game, index, seat, player))
        lines.append(f"{names[seat]:10}{game.scores[index, seat]:5}{points}  {hand}")
    return "\n".join(lines) + "\n"


def _words(cards: Sequence[Card | Blank]) -> str:
    return " ".join("??" if isinstance(face, Blank) else face.short for face in cards)


# --- scene ----------------------------------------------------------------------------


def scene(game: CombiComboDisplay, index: int, player: int | None, names: Sequence[str]) -> Scene:
    """Return the table as data: the hands, and the central pile with its open cards."""
    seats = []
    for seat, name in enumerate(names):
        hand = CardRow("hand", say("game.hand"), _hand(game, index, seat, player))
        note = _note(game, index, seat, player)
        seats.append(SceneSeat.of(game, index, seat, player, name, [hand], note))
    if not game.rules.central_pile:
        return Scene(seats)
    open_cards = faces(game, game.face_up[index])
    hidden = game.rules.central_pile - len(open_cards)
    label = say("combi_combo.out_of_play")
    return Scene(seats, [Pile(label, hidden), CardRow("open", label, open_cards)])


# --- picture --------------------------------------------------------------------------


def svg(game: CombiComboDisplay, index: int, player: int | None, names: Sequence[str]) -> str:
    """Return a picture of the table, 900 by 600 units; cards of a whole 1-2-3-4 have a gold rim."""
    pieces = [_clock(game, index, names), _middle(game, index)]
    half = (game.rules.pile_size + 1) // 2
    for seat, box in enumerate(seats(game.num_players, BAND, player)):
        hand = _hand(game, index, seat, player)
        lying = rows(box, ((say("game.hand"), hand[:half]), ("", hand[half:])), half)
        head = _head(game, index, seat, player, names[seat])
        pieces.append(panel(box, head, lying))
    return picture(pieces, f"{title(game)}: {', '.join(moment(game, index, names))}")


def _head(game: CombiComboDisplay, index: int, seat: int, player: int | None, name: str) -> Seat:
    """Draw the head of a player's panel."""
    note = _note(game, index, seat, player)
    return Seat.of(game, index, seat, player, name, note)


def _note(game: CombiComboDisplay, index: int, seat: int, player: int | None) -> str:
    """Return the points of each line of a hand that is visible."""
    points = "+".join(line_points(game, index, seat, player)).replace("+-", "-")
    return points if is_visible(game, index, seat, player) else ""


def _clock(game: CombiComboDisplay, index: int, names: Sequence[str]) -> str:
    """Draw the progress of the game, and a legend of the score lines."""
    middle = HEIGHT / 2
    pieces = [label(title(game), 16, middle - 28, 22, bold=True)]
    for line, words in enumerate(moment(game, index, names)):
        pieces.append(label(words, 16, middle - 2 + 20 * line, 14))
    for line, titles in enumerate((LINES[:2], LINES[2:])):
        words = " + ".join(map(say, titles)) + ("" if line else " +")
        pieces.append(label(words, 16, middle + 41 + 16 * line, 12, PALE))
    return "".join(pieces)


def _middle(game: CombiComboDisplay, index: int) -> str:
    """Draw the central pile, and the cards turned up from it."""
    if not game.rules.central_pile:
        return ""
    cards = [replace(face, laid=True) for face in faces(game, game.face_up[index])]
    box = Box(276, HEIGHT / 2 - 40, WIDTH - 276 - 10, 80)
    width = box.height * 5 / 7
    pitch = min(width + 8, (box.width - width) / max(game.rules.central_pile - 1, 1))
    pieces = [
        pile(game.rules.central_pile - len(cards), box.x - 68, box.y, width),
        label(
            say("combi_combo.out_of_play"),
            box.x - 68 + width / 2,
            box.y + 96,
            12,
            PALE,
            anchor="middle",
        ),
    ]
    return "".join(
        [*pieces, *(card(face, box.x + k * pitch, box.y, width) for k, face in enumerate(cards))]
    )
