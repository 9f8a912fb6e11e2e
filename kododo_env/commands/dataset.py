"""``kododo dataset``: write a data set of the decisions of agents of different strengths."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kododo_env import __version__
from kododo_env.agent_registry import baselines, shipped, without_searches
from kododo_env.checks.bounds import Games, Processes, Seed
from kododo_env.commands.tournament import DEFAULT_GAME, TournamentConfig, evaluate
from kododo_env.held_out import VALIDATION, population
from kododo_env.rules_arguments import default_players
from kododo_env.system.extras import needs
from kododo_env.system.files import fingerprint, read_json, write_json, write_text
from kododo_env.system.reservation import folder_written_whole

PACKAGE = __name__.partition(".")[0]
DECISIONS = "decisions.parquet"
CARD = "README.md"
STRENGTHS = "strengths.json"
CROISSANT = "croissant.json"
# The Croissant type of each column, and the column's meaning.
COLUMNS = {
    "observation": ("TEXT", "the player's observation, numbers as bytes, little-endian"),
    "mask": ("TEXT", "a byte for each action, 1 where it was legal"),
    "action": ("INTEGER", "the action that was chosen"),
    "reward": ("FLOAT", "points scored from here to the player's next decision, or to the end"),
    "outcome": ("FLOAT", "the player's win share at the end of the game"),
    "seat": ("INTEGER", "the player's seat"),
    "step": ("INTEGER", "steps since the deal"),
    "game": ("INTEGER", "the index of the game in the file"),
    "agent": ("TEXT", "the player"),
}


@dataclass(frozen=True)
class DatasetConfig:
    """Write a data set for offline learning: all decisions of agents of different strengths.

    The folder gets decisions.parquet, a dataset card, the results of the agents as JSON, and
    Croissant metadata.
    """

    folder: Path
    """A new or empty folder."""
    game: str = DEFAULT_GAME
    """The game."""
    players: int | None = None
    """Seats at a table; by default 4, or the most that the game allows."""
    games: Games = 20_000
    """Total number of games."""
    agents: tuple[str, ...] = ()
    """Names of the agents that play; by default the baselines, the shipped policy, and the
    validation opponents without searches. Test opponents do not play."""
    seed: Seed = 0
    """Seed of the decks and of the agents' randomness."""
    workers: Processes | None = None
    """Processes; by default one per core."""

    def tournament(self, folder: Path) -> TournamentConfig:
        """Return the tournament, with ``folder`` for its results and decisions."""
        players = default_players(self.game) if self.players is None else self.players
        return TournamentConfig(
            self.agents or mixed_field(self.game, players),
            self.game,
            players,
            self.games,
            self.seed,
            workers=self.workers,
            json=folder / STRENGTHS,
            record=folder / DECISIONS,
        )


def mixed_field(game: str, players: int) -> tuple[str, ...]:
    """Return the names of agents of different strengths, without test opponents.

    Raises:
        ValueError: There are no held-out opponents for the game and number of players.
    """
    policy = f"{game}-{players}p"
    opponents = population(game, players, VALIDATION)
    policies = [policy] if policy in shipped() else []
    names = [*baselines(game), *policies, *without_searches(opponents)]
    return tuple(dict.fromkeys(names))


def dataset(config: DatasetConfig) -> None:
    """Play the games and write the folder; an incomplete data set is removed.

    Raises:
        ValueError: The folder is not empty, or the games cannot be played; nothing is written.
        ImportError: The extra "dataset" is not installed.
    """
    needs("a data set", "dataset", "pyarrow", "mlcroissant", "tabulate")
    with folder_written_whole(config.folder, (DECISIONS, CARD, STRENGTHS, CROISSANT)) as folder:
        evaluate(config.tournament(folder))
        results = read_json(folder / STRENGTHS)
        write_text(folder / CARD, card(results, folder / DECISIONS))
        write_json(folder / CROISSANT, croissant(results, folder / DECISIONS))


def title(results: dict[str, Any]) -> str:
    """Return a short title of the data set."""
    return f"decisions of {results['game']} with {results['players']} players"


def card(results: dict[str, Any], decisions: Path) -> str:
    """Return the dataset card, as Markdown, from the results of the tournament."""
    from pyarrow import parquet
    from tabulate import tabulate

    rows = parquet.ParquetFile(decisions).metadata.num_rows
    decks = "1 deck" if results["deals"] == 1 else f"{results['deals']:,} decks"
    columns = "\n".join(f"- `{name}`: {meaning}" for name, (_, meaning) in COLUMNS.items())
    strengths = []
    for standing in results["standings"]:
        mean, low, high = standing["share"].values()
        interval = "unknown" if low is None else f"{low:.3f} to {high:.3f}"
        name = standing["agent"].replace("|", "\\|")  # a bar separates cells
        strengths.append([name, f"{mean:.3f} ({interval})", f"{standing['games']:,}"])
    return f"""---
license: mit
task_categories: [reinforcement-learning]
tags: [offline-rl, card-games, simultaneous-moves, {results["game"]}]
configs: [{{config_name: default, data_files: {DECISIONS}}}]
---

# {rows:,} {title(results)}

All decisions of {results["games"]:,} games ({decks},
each from every seat) among {len(results["agents"])} players of mixed strength, made by the command
`dataset` of {PACKAGE} {__version__} with seed {results["seed"]}. Parity is
{1 / results["players"]:.3f}. A row is a decision of a player with at least two legal actions; the
decisions of a player in a game are consecutive rows.

{columns}

The metadata `kododo_env` of the Parquet schema describe the pieces of an observation, and each
action in words. Only programs played, so the file contains no personal data.

{tabulate(strengths, ("player", "win share", "games"), "github", disable_numparse=True)}
"""


def croissant(results: dict[str, Any], decisions: Path) -> dict[str, Any]:
    """Return the data set's Croissant metadata (https://docs.mlcommons.org/croissant)."""
    import mlcroissant as mlc

    fields = [
        mlc.Field(
            id=f"decisions/{name}",
            name=name,
            description=meaning,
            data_types=[getattr(mlc.DataType, kind)],
            source=mlc.Source(file_object=DECISIONS, extract=mlc.Extract(column=name)),
        )
        for name, (kind, meaning) in COLUMNS.items()
    ]
    file = mlc.FileObject(
        id=DECISIONS,
        name=DECISIONS,
        content_url=DECISIONS,
        encoding_formats=["application/x-parquet"],
        sha256=fingerprint(decisions),
    )
    about = mlc.Metadata(
        name=f"{results['game']}-{results['players']}p-decisions",
        description=f"All {title(results)}, of {results['games']} games of mixed strength.",
        version="1.0.0",
        license="https://spdx.org/licenses/MIT.html",
        distribution=[file],
        record_sets=[mlc.RecordSet(id="decisions", name="decisions", fields=fields)],
    )
    return dict(about.to_json())
