"""A game that is over, judged by an adviser: what ``kododo analyse`` does."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from kododo_env.agent_registry import make_agent
from kododo_env.arena.text_table import table
from kododo_env.commands.tournament import JSON, play_and_write
from kododo_env.core.bounds import Bound, Seed, check_settings
from kododo_env.play.analysis import FEWEST, MOST, WORLDS, Analysis, CostlyChoice
from kododo_env.play.analysis import analyse as analysis_of
from kododo_env.records.record import Record, read_record
from kododo_env.records.replay import replay
from kododo_env.records.showing import names_of
from kododo_env.system.files import check_other, write_json


@dataclass(frozen=True)
class AnalyseConfig:
    """Print the chance to win after each step of a game, and the choices that cost most.

    A choice is judged by what its player knew then, over worlds that agree with that. Each player
    has three at most, and none that may have cost nothing, by the 95 % interval.
    """

    file: Path
    """The record of the game."""
    adviser: str | None = None
    """The agent whose choices are held against the players'; if not given, the policy that
    ships."""
    seat: Annotated[int, Bound(0, 100)] | None = None
    """Whose choices are judged, 0 for player_0; if not given, everybody's."""
    worlds: Annotated[int, Bound(FEWEST, MOST)] = WORLDS
    """How many are played out for each choice; for the costliest four times as many others."""
    seed: Seed = 0
    """Seed of the worlds; the same one gives the same results."""
    json: Path | None = None
    """Write the results here as JSON."""

    def __post_init__(self) -> None:
        check_settings(self, flags=True)
        if self.json is not None:
            check_other(self.json, self.file, "the record itself: write the results elsewhere")


@dataclass(frozen=True)
class Found:
    """The analysis of a record."""

    record: Record
    analysis: Analysis

    def to_text(self) -> str:
        """A table of the chances, and below it the costliest choices of each player."""
        names, analysis = names_of(self.record), self.analysis
        rows = [("step", *(names[seat] for seat in analysis.seats))]
        for step, row in enumerate(100 * analysis.chances):
            told = (f"{mean:.0f} ({low:.0f} to {high:.0f})" for mean, low, high in row)
            rows.append((str(step or "deal"), *told))
        parts = [f"chance to win in per cent, by {analysis.adviser}\n\n{table(rows)}"]
        for seat in analysis.seats:
            choices = [each for each in analysis.choices if each.seat == seat]
            parts += [self._judged(each, names[seat]) for each in choices] or [
                f"{names[seat]}: no choice that surely cost anything"
            ]
        return "\n\n".join(parts)

    def _judged(self, choice: CostlyChoice, name: str) -> str:
        """A choice, what would have been better, and the table before it."""
        low, high = f"{100 * choice.low:.1f}", f"{100 * choice.high:.1f}"
        return (
            f"{name}, step {choice.step}: {choice.words}\n{self.analysis.adviser}: "
            f"{choice.advised_words}, {100 * choice.gain:.1f} games of 100 more ({low} to {high})"
            f"\n\n{choice.text}"
        )


def analyse(config: AnalyseConfig) -> None:
    """Print the analysis, and write its file.

    Raises:
        ValueError: The record is not true, or the options do not go with it.
    """

    def play() -> Found:
        record = read_record(config.file)
        game = next(replay(record))
        seats = None if config.seat is None else (config.seat,)
        adviser = None
        if config.adviser is not None:
            adviser = make_agent(config.adviser, game.name, game.num_players)
        found = analysis_of(record, adviser, seats, config.worlds, config.seed)
        return Found(record, found)

    def write(found: Found) -> None:
        if config.json is not None:
            write_json(config.json, found.analysis.to_json())

    play_and_write({config.json: JSON}, play, write)
