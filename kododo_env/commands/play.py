"""A table for people and agents from the command line: what ``kododo play`` does."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from kododo_env.core.bounds import Bound, check_settings
from kododo_env.rules_arguments import parse_rules
from kododo_env.system.extras import needs
from kododo_env.system.streams import reserved_streams

if TYPE_CHECKING:
    from kododo_env.play.lesson import TeachingTable

SERVER, TERMINAL = ("starlette", "uvicorn", "websockets"), ("prompt_toolkit",)


@dataclass(frozen=True)
class PlayConfig:
    """Play against agents: in the browser, in the terminal, or as a program over stdin.

    People sit side by side, agents have the other seats.
    """

    game: str
    """Which game."""
    players: int | None = None
    """Seats at the table; if not given 4, or the most that the game takes."""
    opponents: tuple[str, ...] = ()
    """Names of agents, level-1 (the weakest) to level-5 among them, policy files, or bots whose
    code is run: one for each other seat, or one for all of them; if not given, the policy that
    ships."""
    lesson: bool = False
    """Begin with the first lesson of the game, which takes three minutes and can be left."""
    people: Annotated[int, Bound(1, 100)] = 1
    """How many people play; each has an address of their own."""
    seat: Annotated[int, Bound(0, 99)] = 0
    """The seat of the first person, from 0; the other people have the next ones."""
    rotate: bool = False
    """Let all players move one seat on before other cards are dealt."""
    name: tuple[str, ...] = ()
    """How the people are called, one after the other."""
    hints: str | None = None
    """The agent that gives hints; if not given, the policy that ships."""
    seed: Annotated[int, Bound(0, 2**53 - 1)] | None = None
    """The seed of the cards and of the agents' randomness: another person who gives it, with the
    same players, has the same deal."""
    rules: tuple[str, ...] = ()
    """Other rules as name=value, such as variant=long; the number of players is --players."""
    host: str = "127.0.0.1"
    """Where to listen; 0.0.0.0 lets other machines in, and a terminal shows their QR codes."""
    keep: Path | None = None
    """Keep the table in this file, and go on from it if it is there: after a killed server the
    same command gives the game back, at the same addresses. It holds all cards and secrets."""
    port: Annotated[int, Bound(0, 65_535)] | None = None
    """0 takes any that is free; if not given 8642, or the next one that is free."""
    browser: bool = True
    """Open the first address in the browser."""
    terminal: bool = False
    """Play in this terminal."""
    stdio: bool = False
    """Take messages on stdin and answer on stdout, one JSON object a line."""
    mcp: bool = False
    """Be a server of the Model Context Protocol on stdin and stdout."""

    def __post_init__(self) -> None:
        check_settings(self, flags=True)
        hosts = self.terminal + self.stdio + self.mcp
        if hosts > 1:
            raise ValueError("give one of --terminal, --stdio and --mcp")
        for name in ("keep", "host", "port", "browser"):
            if hosts and getattr(self, name) != getattr(type(self), name):
                raise ValueError(
                    f"--{'no-' * (name == 'browser')}{name} is for the table in the browser: leave "
                    "out --terminal, --stdio and --mcp"
                )
        if hosts and None in (sys.stdin, sys.stdout):
            raise ValueError("--terminal, --stdio and --mcp need an open stdin and stdout")
        if self.lesson and (self.mcp or self.keep is not None):
            raise ValueError(
                "--lesson goes without --mcp and --keep: the page has the lesson in Help"
            )
        if self.people > 1 and self.lesson:
            raise ValueError("--lesson is for one person alone: leave --people at 1")
        if self.people > 1 and hosts:
            raise ValueError("--terminal, --stdio and --mcp have one person: leave --people at 1")


def play(config: PlayConfig) -> None:
    """Make the table, and have it played at."""
    if config.mcp:
        needs("--mcp", "mcp", "mcp")
    elif not config.stdio:
        needs("the table", "play", *(TERMINAL if config.terminal else SERVER))
    if config.stdio:
        from kododo_env.play.stdio import play_lines

        with reserved_streams() as (given, out):
            play_lines(_table(config), given, out)
    elif config.mcp:
        from kododo_env.play.mcp_server import mcp_server

        with reserved_streams():
            server = mcp_server(_table(config))
        server.run()  # the library reserves them, too
    elif config.terminal:
        from kododo_env.play.terminal import Terminal

        Terminal(_table(config)).play()
    else:
        from kododo_env.play.server import serve

        serve(_table(config), config.host, config.port, config.browser, config.keep)


def _table(config: PlayConfig) -> TeachingTable:
    from kododo_env.play.seating import make_table

    table = make_table(
        config.game,
        config.players,
        config.opponents,
        config.people,
        parse_rules(config.rules),
        config.hints,
        config.seed,
        pictures=not (config.terminal or config.stdio or config.mcp),
        seat=config.seat,
        rotate=config.rotate,
        names=config.name,
    )
    if config.lesson:
        table.teach()
    return table
