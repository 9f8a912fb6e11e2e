"""The command ``evaluate.py``: play a tournament, or measure a policy's exploitability."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from agents.commands.best_response_config import BestResponseConfig
from agents.options import RAY, Engine, check_engine
from kododo_env.commands import tournament
from kododo_env.commands.tournament import JSON, Play, TournamentConfig, play_and_write
from kododo_env.core.bounds import Games, check_settings, flag
from kododo_env.system.cores import available_cores
from kododo_env.system.files import write_json

TOURNAMENT_ONLY = (
    "agents", "game", "players", "variant", "rules", "plot", "record", "record_games", "resume",
    "engine", "compare", "among",
)  # fmt: skip


@dataclass(frozen=True)
class EvaluateConfig(TournamentConfig):
    """Let agents play each other: win shares with 95 % intervals, ratings, who beats whom.

    Each deck is played once for each rotation of the seats, so that the luck of the deal
    cancels. The results do not depend on --workers; on another kind of processor the last digits
    of a mean may differ. With --compare instead: the difference between two agents that play the
    same deals. With --best-response instead: how much an attacker who knows a policy gains.
    """

    games: Games = TournamentConfig.games
    """Total number of games; with --compare of each of the two agents, with --best-response of each
    best response."""
    engine: Engine = "local"
    """Where --workers run: on this machine or on a Ray cluster; the results are the same."""
    address: str | None = None
    """Of a Ray cluster that runs, such as 10.0.0.1:6379; if not given one is made here."""
    response: BestResponseConfig = field(default_factory=BestResponseConfig)
    """Exploitability of one policy."""

    def __post_init__(self) -> None:
        check_engine(self, "address")
        if self.response.best_response is None:
            if not self.agents:
                raise ValueError("expected two agents with --agents, or --best-response POLICY")
            super().__post_init__()
            if self.compare and self.engine == RAY:
                raise ValueError("--engine ray cannot be combined with --compare")
            return
        check_settings(self, flags=True)
        for name in TOURNAMENT_ONLY:
            if getattr(self, name) != getattr(type(self), name):
                raise ValueError(
                    f"{flag(name)} cannot be combined with --best-response, which plays no "
                    "tournament and takes the game from the policy's file"
                )


def evaluate(config: EvaluateConfig) -> None:
    """Play, print the table, and write the files.

    Raises:
        ValueError: The configuration is invalid; nothing has been played.
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
        if config.json is not None:
            write_json(config.json, measurement.to_json())

    play_and_write({config.json: JSON, config.response.save: (".onnx",)}, play, write)


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
