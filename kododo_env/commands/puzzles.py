"""Puzzles from records of games: what ``kododo puzzles`` does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

from kododo_env import registry
from kododo_env.agent_registry import LEVELS, baselines, make_agent, shipped
from kododo_env.arena.text_table import table
from kododo_env.commands.recording import RECORD
from kododo_env.commands.tournament import play_and_write
from kododo_env.core.agent import Agent, check_agents
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.bounds import Bound, Seed, check_settings
from kododo_env.play.analysis import FEWEST, MOST, WORLDS
from kododo_env.play.puzzles import Puzzle, find_puzzles, order, write_puzzles
from kododo_env.play.seating import best_agent
from kododo_env.records.record import Record, read_record
from kododo_env.records.replay import replay
from kododo_env.search.search import SearchAgent
from kododo_env.system.folders import files_in


@dataclass(frozen=True)
class PuzzlesConfig:
    """Write puzzles: positions of recorded games in which one choice is clearly the best.

    That is: better than every other choice by the 95 % interval of a search, in worlds other than
    those in which it was found. They are graded by how many bots miss it.
    """

    folder: Path
    """Records of games, as the page saves them and evaluate --record writes them."""
    out: Path = Path("puzzles.jsonl")
    """Where to: a file that ends with .jsonl."""
    policy: str | None = None
    """The agent that plays in the worlds; if not given, the policy that ships."""
    bots: tuple[str, ...] = ()
    """The bots that choose; if not given, the scripted players and, if a policy ships for these
    rules, the levels but the strongest, which thinks by the clock."""
    most: Annotated[int, Bound(1, 10_000)] = 24
    """How many puzzles, after which no more are searched for."""
    each: Annotated[int, Bound(1, 1000)] = 2
    """How many of one game at most, so that they differ."""
    worlds: Annotated[int, Bound(FEWEST, MOST)] = WORLDS
    """How many are played out for each choice; four times as many others for a clear one."""
    seed: Seed = 0
    """Seed of the worlds and of the bots' choices by chance."""

    def __post_init__(self) -> None:
        check_settings(self, flags=True)


@dataclass(frozen=True)
class FoundPuzzles:
    """The puzzles, game by game, those first that fewest bots miss."""

    puzzles: list[Puzzle]

    def to_text(self) -> str:
        """A table of them."""
        rows = [("game", "step", "player", "best", "gain", "missed by")]
        for each in self.puzzles:
            words = each.position().describe_choice(each.best, each.seat)
            gain = f"{100 * each.gain:.0f} ({100 * each.low:.0f} to {100 * each.high:.0f})"
            missed = f"{len(each.missed_by)} of {len(each.bots)}"
            step, player = str(len(each.played) + 1), f"player_{each.seat}"
            rows.append((each.header.game, step, player, words, gain, missed))
        return table(rows) if self.puzzles else "no position in which one choice is clearly best"


def puzzles(config: PuzzlesConfig) -> None:
    """Search for the puzzles, and write their file.

    Raises:
        ValueError: There are no records, one is not true, or an agent does not go with one.
    """
    _search.cache_clear()  # a file may hold another bot than it did when it was last named
    _agent.cache_clear()
    out = config.out.resolve()
    if _is_record(out):
        raise ValueError(f"{config.out} is the record of a game: write the puzzles elsewhere")
    files = [each for each in files_in(config.folder, f"*{RECORD}") if each.resolve() != out]
    if not files:
        raise ValueError(f"{config.folder} holds no records: files that end with {RECORD}")

    def play() -> FoundPuzzles:
        found: list[Puzzle] = []
        for file in files:
            # A deal that was played from every seat may have taken the same course each time.
            new = (
                each
                for each in _of_record(read_record(file), config)
                if not any(_same(each, other) for other in found)
            )
            found += list(islice(new, min(config.each, config.most - len(found))))
            if len(found) == config.most:
                break
        return FoundPuzzles(sorted(found, key=order))

    play_and_write(
        {config.out: (RECORD,)}, play, lambda found: write_puzzles(config.out, found.puzzles)
    )


def _is_record(path: Path) -> bool:
    try:
        return bool(read_record(path))
    except ValueError:
        return False


def _of_record(record: Record, config: PuzzlesConfig) -> Iterator[Puzzle]:
    game = next(replay(record))
    name, players = game.name, game.num_players
    search = _search(config.policy, name, players, game.rules)
    bots = [_agent(each, name, players) for each in config.bots or _usual_bots(game)]
    check_agents(game, bots)
    called = [bot.name for bot in bots]
    if len(called) > len(set(called)):
        raise ValueError(f"bots must have names of their own, unlike {', '.join(called)}")
    return find_puzzles(record, search, bots, config.worlds, config.seed)


def _usual_bots(game: BatchGame) -> tuple[str, ...]:
    """The scripted players, and the levels if a policy ships for these rules."""
    ships = best_agent(game).name in shipped()
    return *baselines(game.name), *(LEVELS[:-1] if ships else ())


def _same(one: Puzzle, other: Puzzle) -> bool:
    """Whether it is the same position of the same deal."""
    header = replace(one.header, players=other.header.players, date=other.header.date)
    return (header, one.played, one.seat) == (other.header, other.played, other.seat)


@cache
def _search(policy: str | None, game: str, players: int, rules: Any) -> SearchAgent:
    """One for all records of a table: at first it has to fit a model of the outcome."""
    table = registry.batch_game(game, 1, **asdict(rules))
    return SearchAgent(best_agent(table) if policy is None else _agent(policy, game, players))


@cache
def _agent(name: str, game: str, players: int) -> Agent:
    return make_agent(name, game, players)
