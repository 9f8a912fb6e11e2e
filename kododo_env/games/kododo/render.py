"""A game of Kododo for the eye: as text, and as a picture of the table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from kododo_env.core import svg as draw
from kododo_env.core.svg import Blank, Box, Card
from kododo_env.games.kododo.rules import KODODO_VALUE
from kododo_env.games.kododo.scoring import NOBODY, kododo_round, scoring_colour

if TYPE_CHECKING:
    from kododo_env.games.kododo.game import KododoGame

BAND = 126
"""Height of what lies between the players."""

TURQUOISE = "#17a2a2"

# The lizard on the Kododo cards, seen from above: tail, legs, body, head, eyes.
LIZARD = (
    f'<g fill="none" stroke="{TURQUOISE}" stroke-linecap="round" stroke-linejoin="round">'
    '<path d="M.02 .3C.1 .7-.5 .75-.5 .45" stroke-width=".15"/>'
    '<path d="M.02-.22L.42-.42L.5-.72M-.02-.22L-.42-.38L-.62-.16" stroke-width=".13"/>'
    '<path d="M.05 .22L.45 .28L.62 .55M-.02 .2L-.36 .16L-.6 .06" stroke-width=".13"/>'
    '<path d="M0-.3Q-.08 0 .02 .28" stroke-width=".36"/></g>'
    f'<ellipse cx="0" cy="-.62" rx=".22" ry=".3" fill="{TURQUOISE}"/>'
    f'<circle cx="-.1" cy="-.68" r=".06" fill="{draw.PAPER}"/>'
    f'<circle cx=".1" cy="-.68" r=".06" fill="{draw.PAPER}"/>'
)


@dataclass(frozen=True)
class Tally:
    """What lies on the table of one game, and what would score if the round ended now.

    Attributes:
        counts: Cards of each colour.
        out: Which colours have too many cards to score.
        kododo: How many Kododo cards.
        kododo_scores: Whether they are the exact number.
        colour: The colour that scores; ``NOBODY`` if none does.
    """

    counts: tuple[int, ...]
    out: tuple[bool, ...]
    kododo: int
    kododo_scores: bool
    colour: int


def tally(game: KododoGame, index: int) -> Tally:
    """Count the table of one game."""
    rules = game.rules
    laid = game.table[index]
    colours, values = np.divmod(laid[laid >= 0].astype(np.int64), rules.num_values)
    counts = np.bincount(colours, minlength=rules.num_colours)
    kododo = np.count_nonzero(values == KODODO_VALUE - 1)
    exact = bool(kododo_round(np.array([kododo]), rules.kododo_number))
    # A colour that would not score even if it lay there alone has too many cards.
    alone = scoring_colour(np.diag(counts), rules.limit)
    out = (alone == NOBODY) & (counts > 0)
    colour = NOBODY if exact else int(scoring_colour(counts, rules.limit))
    return Tally(tuple(counts.tolist()), tuple(out.tolist()), kododo, exact, colour)


def _cards(ids: npt.NDArray[Any]) -> list[int]:
    return [int(card) for card in ids if card >= 0]


# --- text -----------------------------------------------------------------------------


def text(game: KododoGame, index: int = 0, player: int | None = None) -> str:
    """One game of a batch as text.

    Args:
        game: The batch.
        index: Which of its games.
        player: Whose hand is shown; None shows all hands.

    Returns:
        Lines without colour codes. A card is its colour's letter and its value, with a
        star behind a Kododo card; ``??`` is a card face down, ``--`` an empty place.
    """
    lines = [f"Kododo, {_moment(game, index)}", _table_line(game, index), _would_score(game, index)]
    hand_width = 4 * game.rules.hand_size
    lines.append(f"\n{'':10}points  won  {'hand':{hand_width}}laid")
    for seat in range(game.num_players):
        hand = _cards(game.hands[index, seat])
        shown = player is None or player == seat
        words = [_word(game, card) if shown else "??" for card in hand]
        laid = [_word(game, card) if card >= 0 else "--" for card in game.table[index, seat]]
        lines.append(
            f"player_{seat:<3}{game.scores[index, seat]:6}{game.pile_sizes[index, seat]:5}  "
            f"{''.join(f'{w:4}' for w in words):{hand_width}}{''.join(f'{w:4}' for w in laid)}"
            .rstrip()
        )
    return "\n".join(lines) + "\n"


def _word(game: KododoGame, card: int) -> str:
    """A card in short: B4, and B1* for a Kododo card."""
    face = _face(game, card)
    return f"{face.suit.letter}{face.value}{'*' if face.emblem else ''}"


def _moment(game: KododoGame, index: int) -> str:
    if game.terminated[index]:
        return "game over"
    rules = game.rules
    return (
        f"round {game.round_index + 1} of {rules.num_rounds}, "
        f"turn {game.turn + 1} of {rules.num_turns}, {game.draw_pile_size} cards in the draw pile"
    )


def _table_line(game: KododoGame, index: int) -> str:
    seen, rules = tally(game, index), game.rules
    words = [
        f"{suit.letter} {suit.name} {count}{' out' if out else ''}"
        for suit, count, out in zip(draw.suits(rules.num_colours), seen.counts, seen.out, strict=True)
    ]
    return (
        f"on the table: {', '.join(words)} (out at {rules.limit}); "
        f"Kododo {seen.kododo} (exactly {rules.kododo_number} score)"
    )


def _would_score(game: KododoGame, index: int) -> str:
    seen = tally(game, index)
    suits = draw.suits(game.rules.num_colours)
    colour = "nobody" if seen.colour == NOBODY else suits[seen.colour].name
    return f"would score now: {'Kododo' if seen.kododo_scores else colour}"


# --- picture --------------------------------------------------------------------------


def svg(game: KododoGame, index: int = 0, player: int | None = None) -> str:
    """One game of a batch as a picture of the table, 900 by 600.

    Args:
        game: The batch.
        index: Which of its games.
        player: Whose hand is shown; None shows all hands.

    Returns:
        An SVG document; what the player cannot see is not in it.
    """
    boxes = draw.seats(game.num_players, BAND)
    pieces = [_middle(game, index)]
    for seat, box in enumerate(boxes):
        content = _lying(game, index, seat, box, player)
        pieces.append(draw.panel(box, _seat(game, index, seat, player), content))
    return draw.picture(pieces, f"Kododo, {_moment(game, index)}")


def _face(game: KododoGame, card: int) -> Card:
    colour, value = divmod(card, game.rules.num_values)
    emblem = LIZARD if value + 1 == KODODO_VALUE else ""
    return Card(draw.suits(game.rules.num_colours)[colour], value + 1, emblem)


def _seat(game: KododoGame, index: int, seat: int, player: int | None) -> draw.Seat:
    """The head of a player's panel."""
    share = game.outcome()[index, seat] if game.terminated[index] else 0
    tag = "winner" if share == 1 else "shares victory" if share else ""
    return draw.Seat(
        name=f"player_{seat}",
        points=float(game.scores[index, seat]),
        gained=float(game.rewards[index, seat]),
        note=f"{game.pile_sizes[index, seat]} cards won",
        tag=tag,
        highlight=player == seat,
    )


