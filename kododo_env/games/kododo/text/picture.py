"""Rendering of Kododo as text and SVG."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kododo_env.core.arrays import Int8
from kododo_env.games.kododo.display import KododoDisplay
from kododo_env.games.kododo.rules import KODODO_VALUE
from kododo_env.games.kododo.scoring import NOBODY, kododo_round, scoring_colour
from kododo_env.rendering.languages import say
from kododo_env.rendering.svg import HEIGHT, PALE, PAPER, WIDTH, Box, label, part, picture
from kododo_env.rendering.svg_cards import Blank, Card, Suit, pile, suit_emblem, suits
from kododo_env.rendering.svg_table import Meter, Seat, meter, panel, rows, seats
from kododo_env.rendering.words import card_short, card_words, counted

LIMIT, TIE, KODODO, SCORE = range(2, 6)
"""The stages at which a page shows the results of a round, after the stage of counting."""

BAND = 126
"""The height of the band between the players, in units of the SVG picture."""

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
    rules = game.rules
    table = game.table[index]
    last_table = game.last_table[index]
    past = bool((table < 0).all() and (last_table >= 0).any())
    table = last_table if past else table
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


def _moment(game: KododoDisplay, index: int) -> tuple[str, ...]:
    """Where the game stands, in words."""
    if game.terminated[index]:
        return (say("game.end"),)
    rules = game.rules
    return (
        say("kododo.round", round=game.round_index + 1, rounds=rules.num_rounds),
        say("game.turn", turn=game.turn + 1, turns=rules.num_turns),
        say("kododo.draws_left", n=game.draw_pile_size),
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


def card_name(game: KododoDisplay, card: int) -> str:
    """Return a card in words, such as "blue 3"."""
    return card_words(face(game, card))


def _hand(game: KododoDisplay, index: int, seat: int, player: int | None) -> list[Card | Blank]:
    """A hand as the player who looks on sees it."""
    held = [card for card in game.hands[index, seat].tolist() if card >= 0]
    if player not in (None, seat):
        return [Blank.BACK for _ in held]
    return [face(game, card) for card in held]


def laid_cards(game: KododoDisplay, index: int, seat: int) -> list[Card | Blank]:
    """Return the cards that a player has laid, and empty slots for the rest of the round."""
    totals = tally(game, index)
    table = totals.table[seat].tolist()
    return [face(game, card, totals) if card >= 0 else Blank.SLOT for card in table]


# --- text -----------------------------------------------------------------------------


def text(game: KododoDisplay, index: int = 0, player: int | None = None) -> str:
    """Return the table, the cards that would score, and each player's points, hand and laid cards.

    A card is written as the letter of its colour and its value, followed by a star if it is a
    Kododo card; ``??`` is a card face down, ``--`` an empty place.
    """
    width = 4 * game.rules.hand_size
    hand = say("game.hand")
    laid = say("kododo.last_round") if tally(game, index).past else say("kododo.table_title")
    lines = [
        f"Kododo: {', '.join(_moment(game, index))}",
        *_table_lines(game, index),
        "",
        f"{'':10}{say('kododo.points'):>6}{say('kododo.pile'):>5}  {hand:{width}}{laid}",
    ]
    for seat in range(game.num_players):
        points = game.scores[index, seat]
        won = game.pile_sizes[index, seat]
        hand = "".join(map(_word, _hand(game, index, seat, player)))
        laid = "".join(map(_word, laid_cards(game, index, seat)))
        lines.append(f"player_{seat:<3}{points:6}{won:5}  {hand:{width}}{laid}".rstrip())
    return "\n".join(lines) + "\n"


def _word(card: Card | Blank) -> str:
    """A card in four characters."""
    if isinstance(card, Blank):
        return "??  " if card is Blank.BACK else "--  "
    return f"{card_short(card)}{'*' if card.emblem else ''}".ljust(4)


def _table_lines(game: KododoDisplay, index: int) -> list[str]:
    """The cards on the table by colour, and those that would score."""
    totals = tally(game, index)
    rules = game.rules
    counts = ", ".join(
        say("kododo.suit_out", suit=say(suit.name), count=count)
        if out
        else f"{say(suit.name)} {count}"
        for suit, count, out in zip(totals.suits, totals.counts, totals.out, strict=True)
    )
    scores = say("kododo.nobody" if totals.colour == NOBODY else totals.suits[totals.colour].name)
    if totals.kododos_score:
        scores = say("kododo.kododo_cards")
    table = {"counts": counts, "limit": rules.limit}
    return [
        say("kododo.last_table", **table) if totals.past else say("kododo.table", **table),
        say(
            "kododo.kododo_count",
            n=totals.kododos,
            number=rules.kododo_number,
        ),
        say("kododo.last_scores", what=scores)
        if totals.past
        else say("kododo.next_scores", what=scores),
    ]


# --- picture --------------------------------------------------------------------------


def svg(game: KododoDisplay, index: int = 0, player: int | None = None) -> str:
    """Return a picture of the table, 900 by 600 units."""
    pieces = [_middle(game, index)]
    places = max(game.rules.hand_size, game.rules.round_cards)
    hand = say("game.hand")
    laid = say("kododo.last_round") if tally(game, index).past else say("kododo.table_title")
    for seat, box in enumerate(seats(game.num_players, BAND, player)):
        named = (hand, _hand(game, index, seat, player)), (laid, laid_cards(game, index, seat))
        lying = rows(box, named, places, in_hand=1)
        pieces.append(part(panel(box, _head(game, index, seat, player), lying), seat=seat))
    return picture(pieces, f"Kododo: {', '.join(_moment(game, index))}")


def _head(game: KododoDisplay, index: int, seat: int, player: int | None) -> Seat:
    """The head of a player's panel."""
    note = say("kododo.pile_note", cards=counted(game.pile_sizes[index, seat], "game.cards"))
    return Seat.of(game, index, seat, player, note, game.rewards[index, seat])


