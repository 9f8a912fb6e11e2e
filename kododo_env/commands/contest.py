"""``kododo contest``: let all bots of a folder play each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

from kododo_env.arena.forfeits import BOT, FolderTournament, try_out
from kododo_env.arena.match import ChunkResult
from kododo_env.arena.plots import draw_report
from kododo_env.arena.progress import games_bar
from kododo_env.arena.report import TournamentReport, build_report
from kododo_env.arena.workers import play_in_worker, worker_pool
from kododo_env.checks.bounds import Bound, Games, Processes, Seed
from kododo_env.commands.tournament import DEFAULT_GAME, MOST_AGENTS, play_and_write
from kododo_env.rules_arguments import default_players, parse_rules
from kododo_env.system.cores import available_cores
from kododo_env.system.files import read_text, write_text
from kododo_env.system.folders import files_in

LIST = "bots.txt"
LARGEST_LIST = 100_000  # bytes
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
body {{ font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto }}
table {{ border-collapse: collapse; margin: 1rem 0 }}
th, td {{ padding: .3rem .7rem; text-align: right; border-bottom: 1px solid #ccc }}
th:first-child, td:first-child {{ text-align: left }}
svg {{ max-width: 100%; height: auto }}
</style>
</head>
<body>
<h1>{title}</h1>
<p>{heading}</p>
{parts}
</body>
</html>
"""
HOW = (
    "Bots with overlapping intervals may be equally strong. A rating difference of 400 means odds "
    "of ten to one. A fault is a turn in which a bot took more than {seconds:g} s for a decision, "
    "played an illegal action, exited or raised an error; the turn was then played at random."
)


@dataclass(frozen=True)
class ContestConfig:
    """Let all bots of a folder play each other, and write a page with the ratings.

    A bot is a Python file with a class Bot, a policy file (.onnx), or a line of bots.txt with a
    name as in kododo evaluate --agents, such as heuristic or exec:node bot.mjs. The code in the
    folder runs with your permissions. A fault is a turn in which a bot exceeds its time, plays an
    illegal action, exits or raises an error. The turn is then played at random; after 3 faults, so
    are all turns until the end of the table. A bot that fails in a trial game does not take part.
    """

    folder: Path
    """The folder of the bots."""
    game: str = DEFAULT_GAME
    """The game."""
    players: int | None = None
    """Seats at a table; by default 4, or the most that the game allows."""
    games: Games = 2_000
    """Total number of games."""
    seconds: Annotated[float, Bound(0, 3600, whole=False, above=True)] = 2.0
    """Time limit of a decision; a time limit in the name of a bot is ignored. The first decision
    of a program may take 10 seconds more."""
    beside: tuple[str, ...] = ("random",)
    """Names of further agents that play; paths are relative to the folder of the bots."""
    seed: Seed = 0
    """Seed of the decks and of the agents' randomness."""
    rules: tuple[str, ...] = ()
    """Other rules as name=value, such as variant=long; the number of players is --players."""
    workers: Processes | None = None
    """Processes; by default one per core."""
    out: Path = Path("contest.html")
    """Write the page here."""


@dataclass(frozen=True)
class ContestResults:
    """The results of a contest.

    Attributes:
        report: The report of the tournament.
        seconds: The time limit of a decision.
        faults: The messages of each agent's faults, by its name.
        left_out: The error in the trial game, by the name of each bot that did not play.
    """

    report: TournamentReport
    seconds: float
    faults: Mapping[str, list[str]]
    left_out: Mapping[str, str]

    def to_text(self) -> str:
        """Return the report of the tournament, the faults, and the bots that did not play."""
        lines = [self.report.to_text(), ""]
        for bot, faults in self.faults.items():
            if faults:
                word = "fault" if len(faults) == 1 else "faults"
                lines.append(f"{bot}: {len(faults)} {word}, the first: {faults[0]}")
        lines += [f"{bot} did not play: {why}" for bot, why in self.left_out.items()]
        return "\n".join(lines).rstrip()

    def to_html(self) -> str:
        """Return an HTML page: standings, a plot, faults, bots that did not play."""
        rows: list[Sequence[object]] = [
            ["bot", "win share", "95 %", "points", "rating", "95 %", "faults"]
        ]
        for standing in self.report.standings:
            share = standing.share.texts(".3f")
            rating = standing.rating.texts("+z.0f")
            points = f"{standing.points.mean:.2f}"
            faults = self.faults[standing.agent]
            rows.append([standing.agent, *share, points, *rating, len(faults)])
        how = f"<p>{escape(HOW.format(seconds=self.seconds))}</p>"
        parts = [_table(rows), how, _picture(self.report)]
        fault_rows = [(bot, len(texts), texts[0]) for bot, texts in self.faults.items() if texts]
        if fault_rows:
            parts += ["<h2>Faults</h2>", _table([["bot", "faults", "the first"], *fault_rows])]
        if self.left_out:
            parts += ["<h2>Did not play</h2>", _table([["bot", "why"], *self.left_out.items()])]
        title = f"Contest: {self.report.tournament.game}"
        heading = escape(self.report.heading)
        return PAGE.format(title=escape(title), heading=heading, parts="\n".join(parts))


