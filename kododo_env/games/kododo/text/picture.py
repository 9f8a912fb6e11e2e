"""Rendering of Kododo as text and SVG."""

from __future__ import annotations

from collections.abc import Sequence

from kododo_env.games.kododo.display import KododoDisplay
from kododo_env.games.kododo.scoring import NOBODY
from kododo_env.games.kododo.text.cards import LIZARD, TURQUOISE, Tally, face, tally
from kododo_env.games.kododo.text.words import moment, title
from kododo_env.rendering.languages import say
from kododo_env.rendering.scene import CardRow, Meter, Pile, Scene, SceneSeat
from kododo_env.rendering.svg import HEIGHT, PALE, WIDTH, Box, label, picture
from kododo_env.rendering.svg_cards import Blank, Card, pile, suit_emblem
from kododo_env.rendering.svg_table import Seat, meter, panel, rows, seats
from kododo_env.rendering.words import counted

BAND = 126
"""The height of the band between the players, in units of the SVG picture."""


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


def text(game: KododoDisplay, index: int, player: int | None, names: Sequence[str]) -> str:
    """Return the table, the cards that would score, and each player's points, hand and laid cards.

    A card is written as the letter of its colour and its value, followed by a star if it is a
    Kododo card; ``??`` is a card face down, ``--`` an empty place.
    """
    width = 4 * game.rules.hand_size
    hand = say("game.hand")
    laid = say("kododo.previous_round") if tally(game, index).past else say("kododo.table_title")
    lines = [
        f"{title(game)}: {', '.join(moment(game, index, names))}",
        *_table_lines(game, index),
        "",
        f"{'':10}{say('kododo.points'):>6}{say('kododo.pile'):>5}  {hand:{width}}{laid}",
    ]
    for seat in range(game.num_players):
        points = game.scores[index, seat]
        won = game.pile_sizes[index, seat]
        hand = "".join(map(_word, _hand(game, index, seat, player)))
        laid = "".join(map(_word, laid_cards(game, index, seat)))
        lines.append(f"{names[seat]:10}{points:6}{won:5}  {hand:{width}}{laid}".rstrip())
    return "\n".join(lines) + "\n"


def _word(card: Card | Blank) -> str:
    """A card in four characters."""
    if isinstance(card, Blank):
        return "??  " if card is Blank.BACK else "--  "
    return f"{card.short}{'*' if card.emblem else ''}".ljust(4)


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
        say("kododo.previous_table", **table) if totals.past else say("kododo.table", **table),
        say(
            "kododo.kododo_count",
            n=totals.kododos,
            number=rules.kododo_number,
        ),
        say("kododo.previous_scores", what=scores)
        if totals.past
        else say("kododo.next_scores", what=scores),
    ]


# --- scene ----------------------------------------------------------------------------


def scene(game: KododoDisplay, index: int, player: int | None, names: Sequence[str]) -> Scene:
    """Return the table as data: hands, laid cards, meters of the colours and the draw pile."""
    hand = say("game.hand")
    laid = say("kododo.previous_round") if tally(game, index).past else say("kododo.table_title")
    seats = []
    for seat, name in enumerate(names):
        rows = (
            CardRow("hand", hand, _hand(game, index, seat, player)),
            CardRow("table", laid, laid_cards(game, index, seat)),
        )
        gained = game.rewards[index, seat]
        seats.append(
            SceneSeat.of(game, index, seat, player, name, rows, _note(game, index, seat), gained)
        )
    return Scene(seats, [*meters_of(game, index), Pile(say("game.draw_pile"), game.draw_pile_size)])


# --- picture --------------------------------------------------------------------------


def svg(game: KododoDisplay, index: int, player: int | None, names: Sequence[str]) -> str:
    """Return a picture of the table, 900 by 600 units."""
    pieces = [_middle(game, index, names)]
    places = max(game.rules.hand_size, game.rules.round_cards)
    hand = say("game.hand")
    laid = say("kododo.previous_round") if tally(game, index).past else say("kododo.table_title")
    for seat, box in enumerate(seats(game.num_players, BAND, player)):
        named = (hand, _hand(game, index, seat, player)), (laid, laid_cards(game, index, seat))
        lying = rows(box, named, places)
        head = _head(game, index, seat, player, names[seat])
        pieces.append(panel(box, head, lying))
    return picture(pieces, f"{title(game)}: {', '.join(moment(game, index, names))}")


def _head(game: KododoDisplay, index: int, seat: int, player: int | None, name: str) -> Seat:
    """The head of a player's panel."""
    note = _note(game, index, seat)
    return Seat.of(game, index, seat, player, name, note, game.rewards[index, seat])


def _note(game: KododoDisplay, index: int, seat: int) -> str:
    """Return the number of cards that a player has won in words."""
    return say("kododo.pile_note", cards=counted(game.pile_sizes[index, seat], "game.cards"))


def _middle(game: KododoDisplay, index: int, names: Sequence[str]) -> str:
    """The band between the players: where the game stands, and the cards on the table."""
    x = 206.0
    top = (HEIGHT - BAND) / 2
    gap = 8.0
    meters = meters_of(game, index)
    pitch = (WIDTH - x - 10 + gap) / len(meters)
    tiles = [
        meter(tile, Box(x + k * pitch, top, pitch - gap, BAND)) for k, tile in enumerate(meters)
    ]
    return _clock(game, index, names) + "".join(tiles)


def _clock(game: KododoDisplay, index: int, names: Sequence[str]) -> str:
    """Where the game stands, and the draw pile."""
    middle = HEIGHT / 2
    pieces = [label(title(game), 16, middle - 22, 22, bold=True)]
    for line, words in enumerate(moment(game, index, names)[:2]):
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
            stage="kododo-number",
            lit=totals.kododos_score and totals.past,
        )
    )
    return meters


def _mark(totals: Tally, colour: int) -> tuple[str, str]:
    """Return the word on a colour's fate, and the section of the rules that decides it."""
    if totals.out[colour]:
        return say("kododo.limit"), "limit"
    if totals.tied[colour]:
        return say("kododo.tie"), "ties"
    if colour == totals.colour:
        return say("kododo.scores") if totals.past else say("kododo.lead"), "evaluation"
    return "", ""
