"""A game in words: its actions, cards, events and results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

from kododo_env.checks.numbers import whole_number, whole_numbers
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.view import View
from kododo_env.rendering import plain_words
from kododo_env.rendering.languages import say
from kododo_env.rendering.plain_words import Event, event
from kododo_env.rendering.svg_cards import Card, Suit
from kododo_env.rendering.words import (
    Piece,
    fill,
    list_of,
    listed,
    player_piece,
    points_piece,
    signed,
    text_of,
)


class Description:
    """A batch of games in words or in pictures.

    Args:
        game: The batch.
        module: The game's module; what it lacks is taken from ``plain``.
        reader: The only player whose knowledge may be shown; None allows all players.
    """

    plain: ModuleType

    def __init__(self, game: BatchGame, module: ModuleType, reader: int | None = None) -> None:
        self._game = game
        self._module = module
        self._reader = reader

    def _part(self, name: str) -> Any:
        """Return a part of the game's module, or its default."""
        return getattr(self._module, name, getattr(self.plain, name))

    def _seat(self, player: Any) -> int:
        """Return the number of a player; raise ValueError if there is none, or it may not be."""
        seat = whole_number(player, "player", 0, self._game.num_players - 1)
        if self._reader not in (None, seat):
            raise ValueError(f"player must be {self._reader}, whose view this is, not {seat}")
        return seat

    def _row(self, index: Any) -> int:
        """Return the index of a game, checked."""
        return whole_number(index, "index", 0, self._game.num_envs - 1)


