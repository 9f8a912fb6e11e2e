"""A record shown step by step, or drawn: what ``kododo replay`` does."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from kododo_env.agent_registry import make_agent
from kododo_env.core.bounds import check_settings, real
from kododo_env.records.record import read_record
from kododo_env.records.showing import as_text, frames, height_of
from kododo_env.rendering.animation import animated_gif, animated_svg
from kododo_env.system.files import check_file, check_other, written_whole

ENDINGS = (".svg", ".gif")


@dataclass(frozen=True)
class ReplayConfig:
    """Show the record of a game step by step, each line checked against the rules."""

    file: Path
    """The record."""
    out: Path | None = None
    """Draw it here as a moving picture, SVG or GIF, instead of printing it."""
    agent: str | None = None
    """Say beside each choice what this agent would have chosen in its place: a name, a policy
    file, or a bot whose code is run."""
    seconds: Annotated[float, real(0.01, 3600)] = 1.5
    """How long each step of the picture is shown."""

    def __post_init__(self) -> None:
        check_settings(self, flags=True)
        if self.out is not None and self.out.suffix.lower() not in ENDINGS:
            raise ValueError(f"--out {self.out} must end with {' or '.join(ENDINGS)}")
        if self.out is not None:
            check_other(self.out, self.file, "the record itself: draw it elsewhere")
        if self.out is None and self.seconds != type(self).seconds:
            raise ValueError("--seconds goes with --out, the picture")


def replay(config: ReplayConfig) -> None:
    """Print the record, or write the picture.

    Raises:
        ValueError: The record is not true, the agent cannot play its game, or the picture cannot
            be written.
    """
    record = read_record(config.file)
    game, players = record.header.game, len(record.players)
    agent = None if config.agent is None else make_agent(config.agent, game, players)
    if config.out is None:
        steps = list(as_text(record, agent))  # all of it first: a false record shows nothing
        print("\n".join(steps), flush=True)
        return
    check_file(config.out)
    pictures = list(frames(record, agent))
    if config.out.suffix.lower() == ".gif":
        drawn = animated_gif(pictures, config.seconds)
    else:
        title = f"a game of {record.header.game}, step by step"
        drawn = animated_svg(pictures, config.seconds, title, height_of(record)).encode()
    with written_whole(config.out) as aside:
        aside.write_bytes(drawn)
