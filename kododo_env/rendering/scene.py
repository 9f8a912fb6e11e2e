"""A table as data: the seats with their cards, and what lies between them.

Each game describes its table as a scene, without any layout. ``svg_table`` draws it as an SVG
document, and the page of a table as HTML.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from kododo_env.core.batch_game import BatchGame
from kododo_env.rendering.languages import say
from kododo_env.rendering.svg_cards import Blank, Card, Suit, card_document, emblem_document
from kododo_env.rendering.words import card_words

CardOrBlank = Card | Blank


@dataclass(frozen=True)
class CardRow:
    """A row of cards.

    Attributes:
        zone: The purpose of the row, such as "hand" or "table".
        label: The name of the row; may be empty.
        cards: The cards and empty places.
    """

    zone: str
    label: str
    cards: Sequence[CardOrBlank]

    def to_json(self) -> dict[str, Any]:
        """Return the row as JSON."""
        cards = [_card(face) for face in self.cards]
        return {"kind": "cards", "zone": self.zone, "label": self.label, "cards": cards}

    def faces(self) -> Iterator[CardOrBlank]:
        """Yield the cards."""
        yield from self.cards


@dataclass(frozen=True)
class CardGrid:
    """A rectangle of cards.

    Attributes:
        zone: The purpose of the grid, such as "tableau".
        corner: The row and the column of the first cell in the action layout.
        cells: The cells of each row: a card, ``Blank.SLOT`` for a place to put the next card, or
            None for nothing.
        is_open: Whether the places are choices of the reader.
        row_sums: A text at the end of each row; may be empty.
        column_sums: A text below each column; may be empty.
    """

    zone: str
    corner: tuple[int, int]
    cells: Sequence[Sequence[CardOrBlank | None]]
    is_open: bool = False
    row_sums: Sequence[str] = ()
    column_sums: Sequence[str] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the grid as JSON."""
        first_row, first_column = self.corner
        cells = [
            [
                self._cell(face, first_row + row, first_column + column)
                for column, face in enumerate(line)
            ]
            for row, line in enumerate(self.cells)
        ]
        sums: dict[str, Any] = {}
        if self.row_sums:
            sums = {"row_sums": list(self.row_sums), "column_sums": list(self.column_sums)}
        place = {"row": first_row, "column": first_column}
        return {"kind": "grid", "zone": self.zone, "label": "", **place, "cells": cells, **sums}

    def _cell(self, face: CardOrBlank | None, row: int, column: int) -> dict[str, Any] | None:
        if face is None or (face is Blank.SLOT and not self.is_open):
            return None
        place = {"at": {"row": row, "column": column}} if face is Blank.SLOT else {}
        return _card(face) | place

    def faces(self) -> Iterator[CardOrBlank]:
        """Yield the cards."""
        yield from (face for line in self.cells for face in line if face is not None)


@dataclass(frozen=True)
class Meter:
    """A progress bar: a count and its goal.

    Attributes:
        name: The name of the counted things.
        emblem: SVG in the square from (-1, -1) to (1, 1).
        fill: The colour of the bar.
        count: The count.
        goal: The number of steps of the bar.
        note: The meaning of the goal.
        mark: A word on a tag; empty for no tag.
        stage: The section of the rules to which the tag belongs; a page shows the tag together
            with the event of this section.
        lit: Whether the tag is gold and the meter framed.
    """

    name: str
    emblem: str
    fill: str
    count: int
    goal: int
    note: str
    mark: str = ""
    stage: str = ""
    lit: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return the meter as JSON."""
        return {"kind": "meter", **vars(self), "emblem": emblem_document(self.emblem)}

    def faces(self) -> Iterator[CardOrBlank]:
        """Yield no cards."""
        yield from ()


@dataclass(frozen=True)
class Pile:
    """A stack of cards face down.

    Attributes:
        label: The name of the stack.
        count: The number of cards.
    """

    label: str
    count: int

    def to_json(self) -> dict[str, Any]:
        """Return the pile as JSON."""
        return {"kind": "pile", "label": self.label, "count": self.count}

    def faces(self) -> Iterator[CardOrBlank]:
        """Yield a card's back."""
        yield Blank.BACK


@dataclass(frozen=True)
class Emblems:
    """Some suits, such as those that are ruled out.

    Attributes:
        label: The meaning of the row.
        suits: The suits, with SVG for each in the square from (-1, -1) to (1, 1).
        crossed: Whether they are crossed out.
    """

    label: str
    suits: Sequence[tuple[Suit, str]]
    crossed: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return the row as JSON."""
        emblems = [
            {"svg": emblem_document(drawing), "words": say(suit.name), "crossed": self.crossed}
            for suit, drawing in self.suits
        ]
        return {"kind": "emblems", "label": self.label, "emblems": emblems}

    def faces(self) -> Iterator[CardOrBlank]:
        """Yield no cards."""
        yield from ()


Block = CardRow | CardGrid | Meter | Pile | Emblems


@dataclass(frozen=True)
class SceneSeat:
    """A player's part of the table.

    Attributes:
        name: The name of the player.
        points: The points so far.
        gained: The points of the last step.
        note: Additional words.
        tag: Words on a tag, such as "winner"; empty for no tag.
        you: Whether this is the reader.
        blocks: The cards of the player.
    """

    name: str
    points: int
    gained: int
    note: str
    tag: str
    you: bool
    blocks: Sequence[Block]

    @classmethod
    def of(
        cls,
        game: BatchGame,
        index: int,
        seat: int,
        player: int | None,
        name: str,
        blocks: Sequence[Block],
        note: str = "",
        gained: Any = 0,
    ) -> SceneSeat:
        """Return a seat in one game of a batch, as ``player`` sees it."""
        share = game.outcome()[index, seat] if game.terminated[index] else 0
        tag = say("game.winner") if share == 1 else say("game.shared_win") if share else ""
        points = int(game.scores[index, seat])
        return cls(name, points, int(gained), note, tag, player == seat, blocks)


@dataclass(frozen=True)
class Scene:
    """A table.

    Attributes:
        seats: The seats, by player.
        middle: What lies between the seats.
    """

    seats: Sequence[SceneSeat]
    middle: Sequence[Block] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the scene as JSON; see ``docs/reference/messages.md``."""
        seats = [
            {"seat": number, **vars(seat), "blocks": _json(seat.blocks)}
            for number, seat in enumerate(self.seats)
        ]
        blocks = [*self.middle, *(block for seat in self.seats for block in seat.blocks)]
        cards = (face for block in blocks for face in block.faces())
        faces = {_face_key(face): face for face in (*Blank, *cards)}
        drawings = {key: card_document(face) for key, face in faces.items()}
        return {"seats": seats, "middle": _json(self.middle), "faces": drawings}


def _json(blocks: Iterable[Block]) -> list[dict[str, Any]]:
    return [block.to_json() for block in blocks]


def _face_key(face: CardOrBlank) -> str:
    """Return a name of a card's appearance."""
    if isinstance(face, Blank):
        return face.name.lower()
    return f"{face.short}*" if face.emblem else face.short


def _card(face: CardOrBlank) -> dict[str, Any]:
    """Return a card as JSON."""
    if isinstance(face, Blank):
        words = say("card.back") if face is Blank.BACK else ""
        return {"face": _face_key(face), "words": words, "lit": False, "faded": False}
    words = card_words(face)
    return {"face": _face_key(face), "words": words, "lit": face.lit, "faded": face.faded}
