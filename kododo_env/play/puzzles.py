"""Puzzles: positions of recorded games in which search finds one choice clearly best.

The best choice is found over worlds that agree with what the player knew (``kododo_env.search``)
and then compared with every other choice in new worlds, since luck in the first ones helped to
select it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from kododo_env.bots.protocol import legal_actions
from kododo_env.core.agent import Agent, check_forgets, choice_of
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.json_text import read_json
from kododo_env.core.numbers import finite_number, quote, whole_number
from kododo_env.play.analysis import INTERVAL, WORLDS_FACTOR
from kododo_env.records.header import Header
from kododo_env.records.lines import at_line, check_keys, check_sealed, sealed
from kododo_env.records.record import Record
from kododo_env.records.replay import play_step, replay
from kododo_env.search.search import SearchAgent
from kododo_env.system.files import read_ordinary, write_text

LARGEST = 1 << 26  # bytes per file
TRIES = 32  # times that a bot is asked, since some choose at random
HIT_SHARE = 2 / 3  # of these tries; random choice between two actions hits 1 / 2
LEAST_GAIN = 0.05  # a puzzle gains at least five games won of a hundred
FORMAT = "kododo-env puzzle 1"
FIELDS = {"format", "digest", "header", "played", "seat", "best", "gain", "low", "high", "bots"}


@dataclass(frozen=True)
class Puzzle:
    """A position and its best choice.

    Attributes:
        header: The game's header, as in a record.
        played: The joint actions so far, a list of P numbers for each step.
        seat: The seat of the player who chooses.
        best: The number of the best action.
        gain: The mean increase of the player's share of the victory over the next best choice, over
            worlds.
        low: The lower end of the gain's 95 % interval; above 0 for every other choice.
        high: The upper end.
        bots: For each bot that was asked, by name: the share of times that it chose the best.
    """

    header: Header
    played: Sequence[Sequence[int]]
    seat: int
    best: int
    gain: float
    low: float
    high: float
    bots: Mapping[str, float]

    @property
    def missed_by(self) -> list[str]:
        """The bots that choose the best action less often than ``HIT_SHARE``."""
        return [name for name, share in self.bots.items() if share < HIT_SHARE]

    def position(self) -> BatchGame:
        """Return the game in this position: a batch of one.

        Raises:
            ValueError: The actions are not playable, or the best action is not a choice here.
        """
        game = self.header.make_game()
        for number, actions in enumerate(self.played, 1):
            play_step(game, number, actions)
        whole_number(self.seat, "seat", 0, game.num_players - 1)
        choices = [] if game.terminated[0] else legal_actions(game.view(self.seat))
        if len(choices) < 2 or self.best not in choices:
            raise ValueError(f"best must be one of the choices {sorted(choices)}, not {self.best}")
        return game

    def to_json(self) -> dict[str, Any]:
        """Return the line of a file."""
        return sealed({"format": FORMAT, **vars(self), "header": self.header.to_json()})

    @classmethod
    def from_json(cls, content: Any) -> Puzzle:
        """Parse a line and check that its position can be reached.

        Raises:
            ValueError: The line is not a valid puzzle.
        """
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise ValueError(f'a puzzle must be a JSON object with "format": "{FORMAT}"')
        check_keys(content, FIELDS)
        check_sealed(content)
        if not isinstance(content["header"], dict) or not isinstance(content["played"], list):
            raise ValueError("header must be an object and played a list")
        header = Header.from_json(content["header"])
        low, gain, high = (finite_number(content[name], name) for name in ("low", "gain", "high"))
        if not 0 < low <= gain <= high:
            raise ValueError(f"expected 0 < low <= gain <= high, got {low}, {gain}, {high}")
        bots = content["bots"]
        if not isinstance(bots, dict):
            raise ValueError(f"bots must be an object, not {quote(bots)}")
        bots = {name: finite_number(share, name, 0, 1) for name, share in bots.items()}
        seat, best = (whole_number(content[name], name, 0) for name in ("seat", "best"))
        puzzle = cls(header, content["played"], seat, best, gain, low, high, bots)
        puzzle.position()
        return puzzle


# --- finding ------------------------------------------------------------------------------


def find_puzzles(
    record: Record, search: SearchAgent, bots: Sequence[Agent], worlds: int, seed: int
) -> Iterator[Puzzle]:
    """Yield the positions of a game in which one choice is clearly better than every other.

    The order is random, so that the first ones are from all over the game. The same arguments give
    the same puzzles, unless a bot has a time budget.

    Args:
        record: The record of the game.
        search: Its policy plays all seats in the worlds.
        bots: The bots that are asked for their choice in each position.
        worlds: How many worlds are played out per choice; four times as many new ones for a
            position in which one choice seems clearly best.
        seed: The seed of the worlds and of the bots' randomness.

    Raises:
        ValueError: The record is invalid, or an agent cannot play this game.
    """
    positions = [position for position in replay(record) if not position.terminated[0]]
    search.check(positions[0])
    played = [line["actions"] for line in record.lines]
    decisions = [
        (step, seat)
        for step, game in enumerate(positions)
        for seat in np.flatnonzero(game.deciding()[0]).tolist()
    ]
    for step, seat in np.random.default_rng(seed).permutation(decisions).tolist():
        game = positions[step]
        rng = np.random.default_rng([seed, step, seat])
        if choice := _clearly_best(search, game, seat, worlds, rng):
            best, gain, low, high = choice
            header = record.header
            so_far = played[:step]
            yield ask_bots(Puzzle(header, so_far, seat, best, gain, low, high, {}), bots, seed)


def ask_bots(puzzle: Puzzle, bots: Sequence[Agent], seed: int) -> Puzzle:
    """Return a puzzle with the choices of these bots, each with its own random numbers.

    So a bot's result does not depend on the other bots.

    Args:
        puzzle: The puzzle; its own ``bots`` are ignored.
        bots: The bots to ask.
        seed: The seed of their randomness.
    """
    game = puzzle.position()
    step = len(puzzle.played)
    seat = puzzle.seat
    shares = {
        bot.name: _share(bot, game, seat, puzzle.best, np.random.default_rng([seed, step, seat, 1]))
        for bot in bots
    }
    return replace(puzzle, bots=shares)


def _clearly_best(
    search: SearchAgent, game: BatchGame, seat: int, worlds: int, rng: np.random.Generator
) -> tuple[int, float, float, float] | None:
    """Return the best action and its gain over the next best with the interval; None if unclear."""
    words = legal_actions(game.view(seat))
    # Playing either of two equal cards is one choice.
    choices = {words[action]: action for action in reversed(words)}
    if len(choices) < 2:
        return None
    usual = choices[words[int(choice_of(search.policy, game.view(seat), rng)[0])]]
    alternatives = [action for action in choices.values() if action != usual]
    means, _ = _gains(search, game, seat, usual, alternatives, worlds, rng)
    best = alternatives[int(means.argmax())] if means.max() > 0 else usual
    rivals = [action for action in choices.values() if action != best]
    # Only the few positions with a clear choice are tried with many worlds.
    for factor in (1, WORLDS_FACTOR):
        means, errors = _gains(search, game, seat, best, rivals, factor * worlds, rng)
        gain = -means
        low = -means - INTERVAL * errors
        if low.min() <= 0 or gain.min() < LEAST_GAIN:
            return None
    next_best = int(gain.argmin())
    half = float(INTERVAL * errors[next_best])
    smallest_gain = float(gain[next_best])
    return best, smallest_gain, smallest_gain - half, smallest_gain + half


def _gains(
    search: SearchAgent,
    game: BatchGame,
    seat: int,
    played: int,
    alternatives: Sequence[int],
    worlds: int,
    rng: np.random.Generator,
) -> tuple[Any, Any]:
    """Return the gain of each other choice over one, and the standard errors."""
    view = game.take(np.zeros(len(alternatives), np.int64)).view(seat)
    return search.gain(
        view, np.full(len(alternatives), played), np.array(alternatives), worlds, rng
    )


def _share(bot: Agent, game: BatchGame, seat: int, best: int, rng: np.random.Generator) -> float:
    """Return the share of times that a bot chooses an action, or one with the same words."""
    check_forgets(bot)
    view = game.take(np.zeros(TRIES, np.int64)).view(seat)
    words = legal_actions(game.view(seat))
    chosen = choice_of(bot, view, rng).tolist()
    return sum(words[action] == words[best] for action in chosen) / len(chosen)


# --- files --------------------------------------------------------------------------------


def order(puzzle: Puzzle) -> tuple[str, int]:
    """Return a puzzle's sort key in a file: by game, then by how many bots miss it."""
    return puzzle.header.game, len(puzzle.missed_by)


def write_puzzles(path: Path, puzzles: Sequence[Puzzle]) -> None:
    """Write a file of puzzles, one per line, atomically."""
    write_text(path, "".join(json.dumps(puzzle.to_json()) + "\n" for puzzle in puzzles))


def read_puzzles(path: Path) -> list[Puzzle]:
    """Read a file of puzzles, and replay each position by the rules.

    Raises:
        ValueError: The file cannot be read, or a line is not a puzzle; the message has the line.
    """
    puzzles = []
    lines = read_ordinary(path, LARGEST, f"puzzles {path}").split(b"\n")
    for number, line in enumerate(lines, 1):
        if line:
            with at_line(str(path), number):
                puzzles.append(Puzzle.from_json(_parse(line)))
    return puzzles


def _parse(line: bytes) -> Any:
    try:
        return read_json(line)
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"not JSON, or cut short: {quote(line[:40])}") from error
