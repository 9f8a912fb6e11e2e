"""``kododo analyse`` and ``kododo replay``: look at a recorded game again."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from kododo_env.agent_registry import make_agent
from kododo_env.checks.bounds import Bound, Seed, real
from kododo_env.commands.tournament import JSON, play_and_write, write_optional_json
from kododo_env.records.frames import as_text, frames, height_of, names_of
from kododo_env.records.record import read_record
from kododo_env.records.replay import replay as replay_of
from kododo_env.rendering.animation import animated_gif, animated_svg
from kododo_env.review.analysis import FEWEST, MOST, WORLDS, Analysis, CostlyChoice
from kododo_env.review.analysis import analyse as analysis_of
from kododo_env.system.files import check_file, check_other, written_whole
from kododo_env.system.text_table import table

ENDINGS = (".svg", ".gif")


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
        if self.json is not None:
            check_other(self.json, self.file, "the record itself: choose another --json")


def to_text(analysis: Analysis) -> str:
    """Return a table of the probabilities, then the costliest choices of each player."""
    names = names_of(analysis.players)
    rows = [("step", *(names[seat] for seat in analysis.seats))]
    for step, row in enumerate(100 * analysis.probabilities):
        cells = (f"{mean:.0f} ({low:.0f} to {high:.0f})" for mean, low, high in row)
        rows.append((str(step or "deal"), *cells))
    parts = [f"win probability in per cent, estimated by {analysis.adviser}\n\n{table(rows)}"]
    for seat in analysis.seats:
        choices = [choice for choice in analysis.choices if choice.seat == seat]
        parts += [_choice_text(choice, names[seat], analysis.adviser) for choice in choices] or [
            f"{names[seat]}: no choice with a cost whose 95 % interval is above 0"
        ]
    return "\n\n".join(parts)


def _choice_text(choice: CostlyChoice, name: str, adviser: str) -> str:
    """Return a choice, the better one, and the table before it."""
    interval = f"{100 * choice.low:.1f} to {100 * choice.high:.1f}"
    return (
        f"{name}, step {choice.step}: {choice.words}\n{adviser}: "
        f"{choice.advised_words}, {100 * choice.gain:.1f} games of 100 more ({interval})"
        f"\n\n{choice.text}"
    )


def analyse(config: AnalyseConfig) -> None:
    """Print the analysis, and write it as JSON if ``config.json`` is set.

    Raises:
        ValueError: The record contradicts the rules, the adviser cannot play its game, the record
            has no such seat, or the file cannot be written.
    """

    def play() -> Analysis:
        record = read_record(config.file)
        game = next(replay_of(record))
        seats = None if config.seat is None else (config.seat,)
        adviser = None
        if config.adviser is not None:
            adviser = make_agent(config.adviser, game.name, game.num_players)
        return analysis_of(record, adviser, seats, config.worlds, config.seed)

    def write(analysis: Analysis) -> None:
        write_optional_json(config.json, analysis.to_json())

    play_and_write({config.json: JSON}, play, write, to_text)


@dataclass(frozen=True)
class ReplayConfig:
    """Show a recorded game step by step, and check each line of the record against the rules."""

    file: Path
    """The record of the game."""
    out: Path | None = None
    """Write an animation here, as SVG or GIF, instead of printing the game."""
    agent: str | None = None
    """Add the choices of this agent where they differ from the players' choices: a name, a policy
    file, or a bot, whose code is executed."""
    seconds: Annotated[float, real(0.01, 3600)] = 1.5
    """Seconds for each step of the animation."""

    def __post_init__(self) -> None:
        if self.out is not None and self.out.suffix.lower() not in ENDINGS:
            raise ValueError(f"--out {self.out} must end with {' or '.join(ENDINGS)}")
        if self.out is not None:
            check_other(self.out, self.file, "the record itself: choose another --out")
        if self.out is None and self.seconds != type(self).seconds:
            raise ValueError("--seconds needs --out")


def replay(config: ReplayConfig) -> None:
    """Print the recorded game, or write the animation.

    Raises:
        ValueError: The record is invalid, the agent cannot play its game, or the animation cannot
            be written.
    """
    record = read_record(config.file)
    agent = None
    if config.agent is not None:
        agent = make_agent(config.agent, record.header.game, len(record.players))
    if config.out is None:
        steps = list(as_text(record, agent))  # check all lines before the first is printed
        print("\n".join(steps), flush=True)
        return
    check_file(config.out)
    pictures = list(frames(record, agent))
    if config.out.suffix.lower() == ".gif":
        animation = animated_gif(pictures, config.seconds)
    else:
        title = f"a game of {record.header.game}, step by step"
        animation = animated_svg(pictures, config.seconds, title, height_of(record)).encode()
    with written_whole(config.out) as aside:
        aside.write_bytes(animation)
