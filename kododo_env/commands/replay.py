"""``kododo replay``: show a recorded game step by step, or draw an animation."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from kododo_env.agent_registry import make_agent
from kododo_env.core.bounds import check_settings, real
from kododo_env.records.frames import as_text, frames, height_of
from kododo_env.records.record import read_record
from kododo_env.rendering.animation import animated_gif, animated_svg
from kododo_env.system.files import check_file, check_other, written_whole

ENDINGS = (".svg", ".gif")


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
        check_settings(self, flags=True)
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
