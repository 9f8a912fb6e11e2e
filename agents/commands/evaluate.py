"""The command ``evaluate.py``: play a tournament, or measure a policy's exploitability."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from typing import Annotated

from agents.commands.best_response_config import BestResponseConfig
from agents.options import RAY, Engine, Use, check_needs
from kododo_env.checks.bounds import Games, check_settings, flag
from kododo_env.commands import tournament
from kododo_env.commands.tournament import (
    JSON,
    Play,
    TournamentConfig,
    play_and_write,
    write_optional_json,
)
from kododo_env.system.cores import available_cores

# Options that --best-response uses, too.
SHARED = ("games", "seed", "workers", "json", "response")


@dataclass(frozen=True)
class EvaluateConfig(TournamentConfig):
    """Let agents play each other; print win shares with 95 % intervals, ratings and pairwise
    results.

    Each deck is played once for each rotation of the seats, which cancels the luck of the deal. The
    results do not depend on --workers; on another kind of processor the last digits of a mean may
    differ. --compare instead measures the difference between two agents on the same deals.
    --best-response instead measures how much an attacker who knows a policy gains.
    """

    games: Games = TournamentConfig.games
    """Total number of games. With --compare: games of each agent. With --best-response: games of
    each best response."""
    engine: Engine = "local"
    """Where games are played: local (this machine) or ray (a Ray cluster); the results are the
    same."""
    address: Annotated[str | None, Use(needs="engine", value=RAY)] = None
    """Address of a running Ray cluster, such as 10.0.0.1:6379; by default one is started on this
    machine."""
    response: BestResponseConfig = field(default_factory=BestResponseConfig)
    """Exploitability of one policy."""

    def __post_init__(self) -> None:
        check_needs(self, type(self))
        if self.response.best_response is None:
            if not self.agents:
                raise ValueError("expected two agents with --agents, or --best-response POLICY")
            super().__post_init__()
            if self.compare and self.engine == RAY:
                raise ValueError("--engine ray cannot be combined with --compare")
            return
        check_settings(self, flags=True)
        for option in fields(self):
            if option.name not in SHARED and getattr(self, option.name) != option.default:
                raise ValueError(
                    f"{flag(option.name)} cannot be combined with --best-response, which plays no "
                    "tournament and takes the game from the policy's file"
                )


def evaluate(config: EvaluateConfig) -> None:
    """Play, print the results, and write the requested files.

    Raises:
        ValueError: The configuration is invalid; raised before any game.
    """
    if config.response.best_response is None:
        with _engine(config) as play_chunks:
            tournament.evaluate(config, play_chunks)
        return
    from agents.commands.best_response import Exploitability, exploitability  # imports torch

    def play() -> Exploitability:
        workers = config.workers or available_cores()
        return exploitability(config.response, config.games, config.seed, workers)

    def write(measurement: Exploitability) -> None:
        write_optional_json(config.json, measurement.to_json())

    files = {config.json: JSON, config.response.save: (".onnx",)}
    play_and_write(files, play, write, Exploitability.to_text)


@contextmanager
def _engine(config: EvaluateConfig) -> Iterator[Play | None]:
    """Yield a function that plays chunks on a Ray cluster; None for processes of this machine."""
    if config.engine != RAY:
        yield None
        return
    from agents.ray_engine.cluster import cluster
    from agents.ray_engine.tournament import run_on_cluster

    with cluster(config.address, config.workers):
        yield lambda contest, chunks, _: run_on_cluster(contest, chunks, config.workers)
