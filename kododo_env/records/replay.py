"""Playing a record again: the core says how each line must be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from kododo_env.core.batch_game import BatchGame
from kododo_env.core.numbers import shown, whole_number, whole_numbers
from kododo_env.records.lines import DIGEST, at_line, check_keys, check_sealed, where
from kododo_env.records.record import Record, Step


def replay(record: Record) -> Iterator[BatchGame]:
    """Play a record again, each line checked against the core.

    Yields:
        A batch of one game: after the deal, and after each step; every time another object.

    Raises:
        ValueError: A line is not as the core says, the record was cut short or goes on after
            the end, or is of another game or version; the line and the reason.
    """
    header, source = record.header, record.source
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
                    f"the cards are dealt again, but the header's decks are {len(header.decks)}"
                )
        yield game.clone()
    _check_end(record, game)


def _check(line: dict[str, Any], game: BatchGame, number: int, before: str) -> None:
    """Play the step of a line; ValueError if the core says something else than the line."""
    if game.terminated[0]:
        raise ValueError("the game was over before this line")
    if whole_number(line.get("step"), "step") != number:
        raise ValueError(f"step must be {number}, not {line['step']}")
    if "actions" not in line:
        raise ValueError("'actions' is missing")
    wanted = play_step(game, number, line["actions"]).to_json(before)
    check_keys(line, set(wanted))
    del wanted[DIGEST]
    for name, value in wanted.items():
        # 1 and 1.0 and True are equal, and not the same in JSON.
        if line[name] != value or _kinds(line[name]) != _kinds(value):
            raise ValueError(f"{name} must be {shown(value)} by the rules, not {shown(line[name])}")
    check_sealed(line, before)


def _kinds(value: Any) -> Any:
    return [type(each) for each in value] if isinstance(value, list) else type(value)


def play_step(game: BatchGame, number: int, actions: Sequence[int]) -> Step:
    """Play a joint action in a batch of one: the content of its line.

    Args:
        game: It is stepped.
        number: Of the step, from 1.
        actions: P numbers.

    Raises:
        ValueError: An action is illegal; nothing has been played.
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
    """A joint action in words; those of no action at all, which ``step`` refuses, are empty."""
    return [
        game.describe_choice(action, player) if 0 <= action < game.num_actions else ""
        for player, action in enumerate(actions)
    ]


def _check_end(record: Record, game: BatchGame) -> None:
    last = where(record.source, len(record.lines) + 1)
    if not game.terminated[0]:
        raise ValueError(f"{last}: the record is cut short here: the game is not over")
    dealt = int(game.deal_index[0]) + 1
    if dealt != len(record.header.decks):
        first, given = where(record.source, 1), len(record.header.decks)
        raise ValueError(f"{first}: the game took {dealt} decks, not {given}")