class Words(Description):
    """A batch of games in words; see ``registry.words_of``.

    Descriptions for a player contain only what that player knows. All methods raise ValueError
    if a player, game or action does not exist.
    """

    plain = plain_words

    # --- the game -----------------------------------------------------------------------

    def title(self) -> str:
        """Return the name of the game."""
        return self._part("title")(self._game)

    def moment(self, index: int = 0, names: Sequence[str] | None = None) -> tuple[str, ...]:
        """Return where a game stands, in one or more parts; for the names see ``Picture.text``."""
        names = names_of(self._game, names)
        return self._part("moment")(self._game, self._row(index), names)

    # --- actions and cards --------------------------------------------------------------

    def describe_action(self, action: int) -> str:
        """Return the meaning of an action, whatever the position."""
        number = whole_number(action, "action", 0, self._game.num_actions - 1)
        return self._part("action")(self._game, number)

    def describe_choice(
        self, action: int, player: int, index: int = 0, names: Sequence[str] | None = None
    ) -> str:
        """Return the meaning of a player's action in the current position, with card names.

        An action that is not legal now is described as by ``describe_action``.
        """
        number, seat, row = self._choice(action, player, index)
        happening = None
        if self._game.legal_action_mask()[row, seat, number]:
            happening = self._part("choice")(self._game, number, seat, row)
        return (
            self.describe_action(action) if happening is None else self.sentence(happening, names)
        )

    def reasons(self, action: int, player: int, index: int = 0) -> list[Event]:
        """Return what a legal action would bring about if nobody else did anything, as events.

        They contain only what the player knows, and a "theme": the key of a name for what it is
        about, such as a limit. An action that is not legal now has none.
        """
        number, seat, row = self._choice(action, player, index)
        if not self._game.legal_action_mask()[row, seat, number]:
            return []
        return self._part("reasons")(self._game, number, seat, row)

    def label(
        self, action: int, player: int, index: int = 0, names: Sequence[str] | None = None
    ) -> str:
        """Return a legal action without the names of its cards, for a button beside them."""
        happening = self._part("choice")(self._game, *self._choice(action, player, index))
        if happening is None:
            return self.describe_action(action)
        pieces = self._pieces(happening, names_of(self._game, names), lambda game, number: "")
        return " ".join(text_of(pieces).split())

    def labels(self, action: int, names: Sequence[str] | None = None) -> dict[str, str]:
        """Return the words of an action's index on each axis of its block, by axis."""
        number = whole_number(action, "action", 0, self._game.num_actions - 1)
        names = names_of(self._game, names)
        return self._part("labels")(self._game, number, names)

    def hand(self, player: int, index: int = 0) -> list[Card]:
        """Return the cards that a player holds and has seen, in hand order."""
        return self._part("hand")(self._game, self._seat(player), self._row(index))

    def cards_played(self, action: int, player: int, index: int = 0) -> tuple[int, ...]:
        """Return the indices in ``hand`` of the cards that a legal action plays."""
        choice = self._choice(action, player, index)
        if self._game.terminated[choice[2]]:
            return ()
        return self._part("played")(self._game, *choice)

    def card_numbers(self, action: int, player: int, index: int = 0) -> list[int]:
        """Return the numbers of the cards that a legal action plays."""
        happening = self._part("choice")(self._game, *self._choice(action, player, index))
        return [] if happening is None else happening["cards"]

    def short_form(self, action: int, player: int, index: int = 0) -> str:
        """Return a legal action in a few letters, such as "B3 Y2"; the parts may be in any order.

        Actions with the same short form are equivalent. The form is empty if the game defines none.
        """
        choice = self._choice(action, player, index)
        if self._game.terminated[choice[2]]:
            return plain_words.WAITS
        return self._part("short")(self._game, *choice)

    def suits(self) -> tuple[Sequence[Suit], ...]:
        """Return the suits of the cards: one sequence, or two if each card has two suits."""
        return self._part("suits")(self._game)

    def memory(self, view: View, index: int = 0) -> dict[str, Any]:
        """Return a memory aid: counts of cards that an attentive player would know.

        Returns:
            A dict with the keys "tables", tables as returned by ``rendering.words.cards_left``, and
            "ruled_out", combinations of indices on action axes, such as ``{"colour": 2}``, with
            which no action can succeed.
        """
        index = self._row(index)
        pieces = {name: piece[index] for name, piece in view.pieces.items()}
        return self._part("memory")(self._game.rules, pieces)

    # --- what happened ------------------------------------------------------------------

    def events(
        self,
        before: BatchGame,
        actions: npt.ArrayLike,
        player: int | None = None,
        index: int = 0,
        gained: npt.ArrayLike | None = None,
    ) -> list[Event]:
        """Return what happened in the last step; empty if the game was over before.

        Args:
            before: A copy of the batch before the step.
            actions: The actions of all players, shape (P,).
            player: The player who reads the events; None includes all hidden information.
            index: The index of the game.
            gained: The rewards of the game's S steps, shape (S, P). If they are given, the events
                of the last step end with those of ``ending``.

        Returns:
            JSON dictionaries with "key", "rule" and the facts; see ``plain_words.event``.
        """
        game = self._game
        reader = self._reader if player is None else self._seat(player)
        index = self._row(index)
        played = whole_numbers(actions, "actions")
        shape = (game.num_players,)
        if played.shape != shape:
            raise ValueError(f"actions must have shape {shape}, not {played.shape}")
        batch_key = type(game), game.rules, game.num_envs
        if (type(before), before.rules, before.num_envs) != batch_key:
            raise ValueError(f"before must be a copy of {game!r}, not {before!r}")
        if before.terminated[index]:
            return []
        events: list[Event] = self._part("events")(game, before, played, reader, index)
        if gained is not None and game.terminated[index]:
            events += self.ending(gained, index)
        return events

    def ending(self, gained: npt.ArrayLike, index: int = 0) -> list[Event]:
        """Return the events of the end of a game: each player's points by source, and the result.

        Args:
            gained: The rewards of the game's S steps, shape (S, P).
            index: The index of the game.
        """
        points = np.asarray(gained, int)
        players = self._game.num_players
        if points.ndim != 2 or points.shape[1] != players:
            raise ValueError(f"gained must have shape (steps, {players}), not {points.shape}")
        index = self._row(index)
        sources = self._part("sources")(self._game, points, index)
        scores = self._game.scores[index].tolist()
        rule = sources[0][0]["rule"] if sources else None
        sheet = [
            event(
                "game.points_by_source",
                rule,
                seats=[seat],
                sources=[source | {"points": by[seat]} for source, by in sources if by[seat]],
                points=score,
            )
            for seat, score in enumerate(scores if sources else [])
        ]
        return [*sheet, self.result(index)]

    def score_sheet(self, gained: npt.ArrayLike, index: int = 0) -> dict[str, Any]:
        """Return the points of each player by source, and how ties are broken, in words.

        Args:
            gained: The rewards of the game's S steps, shape (S, P).
            index: The index of a finished game.

        Returns:
            A dictionary with "rows" and "tie_breaks", both lists of dictionaries with a "name" and
            "numbers" by player, and "ranks", the rank of each player from 1.
        """
        index = self._row(index)
        sources = self._part("sources")(self._game, np.asarray(gained, int), index)
        ties = self._part("tie_breaks")(self._game, index)
        standings = [*zip(self._game.scores[index].tolist(), *ties.values(), strict=True)]
        return {
            "rows": [
                {"name": say(source["key"], **source), "numbers": numbers}
                for source, numbers in sources
            ],
            "tie_breaks": [{"name": say(key), "numbers": numbers} for key, numbers in ties.items()],
            "ranks": [1 + sum(rival > standing for rival in standings) for standing in standings],
        }

    def result(self, index: int = 0) -> Event:
        """Return the event ``game.over``: the winners, the tie-breaks and the points."""
        index = self._row(index)
        scores = self._game.scores[index].tolist()
        winners = np.flatnonzero(self._game.outcome()[index]).tolist()
        leaders = [seat for seat, score in enumerate(scores) if score == max(scores)]
        tie_breaks = []
        for key, numbers in self._part("tie_breaks")(self._game, index).items():
            if len(leaders) > len(winners):
                tied = [numbers[seat] for seat in leaders]
                tie_breaks.append(event("game.tie_break", name=key, seats=leaders, numbers=tied))
                leaders = [seat for seat in leaders if numbers[seat] == max(tied)]
        return event(
            "game.over", self._part("END"), seats=winners, scores=scores, tie_breaks=tie_breaks
        )

    def sentence(self, happening: Event, names: Sequence[str] | None = None) -> str:
        """Return the sentence of an event in the current language.

        Args:
            happening: The event.
            names: The players' names by seat; None names them ``player_0``, ``player_1``, ...
        """
        return text_of(self._pieces(happening, names_of(self._game, names)))

    def line(self, happening: Event, names: Sequence[str] | None = None) -> Event:
        """Return an event with its sentence as "text", and in pieces as "parts".

        A piece is a text, or a dictionary with "text" and "player" (a seat) or "points".
        """
        pieces = self._pieces(happening, names_of(self._game, names))
        return happening | {"text": text_of(pieces), "parts": pieces}

    def _pieces(
        self, happening: Event, names: Sequence[str], card_in_words: Any = None
    ) -> list[Piece]:
        """Return the sentence of an event in pieces; a function may replace the game's ``card``."""
        in_words = card_in_words or self._part("card")
        key = happening["key"]
        if key in ENDING:
            return ENDING[key](happening, names)
        players = [player_piece(seat, names) for seat in happening.get("seats", ())]
        cards = [in_words(self._game, card) for card in happening.get("cards", ())]
        values = happening | dict(zip(("player", "other"), players, strict=False))
        values |= dict(zip(("card", "other_card"), cards, strict=False))
        if cards:
            values["cards"] = listed(cards)
        if "points" in happening:
            values["points"] = points_piece(happening["points"])
        return fill(key, **(values | self._part("details")(self._game, happening)))

    # --- checks -------------------------------------------------------------------------

    def _choice(self, action: Any, player: Any, index: Any) -> tuple[int, int, int]:
        """Return an action, its player and the index of a game, checked."""
        number = whole_number(action, "action", 0, self._game.num_actions - 1)
        return number, self._seat(player), self._row(index)


