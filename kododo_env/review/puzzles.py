"""Puzzles: positions of recorded games in which search finds one choice clearly best.

Choices are tried in many worlds, which are deals of the hidden cards that agree with what the
player knows (``kododo_env.search``). The best choice is then compared with every other choice in
new worlds, since luck in the first worlds helped to select it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from kododo_env.bots.protocol import legal_actions
from kododo_env.checks.numbers import finite_number, quote, whole_number, whole_numbers
from kododo_env.core.agent import Agent, check_forgets, choice_of
from kododo_env.core.batch_game import BatchGame
from kododo_env.records.header import Header
from kododo_env.records.lines import at_line, check_keys, check_sealed, parse_object, sealed
from kododo_env.records.record import Record
from kododo_env.records.replay import replay
from kododo_env.registry import words_of
from kododo_env.rendering.plain_words import Event
from kododo_env.review.analysis import INTERVAL, WORLDS_FACTOR
from kododo_env.search.search import SearchAgent
from kododo_env.system.files import read_ordinary, write_text

LARGEST = 1 << 26  # bytes per file
TRIES = 32  # how often a bot is asked, since some choose at random
HIT_SHARE = 2 / 3  # of these tries; a random choice between two actions is right in 1 / 2
LEAST_GAIN = 0.05  # the best choice of a puzzle wins at least five more games of a hundred
FORMAT = "kododo-env puzzle 1"
FIELDS = {"format", "digest", "header", "played", "seat", "best", "gain", "low", "high", "bots"}


@dataclass(frozen=True)
class Puzzle:
    """A position and its best choice.

    Attributes:
        header: The header of the game's record.
        played: The joint actions so far, a list of P numbers for each step.
        seat: The seat of the player who chooses.
        best: The number of the best action.
        gain: The mean increase, over worlds, of the player's share of the victory by the best
            choice instead of the next best.
        low: The lower end of the 95 % interval of ``gain``; above 0, also for every other choice.
        high: The upper end of this interval.
        bots: For each bot by name the share of its tries in which it chose the best action.
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
        """The names of the bots whose share of best choices is below ``HIT_SHARE``."""
        return [name for name, share in self.bots.items() if share < HIT_SHARE]

    def position(self) -> BatchGame:
        """Return the game in this position: a batch of one.

        Raises:
            ValueError: The actions cannot be played, or the best action is not a choice here.
        """
        game = self.header.make_game()
        for actions in self.played:
            game.step(whole_numbers([actions], "actions"))
        whole_number(self.seat, "seat", 0, game.num_players - 1)
        choices = [] if game.terminated[0] else legal_actions(game.view(self.seat))
        if len(choices) < 2 or self.best not in choices:
            raise ValueError(f"best must be one of the choices {sorted(choices)}, not {self.best}")
        return game

    def reasons(self) -> dict[int, list[Event]]:
        """Return for each choice what it would bring about; see ``Words.reasons``.

        What every choice would bring about is left out, unless nothing remains.
        """
        view = self.position().view(self.seat)
        words = words_of(view)
        reasons = {action: words.reasons(action, self.seat) for action in legal_actions(view)}
        common = [
            reason
            for reason in reasons[self.best]
            if all(reason in events for events in reasons.values())
        ]
        return {
            action: [reason for reason in events if reason not in common] or events
            for action, events in reasons.items()
        }

    def themes(self) -> list[str]:
        """Return the keys of the names of what the best choice is about, most important first."""
        return list(dict.fromkeys(reason["theme"] for reason in self.reasons()[self.best]))

    def to_json(self) -> dict[str, Any]:
        """Return the puzzle as a dictionary for one line of a file, with its digest."""
        return sealed({"format": FORMAT, **vars(self), "header": self.header.to_json()})

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Puzzle:
        """Parse a line of a file, and check that the position can be reached.

        Raises:
            ValueError: The line is not a valid puzzle.
        """
        if content.get("format") != FORMAT:
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

    Positions come in random order, so that a caller that stops early has some of the whole game.
    The same arguments give the same puzzles, unless a bot has a time budget.

    Args:
        record: The record of the game.
        search: The search that compares choices; its policy plays all seats in the worlds.
        bots: The bots that are asked for their choice in each puzzle.
        worlds: The number of worlds per choice. Where one choice seems clearly best, four times as
            many new worlds confirm it.
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
    """Ask bots for their choices, and return the puzzle with their results.

    Each bot has its own random generator, so that its result does not depend on the other bots.

    Args:
        puzzle: The puzzle, whose own ``bots`` are ignored.
        bots: The bots to ask.
        seed: The seed of their randomness.

    Raises:
        ValueError: A bot keeps a memory of its games, so it cannot judge a single position.
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
    # Actions with the same words, such as playing either of two equal cards, are one choice.
    choices = {words[action]: action for action in reversed(words)}
    if len(choices) < 2:
        return None
    usual = choices[words[int(choice_of(search.policy, game.view(seat), rng)[0])]]
    alternatives = [action for action in choices.values() if action != usual]
    means, _ = _gains(search, game, seat, usual, alternatives, worlds, rng)
    best = alternatives[int(means.argmax())] if means.max() > 0 else usual
    rivals = [action for action in choices.values() if action != best]
    # The second, larger sample is drawn only where the first shows a clear choice.
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
    """Return a puzzle's sort key in a file: the game, then the number of bots that miss it."""
    return puzzle.header.game, len(puzzle.missed_by)


def write_puzzles(path: Path, puzzles: Sequence[Puzzle]) -> None:
    """Write puzzles to a file atomically, one JSON object per line."""
    write_text(path, "".join(json.dumps(puzzle.to_json()) + "\n" for puzzle in puzzles))


def read_puzzles(path: Path) -> list[Puzzle]:
    """Read a file of puzzles, and check each position by replaying it.

    Raises:
        ValueError: The file cannot be read, or a line is not a puzzle; the message has the line
            number.
    """
    puzzles = []
    lines = read_ordinary(path, LARGEST, f"puzzles {path}").split(b"\n")
    for number, line in enumerate(lines, 1):
        if line:
            with at_line(str(path), number):
                puzzles.append(Puzzle.from_json(parse_object(line)))
    return puzzles
