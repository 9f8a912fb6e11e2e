"""The first line of a record: the game, its rules, the cards, the players and the date."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from typing import Any, Self

from kododo_env import registry
from kododo_env.checks.numbers import quote, whole_numbers
from kododo_env.core.batch_game import BatchGame
from kododo_env.records.lines import DIGEST, check_keys, check_sealed, sealed
from kododo_env.rules_arguments import PLAYERS, hashable, make_game

FORMAT = "kododo-env record"
FORMAT_VERSION = 2
OLDER_VERSIONS = (1,)  # which can still be read
LONGEST_NAME = 200


@dataclass(frozen=True)
class Header:
    """The header of a record.

    Attributes:
        game: The name of the game in the registry.
        game_version: The version of the game's rules, observations and actions.
        rules: All fields of the game's ``Rules``, in JSON types.
        decks: The order of the cards in each deal.
        players: A name for each seat.
        date: The time at which the game began, ISO 8601.
        format_version: The version of the record's format.
    """

    game: str
    game_version: int
    rules: Mapping[str, Any]
    decks: Sequence[Sequence[int]]
    players: Sequence[str]
    date: str
    format_version: int = FORMAT_VERSION

    @classmethod
    def of(
        cls,
        game: BatchGame,
        decks: Sequence[Sequence[int]],
        players: Sequence[str] | None,
        date: str | None,
    ) -> Self:
        """Return a new header.

        Args:
            game: The batch.
            decks: The order of the cards in each deal.
            players: A name for each seat; None for ``player_0`` and so on.
            date: The time at which the game began, ISO 8601; None for the current time.

        Raises:
            ValueError: ``players`` is not one printable name per seat, or ``date`` is not in ISO
                8601 format.
        """
        names = [f"player_{seat}" for seat in range(game.num_players)]
        if players is not None:
            names = [players] if isinstance(players, str) else list(players)
        check_players(names, game.num_players)
        if date is None:
            date = datetime.now(UTC).isoformat(timespec="seconds")
        check_date(date)
        return cls(game.name, game.version, rules_of(game), decks, names, date)

    def to_json(self) -> dict[str, Any]:
        """Return the fields of the line, including its digest."""
        return sealed({"format": FORMAT, **asdict(self)})

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Self:
        """Return the header that a line contains.

        Args:
            content: The fields of the line.

        Raises:
            ValueError: The line is not a header of a known version, or was modified.
        """
        if content.get("format") != FORMAT:
            raise ValueError(
                f'not a record of a game: expected "format" {FORMAT!r}, '
                f"got {quote(content.get('format'))}"
            )
        version = content.get("format_version")
        versions = (*OLDER_VERSIONS, FORMAT_VERSION)
        if version not in versions or isinstance(version, bool):
            raise ValueError(f"format_version must be one of {versions}, got {quote(version)}")
        names = [field.name for field in fields(cls)]
        check_keys(content, {"format", DIGEST, *names})
        check_sealed(content)
        if not isinstance(content["game"], str) or not isinstance(content["rules"], dict):
            raise ValueError(
                "game must be a string and rules an object, got "
                f"{quote(content['game'])} and {quote(content['rules'])}"
            )
        if not isinstance(content["players"], list):
            raise ValueError(f"players must be a list of names, got {quote(content['players'])}")
        check_date(content["date"])
        return cls(**{name: content[name] for name in names})

    def make_game(self) -> BatchGame:
        """Return a batch of one game, dealt with the cards of the record.

        Raises:
            ValueError: The game is unknown, its version is different, or rules, cards or players
                are invalid.
        """
        version = registry.batch_game(self.game, 1).version
        if version != self.game_version or isinstance(self.game_version, bool):
            raise ValueError(
                f"expected a record of {self.game} version {version}, "
                f"got version {quote(self.game_version)}"
            )
        rules = {name: hashable(field) for name, field in self.rules.items()}
        game = make_game(self.game, 1, rules.pop(PLAYERS, None), rules)
        if rules_of(game) != self.rules:
            raise ValueError(
                f"rules must have all fields of the game's rules: expected {quote(rules_of(game))}"
            )
        check_players(self.players, game.num_players)
        decks = whole_numbers(self.decks, "decks")
        if decks.ndim != 2:
            raise ValueError(
                f"decks must be a list of cards for each deal, got an array of shape {decks.shape}"
            )
        game.reset(0, decks[None])  # all cards are given, so the seed has no effect
        return game


def rules_of(game: BatchGame) -> dict[str, Any]:
    """Return the fields of a game's rules by name, in JSON types."""
    return json.loads(json.dumps(asdict(game.rules)))


def printable(name: str) -> str:
    """Return a name for a record: shortened, with "?" in place of unprintable characters."""
    return "".join(letter if letter.isprintable() else "?" for letter in name[:LONGEST_NAME])


def check_players(players: Any, seats: int) -> None:
    """Raise ValueError unless ``players`` is a list of one printable name per seat."""
    are_names = isinstance(players, list) and all(isinstance(name, str) for name in players)
    if not are_names or len(players) != seats:
        raise ValueError(f"players must be {seats} names, one per seat, got {quote(players)}")
    for name in players:
        if not name.isprintable() or not 0 < len(name) <= LONGEST_NAME:
            raise ValueError(
                f"names of players must have 1 to {LONGEST_NAME} printable characters, "
                f"got {quote(name)}"
            )


def check_date(date: Any) -> None:
    """Raise ValueError unless ``date`` is in ISO 8601 format, with or without a time."""
    try:
        datetime.fromisoformat(date)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"date must be in ISO 8601 format, such as 2026-05-17T20:15:00, got {quote(date)}"
        ) from error
