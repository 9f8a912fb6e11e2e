"""``kododo analyse``: compare the choices of a recorded game with those of an agent."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from kododo_env.agent_registry import make_agent
from kododo_env.arena.text_table import table
from kododo_env.commands.tournament import JSON, play_and_write
from kododo_env.core.bounds import Bound, Seed, check_settings
from kododo_env.records.frames import names_of
from kododo_env.records.record import Record, read_record
from kododo_env.records.replay import replay
from kododo_env.review.analysis import FEWEST, MOST, WORLDS, Analysis, CostlyChoice
from kododo_env.review.analysis import analyse as analysis_of
from kododo_env.system.files import check_other, write_json


@dataclass(frozen=True)
class AnalyseConfig:
    """Print the win probabilities after each step of a recorded game, and the costliest choices.

    The cost of a choice is estimated in worlds, which are deals that agree with the knowledge of
    the player who chose. At most three choices of each player are printed, and only if the 95 %
    interval of the cost is above 0.
    """

    file: Path
    """The record of the game."""
    adviser: str | None = None
    """The agent whose choices are compared with the players' choices; by default the shipped
    policy."""
    seat: Annotated[int, Bound(0, 100)] | None = None
    """The seat whose choices are analysed, 0 for player_0; by default all seats."""
    worlds: Annotated[int, Bound(FEWEST, MOST)] = WORLDS
    """Worlds played to the end for each choice; the costliest choices get four times as many new
    worlds."""
    seed: Seed = 0
    """Seed of the worlds."""
    json: Path | None = None
    """Write the results here as JSON."""

    def __post_init__(self) -> None:
        check_settings(self, flags=True)
        if self.json is not None:
            check_other(self.json, self.file, "the record itself: choose another --json")


@dataclass(frozen=True)
class AnalysedRecord:
    """A record and its analysis.

    Attributes:
        record: The record.
        analysis: The win probabilities and the costly choices.
    """

    record: Record
    analysis: Analysis

    def to_text(self) -> str:
        """Return a table of the probabilities, then the costliest choices of each player."""
        names = names_of(self.record)
        analysis = self.analysis
        rows = [("step", *(names[seat] for seat in analysis.seats))]
        for step, row in enumerate(100 * analysis.probabilities):
            cells = (f"{mean:.0f} ({low:.0f} to {high:.0f})" for mean, low, high in row)
            rows.append((str(step or "deal"), *cells))
        parts = [f"win probability in per cent, estimated by {analysis.adviser}\n\n{table(rows)}"]
        for seat in analysis.seats:
            choices = [choice for choice in analysis.choices if choice.seat == seat]
            parts += [self._choice_text(choice, names[seat]) for choice in choices] or [
                f"{names[seat]}: no choice with a cost whose 95 % interval is above 0"
            ]
        return "\n\n".join(parts)

    def _choice_text(self, choice: CostlyChoice, name: str) -> str:
        """Return a choice, the better one, and the table before it."""
        interval = f"{100 * choice.low:.1f} to {100 * choice.high:.1f}"
        return (
            f"{name}, step {choice.step}: {choice.words}\n{self.analysis.adviser}: "
            f"{choice.advised_words}, {100 * choice.gain:.1f} games of 100 more ({interval})"
            f"\n\n{choice.text}"
        )


def analyse(config: AnalyseConfig) -> None:
    """Print the analysis, and write it as JSON if ``config.json`` is set.

    Raises:
        ValueError: The record contradicts the rules, the adviser cannot play its game, the record
            has no such seat, or the file cannot be written.
    """

    def play() -> AnalysedRecord:
        record = read_record(config.file)
        game = next(replay(record))
        seats = None if config.seat is None else (config.seat,)
        adviser = None
        if config.adviser is not None:
            adviser = make_agent(config.adviser, game.name, game.num_players)
        analysis = analysis_of(record, adviser, seats, config.worlds, config.seed)
        return AnalysedRecord(record, analysis)

    def write(analysed: AnalysedRecord) -> None:
        if config.json is not None:
            write_json(config.json, analysed.analysis.to_json())

    play_and_write({config.json: JSON}, play, write)