def _lying(game: KododoGame, index: int, seat: int, box: Box, player: int | None) -> str:
    """A player's cards: the hand, and what he has laid this round."""
    held, table = _cards(game.hands[index, seat]), game.table[index, seat]
    shown = player is None or player == seat
    hand = [_face(game, card) if shown else Blank.BACK for card in held]
    laid = [_face(game, int(card)) if card >= 0 else Blank.SLOT for card in table]
    return draw.rows(box, (("hand", hand), ("laid", laid)))


def _middle(game: KododoGame, index: int) -> str:
    """The band between the players: where the game stands, and what lies on the table."""
    top, left, gap = (draw.HEIGHT - BAND) / 2, 206.0, 8.0
    meters = _meters(game, index)
    pitch = (draw.WIDTH - left - 10 + gap) / len(meters)
    tiles = [
        draw.meter(meter, Box(left + k * pitch, top, pitch - gap, BAND))
        for k, meter in enumerate(meters)
    ]
    return _clock(game, index, Box(10, top, left - 20, BAND)) + "".join(tiles)


def _meters(game: KododoGame, index: int) -> list[draw.Meter]:
    """One for each colour, and one for the Kododo cards."""
    rules, seen = game.rules, tally(game, index)
    meters = []
    for colour, suit in enumerate(draw.suits(rules.num_colours)):
        scores = colour == seen.colour
        mark = "scores" if scores else "out" if seen.out[colour] else ""
        emblem = draw.suit_emblem(suit)
        note = f"out at {rules.limit}"
        count = seen.counts[colour]
        meters.append(
            draw.Meter(suit.name, emblem, suit.fill, count, rules.limit, note, mark, scores)
        )
    exact, number = seen.kododo_scores, rules.kododo_number
    mark, note = "scores" if exact else "", f"exactly {number}"
    kododo = draw.Meter("Kododo", LIZARD, TURQUOISE, seen.kododo, number, note, mark, exact)
    return [*meters, kododo]


def _clock(game: KododoGame, index: int, box: Box) -> str:
    """Where the game stands, and the draw pile."""
    rules, middle = game.rules, box.y + box.height / 2
    lines = ["game over", ""]
    if not game.terminated[index]:
        lines = [
            f"round {game.round_index + 1} of {rules.num_rounds}",
            f"turn {game.turn + 1} of {rules.num_turns}",
        ]
    return (
        draw.label("Kododo", box.x + 4, middle - 26, 22, bold=True)
        + draw.label(lines[0], box.x + 4, middle + 4, 15)
        + draw.label(lines[1], box.x + 4, middle + 26, 15)
        + draw.pile(game.draw_pile_size, box.x + 128, middle - 42, 60)
    )
