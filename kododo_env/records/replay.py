"""Replaying records, with a check of each line against the rules."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from kododo_env.checks.numbers import quote, whole_number, whole_numbers
from kododo_env.core.batch_game import BatchGame
from kododo_env.records.lines import DIGEST, at_line, check_keys, check_sealed, where
from kododo_env.records.record import Record
from kododo_env.registry import words_of

Line = dict[str, Any]
ADDED_FIELDS = {1: {"events"}}
"""For each older version of the format, the fields that it does not have."""
UNCHECKED_FIELDS = {1: {"words"}}
"""For each older version, the fields that may differ; words were in the language of the table."""


def replay(record: Record) -> Iterator[BatchGame]:
    """Replay a record and check each line against the rules.

    Yields:
        A new batch of one game, after the deal and after each step.

    Raises:
        ValueError: A line contradicts the rules, the record is truncated or continues after the
            end of the game, or the game or its version is unknown; the message contains the line
            number.
    """
    for game, _ in replay_lines(record):
        yield game


def replay_lines(record: Record) -> Iterator[tuple[BatchGame, Line]]:
    """Replay a record as ``replay`` does.

    Yields:
        A new batch of one game, and the fields of the line as today's format has them; after the
        deal there are none.
    """
    header = record.header
    source = record.source
    with at_line(source, 1):
        playback = Playback(header.make_game())
    game = playback.game
    yield game.clone(), {}
    before = header.to_json()[DIGEST]
    for number, line in enumerate(record.lines, 1):
        with at_line(source, number + 1):
            expected = _check(line, playback, header.format_version)
            check_sealed(line, before)
            before = line[DIGEST]
            if game.deal_index[0] >= len(header.decks):
                raise ValueError(
                    f"expected a deck for each deal in the header, got only {len(header.decks)}"
                )
        yield game.clone(), expected
    _check_end(record, game)


def _check(line: Line, playback: Playback, version: int) -> Line:
    """Play the step of a line and return its fields; raise ValueError if they are different."""
    if playback.game.terminated[0]:
        raise ValueError("the game is over before this line")
    if whole_number(line.get("step"), "step") != playback.steps + 1:
        raise ValueError(f"step must be {playback.steps + 1}, got {line['step']}")
    if "actions" not in line:
        raise ValueError("missing field 'actions'")
    expected = playback.play(line["actions"])
    fields = set(expected) - ADDED_FIELDS.get(version, set())
    check_keys(line, {*fields, DIGEST})
    for name in fields - UNCHECKED_FIELDS.get(version, set()):
        # 1, 1.0 and True are equal in Python, but not in JSON.
        if json.dumps(line[name], sort_keys=True) != json.dumps(expected[name], sort_keys=True):
            raise ValueError(
                f"{name} must be {quote(expected[name])} by the rules, got {quote(line[name])}"
            )
    return expected


class Playback:
    """Plays a batch of one game from the deal on, and describes each step as a line of a record.

    Attributes:
        game: The batch, whose ``step`` is called.
    """

    def __init__(self, game: BatchGame) -> None:
        self.game = game
        self._rewards: list[list[int]] = []

    @property
    def steps(self) -> int:
        """The number of steps played."""
        return len(self._rewards)

    def play(self, actions: Sequence[int]) -> Line:
        """Play a joint action, P action numbers; return the fields of its line, but the digest.

        The fields are "step" (from 1), "actions", "words" (a text in English for each player),
        "events", "points" (scored in this step), "scores" (in all) and, in the last step,
        "outcome" (each player's win share).

        Raises:
            ValueError: An action is illegal; nothing is played.
        """
        from kododo_env.rendering.languages import speaking  # not for those who train

        game = self.game
        chosen = whole_numbers([actions], "actions")
        before = game.clone()
        game.step(chosen)
        choices = chosen[0].tolist()
        with speaking("en"):
            words = [*map(words_of(before).describe_choice, choices, range(game.num_players))]
        self._rewards.append(game.rewards[0].astype(int).tolist())
        line = {
            "step": self.steps,
            "actions": choices,
            "words": words,
            "events": words_of(game).events(before, chosen[0], gained=self._rewards),
            "points": self._rewards[-1],
            "scores": game.scores[0].tolist(),
        }
        if game.terminated[0]:
            line["outcome"] = game.outcome()[0].tolist()
        return line


def _check_end(record: Record, game: BatchGame) -> None:
    last = where(record.source, len(record.lines) + 1)
    if not game.terminated[0]:
        raise ValueError(f"{last}: the record is truncated: the game is not over")
    deals = int(game.deal_index[0]) + 1
    decks = len(record.header.decks)
    if deals != decks:
        raise ValueError(f"{where(record.source, 1)}: expected {deals} decks, got {decks}")
