"""``kododo evaluate``: play a tournament or a comparison, print a table and write files."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from kododo_env import __version__
from kododo_env.agent_registry import policy_path
from kododo_env.arena.chunk_log import ChunkLog
from kododo_env.arena.head_to_head import Comparison, ComparisonResult
from kododo_env.arena.match import Chunk, ChunkResult
from kododo_env.arena.progress import games_bar
from kododo_env.arena.report import TournamentReport, build_report
from kododo_env.arena.tournament import LEAST_CHUNKS, Tournament
from kododo_env.arena.workers import run
from kododo_env.checks.bounds import Games, Processes, Seed, flag
from kododo_env.checks.numbers import quote
from kododo_env.commands.cli import escaped
from kododo_env.commands.recording import PARQUET, Keep, is_parquet, recorded
from kododo_env.core.agent import Agent
from kododo_env.policy.metadata_file import ENDING
from kododo_env.rules_arguments import default_players, parse_rules
from kododo_env.system.cores import available_cores
from kododo_env.system.files import check_file, fingerprint, write_json
from kododo_env.system.reservation import Reservation, reserved

DEFAULT_GAME = "kododo"
MOST_AGENTS = 64
JSON = (".json",)
Play = Callable[[Tournament, list[Chunk], int], Iterator[ChunkResult]]
Files = Mapping[Path | None, tuple[str, ...]]


Results = TypeVar("Results")


@dataclass(frozen=True)
class TournamentConfig:
    """Let agents play each other, and print win shares, ratings and pairwise results.

    Each deck is played once for each rotation of the seats, so that the luck of the deal cancels.
    The same arguments give the same games and numbers, regardless of --workers; on another type of
    processor the last digits of a mean may differ. With --compare, measure the difference between
    two agents that play the same deals.
    """

    agents: tuple[str, ...] = ()
    """Names of agents, policy files, or bots, whose code is executed; at most 64, such as
    --agents heuristic runs/a/policy.onnx bot.py:Class."""
    game: str = DEFAULT_GAME
    """The game."""
    players: int | None = None
    """Seats at a table; by default 4, or the most that the game allows."""
    games: Games = 20_000
    """Total number of games; with --compare, the number of games of each agent."""
    seed: Seed = 0
    """Seed of the decks and of the agents' randomness."""
    rules: tuple[str, ...] = ()
    """Other rules as name=value, such as limit_offset=2; the number of players is --players."""
    workers: Processes | None = None
    """Processes; by default one per core."""
    json: Path | None = None
    """Write the results here as JSON; interim results are saved beside it."""
    plot: Path | None = None
    """Draw the results here, as PNG, SVG or PDF."""
    record: Path | None = None
    """Write records of games to this folder, or all decisions to a file that ends with .parquet."""
    record_games: Games = 100
    """Number of games to record in the folder, spread evenly over all tables."""
    resume: bool = False
    """Resume a stopped tournament; the other arguments must be the same."""
    compare: bool = False
    """Compare two --agents: each plays the same decks from every seat, alone among copies of the
    agent --among."""
    among: str | None = None
    """The agent whose copies take the other seats in a comparison; by default the strongest
    baseline."""

    def __post_init__(self) -> None:
        if len(self.agents) > MOST_AGENTS:
            raise ValueError(f"--agents takes at most {MOST_AGENTS} agents, got {len(self.agents)}")
        if self.resume and self.json is None:
            raise ValueError("--resume needs --json, the file of the tournament to resume")
        self._check_record()
        self._check_comparison()
        counts = Counter(map(_identity, self.agents))
        for agent in self.agents:
            if counts[_identity(agent)] > 1:
                raise ValueError(
                    f"agent {quote(agent)} is named twice; expected different agents or policy "
                    "files"
                )

    def _check_record(self) -> None:
        records_decisions = self.record is not None and is_parquet(self.record)
        if self.resume and records_decisions:
            raise ValueError(
                "--resume cannot be combined with --record FILE.parquet, which would lack the "
                "games played before"
            )
        if self.record is not None and self.record in (self.json, self.plot):
            raise ValueError(f"--record {self.record} is also --json or --plot: choose a folder")
        if self.record_games != type(self).record_games and (
            self.record is None or records_decisions
        ):
            raise ValueError("--record-games needs --record FOLDER")

    def _check_comparison(self) -> None:
        if not self.compare:
            if self.among is not None:
                raise ValueError("--among needs --compare")
            return
        if len(self.agents) != 2:
            raise ValueError(f"--compare needs two --agents, got {len(self.agents)}")
        for name in ("plot", "record", "resume"):
            if getattr(self, name) != getattr(type(self), name):
                raise ValueError(f"{flag(name)} cannot be combined with --compare")

    def tournament(self) -> Tournament:
        """Return the tournament.

        Raises:
            ValueError: The tournament cannot be played.
        """
        return Tournament(
            self.game, self.agents, self._seats(), self.games, self.seed, parse_rules(self.rules)
        )

    def comparison(self) -> Comparison:
        """Return the comparison.

        Raises:
            ValueError: The comparison cannot be played.
        """
        first, second = self.agents
        return Comparison(
            first,
            second,
            self.game,
            self._seats(),
            self.games,
            self.among,
            self.seed,
            parse_rules(self.rules),
            LEAST_CHUNKS,
        )

    def _seats(self) -> int:
        return default_players(self.game) if self.players is None else self.players


