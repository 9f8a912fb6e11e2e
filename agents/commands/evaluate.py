"""What ``evaluate.py`` does: a tournament from the command line to its table and files."""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from agents.commands.cli import check_output
from agents.file_argument import FilePath
from kododo_env import __version__
from kododo_env.agent_registry import policy_path
from kododo_env.arena.chunk_log import ChunkLog
from kododo_env.arena.progress import games_bar
from kododo_env.arena.report import Report, build_report
from kododo_env.arena.tournament import Tournament
from kododo_env.arena.workers import cores, run
from kododo_env.core.bounds import check_settings, flag
from kododo_env.core.numbers import shown
from kododo_env.rules_arguments import default_players, parse_rules
from kododo_env.system.files import write_text
from kododo_env.system.reservation import Reservation, reserved

if TYPE_CHECKING:
    from agents.commands.best_response import Exploitability

DEFAULT_GAME = "kododo"
MOST_AGENTS = 64
TOURNAMENT_ONLY = (
    "agents", "game", "players", "variant", "rules", "one_against_copies", "plot", "resume",
)  # fmt: skip


@dataclass(frozen=True)
class BestResponseConfig:
    """How much can be gained against one policy by who knows it, in place of a tournament:
    a best response learns against copies of it, and search has it as its model.
    """

    best_response: str | None = None
    """The policy: a file, or the name of one that ships. Its file says which game is played."""
    minutes: float | None = None
    """How long the best response learns; 5 if neither this nor --steps is given."""
    steps: int | None = None
    """The learner's own steps instead of minutes, rounded up to whole updates."""
    threads: int = 1
    """Threads of the processor for learning."""
    search: str = "50ms"
    """What a decision may cost the search: a time (600000ms at most), or a number of worlds
    (100000 at most). With --steps, one thread and worlds, the same arguments give the same
    numbers."""
    search_games: int = 1_000
    """Games of the search against the policy; slow, see --search."""
    save: FilePath | None = None
    """Keep the best response as a policy file (.onnx)."""

    def __post_init__(self) -> None:
        check_settings(self, flags=True)
        for each in fields(self):
            if self.best_response is None and getattr(self, each.name) != each.default:
                raise ValueError(f"{flag(each.name)} goes with --best-response POLICY only")
        if self.minutes is not None and self.steps is not None:
            raise ValueError("give --minutes or --steps, not both")


@dataclass(frozen=True)
class EvaluateConfig:
    """Let agents play each other: win shares with 95 % intervals, ratings, who beats whom.

    Each deck is played once for each rotation of the seats, so that the luck of the deal
    cancels. The same arguments give the same numbers, whatever --workers is. With
    --best-response instead: how much can be gained against a policy by who knows it.
    """

    agents: tuple[str, ...] = ()
    """Names of agents, or policy files, 64 at most: --agents heuristic runs/a/policy.onnx."""
    game: str = DEFAULT_GAME
    """Which game."""
    players: int | None = None
    """Seats at a table; if not given 4, or the most that the game takes."""
    games: int = 20_000
    """How many games in all; with --one-against-copies for each pair; with --best-response
    of the best response."""
    seed: int = 0
    """Seed of the decks and of the agents' randomness."""
    variant: str | None = None
    """Short for --rules variant=..."""
    rules: tuple[str, ...] = ()
    """Other rules as name=value, such as target_score=30; the number of players is --players."""
    one_against_copies: bool = False
    """Play each agent alone against copies of each other one, in place of mixed tables."""
    workers: int | None = None
    """Processes; if not given one for each core."""
    json: FilePath | None = None
    """Write the results here as JSON; what is played so far is kept beside it."""
    plot: FilePath | None = None
    """Draw the results here, as PNG, SVG or PDF."""
    resume: bool = False
    """Go on with a tournament that was stopped; give the same arguments again."""
    response: Annotated[BestResponseConfig, tyro.conf.arg(name="")] = field(
        default_factory=BestResponseConfig
    )
    """Exploitability of one policy."""

    def __post_init__(self) -> None:
        check_settings(self, flags=True)
        if self.response.best_response is not None:
            for name in TOURNAMENT_ONLY:
                if getattr(self, name) != getattr(type(self), name):
                    raise ValueError(
                        f"{flag(name)} does not go with --best-response: the policy's file says "
                        "which game it plays, and there is no tournament"
                    )
        elif not self.agents:
            raise ValueError("name two agents at least with --agents, or a --best-response POLICY")
        if self.variant is not None and any(each.startswith("variant=") for each in self.rules):
            raise ValueError("give --variant or --rules variant=..., not both")
        if len(self.agents) > MOST_AGENTS:
            raise ValueError(f"--agents takes {MOST_AGENTS} at most, not {len(self.agents)}")
        if self.resume and self.json is None:
            raise ValueError("--resume needs --json, the file of the tournament to go on with")
        named = Counter(map(_identity, self.agents))
        for agent in self.agents:
            if named[_identity(agent)] > 1:
                raise ValueError(
                    f"agent {shown(agent)} is named twice: name each once (two policies may take "
                    "part together if they are different files)"
                )

    def tournament(self) -> Tournament:
        """What is to be played; ValueError if it cannot be."""
        variant = () if self.variant is None else (f"variant={self.variant}",)
        return Tournament(
            self.game,
            self.agents,
            default_players(self.game) if self.players is None else self.players,
            self.games,
            self.seed,
            self.one_against_copies,
            parse_rules([*variant, *self.rules]),
        )


