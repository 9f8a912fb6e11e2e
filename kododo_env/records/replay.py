"""Replaying records, with a check of each line against the rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from kododo_env.checks.numbers import quote, whole_number, whole_numbers
from kododo_env.core.batch_game import BatchGame
from kododo_env.records.lines import DIGEST, at_line, check_keys, check_sealed, where
from kododo_env.records.record import Record, Step
from kododo_env.registry import words_of


def replay(record: Record) -> Iterator[BatchGame]:
    """Replay a record and check each line against the rules.

    Yields:
        A new batch of one game, after the deal and after each step.

    Raises:
        ValueError: A line contradicts the rules, the record is truncated or continues after the
            end of the game, or the game or its version is unknown; the message contains the line
            number.
    """
    header = record.header
    source = record.source
    with at_line(source, 1):
        game = header.make_game()
    yield game.clone()
    before = header.to_json()[DIGEST]
    for number, line in enumerate(record.lines, 1):
        with at_line(source, number + 1):
            _check(line, game, number, before)
            before = line[DIGEST]
            if game.deal_index[0] >= len(header.decks):
                raise ValueError(
                    f"expected a deck for each deal in the header, got only {len(header.decks)}"
                )
        yield game.clone()
    _check_end(record, game)


def _check(line: dict[str, Any], game: BatchGame, number: int, before: str) -> None:
    """Play the step of a line; raise ValueError if the line contradicts the rules."""
    if game.terminated[0]:
        raise ValueError("the game is over before this line")
    if whole_number(line.get("step"), "step") != number:
        raise ValueError(f"step must be {number}, got {line['step']}")
    if "actions" not in line:
        raise ValueError("missing field 'actions'")
    expected = play_step(game, number, line["actions"]).to_json(before)
    check_keys(line, set(expected))
    del expected[DIGEST]
    for name, field in expected.items():
        # 1, 1.0 and True are equal in Python, but not in JSON.
        if line[name] != field or _types(line[name]) != _types(field):
            raise ValueError(f"{name} must be {quote(field)} by the rules, got {quote(line[name])}")
    check_sealed(line, before)


def _types(field: Any) -> Any:
    return [type(entry) for entry in field] if isinstance(field, list) else type(field)


def play_step(game: BatchGame, number: int, actions: Sequence[int]) -> Step:
    """Play a joint action in a batch of one game and return the content of its line.

    Args:
        game: The batch, whose ``step`` is called.
        number: The number of the step, from 1.
        actions: The joint action, P action numbers.

    Raises:
        ValueError: An action is illegal; nothing is played.
    """
    chosen = whole_numbers([actions], "actions")
    words = _words(game, chosen[0].tolist()) if chosen.shape == (1, game.num_players) else []
    game.step(chosen)
    outcome = game.outcome()[0].tolist() if game.terminated[0] else None
    return Step(
        number,
        chosen[0].tolist(),
        words,
        game.rewards[0].astype(int).tolist(),
        game.scores[0].tolist(),
        outcome,
    )


def _words(game: BatchGame, actions: list[int]) -> list[str]:
    """Return a joint action in words; empty for an unknown action, which ``step`` rejects."""
    words = words_of(game)
    return [
        words.describe_choice(action, player) if 0 <= action < game.num_actions else ""
        for player, action in enumerate(actions)
    ]


def _check_end(record: Record, game: BatchGame) -> None:
    last = where(record.source, len(record.lines) + 1)
    if not game.terminated[0]:
        raise ValueError(f"{last}: the record is truncated: the game is not over")
    deals = int(game.deal_index[0]) + 1
    decks = len(record.header.decks)
    if deals != decks:
        raise ValueError(f"{where(record.source, 1)}: expected {deals} decks, got {decks}")
