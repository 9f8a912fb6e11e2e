"""The first line of a record: which game was played, by whom, with which cards."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from typing import Any, Self

from kododo_env import registry
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.numbers import shown, whole_numbers
from kododo_env.records.lines import DIGEST, check_keys, check_sealed, sealed
from kododo_env.rules_arguments import PLAYERS, hashable, make_game

FORMAT, FORMAT_VERSION = "kododo-env record", 1
LONGEST_NAME = 200


@dataclass(frozen=True)
class Header:
    """The facts on a game when the cards are dealt.

    Attributes:
        game: Its name in the registry.
        game_version: The version of its rules, observations and actions.
        rules: All fields of its ``Rules``, as JSON has them.
        decks: The order of the cards in each deal.
        players: A name for each seat.
        date: When it began, ISO 8601.
    """

    game: str
    game_version: int
    rules: Mapping[str, Any]
    decks: Sequence[Sequence[int]]
    players: Sequence[str]
    date: str

    @classmethod
    def of(
        cls,
        game: BatchGame,
        decks: Sequence[Sequence[int]],
        players: Sequence[str] | None,
        date: str | None,
    ) -> Self:
        """The header of a game of a batch.

        Raises:
            ValueError: There is not one name for each seat, or the date is none.
        """
        names = [f"player_{seat}" for seat in range(game.num_players)]
        if players is not None:
            names = [players] if isinstance(players, str) else list(players)
        check_players(names, game.num_players)
        date = datetime.now(UTC).isoformat(timespec="seconds") if date is None else date
        check_date(date)
        return cls(game.name, game.version, rules_of(game), decks, names, date)

    def to_json(self) -> dict[str, Any]:
        """The line, its own digest included."""
        content = {"format": FORMAT, "format_version": FORMAT_VERSION, **asdict(self)}
        return sealed(content)

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Self:
        """The header that a line holds.

        Raises:
            ValueError: It is no header of this version, or has been changed; the reason.
        """
        if content.get("format") != FORMAT:
            raise ValueError(
                'not a record of a game, which begins with {"format": "kododo-env record"'
            )
        version = content.get("format_version")
        if version != FORMAT_VERSION or isinstance(version, bool):
            raise ValueError(
                f"the record's format_version is {shown(version)}; read here is {FORMAT_VERSION}"
            )
        names = [each.name for each in fields(cls)]
        check_keys(content, {"format", "format_version", DIGEST, *names})
        check_sealed(content)
        if not isinstance(content["game"], str) or not isinstance(content["rules"], dict):
            raise ValueError("game must be a name, and rules an object")
        if not isinstance(content["players"], list):
            raise ValueError(f"players must be names in a list, not {shown(content['players'])}")
        check_date(content["date"])
        return cls(**{name: content[name] for name in names})

    def make_game(self) -> BatchGame:
        """The game as it was dealt, a batch of one.

        Raises:
            ValueError: There is no such game here, in this version, of these rules and decks.
        """
        version = registry.batch_game(self.game, 1).version
        if version != self.game_version or isinstance(self.game_version, bool):
            raise ValueError(
                f"the record is of {self.game} version {shown(self.game_version)}; "
                f"here it is version {version}"
            )
        rules = {name: hashable(value) for name, value in self.rules.items()}
        game = make_game(self.game, 1, rules.pop(PLAYERS, None), rules)
        if rules_of(game) != self.rules:
            raise ValueError("the rules are not all that there are, or not as the game has them")
        check_players(self.players, game.num_players)
        decks = whole_numbers(self.decks, "decks")
        if decks.ndim != 2:
            raise ValueError(
                f"decks must be lists of cards, one for each deal, "
                f"not an array of the shape {decks.shape}"
            )
        game.reset(0, decks[None])  # the seed is of no matter: all cards are given
        return game


def rules_of(game: BatchGame) -> dict[str, Any]:
    """The fields of a game's rules as JSON gives them back."""
    found: dict[str, Any] = json.loads(json.dumps(asdict(game.rules)))
    return found


def printable(name: str) -> str:
    """A player's name as far as a record can hold it."""
    return "".join(each if each.isprintable() else "?" for each in name[:LONGEST_NAME])


def check_players(players: Any, seats: int) -> None:
    """Raise ValueError unless there is a name for each seat, of characters that can be shown."""
    texts = isinstance(players, list) and all(isinstance(each, str) for each in players)
    if not texts or len(players) != seats:
        raise ValueError(f"players must be {seats} names, one for each seat, not {shown(players)}")
    for name in players:
        if not name.isprintable() or not 0 < len(name) <= LONGEST_NAME:
            raise ValueError(
                f"a player's name must be 1 to {LONGEST_NAME} characters that can be printed, "
                f"not {shown(name)}"
            )


def check_date(date: Any) -> None:
    """Raise ValueError unless it is a date of ISO 8601, with or without the time."""
    try:
        datetime.fromisoformat(date)
    except (TypeError, ValueError) as error:
        raise ValueError(f"date must be as in 2026-05-17T20:15:00, not {shown(date)}") from error