def _identity(agent: str) -> str:
    """The same text for the same agent, however the way to its file is written."""
    path = policy_path(agent)
    # Not Path.resolve, which before Python 3.13 raises RuntimeError for a link to itself.
    return os.path.realpath(path) if path.suffix else agent


def evaluate(config: EvaluateConfig) -> None:
    """Play, print the table, write the files.

    Raises:
        ValueError: What was asked cannot be done; nothing has been played.
    """
    attacks = config.response.best_response is not None
    with _reserved(config) as places:
        found = _exploitability(config) if attacks else _report(config)
        try:
            for place in places:
                place.check()
            if isinstance(found, Report) and config.plot is not None:
                from kododo_env.arena.plots import draw_report

                draw_report(found, config.plot)
            if config.json is not None:
                write_text(config.json, json.dumps(found.to_json(), indent=2) + "\n")
                if not attacks:
                    log_of(config.json).unlink()
        finally:  # it took long, and is lost if there was no room for the file
            print(found.to_text(), flush=True)


@contextmanager
def _reserved(config: EvaluateConfig) -> Iterator[list[Reservation]]:
    """Files that can be written at the end, and that no other process writes meanwhile."""
    files = {
        config.json: (".json",),
        config.plot: (".png", ".svg", ".pdf"),
        config.response.save: (".onnx",),
    }
    with ExitStack() as stack:
        places = []
        for path, endings in files.items():
            if path is not None:
                check_output(path, endings)
                places.append(stack.enter_context(reserved(path, [path])))
        yield places


def _exploitability(config: EvaluateConfig) -> Exploitability:
    """What is gained against a policy."""
    from agents.commands.best_response import exploitability  # imports torch

    workers = config.workers or cores()
    return exploitability(config.response, config.games, config.seed, workers)


def _report(config: EvaluateConfig) -> Report:
    """Play what is not in the log yet of a tournament; what all of it showed."""
    tournament = config.tournament()
    chunks, heading = tournament.chunks(), _heading(tournament)
    path = None if config.json is None else log_of(config.json)
    with ChunkLog(path, heading, chunks, config.resume) as log:
        left = [chunk for chunk in chunks if chunk.index not in log.results]
        all_games, games_left = (
            tournament.players * sum(chunk.deals for chunk in each) for each in (chunks, left)
        )
        played = run(tournament, left, config.workers or cores())
        try:
            for result in games_bar(played, all_games, all_games - games_left):
                log.append(result)
        except KeyboardInterrupt as stop:
            if path is None:
                raise
            raise type(stop)("what was played is kept, go on with --resume") from stop
    return build_report(tournament, log.results.values())


def log_of(path: Path) -> Path:
    """Where the results so far are kept."""
    return path.with_name(path.name + ".partial")


def _heading(tournament: Tournament) -> dict[str, Any]:
    """What must be the same for results to belong together, policy files included."""
    game = tournament.make_game(1)
    policies = [getattr(agent, "policy", agent) for agent in tournament.load_agents()]
    files = [getattr(policy, "path", None) for policy in policies]  # a search's policy has one too
    return {
        "package": __version__,
        "game": f"{game.name} v{game.version}",
        "rules": repr(game.rules),
        "agents": list(tournament.agents),
        "files": [file and hashlib.sha256(Path(file).read_bytes()).hexdigest() for file in files],
        "games": tournament.games,
        "seed": tournament.seed,
        "against_copies": tournament.against_copies,
    }
