"""``kododo puzzles``: make puzzles from the records of games."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

from kododo_env import registry
from kododo_env.agent_registry import baselines, make_agent, shipped
from kododo_env.checks.bounds import Bound, Seed
from kododo_env.commands.recording import RECORD
from kododo_env.commands.tournament import play_and_write
from kododo_env.core.agent import check_agents
from kododo_env.core.batch_game import BatchGame
from kododo_env.levels import LEVELS
from kododo_env.records.record import Record, read_record
from kododo_env.records.replay import replay
from kododo_env.registry import words_of
from kododo_env.review.analysis import FEWEST, MOST, WORLDS
from kododo_env.review.best_agent import best_agent
from kododo_env.review.puzzles import Puzzle, find_puzzles, order, write_puzzles
from kododo_env.search.search import SearchAgent
from kododo_env.system.folders import files_in
from kododo_env.system.text_table import table


@dataclass(frozen=True)
class PuzzlesConfig:
    """Write puzzles: positions of recorded games in which one choice is clearly the best.

    A choice is clearly the best if the 95 % interval of its gain over each other choice is above 0.
    The gain is measured in other worlds (possible deals) than those in which the choice was
    selected. The difficulty of a puzzle is the number of bots that do not find the choice.
    """

    folder: Path
    """A folder of records, such as those of kododo play or of kododo evaluate --record."""
    out: Path = Path("puzzles.jsonl")
    """Write the puzzles here; the file name must end with .jsonl."""
    policy: str | None = None
    """The agent that plays in the worlds; by default the shipped policy."""
    bots: tuple[str, ...] = ()
    """The bots that try to solve the puzzles; by default the scripted players and, if there is a
    shipped policy for the rules, all levels except the strongest, which has a time limit."""
    max_puzzles: Annotated[int, Bound(1, 10_000)] = 24
    """The maximum number of puzzles."""
    per_game: Annotated[int, Bound(1, 1000)] = 2
    """The maximum number of puzzles from one game."""
    worlds: Annotated[int, Bound(FEWEST, MOST)] = WORLDS
    """Worlds played to the end for each choice; clear choices get four times as many new worlds."""
    seed: Seed = 0
    """Seed of the worlds and of the bots' random choices."""


def puzzles(config: PuzzlesConfig) -> None:
    """Search for puzzles, print a table and write the file.

    Raises:
        ValueError: There are no records, a record is invalid, an agent cannot play its game, or the
            file cannot be written.
    """
    _search.cache_clear()  # the files of bots may have changed since the last call
    _agent.cache_clear()
    out = config.out.resolve()
    if _is_record(out):
        raise ValueError(f"cannot overwrite {config.out}, a record of a game: choose another --out")
    files = [path for path in files_in(config.folder, f"*{RECORD}") if path.resolve() != out]
    if not files:
        raise ValueError(f"no records in {config.folder}: expected files that end with {RECORD}")

    def play() -> list[Puzzle]:
        puzzles: list[Puzzle] = []
        for file in files:
            # A deal that is played once from every seat may lead to the same position each time.
            new_puzzles = (
                puzzle
                for puzzle in _puzzles_of(read_record(file), config)
                if not any(_is_same_position(puzzle, previous) for previous in puzzles)
            )
            puzzles += list(
                islice(new_puzzles, min(config.per_game, config.max_puzzles - len(puzzles)))
            )
            if len(puzzles) == config.max_puzzles:
                break
        return sorted(puzzles, key=order)

    play_and_write({config.out: (RECORD,)}, play, partial(write_puzzles, config.out), to_text)


def to_text(puzzles: Sequence[Puzzle]) -> str:
    """Return a table of puzzles."""
    rows = [("game", "step", "player", "best", "gain", "missed by")]
    for puzzle in puzzles:
        step = str(len(puzzle.played) + 1)
        player = f"player_{puzzle.seat}"
        words = words_of(puzzle.position()).describe_choice(puzzle.best, puzzle.seat)
        gain = f"{100 * puzzle.gain:.0f} ({100 * puzzle.low:.0f} to {100 * puzzle.high:.0f})"
        missed = f"{len(puzzle.missed_by)} of {len(puzzle.bots)}"
        rows.append((puzzle.header.game, step, player, words, gain, missed))
    return table(rows) if puzzles else "no position has one choice that is clearly best"


def _is_record(path: Path) -> bool:
    try:
        return bool(read_record(path))
    except ValueError:
        return False


def _puzzles_of(record: Record, config: PuzzlesConfig) -> Iterator[Puzzle]:
    game = next(replay(record))
    players = game.num_players
    search = _search(config.policy, game.name, players, game.rules)
    bots = [_agent(name, game.name, players) for name in config.bots or _default_bots(game)]
    check_agents(game, bots)
    names = [bot.name for bot in bots]
    if len(names) > len(set(names)):
        raise ValueError(f"bots must have different names, got {', '.join(names)}")
    return find_puzzles(record, search, bots, config.worlds, config.seed)


def _default_bots(game: BatchGame) -> tuple[str, ...]:
    """Return the scripted players, and the levels if there is a shipped policy for the rules."""
    has_policy = best_agent(game).name in shipped()
    return (*baselines(game.name), *(LEVELS[:-1] if has_policy else ()))


def _is_same_position(first: Puzzle, second: Puzzle) -> bool:
    """Return whether two puzzles are the same position of the same deal."""
    header = replace(first.header, players=second.header.players, date=second.header.date)
    return (header, first.played, first.seat) == (second.header, second.played, second.seat)


@cache
def _search(policy: str | None, game: str, players: int, rules: Any) -> SearchAgent:
    """Return the search of a table; cached, since it fits a model of the outcome first."""
    table = registry.batch_game(game, 1, **asdict(rules))
    return SearchAgent(best_agent(table) if policy is None else _agent(policy, game, players))


_agent = cache(make_agent)
