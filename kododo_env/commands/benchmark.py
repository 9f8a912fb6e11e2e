"""``kododo benchmark``: measure one agent with a fixed protocol."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kododo_env import __version__
from kododo_env.agent_registry import make_agent
from kododo_env.arena.benchmark import PROTOCOL, Benchmark, Entry, compare, entry, verify
from kododo_env.arena.chunk_log import ChunkLog
from kododo_env.arena.workers import run
from kododo_env.checks.bounds import Processes
from kododo_env.commands.tournament import (
    DEFAULT_GAME,
    JSON,
    fingerprints,
    log_of,
    play_and_write,
    play_remaining,
)
from kododo_env.policy.onnx_agent import OnnxAgent
from kododo_env.rules_arguments import default_players
from kododo_env.system.cores import available_cores
from kododo_env.system.files import read_json, write_json
from kododo_env.system.text_table import table

LARGEST = 1 << 20  # the maximum size of a file of results, in bytes
HUNDREDTH = 100


@dataclass(frozen=True)
class BenchmarkConfig:
    """Measure one agent with the protocol kododo-bench v1: win shares among held-out opponents.

    The protocol is fixed, so figures of different agents can be compared if game and number of
    players are the same. The results contain a digest; --check replays a hundredth of the games.
    """

    agent: str
    """The name of an agent, or a policy file."""
    game: str | None = None
    """The game; by default the game of the policy file, or kododo."""
    players: int | None = None
    """Seats at the table; by default the number of the policy file, or 4, or the most that the game
    allows."""
    quick: bool = False
    """Play an eighth of the games, and no games of a search against the agent."""
    json: Path | None = None
    """Write the results here as JSON; interim results are saved beside it."""
    source: str = ""
    """Where others can find the agent, such as a link; it is added to the results."""
    resume: bool = False
    """Resume a stopped benchmark; the other arguments must be the same."""
    check: Path | None = None
    """Check this file of results of the agent: replay a random hundredth and compare each deal."""
    workers: Processes | None = None
    """Processes; by default one per core."""

    def __post_init__(self) -> None:
        if self.resume and self.json is None:
            raise ValueError("--resume needs --json, the file of the benchmark to resume")
        if self.source and self.json is None and self.check is None:
            raise ValueError("--source needs --json, the file of the results")
        settings = (self.game, self.players, self.json, self.quick, self.resume, self.source)
        if self.check is not None and any(setting not in (None, False, "") for setting in settings):
            raise ValueError(
                "--check can be combined only with --workers: the file contains the other options"
            )

    def benchmark(self) -> Benchmark:
        """Return the benchmark to play.

        Raises:
            ValueError: The agent is unknown, or the benchmark cannot be played.
        """
        game = self.game or DEFAULT_GAME
        players = self.players or default_players(game)
        agent = make_agent(self.agent, game, players)
        policy = getattr(agent, "policy", agent)  # of a search
        if isinstance(policy, OnnxAgent):
            game = self.game or policy.game
            players = self.players or policy.num_players
        return Benchmark(self.agent, game, players, self.quick)


def to_text(results: Entry) -> str:
    """Return a heading and a table of the win shares among the copies of each opponent."""
    protocol = results["protocol"]
    figures = results["figures"]
    heading = (
        f"{PROTOCOL}{', quick' if protocol['quick'] else ''}: {results['agent']['name']} at "
        f"{protocol['game']} with {protocol['players']} players; parity "
        f"{1 / protocol['players']:.3f}"
    )
    shares = {f"copies of {name}": share for name, share in figures["opponents"].items()}
    shares |= {"the mean": figures["mean"]}
    shares |= {f"the worst, {figures['worst']['name']}": figures["worst"]}
    if figures["attack"]:
        shares |= {"the attacking search, its win share": figures["attack"]}
    rows = [("among", "win share", "95 %")]
    for name, share in shares.items():
        interval = f"{share['low']:.3f} to {share['high']:.3f}"
        rows.append((name, f"{share['mean']:.3f}", interval))
    notes = []
    if results["nash_conv"] is not None:
        notes.append(f"NashConv {results['nash_conv']:.4f} in the small game")
    notes.append(f"{results['milliseconds']:g} ms per decision")
    notes.append(f"digest {results['digest']}")
    return f"{heading}\n\n{table(rows)}\n\n{'; '.join(notes)}"


def benchmark(config: BenchmarkConfig) -> None:
    """Play the benchmark, print a table and write the file; with ``--check``, check a file instead.

    Raises:
        ValueError: The benchmark cannot be played, or the checked file is invalid.
    """
    if config.check is not None:
        _check(config, config.check)
        return

    def play() -> Entry:
        benchmark = config.benchmark()
        path = None if config.json is None else log_of(config.json)
        heading = {
            "package": __version__,
            **benchmark.protocol(),
            "agent": benchmark.about_agent(),
            "files": fingerprints(benchmark.load_agents()),
        }
        chunks = benchmark.chunks()
        with ChunkLog(path, heading, chunks, config.resume) as log:
            workers = config.workers or available_cores()
            play_remaining(log, chunks, lambda remaining: run(benchmark, remaining, workers))
        return entry(benchmark, log.results.values(), config.source)

    def write(results: Entry) -> None:
        if config.json is not None:
            write_json(config.json, results)
            log_of(config.json).unlink()

    play_and_write({config.json: JSON}, play, write, to_text)


def read_entry(path: Path) -> Entry:
    """Read and verify the results of a benchmark.

    Raises:
        ValueError: The file cannot be read, or its results are invalid.
    """
    try:
        entry: Entry = read_json(path, LARGEST)
        verify(entry)
    except ValueError as error:
        raise ValueError(f"{path} has no valid benchmark results: {error}") from error
    return entry


def _check(config: BenchmarkConfig, path: Path) -> None:
    """Replay some parts of a benchmark; raise ValueError if a result differs."""
    entry = read_entry(path)
    protocol = entry["protocol"]
    benchmark = Benchmark(config.agent, protocol["game"], protocol["players"], protocol["quick"])
    chunks = benchmark.chunks()
    drawn = np.random.default_rng().permutation(len(chunks))[: -(-len(chunks) // HUNDREDTH)]
    parts = [chunks[number] for number in sorted(drawn)]
    try:
        compare(benchmark, entry, run(benchmark, parts, config.workers or available_cores()))
    except ValueError as error:
        raise ValueError(f"{path} could not be reproduced: {error}") from error
    numbers = ", ".join(str(part.index) for part in parts)
    word = "part" if len(parts) == 1 else "parts"
    print(f"{path} was reproduced: {word} {numbers} of {len(chunks)} gave the same results")
