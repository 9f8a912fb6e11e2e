"""Rendering of Combi-Combo as text and SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from kododo_env.core.arrays import Uint8
from kododo_env.games.combi_combo.display import CombiComboDisplay
from kododo_env.games.combi_combo.rules import VALUES
from kododo_env.games.combi_combo.scoring import score_lines
from kododo_env.rendering.languages import say
from kododo_env.rendering.svg import HEIGHT, PALE, WIDTH, Box, label, part, picture
from kododo_env.rendering.svg_cards import Blank, Card, card, pile, suits
from kododo_env.rendering.svg_table import Seat, panel, rows, seats
from kododo_env.rendering.words import card_short

BAND = 126
"""The height of the band between the players, in units of the SVG picture."""

LINES = tuple(
    f"combi_combo.line.{line}" for line in ("ones", "sequences", "twos", "threes", "fours")
)
"""The keys of the short names of the lines of the score."""


def _moment(game: CombiComboDisplay, index: int) -> tuple[str, ...]:
    """Return the progress of the game in words."""
    if game.terminated[index]:
        return (say("game.end"),)
    return (
        say("game.turn", turn=game.turn + 1, turns=game.rules.num_turns),
        say("combi_combo.draws_left", n=game.draw_pile_size),
    )


def _is_visible(game: CombiComboDisplay, index: int, seat: int, player: int | None) -> bool:
    """Whether a hand is visible; at the end all hands are."""
    return player in (None, seat) or bool(game.terminated[index])


def faces(game: CombiComboDisplay, counts: Uint8, in_hand: bool = False) -> list[Card]:
    """Return the faces of cards counted by type; in a hand, a complete 1-2-3-4 is lit."""
    palette = suits(game.rules.num_colours)
    by_colour = counts.reshape(len(palette), VALUES)
    whole = np.asarray((by_colour > 0).all(axis=1))
    return [
        Card(palette[colour], value + 1, lit=in_hand and bool(whole[colour]))
        for colour, value in np.ndindex(by_colour.shape)
        for _ in range(by_colour[colour, value])
    ]


def _hand(game: CombiComboDisplay, index: int, seat: int, player: int | None) -> list[Card | Blank]:
    """Return a hand as the viewer sees it."""
    counts = game.hands[index, seat]
    if _is_visible(game, index, seat, player):
        return [*faces(game, counts, in_hand=True)]
    return [Blank.BACK] * int(counts.sum())


def line_points(game: CombiComboDisplay, index: int, seat: int, player: int | None) -> list[str]:
    """Return the current points of a hand for each line; "?" if the viewer cannot know them."""
    hands = game.hands[index].T.reshape(game.rules.num_colours, VALUES, game.num_players)
    points = [str(line[seat]) for line in score_lines(hands, game.rules)]
    if not _is_visible(game, index, seat, player):
        return ["?"] * len(points)
    if not _is_visible(game, index, seat - 1, player):
        points[0] = "?"  # depends on the other players' hands
    return points


# --- text -----------------------------------------------------------------------------


def text(game: CombiComboDisplay, index: int = 0, player: int | None = None) -> str:
    """Return the cards face up, and each player's score, points of each line, and hand.

    A card is written as the letter of its colour and its value; ``??`` is a card face down.
    """
    lines = [f"Combi-Combo: {', '.join(_moment(game, index))}"]
    if game.rules.central_pile:
        lines.append(say("combi_combo.face_up", cards=_words(faces(game, game.face_up[index]))))
    names = list(map(say, LINES))
    widths = [max(4, len(title) + 2) for title in names]
    titles = "".join(f"{title:>{width}}" for title, width in zip(names, widths, strict=True))
    lines += ["", f"{'':10}{say('combi_combo.score'):>5}{titles}  {say('game.hand')}"]
    for seat in range(game.num_players):
        columns = zip(line_points(game, index, seat, player), widths, strict=True)
        points = "".join(f"{line:>{width}}" for line, width in columns)
        hand = _words(_hand(game, index, seat, player))
        lines.append(f"player_{seat:<3}{game.scores[index, seat]:5}{points}  {hand}")
    return "\n".join(lines) + "\n"


def _words(cards: Sequence[Card | Blank]) -> str:
    return " ".join("??" if isinstance(face, Blank) else card_short(face) for face in cards)


# --- picture --------------------------------------------------------------------------


def svg(game: CombiComboDisplay, index: int = 0, player: int | None = None) -> str:
    """Return a picture of the table, 900 by 600 units; cards of a whole 1-2-3-4 have a gold rim."""
    pieces = [part(_clock(game, index)), part(_middle(game, index))]
    half = (game.rules.pile_size + 1) // 2
    for seat, box in enumerate(seats(game.num_players, BAND, player)):
        hand = _hand(game, index, seat, player)
        lying = rows(box, ((say("game.hand"), hand[:half]), ("", hand[half:])), half, in_hand=2)
        pieces.append(part(panel(box, _head(game, index, seat, player), lying), seat=seat))
    return picture(pieces, f"Combi-Combo: {', '.join(_moment(game, index))}")


def _head(game: CombiComboDisplay, index: int, seat: int, player: int | None) -> Seat:
    """Draw the head of a player's panel."""
    points = "+".join(line_points(game, index, seat, player)).replace("+-", "-")
    note = points if _is_visible(game, index, seat, player) else ""
    return Seat.of(game, index, seat, player, note)


def _clock(game: CombiComboDisplay, index: int) -> str:
    """Draw the progress of the game, and a legend of the score lines."""
    middle = HEIGHT / 2
    pieces = [label("Combi-Combo", 16, middle - 28, 22, bold=True)]
    for line, words in enumerate(_moment(game, index)):
        pieces.append(label(words, 16, middle - 2 + 20 * line, 14))
    for line, names in enumerate((LINES[:2], LINES[2:])):
        words = " + ".join(map(say, names)) + ("" if line else " +")
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