def _identity(agent: str) -> str:
    """Return a text that is equal for different paths to the same file."""
    path = policy_path(agent)
    # Path.resolve raises RuntimeError for a link to itself before Python 3.13.
    return os.path.normcase(os.path.realpath(path)) if path.suffix else agent


def evaluate(config: TournamentConfig, play: Play | None = None) -> None:
    """Play a tournament or a comparison, print the table and write the files.

    Args:
        config: The options.
        play: A function that yields the results of a tournament's chunks in their order; None for
            ``workers.run``. A comparison always uses ``workers.run``.

    Raises:
        ValueError: The games cannot be played, or a file cannot be written.
    """

    def write(report: TournamentReport) -> None:
        write_optional_json(config.json, report.to_json())
        if config.plot is not None:
            from kododo_env.arena.plots import draw_report

            draw_report(report, config.plot)
        if (path := _log(config)) is not None:
            path.unlink()

    if config.compare:
        _compare(config)
        return
    files = {config.json: JSON, config.plot: (".png", ".svg", ".pdf")}
    if config.record is not None and is_parquet(config.record):
        files[config.record] = PARQUET
    play_and_write(files, lambda: _report(config, play or run), write, TournamentReport.to_text)


def _compare(config: TournamentConfig) -> None:
    """Play a comparison, print the table and write the file."""

    def play() -> ComparisonResult:
        return config.comparison().play(config.workers or available_cores(), title="comparison")

    def write(result: ComparisonResult) -> None:
        write_optional_json(config.json, result.to_json())

    play_and_write({config.json: JSON}, play, write, ComparisonResult.to_text)


def write_optional_json(path: Path | None, content: Mapping[str, Any]) -> None:
    """Write results as JSON; do nothing if no file was named."""
    if path is not None:
        write_json(path, content)


def play_and_write(
    files: Files,
    play: Callable[[], Results],
    write: Callable[[Results], None],
    to_text: Callable[[Results], str],
) -> None:
    """Reserve the files, play, write the files and print the table.

    Args:
        files: The files to write and their allowed endings; None in place of a file is ignored.
            Until the end no other process can reserve these files.
        play: A function that returns the results.
        write: A function that writes the files.
        to_text: A function that returns the table.

    Raises:
        ValueError: A file cannot be written, or the games cannot be played.
    """
    with ExitStack() as stack:
        reservations = [
            stack.enter_context(_reserved(path, endings))
            for path, endings in files.items()
            if path is not None
        ]
        results = play()
        try:
            for reservation in reservations:
                reservation.check()
            write(results)
        finally:  # the table is printed even if the disk is full
            print(escaped(to_text(results)), flush=True)