def _points_by_source(happening: Event, names: Sequence[str]) -> list[Piece]:
    sources = [
        say("game.source", points=signed(source["points"]), name=say(source["key"], **source))
        for source in happening["sources"]
    ]
    return fill(
        "game.points_by_source",
        player=player_piece(happening["seats"][0], names),
        sources=", ".join(sources) or say("game.nothing"),
        points=points_piece(happening["points"]),
    )


def _by_player(numbers: Iterable[int], seats: Iterable[int], names: Sequence[str]) -> list[Piece]:
    """Return a list of numbers, each with its player."""
    pairs = zip(numbers, seats, strict=True)
    return list_of(
        [[f"{signed(number)} (", *player_piece(seat, names), ")"] for number, seat in pairs]
    )


def _game_over(happening: Event, names: Sequence[str]) -> list[Piece]:
    winners = happening["seats"]
    tie_breaks: list[Piece] = []
    for tie in happening["tie_breaks"]:
        standings = _by_player(tie["numbers"], tie["seats"], names)
        tie_breaks += fill("game.tie_break", name=say(tie["name"]), numbers=standings)
    return fill(
        "game.over.one" if len(winners) == 1 else "game.over.many",
        names=list_of([player_piece(seat, names) for seat in winners]),
        tie_break=tie_breaks,
        points=_by_player(happening["scores"], range(len(names)), names),
    )


ENDING = {"game.points_by_source": _points_by_source, "game.over": _game_over}
"""How the sentences of the events of ``Words.ending`` are formatted."""


def names_of(game: BatchGame, names: Sequence[str] | None) -> Sequence[str]:
    """Return the players' names by seat, or ``player_0`` and so on if none are given."""
    return [f"player_{seat}" for seat in range(game.num_players)] if names is None else names
