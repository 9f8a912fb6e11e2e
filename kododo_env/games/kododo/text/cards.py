"""The faces of the cards of Kododo, and which of those on the table would score."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kododo_env.arrays.dtypes import Int8
from kododo_env.games.kododo.display import KododoDisplay
from kododo_env.games.kododo.rules import KODODO_VALUE, Rules
from kododo_env.games.kododo.scoring import NOBODY, kododo_round, scoring_colour
from kododo_env.rendering.svg import PAPER
from kododo_env.rendering.svg_cards import Card, Suit, suits

TURQUOISE = "#17a2a2"

# The lizard on the Kododo cards, seen from above: legs, head to tail, eyes, spots.
LIZARD = (
    f'<g transform="rotate(30) scale(.95)"><g fill="none" stroke="{TURQUOISE}" '
    'stroke-width=".14" stroke-linecap="round" stroke-linejoin="round">'
    '<path d="M.14-.42L.48-.44L.6-.74M-.14-.42L-.48-.4L-.62-.14'
    'M.12 .1L.46 .04L.64-.16M-.12 .1L-.42 .16L-.54 .44"/></g>'
    '<path d="M0-1.02C.2-1.02 .27-.76 .15-.56C.27-.34 .25-.04 .15 .16C.08 .42 .14 .66 .36 .68'
    "C.52 .69 .6 .52 .48 .42C.7 .42 .82 .62 .7 .8C.5 1.06-.04 .94-.14 .46C-.16 .34-.15 .24-.15 "
    f'.16C-.25-.04-.27-.34-.15-.56C-.27-.76-.2-1.02 0-1.02Z" fill="{TURQUOISE}"/>'
    f'<path d="M-.1-.8v.01M.1-.8v.01" stroke="{PAPER}" stroke-width=".12" '
    'stroke-linecap="round"/>'
    f'<path d="M0-.5V.1" stroke="{PAPER}" stroke-opacity=".5" stroke-width=".07" '
    'stroke-dasharray=".1 .1"/></g>'
)


@dataclass(frozen=True)
class Tally:
    """The cards on the table of one game, and which of them would score if the round ended now.

    Before the first cards of a round are laid, these are the cards of the previous round.
    """

    table: Int8  # card ids laid by each player, then -1, (P, cards of a round)
    past: bool  # whether these are the cards of the previous round
    suits: tuple[Suit, ...]  # the colours
    counts: tuple[int, ...]  # the number of cards of each colour
    out: tuple[bool, ...]  # which colours have too many cards to score
    tied: tuple[bool, ...]  # which colours do not score because of a tie
    kododos: int  # the number of Kododo cards
    kododos_score: bool  # whether only the Kododo cards score
    colour: int  # the colour that scores; ``NOBODY`` if none does or the Kododo cards do

    def scores(self, colour: int, value: int) -> bool:
        """Return whether a card on the table would score."""
        return value == KODODO_VALUE if self.kododos_score else colour == self.colour

    def scores_card(self, face: Card) -> bool:
        """Return whether a card on the table would score, by its face."""
        return self.scores(self.suits.index(face.suit), face.value)


def tally(game: KododoDisplay, index: int) -> Tally:
    """Return the tally of one game."""
    table = game.table[index]
    last_table = game.last_table[index]
    past = bool((table < 0).all() and (last_table >= 0).any())
    return tally_of(game.rules, last_table if past else table, past)


def tally_of(rules: Rules, table: Int8, past: bool = False) -> Tally:
    """Return the tally of the cards on a table; see ``Tally``."""
    colours, values = np.divmod(table[table >= 0].astype(np.int64), rules.num_values)
    counts = np.bincount(colours, minlength=rules.num_colours)
    kododos = int(np.count_nonzero(values == KODODO_VALUE - 1))
    exact = bool(kododo_round(kododos, rules.kododo_number))
    # A colour has too many cards if it would not score even without other colours.
    alone = scoring_colour(np.diag(counts), rules.limit)
    out = (alone == NOBODY) & (counts > 0)
    colour = NOBODY if exact else int(scoring_colour(counts, rules.limit))
    # If a colour is not out and has more cards than the colour that scores, it is tied.
    tied = ~out & (counts > (0 if colour == NOBODY else counts[colour])) & (not exact)
    return Tally(
        table=table,
        past=past,
        suits=suits(rules.num_colours),
        counts=tuple(counts.tolist()),
        out=tuple(out.tolist()),
        tied=tuple(tied.tolist()),
        kododos=kododos,
        kododos_score=exact,
        colour=colour,
    )


def face(game: KododoDisplay, card: int, totals: Tally | None = None) -> Card:
    """Return the face of a card; with a tally, it is lit if the card would score."""
    colour, value = divmod(card, game.rules.num_values)
    value += 1
    emblem = LIZARD if value == KODODO_VALUE else ""
    lit = totals is not None and totals.scores(colour, value)
    faded = totals is not None and totals.past and not lit
    suit = suits(game.rules.num_colours)[colour]
    return Card(suit, value, emblem, lit=lit, faded=faded, laid=totals is not None)