def _reserved(path: Path, endings: tuple[str, ...]) -> AbstractContextManager[Reservation]:
    """Reserve a file with one of these endings, and check that it can be written at the end."""
    if path.suffix.lower() not in endings:
        raise ValueError(f"{path} must end with {' or '.join(endings)}")
    if path.name.endswith(ENDING):
        raise ValueError(
            f"{path} is reserved for the metadata of a policy file: choose another name"
        )
    check_file(path)
    return reserved(path, [path])


def _report(config: TournamentConfig, play: Play) -> TournamentReport:
    """Play the chunks of a tournament that are not in its log; return the report."""
    tournament = config.tournament()
    chunks = tournament.chunks()
    path = _log(config)
    # The heading has --record, since a resumed tournament must record to the same place.
    record = None if config.record is None else [str(config.record), config.record_games]
    heading = {**_heading(tournament), "record": record}
    with ExitStack() as stack:
        keep: Keep | None = None
        if config.record is not None:
            # Without a log, existing records in the folder are from another tournament.
            resume = config.resume and path is not None and path.exists()
            tournament, keep = stack.enter_context(
                recorded(tournament, config.record, config.record_games, resume)
            )
        log = stack.enter_context(ChunkLog(path, heading, chunks, config.resume))
        workers = config.workers or available_cores()
        play_remaining(log, chunks, lambda remaining: play(tournament, remaining, workers), keep)
    return build_report(tournament, log.results.values())


def play_remaining(
    log: ChunkLog,
    chunks: Sequence[Chunk],
    play: Callable[[list[Chunk]], Iterator[ChunkResult]],
    keep: Keep | None = None,
) -> None:
    """Play the chunks that are not in the log of a tournament or benchmark, and log the results.

    Args:
        log: The log, which is open.
        chunks: All chunks.
        play: A function that yields the results of the chunks that remain.
        keep: Saves the records of each result; None to save nothing.

    Raises:
        KeyboardInterrupt: A signal has stopped the games; the message mentions ``--resume`` if
            results are saved.
    """
    remaining = [chunk for chunk in chunks if chunk.index not in log.results]
    games = sum(chunk.deals * len(chunk.lineup) for chunk in chunks)
    done = sum(result.shares.size for result in log.results.values())
    try:
        for result in games_bar(play(remaining), games, done):
            with keep(result) if keep else nullcontext():
                log.append(replace(result, recorded=()))
    except KeyboardInterrupt as stop:
        if log.path == Path(os.devnull) or not log.results:
            raise
        raise type(stop)("the games so far are saved, continue with --resume") from stop


def _log(config: TournamentConfig) -> Path | None:
    """Return the path of the log; None if the tournament cannot be resumed."""
    if config.json is None or (config.record is not None and is_parquet(config.record)):
        return None
    return log_of(config.json)


def log_of(path: Path) -> Path:
    """Return the path of the log of interim results, which is beside the file of results."""
    return path.with_name(path.name + ".partial")


def _heading(tournament: Tournament) -> dict[str, Any]:
    """Return what identifies a tournament, including the content of policy files and bots."""
    game = tournament.make_game(1)
    return {
        "package": __version__,
        "game": f"{game.name} v{game.version}",
        "rules": repr(game.rules),
        "agents": list(tournament.agents),
        "files": fingerprints(tournament.load_agents()),
        "games": tournament.games,
        "seed": tournament.seed,
    }


def fingerprints(agents: Sequence[Agent]) -> list[str | None]:
    """Return the SHA-256 digests of the agents' files, in hex; None for an agent without a file."""
    return [fingerprint(Path(file)) if file else None for file in map(_file, agents)]


def _file(agent: Any) -> str | Path | None:
    if not hasattr(agent, "bot_file"):  # a bot may have a policy attribute of its own
        agent = getattr(agent, "policy", agent)  # the policy of a search
    return getattr(agent, "bot_file", getattr(agent, "path", None))