def _middle(game: KododoDisplay, index: int) -> str:
    """The band between the players: where the game stands, and the cards on the table."""
    x = 206.0
    top = (HEIGHT - BAND) / 2
    gap = 8.0
    meters = meters_of(game, index)
    pitch = (WIDTH - x - 10 + gap) / len(meters)
    tiles = [
        part(meter(tile, Box(x + k * pitch, top, pitch - gap, BAND)))
        for k, tile in enumerate(meters)
    ]
    return part(_clock(game, index)) + "".join(tiles)


def _clock(game: KododoDisplay, index: int) -> str:
    """Where the game stands, and the draw pile."""
    middle = HEIGHT / 2
    pieces = [label("Kododo", 16, middle - 22, 22, bold=True)]
    for line, words in enumerate(_moment(game, index)[:2]):
        pieces.append(label(words, 16, middle + 8 + 22 * line, 14))
    if not game.terminated[index]:
        pieces.append(pile(game.draw_pile_size, 136, middle - 47, 56))
        pieces.append(label(say("game.draw_pile"), 163, middle + 54, 12, PALE, anchor="middle"))
    return "".join(pieces)


def meters_of(game: KododoDisplay, index: int) -> list[Meter]:
    """Return a meter for each colour and one for the Kododo cards; what scored last is lit."""
    limit = game.rules.limit
    number = game.rules.kododo_number
    totals = tally(game, index)
    meters = []
    for colour, suit in enumerate(totals.suits):
        mark, stage = _mark(totals, colour)
        meters.append(
            Meter(
                name=say(suit.name),
                emblem=suit_emblem(suit),
                fill=suit.fill,
                count=totals.counts[colour],
                goal=limit,
                note=say("kododo.limit_note", limit=limit),
                mark=mark,
                stage=stage,
                lit=totals.past and not totals.out[colour] and colour == totals.colour,
            )
        )
    meters.append(
        Meter(
            name="Kododo",
            emblem=LIZARD,
            fill=TURQUOISE,
            count=totals.kododos,
            goal=number,
            note=say("kododo.exact_number", number=number),
            mark=say("kododo.exact") if totals.kododos_score else "",
            stage=KODODO,
            lit=totals.kododos_score and totals.past,
        )
    )
    return meters


def _mark(totals: Tally, colour: int) -> tuple[str, int]:
    """The word on a colour's fate, and when a page shows it."""
    if totals.out[colour]:
        return say("kododo.limit"), LIMIT
    if totals.tied[colour]:
        return say("kododo.tie"), TIE
    if colour == totals.colour:
        return say("kododo.scores") if totals.past else say("kododo.lead"), SCORE
    return "", SCORE
