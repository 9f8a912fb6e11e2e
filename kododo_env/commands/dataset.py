"""A data set of decisions from a mixed field: what ``kododo dataset`` does."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kododo_env import __version__
from kododo_env.agent_registry import (
    VALIDATION,
    baselines,
    population,
    scripted,
    shipped,
    without_searches,
)
from kododo_env.commands.tournament import DEFAULT_GAME, TournamentConfig, evaluate
from kododo_env.core.bounds import Games, Processes, Seed, check_settings
from kododo_env.rules_arguments import default_players
from kododo_env.system.extras import needs
from kododo_env.system.files import fingerprint, read_json, write_json, write_text
from kododo_env.system.reservation import folder_written_whole

PACKAGE = __name__.partition(".")[0]
DECISIONS, CARD, STRENGTHS, CROISSANT = (
    "decisions.parquet", "README.md", "strengths.json", "croissant.json",
)  # fmt: skip
# Of each column what Croissant calls its type, and what it is.
COLUMNS = {
    "observation": ("TEXT", "the player's observation, numbers as bytes, little-endian"),
    "mask": ("TEXT", "a byte for each action, 1 where it was legal"),
    "action": ("INTEGER", "the action that was chosen"),
    "reward": ("FLOAT", "points scored from here to the player's next decision, or to the end"),
    "outcome": ("FLOAT", "the player's share of the victory in the end"),
    "seat": ("INTEGER", "the player's seat"),
    "step": ("INTEGER", "steps since the deal"),
    "game": ("INTEGER", "which game of the file"),
    "agent": ("TEXT", "the player"),
}


@dataclass(frozen=True)
class DatasetConfig:
    """Write a data set for offline learning: all decisions of a tournament of mixed strength.

    The folder has decisions.parquet, a card, the strengths of the players as JSON, and Croissant
    metadata.
    """

    folder: Path
    """Where to: a new folder, or an empty one."""
    game: str = DEFAULT_GAME
    """Which game."""
    players: int | None = None
    """Seats at a table; if not given 4, or the most that the game takes."""
    games: Games = 20_000
    """How many games in all."""
    agents: tuple[str, ...] = ()
    """The players; if not given the scripted ones, the policy that ships, and the half of the
    population by which policies are chosen, without searches. The other half stays unknown."""
    seed: Seed = 0
    """Seed of the decks and of the agents' randomness."""
    workers: Processes | None = None
    """Processes; if not given one for each core."""

    def __post_init__(self) -> None:
        check_settings(self, flags=True)

    def tournament(self, folder: Path) -> TournamentConfig:
        """The tournament whose decisions are kept in a folder."""
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
    """Players of all strengths, none of them from the half of the population that is reported.

    Raises:
        ValueError: There is no population of the table.
    """
    policy = f"{game}-{players}p"
    strangers = population(game, players, VALIDATION)
    policies = [policy] if policy in shipped() else []
    names = *baselines(game), *scripted(game), *policies, *without_searches(strangers)
    return tuple(dict.fromkeys(names))


def dataset(config: DatasetConfig) -> None:
    """Play, and write the folder, whose files appear when all of them are complete.

    Raises:
        ValueError: The folder is not empty, or what was asked cannot be done; nothing has been.
        ImportError: An extra is missing.
    """
    needs("a data set", "dataset", "pyarrow", "mlcroissant", "tabulate")
    with folder_written_whole(config.folder, (DECISIONS, CARD, STRENGTHS, CROISSANT)) as folder:
        evaluate(config.tournament(folder))
        found = read_json(folder / STRENGTHS)
        write_text(folder / CARD, card(found, folder / DECISIONS))
        write_json(folder / CROISSANT, croissant(found, folder / DECISIONS))


def title(found: dict[str, Any]) -> str:
    """What the data set is, in a few words."""
    return f"decisions of {found['game']} with {found['players']} players"


def card(found: dict[str, Any], decisions: Path) -> str:
    """The page of a data set, as Markdown, from its tournament's results."""
    from pyarrow import parquet
    from tabulate import tabulate

    rows = parquet.ParquetFile(decisions).metadata.num_rows
    strengths = []
    for each in found["standings"]:
        mean, low, high = each["share"].values()
        interval = "unknown" if low is None else f"{low:.3f} to {high:.3f}"
        name = each["agent"].replace("|", "\\|")  # it would begin another cell
        strengths.append([name, f"{mean:.3f} ({interval})", f"{each['games']:,}"])
    return f"""---
license: mit
task_categories: [reinforcement-learning]
tags: [offline-rl, card-games, simultaneous-moves, {found["game"]}]
configs: [{{config_name: default, data_files: {DECISIONS}}}]
---

# {rows:,} {title(found)}

All decisions of {found["games"]:,} games ({found["deals"]:,} deck{"s" * (found["deals"] != 1)},
each from every seat) among {len(found["agents"])} players of mixed strength, made by the command
`dataset` of {PACKAGE} {__version__} with seed {found["seed"]}. Parity is
{1 / found["players"]:.3f}. A row is a decision of a player with at least two legal actions; those
of a player in a game follow each other.

{_columns()}

Under `kododo_env` the metadata of the Parquet schema tell the pieces of an observation, and each
action in words. Only programs played, so the file holds no personal data.

{tabulate(strengths, ("player", "share of the victory", "games"), "github", disable_numparse=True)}
"""


def _columns() -> str:
    return "\n".join(f"- `{name}`: {meaning}" for name, (_, meaning) in COLUMNS.items())


def croissant(found: dict[str, Any], decisions: Path) -> dict[str, Any]:
    """The data set in the words of Croissant (https://docs.mlcommons.org/croissant)."""
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
        name=f"{found['game']}-{found['players']}p-decisions",
        description=f"All {title(found)}, of {found['games']} games of mixed strength.",
        version="1.0.0",
        license="https://spdx.org/licenses/MIT.html",
        distribution=[file],
        record_sets=[mlc.RecordSet(id="decisions", name="decisions", fields=fields)],
    )
    return dict(about.to_json())
