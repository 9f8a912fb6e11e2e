"""A tournament from the command line to its table and files: what ``kododo evaluate`` does."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol, TypeVar

from kododo_env import __version__
from kododo_env.agent_registry import policy_path
from kododo_env.arena.chunk_log import ChunkLog
from kododo_env.arena.comparison import Comparison, ComparisonResult
from kododo_env.arena.duplicates import ChunkResult
from kododo_env.arena.pairing import LEAST_CHUNKS, Chunk
from kododo_env.arena.progress import games_bar
from kododo_env.arena.report import Report, build_report
from kododo_env.arena.tournament import Tournament
from kododo_env.arena.workers import run
from kododo_env.commands.cli import escaped
from kododo_env.commands.recording import PARQUET, Keep, is_parquet, recorded
from kododo_env.core.agent import Agent
from kododo_env.core.bounds import Games, Processes, Seed, check_settings, flag
from kododo_env.core.numbers import shown
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


class Results(Protocol):
    """What was found by playing."""

    def to_text(self) -> str:
        """As a table."""
        ...


Found = TypeVar("Found", bound=Results)


@dataclass(frozen=True)
class TournamentConfig:
    """Let agents play each other: win shares with 95 % intervals, ratings, who beats whom.

    Each deck is played once for each rotation of the seats, so that the luck of the deal
    cancels. The same arguments play the same games and give the same numbers, whatever --workers
    is; on another kind of processor the last digits of a mean may differ. With --compare instead:
    the difference between two agents that play the same deals.
    """

    agents: tuple[str, ...] = ()
    """Names of agents, policy files, or bots whose code is run, 64 at most: --agents heuristic
    runs/a/policy.onnx bot.py:Class."""
    game: str = DEFAULT_GAME
    """Which game."""
    players: int | None = None
    """Seats at a table; if not given 4, or the most that the game takes."""
    games: Games = 20_000
    """How many games in all; with --compare of each of the two."""
    seed: Seed = 0
    """Seed of the decks and of the agents' randomness."""
    variant: str | None = None
    """Short for --rules variant=..."""
    rules: tuple[str, ...] = ()
    """Other rules as name=value, such as limit_offset=2; the number of players is --players."""
    workers: Processes | None = None
    """Processes; if not given one for each core."""
    json: Path | None = None
    """Write the results here as JSON; what is played so far is kept beside it."""
    plot: Path | None = None
    """Draw the results here, as PNG, SVG or PDF."""
    record: Path | None = None
    """A folder for records of games, or FILE.parquet for all decisions, to learn from offline."""
    record_games: Games = 100
    """How many games are recorded in the folder, spread evenly over all tables."""
    resume: bool = False
    """Go on with a tournament that was stopped; give the same arguments again."""
    compare: bool = False
    """Compare two --agents: each plays the same decks from every seat, alone among copies of
    --among."""
    among: str | None = None
    """The agent of which copies play in a comparison; if not given the strongest baseline."""

    def __post_init__(self) -> None:
        check_settings(self, flags=True)
        if not self.agents:
            raise ValueError("name two agents at least with --agents")
        if self.variant is not None and any(each.startswith("variant=") for each in self.rules):
            raise ValueError("give --variant or --rules variant=..., not both")
        if len(self.agents) > MOST_AGENTS:
            raise ValueError(f"--agents takes {MOST_AGENTS} at most, not {len(self.agents)}")
        if self.resume and self.json is None:
            raise ValueError("--resume needs --json, the file of the tournament to go on with")
        self._check_record()
        self._check_comparison()
        named = Counter(map(_identity, self.agents))
        for agent in self.agents:
            if named[_identity(agent)] > 1:
                raise ValueError(
                    f"agent {shown(agent)} is named twice: name each once (two policies may take "
                    "part together if they are different files)"
                )

    def _check_record(self) -> None:
        to_file = self.record is not None and is_parquet(self.record)
        if self.resume and to_file:
            raise ValueError(
                "--resume does not go with --record FILE.parquet, which would lack what was "
                "played before"
            )
        if self.record is not None and self.record in (self.json, self.plot):
            raise ValueError(f"{self.record} is another file of results: give --record a folder")
        counted = self.record_games != type(self).record_games
        if counted and (self.record is None or to_file):
            raise ValueError("--record-games goes with --record FOLDER")

    def _check_comparison(self) -> None:
        if not self.compare:
            if self.among is not None:
                raise ValueError("--among goes with --compare only")
            return
        if len(self.agents) != 2:
            raise ValueError(f"--compare takes two --agents, not {len(self.agents)}")
        for name in ("plot", "record", "resume"):
            if getattr(self, name) != getattr(type(self), name):
                raise ValueError(f"{flag(name)} does not go with --compare")

    def tournament(self) -> Tournament:
        """What is to be played; ValueError if it cannot be."""
        players, rules = self._seats(), self._parsed_rules()
        return Tournament(self.game, self.agents, players, self.games, self.seed, rules)

    def comparison(self) -> Comparison:
        """What is to be played with --compare; ValueError if it cannot be."""
        first, second = self.agents
        return Comparison(
            first,
            second,
            self.game,
            self._seats(),
            self.games,
            self.among,
            self.seed,
            self._parsed_rules(),
            LEAST_CHUNKS,
        )

    def _seats(self) -> int:
        return default_players(self.game) if self.players is None else self.players

    def _parsed_rules(self) -> dict[str, Any]:
        variant = () if self.variant is None else (f"variant={self.variant}",)
        return parse_rules([*variant, *self.rules])


