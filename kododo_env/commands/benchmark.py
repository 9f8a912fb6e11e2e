"""One agent measured by the fixed protocol: what ``kododo benchmark`` does."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kododo_env import __version__
from kododo_env.agent_registry import make_agent
from kododo_env.arena.benchmark import PROTOCOL, Benchmark, Entry, compare, entry, verify
from kododo_env.arena.chunk_log import ChunkLog
from kododo_env.arena.text_table import table
from kododo_env.arena.workers import run
from kododo_env.commands.tournament import (
    DEFAULT_GAME,
    JSON,
    fingerprints,
    log_of,
    play_and_write,
    play_what_is_left,
)
from kododo_env.core.bounds import Processes, check_settings
from kododo_env.policy.onnx_agent import OnnxAgent
from kododo_env.rules_arguments import default_players
from kododo_env.system.cores import available_cores
from kododo_env.system.files import read_ordinary, write_json

LARGEST = 1 << 20  # bytes of an entry
HUNDREDTH = 100


@dataclass(frozen=True)
class BenchmarkConfig:
    """Measure one agent by kododo-bench v1: win shares among copies of strangers, and more.

    The protocol is fixed, so figures of two agents at the same table may be compared. The results
    carry a digest; --check plays a hundredth of them again.
    """

    agent: str
    """The name of an agent, or a policy file."""
    game: str | None = None
    """Which game; if not given that of the policy file, or kododo."""
    players: int | None = None
    """Seats at the table; if not given those of the policy file, or 4, or the game's most."""
    quick: bool = False
    """An eighth of the games, and no attack."""
    json: Path | None = None
    """Write the results here as JSON; what is played so far is kept beside it."""
    source: str = ""
    """Where others find the agent, such as a link: a line in the results."""
    resume: bool = False
    """Go on with a benchmark that was stopped; give the same arguments again."""
    check: Path | None = None
    """Results of this agent: play a hundredth of them again, by chance, and compare each deal."""
    workers: Processes | None = None
    """Processes; if not given one for each core."""

    def __post_init__(self) -> None:
        check_settings(self, flags=True)
        if self.resume and self.json is None:
            raise ValueError("--resume needs --json, the file of the benchmark to go on with")
        if self.source and self.json is None and self.check is None:
            raise ValueError("--source goes with --json, the file in which it is a line")
        others = (self.game, self.players, self.json, self.quick, self.resume, self.source)
        if self.check is not None and any(each not in (None, False, "") for each in others):
            raise ValueError("--check goes with --workers alone: the file says what was played")

    def benchmark(self) -> Benchmark:
        """What is to be played; ValueError if it cannot be."""
        game, players = self.game, self.players
        table = game or DEFAULT_GAME
        agent = make_agent(self.agent, table, players or default_players(table))
        policy = getattr(agent, "policy", agent)  # a search's
        if isinstance(policy, OnnxAgent):
            game, players = game or policy.game, players or policy.num_players
        game = game or DEFAULT_GAME
        return Benchmark(self.agent, game, players or default_players(game), self.quick)


@dataclass(frozen=True)
class Found:
    """What a benchmark found."""

    entry: Entry

    def to_text(self) -> str:
        """As an aligned table below a line on what was played."""
        protocol, figures = self.entry["protocol"], self.entry["figures"]
        heading = (
            f"{PROTOCOL}{', quick' if protocol['quick'] else ''}: {self.entry['agent']['name']} at "
            f"{protocol['game']} with {protocol['players']} players; parity "
            f"{1 / protocol['players']:.3f}"
        )
        shares = {f"copies of {name}": each for name, each in figures["opponents"].items()}
        shares |= {"the mean": figures["mean"]}
        shares |= {f"the worst, {figures['worst']['name']}": figures["worst"]}
        if figures["attack"]:
            shares |= {"a search that attacks, its own share": figures["attack"]}
        rows = [("among", "win share", "95 %")]
        for name, each in shares.items():
            rows.append((name, f"{each['mean']:.3f}", f"{each['low']:.3f} to {each['high']:.3f}"))
        more = [] if self.entry["nash_conv"] is None else [
            f"NashConv {self.entry['nash_conv']:.4f} in the small game"
        ]  # fmt: skip
        more.append(f"{self.entry['milliseconds']:g} ms a decision")
        return f"{heading}\n\n{table(rows)}\n\n{'; '.join(more)}; digest {self.entry['digest']}"


def benchmark(config: BenchmarkConfig) -> None:
    """Play, print the table, write the file; or check one.

    Raises:
        ValueError: It cannot be played as asked; or the file that is checked does not hold.
    """
    if config.check is not None:
        _check(config, config.check)
        return

    def play() -> Found:
        asked = config.benchmark()
        path = None if config.json is None else log_of(config.json)
        heading = {
            "package": __version__,
            **asked.protocol(),
            "agent": asked.about_agent(),
            "files": fingerprints(asked.load_agents()),
        }
        chunks = asked.chunks()
        with ChunkLog(path, heading, chunks, config.resume) as log:
            workers = config.workers or available_cores()
            play_what_is_left(log, chunks, lambda left: run(asked, left, workers))
        return Found(entry(asked, log.results.values(), config.source))

    def write(found: Found) -> None:
        if config.json is not None:
            write_json(config.json, found.entry)
            log_of(config.json).unlink()

    play_and_write({config.json: JSON}, play, write)


def read_entry(path: Path) -> Entry:
    """An entry from its file; ValueError, in one line, unless it holds together."""
    try:
        found: Any = json.loads(read_ordinary(path, LARGEST, str(path)))
        verify(found)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} does not hold: {error}") from error
    entry: Entry = found
    return entry


def _check(config: BenchmarkConfig, path: Path) -> None:
    """Play some parts of an entry again; ValueError if they come out otherwise."""
    found = read_entry(path)
    told = found["protocol"]
    again = Benchmark(config.agent, told["game"], told["players"], told["quick"])
    chunks = again.chunks()
    drawn = np.random.default_rng().permutation(len(chunks))[: -(-len(chunks) // HUNDREDTH)]
    parts = [chunks[number] for number in sorted(drawn)]
    try:
        compare(again, found, run(again, parts, config.workers or available_cores()))
    except ValueError as error:
        raise ValueError(f"{path} does not hold: {error}") from error
    played = f"part{'s' * (len(parts) > 1)} {', '.join(str(part.index) for part in parts)}"
    print(f"{path} holds: {played} of {len(chunks)} came out the same, deal for deal")
