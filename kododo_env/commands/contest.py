"""All bots of a folder against each other: what ``kododo contest`` does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from kododo_env.arena.duplicates import ChunkResult
from kododo_env.arena.forfeits import BOT, FolderTournament, Played, play_forfeiting, try_out
from kododo_env.arena.progress import games_bar
from kododo_env.arena.report import Report, build_report
from kododo_env.arena.workers import worker_pool
from kododo_env.commands.contest_page import contest_page
from kododo_env.commands.tournament import DEFAULT_GAME, MOST_AGENTS, play_and_write
from kododo_env.core.bounds import Bound, Games, Processes, Seed, check_settings
from kododo_env.rules_arguments import default_players, parse_rules
from kododo_env.system.cores import available_cores
from kododo_env.system.files import read_ordinary, write_text
from kododo_env.system.folders import files_in

LIST = "bots.txt"
LARGEST_LIST = 100_000  # bytes


@dataclass(frozen=True)
class ContestConfig:
    """Let all bots of a folder play each other, and write a page with the ratings.

    Bots are bot.py with a class Bot, policy.onnx, and the lines of bots.txt, which are names as
    --agents of kododo evaluate takes them, such as heuristic or exec:node bot.mjs. All code in
    the folder is run with what you may do yourself. A bot that is late, illegal or gone, or that
    raises an error, plays that turn at random; after 3 faults at a table it does so until the
    end of that table. Faults are counted. A bot that fails in a first game is left out.
    """

    folder: Path
    """The folder of the bots."""
    game: str = DEFAULT_GAME
    """Which game."""
    players: int | None = None
    """Seats at a table; if not given 4, or the most that the game takes."""
    games: Games = 2_000
    """How many games in all."""
    seconds: Annotated[float, Bound(0, 3600, whole=False, above=True)] = 2.0
    """The time for a decision, whatever a name says. The first one of a program may take 10 seconds
    more."""
    beside: tuple[str, ...] = ("random",)
    """Other agents that play too; a file is looked for in the folder of the bots."""
    seed: Seed = 0
    """Seed of the decks and of the agents' randomness."""
    rules: tuple[str, ...] = ()
    """Other rules as name=value, such as variant=long; the number of players is --players."""
    workers: Processes | None = None
    """Processes; if not given one for each core."""
    out: Path = Path("contest.html")
    """Where the page is written."""

    def __post_init__(self) -> None:
        check_settings(self, flags=True)


@dataclass(frozen=True)
class Evening:
    """What a contest showed.

    Attributes:
        report: Of the tournament.
        seconds: The time for a decision.
        faults: Of each agent that has some.
        left_out: The bots that could not play, and why.
    """

    report: Report
    seconds: float
    faults: Mapping[str, list[str]]
    left_out: Mapping[str, str]

    def to_text(self) -> str:
        """As aligned lines of text."""
        lines = [self.report.to_text(), ""]
        for bot, each in self._faults:
            lines.append(f"{bot}: {len(each)} fault{'s' * (len(each) > 1)}, the first: {each[0]}")
        lines += [f"{bot} did not play: {why}" for bot, why in self.left_out.items()]
        return "\n".join(lines).rstrip()

    def to_html(self) -> str:
        """As a page."""
        return contest_page(self.report, self.seconds, self.faults, self.left_out)

    @property
    def _faults(self) -> Iterator[tuple[str, list[str]]]:
        return ((bot, each) for bot, each in self.faults.items() if each)


def contest(config: ContestConfig) -> None:
    """Play, print the table, write the page.

    Raises:
        ValueError: The games cannot be played as asked; nothing has been played.
    """

    def write(evening: Evening) -> None:
        write_text(config.out, evening.to_html())
        print(f"the page is {config.out}\n", flush=True)

    play_and_write({config.out: (".html",)}, lambda: evening_of(config), write)


def evening_of(config: ContestConfig) -> Evening:
    """Play a contest."""
    names = bots_of(config.folder)
    trial = _trial(config)
    tried = {name: _tried(replace(trial, agents=(name, "random"))) for name in names}
    left_out = {name: why for name, why in tried.items() if why is not None}
    able = [name for name in names if name not in left_out]
    if not able:
        first, why = next(iter(left_out.items()))
        raise ValueError(f"no bot in {config.folder} can play; {first}: {why}")
    agents = tuple(dict.fromkeys([*able, *config.beside]))
    played = replace(trial, agents=agents, games=config.games)
    faults: dict[str, list[str]] = {name: [] for name in agents}
    chunks = played.chunks()
    with worker_pool(min(config.workers or available_cores(), len(chunks))) as pool:
        parts: Iterator[Played] = pool.map(play_forfeiting, [played] * len(chunks), chunks)

        def results() -> Iterator[ChunkResult]:
            for chunk in chunks:
                try:
                    result, found = next(parts)
                except ChildProcessError as error:
                    there = " and ".join(agents[seat] for seat in sorted({*chunk.lineup}))
                    raise ValueError(
                        f"a process was ended while {there} played: one of them may have ended "
                        "it, or memory was short; leave one out, or give fewer --workers"
                    ) from error
                for name, of_agent in zip(agents, found, strict=True):
                    faults[name] += of_agent
                yield result

        report = build_report(played, list(games_bar(results(), played.players * played.deals)))
    return Evening(report, config.seconds, faults, left_out)


def _tried(trial: FolderTournament) -> str | None:
    """What is wrong with a bot, which may end the process that it is tried in; None if nothing."""
    with worker_pool(1) as pool:
        try:
            return pool.submit(try_out, trial).result()
        except ChildProcessError:
            return "its process ended before its answer"


def bots_of(folder: Path) -> list[str]:
    """The names of the bots of a folder.

    Raises:
        ValueError: There is no such folder, no bot in it, or too many; or the list is no text.
    """
    files = [each.name for each in files_in(folder, "*") if each.suffix in (".py", ".onnx")]
    files = [name for name in files if not name.startswith(("_", "."))]
    # Nothing but a path has this beginning, whatever the file's name looks like.
    names = [f"./{name}" if ":" in name else name for name in files]
    if (folder / LIST).exists():
        content = read_ordinary(folder / LIST, LARGEST_LIST, str(folder / LIST))
        try:
            text = content.decode("utf-8-sig")  # some editors mark it so
        except UnicodeDecodeError as error:
            raise ValueError(f"{folder / LIST} must be UTF-8 text") from error
        lines = map(str.strip, text.splitlines())
        names += [line for line in lines if line and not line.startswith("#")]
    names = list(dict.fromkeys(names))
    if not names:
        raise ValueError(
            f"there is no bot in {folder}: neither bot.py with a class {BOT}, nor policy.onnx, nor "
            f"names in {LIST}"
        )
    if len(names) > MOST_AGENTS:
        raise ValueError(f"a contest has {MOST_AGENTS} bots at most, not {len(names)}")
    return names


def _trial(config: ContestConfig) -> FolderTournament:
    """A deal at one table; ValueError if the game cannot be played so."""
    players = default_players(config.game) if config.players is None else config.players
    return FolderTournament(
        config.game,
        ("random", "random"),
        players,
        players,
        config.seed,
        parse_rules(config.rules),
        folder=config.folder.resolve(),
        seconds=config.seconds,
    )
