"""``kododo play``: open a table for people and agents; ``kododo rules``: print a game's rules."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from kododo_env.agent_registry import shipped
from kododo_env.checks.bounds import Bound
from kododo_env.levels import EASY, MEDIUM
from kododo_env.rules_arguments import default_players, parse_rules
from kododo_env.system.extras import needs
from kododo_env.system.streams import reserved_streams

if TYPE_CHECKING:
    from kododo_env.table.table import Table

SERVER = ("starlette", "uvicorn", "websockets")
TERMINAL = ("prompt_toolkit",)
BROWSER_OPTIONS = {
    "keep": "--keep",
    "host": "--host",
    "port": "--port",
    "browser": "--no-browser",
}


@dataclass(frozen=True)
class PlayConfig:
    """Play against agents: in the browser, in the terminal, or as a program over stdin.

    People take adjacent seats, agents the other seats.
    """

    game: str
    """The game."""
    players: int | None = None
    """Seats at the table; by default 4, or the most that the game allows."""
    opponents: tuple[str, ...] = ()
    """Names of agents, such as level-1 (the weakest) to level-5, policy files, or bots, whose code
    is executed: one for each seat without a person, or one for all these seats. By default people
    play against level-2, with --lesson against level-1; programs, and other rules, get the best
    agent."""
    lesson: bool = False
    """Begin with the first lesson of the game, which takes three minutes and can be skipped."""
    people: Annotated[int, Bound(1, 100)] = 1
    """Number of people who play; each person has an address."""
    seat: Annotated[int, Bound(0, 99)] = 0
    """The seat of the first person, from 0; the other people have the next seats."""
    rotate: bool = False
    """Move all players to the next seat before each new deal."""
    name: tuple[str, ...] = ()
    """The names of the people, in order."""
    hints: str | None = None
    """The agent that gives hints; by default the shipped policy."""
    seed: Annotated[int, Bound(0, 2**53 - 1)] | None = None
    """Seed of the cards and of the agents' randomness; the same seed and players give the same
    deal."""
    rules: tuple[str, ...] = ()
    """Other rules as name=value, such as variant=long; the number of players is --players."""
    host: str = "127.0.0.1"
    """The address on which the server listens; with 0.0.0.0 other devices can join, and QR codes
    of their addresses are printed."""
    keep: Path | None = None
    """Save the table in this file, and restore the table if the file exists: if the server is
    killed, the same command restores the game at the same addresses. The file contains all cards
    and the secret parts of the addresses."""
    port: Annotated[int, Bound(0, 65_535)] | None = None
    """The port, or 0 for any free port; by default 8642, or the next free port."""
    browser: bool = True
    """Open the first address in the browser."""
    terminal: bool = False
    """Play in this terminal."""
    stdio: bool = False
    """Read requests on stdin and write responses on stdout, one JSON object per line."""
    mcp: bool = False
    """Run as a server of the Model Context Protocol on stdin and stdout."""

    def __post_init__(self) -> None:
        hosts = [name for name in ("terminal", "stdio", "mcp") if getattr(self, name)]
        if len(hosts) > 1:
            raise ValueError("--terminal, --stdio and --mcp cannot be combined")
        for name, option in BROWSER_OPTIONS.items():
            if hosts and getattr(self, name) != getattr(type(self), name):
                raise ValueError(f"{option} cannot be combined with --{hosts[0]}")
        if hosts and None in (sys.stdin, sys.stdout):
            raise ValueError("--terminal, --stdio and --mcp need an open stdin and stdout")
        if self.lesson and (self.mcp or self.keep is not None):
            raise ValueError(
                "--lesson cannot be combined with --mcp or --keep; the page has lessons under Help"
            )


def play(config: PlayConfig) -> None:
    """Create a table and run it in the interface that ``config`` selects.

    Raises:
        ValueError: The table cannot be created.
    """
    if config.mcp:
        needs("--mcp", "mcp", "mcp")
    elif not config.stdio:
        needs("the table", "play", *(TERMINAL if config.terminal else SERVER))
    if config.stdio:
        from kododo_env.play.stdio import play_lines

        with reserved_streams() as (requests, responses):
            play_lines(_table(config), requests, responses)
    elif config.mcp:
        from kododo_env.play.mcp_server import mcp_server

        with reserved_streams():
            server = mcp_server(_table(config))
        server.run()  # reserves stdin and stdout itself
    elif config.terminal:
        from kododo_env.play.terminal import Terminal

        Terminal(_table(config)).play()
    else:
        from kododo_env.play.server import serve

        serve(_table(config), config.host, config.port, config.browser, config.keep)


def _table(config: PlayConfig) -> Table:
    from kododo_env.table.factory import make_table

    table = make_table(
        config.game,
        config.players,
        config.opponents or usual_opponents(config),
        config.people,
        parse_rules(config.rules),
        config.hints,
        config.seed,
        pictures=not (config.terminal or config.stdio or config.mcp),
        seat=config.seat,
        rotate=config.rotate,
        names=config.name,
        names_in_texts=config.terminal,
    )
    if config.lesson:
        table.teach()
    return table


def usual_opponents(config: PlayConfig) -> tuple[str, ...]:
    """Return the opponents of people who choose none; empty for the best agent."""
    players = config.players or default_players(config.game)
    is_shipped = f"{config.game}-{players}p" in shipped()
    if config.stdio or config.mcp or config.rules or not is_shipped or config.people == players:
        return ()
    return (EASY if config.lesson else MEDIUM,)


@dataclass(frozen=True)
class RulesConfig:
    """Print the rules of a game, as Markdown."""

    game: str
    """The game."""


def rules(config: RulesConfig) -> None:
    """Print the rules.

    Raises:
        ValueError: The game is unknown.
    """
    from kododo_env import registry

    print(registry.rules_text(registry.batch_game(config.game, 1)).rstrip("\n"), flush=True)