def _identity(agent: str) -> str:
    """The same text for the same agent, however the way to its file is written."""
    path = policy_path(agent)
    # Not Path.resolve, which before Python 3.13 raises RuntimeError for a link to itself.
    return os.path.normcase(os.path.realpath(path)) if path.suffix else agent


def evaluate(config: TournamentConfig, play: Play | None = None) -> None:
    """Play a tournament or a comparison, print the table, write the files.

    Args:
        config: What is asked for.
        play: Gives the results of chunks of a tournament in their order; None takes
            ``workers.run``, with this many processes here. A comparison is always played so.

    Raises:
        ValueError: What was asked cannot be done; nothing has been played.
    """

    def write(report: Report) -> None:
        if config.json is not None:
            write_json(config.json, report.to_json())
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
    play_and_write(files, lambda: _report(config, play or run), write)


def _compare(config: TournamentConfig) -> None:
    """Play a comparison, print the table, write the file."""

    def compared() -> ComparisonResult:
        return config.comparison().play(config.workers or available_cores(), title="comparison")

    def write(result: ComparisonResult) -> None:
        if config.json is not None:
            write_json(config.json, result.to_json())

    play_and_write({config.json: JSON}, compared, write)


def play_and_write(
    files: Files,
    play: Callable[[], Found],
    write: Callable[[Found], None],
) -> None:
    """Play what takes long, write its files, print its table.

    Args:
        files: What will be written, None for what will not, and how each may end. No other
            process writes them meanwhile.
        play: Gives the results.
        write: Writes the files.

    Raises:
        ValueError: A file cannot be written, or nothing can be played; nothing has been.
    """
    with _reserved(files) as places:
        found = play()
        try:
            for place in places:
                place.check()
            write(found)
        finally:  # it took long, and is lost if there was no room for the file
            print(escaped(found.to_text()), flush=True)


@contextmanager
def _reserved(files: Files) -> Iterator[list[Reservation]]:
    """Files that can be written at the end, and that no other process writes meanwhile."""
    with ExitStack() as stack:
        places = []
        for path, endings in files.items():
            if path is not None:
                if path.suffix.lower() not in endings:
                    raise ValueError(f"{path} must end with {' or '.join(endings)}")
                if path.name.endswith(ENDING):
                    raise ValueError(
                        f"{path} has a name for the metadata of a policy: give another"
                    )
                check_file(path)
                places.append(stack.enter_context(reserved(path, [path])))
        yield places


def _report(config: TournamentConfig, play: Play) -> Report:
    """Play what is not in the log yet of a tournament; what all of it showed."""
    tournament = config.tournament()
    chunks = tournament.chunks()
    # With another record some of the games would be recorded nowhere.
    kept = None if config.record is None else [str(config.record), config.record_games]
    heading, path = {**_heading(tournament), "record": kept}, _log(config)
    with ExitStack() as stack:
        keep: Keep | None = None
        if config.record is not None:
            # Without such a file the records that are there are of something else.
            goes_on = config.resume and path is not None and path.exists()
            record = config.record, config.record_games, goes_on
            tournament, keep = stack.enter_context(recorded(tournament, *record))
        log = stack.enter_context(ChunkLog(path, heading, chunks, config.resume))
        workers = config.workers or available_cores()
        play_what_is_left(log, chunks, lambda left: play(tournament, left, workers), keep)
    return build_report(tournament, log.results.values())


def play_what_is_left(
    log: ChunkLog,
    chunks: Sequence[Chunk],
    play: Callable[[list[Chunk]], Iterator[ChunkResult]],
    keep: Keep | None = None,
) -> None:
    """Play those chunks of a tournament or a benchmark that are not in its log yet, into it."""
    left = [chunk for chunk in chunks if chunk.index not in log.results]
    games = sum(chunk.deals * len(chunk.lineup) for chunk in chunks)
    done = sum(result.shares.size for result in log.results.values())
    try:
        for result in games_bar(play(left), games, done):
            with keep(result) if keep else nullcontext():
                log.append(replace(result, recorded=()))
    except KeyboardInterrupt as stop:
        if log.path == Path(os.devnull) or not log.results:
            raise
        raise type(stop)("what was played is kept, go on with --resume") from stop


def _log(config: TournamentConfig) -> Path | None:
    """Where the results so far are kept; None if they are not, since one could not go on."""
    if config.json is None or (config.record is not None and is_parquet(config.record)):
        return None
    return log_of(config.json)


def log_of(path: Path) -> Path:
    """Where the results so far are kept."""
    return path.with_name(path.name + ".partial")


def _heading(tournament: Tournament) -> dict[str, Any]:
    """What must be the same for results to belong together, policy files and bots included."""
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
    """Those of the agents' policy files or bots; None for an agent without a file."""
    return [fingerprint(Path(file)) if file else None for file in map(_file, agents)]


def _file(agent: Any) -> str | Path | None:
    if not hasattr(agent, "bot_file"):  # a bot may have all attributes, for itself
        agent = getattr(agent, "policy", agent)  # a search's
    found: str | Path | None = getattr(agent, "bot_file", getattr(agent, "path", None))
    return found