def contest(config: ContestConfig) -> None:
    """Play the contest, print the results and write the page.

    Raises:
        ValueError: There are no bots, none can play, the options are invalid, or the page cannot be
            written.
    """

    def write(evening: ContestResults) -> None:
        write_text(config.out, evening.to_html())
        print(f"page written to {config.out}\n", flush=True)

    play_and_write(
        {config.out: (".html",)}, lambda: evening_of(config), write, ContestResults.to_text
    )


def evening_of(config: ContestConfig) -> ContestResults:
    """Play a contest and return its results.

    Raises:
        ValueError: There are no bots, none can play, the options are invalid, or a bot has ended a
            worker process.
    """
    names = bots_of(config.folder)
    trial = _trial(config)
    problems = {name: _problem(replace(trial, agents=(name, "random"))) for name in names}
    left_out = {name: problem for name, problem in problems.items() if problem is not None}
    able = [name for name in names if name not in left_out]
    if not able:
        first, problem = next(iter(left_out.items()))
        raise ValueError(f"no bot in {config.folder} can play; {first}: {problem}")
    agents = tuple(dict.fromkeys([*able, *config.beside]))
    tournament = replace(trial, agents=agents, games=config.games)
    faults: dict[str, list[str]] = {name: [] for name in agents}
    chunks = tournament.chunks()
    with worker_pool(min(config.workers or available_cores(), len(chunks))) as pool:
        parts: Iterator[ChunkResult] = pool.map(play_in_worker, [tournament] * len(chunks), chunks)

        def results() -> Iterator[ChunkResult]:
            for chunk in chunks:
                try:
                    result = next(parts)
                except ChildProcessError as error:
                    lineup = " and ".join(agents[seat] for seat in sorted({*chunk.lineup}))
                    raise ValueError(
                        f"a worker ended while {lineup} played: a bot has ended it, or memory ran "
                        "out; remove one of these bots, or use fewer --workers"
                    ) from error
                for name, agent_faults in zip(agents, result.recorded, strict=True):
                    faults[name] += agent_faults
                yield result

        num_games = tournament.players * tournament.deals
        report = build_report(tournament, list(games_bar(results(), num_games)))
    return ContestResults(report, config.seconds, faults, left_out)


def _problem(trial: FolderTournament) -> str | None:
    """Try a bot in a process of its own; return what is wrong with it, or None."""
    with worker_pool(1) as pool:
        try:
            return pool.submit(try_out, trial).result()
        except ChildProcessError:
            return "its process ended without a response"


def bots_of(folder: Path) -> list[str]:
    """Return the names of the bots of a folder.

    Raises:
        ValueError: The folder does not exist, has no bots or too many, or bots.txt is not UTF-8
            text.
    """
    files = [path.name for path in files_in(folder, "*") if path.suffix in (".py", ".onnx")]
    files = [name for name in files if not name.startswith(("_", "."))]
    # With ./ in front, a file whose name looks like a command or a search is still a path.
    names = [f"./{name}" if ":" in name else name for name in files]
    if (folder / LIST).exists():
        text = read_text(folder / LIST, LARGEST_LIST, str(folder / LIST))
        lines = map(str.strip, text.splitlines())
        names += [line for line in lines if line and not line.startswith("#")]
    names = list(dict.fromkeys(names))
    if not names:
        raise ValueError(
            f"no bots in {folder}: expected bot.py with a class {BOT}, policy.onnx, or names in "
            f"{LIST}"
        )
    if len(names) > MOST_AGENTS:
        raise ValueError(f"at most {MOST_AGENTS} bots can play, got {len(names)}")
    return names


def _trial(config: ContestConfig) -> FolderTournament:
    """Return a tournament of one deal; raise ValueError if the game cannot be played."""
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


# --- the page -------------------------------------------------------------------------------


def _table(rows: Iterable[Sequence[object]]) -> str:
    """Return an HTML table; the first row is the heading."""
    heading, *body_rows = ([escape(str(cell)) for cell in row] for row in rows)
    head = "".join(f"<th>{cell}</th>" for cell in heading)
    body = ["".join(f"<td>{cell}</td>" for cell in row) for row in body_rows]
    return "\n".join(["<table>", *(f"<tr>{row}</tr>" for row in [head, *body]), "</table>"])


def _picture(report: TournamentReport) -> str:
    """Draw win shares and ratings with their intervals, as SVG."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "report.svg"
        draw_report(report, path)
        text = path.read_text("utf-8")
    return text[text.index("<svg") :]
