"""Measure what search gains over shipped policies, and its upper bound: ``make ceilings``.

One seat searches among copies of its policy, with other ways to deal worlds, more worlds, or longer
playouts. Search with the true cards of the other players bounds what better beliefs can gain. Each
cell is played once: the command resumes where it was stopped, and replays only the cells whose
policy has changed. ``docs/update_tables.py`` makes a table of the results.
"""

from __future__ import annotations

import json
import math
import time
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any, Literal, cast
from unittest.mock import patch

import numpy as np

from agents.release.config import policies_of
from benchmarks.result_rows import file_of
from kododo_env import registry
from kododo_env.agent_registry import make_agent, policy_tables, search_budget
from kododo_env.arena.head_to_head import Match, MatchResult
from kododo_env.arrays.dtypes import Array, Bool
from kododo_env.checks.bounds import Games, check_settings
from kododo_env.commands.cli import run_cli
from kododo_env.core.agent import Agent
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.capabilities import UndoSupport
from kododo_env.core.view import View
from kododo_env.games.kado.cards import viewers_by_place, where_seen
from kododo_env.search import search
from kododo_env.system.files import write_text

RESULTS = Path(__file__).parents[1] / "docs" / "search.json"
SEED = 1004  # other deals than those of the selection of policies


@dataclass(frozen=True)
class CeilingCell:
    """One search among copies of another agent.

    Attributes:
        policy: The policy of the search.
        worlds: The number of worlds for each decision, or a time such as "50ms", for which games
            are played one by one.
        dealt: How worlds are dealt: as in the search ("likely"), uniformly ("even"), or with the
            "true" hands.
        end: Where playouts end: as in the search ("near"), or at the end of the "game".
        against: The name of the opponent.
        games: The number of games; every deck is played from every seat.
        file: The first digits of the SHA-256 of the policy's file.
        against_file: Those of the opponent's file; "" if it has no file.
    """

    policy: str
    worlds: str
    dealt: str
    end: str
    against: str
    games: int
    file: str
    against_file: str


@dataclass(frozen=True)
class CeilingsConfig:
    """Play all combinations of these options that the file lacks."""

    policies: tuple[str, ...] = (
        "kododo-2p", "kododo-4p", "kado-2p", "kado-3p", "kado-4p", "combi_combo-4p",
    )  # fmt: skip
    worlds: tuple[str, ...] = ("64",)
    """Worlds for each decision, or a time such as 50ms, for which games are played one by one."""
    dealt: tuple[Literal["likely", "even", "true"], ...] = ("likely", "even", "true")
    """How worlds are dealt: as in the search, uniformly, or with everybody's true hand."""
    end: tuple[Literal["near", "game"], ...] = ("near",)
    """Where playouts end: near (as in the search), or at the end of the game."""
    against: str = ""
    """The opponent; by default the policy itself."""
    games: Games = 250
    """Games for each combination, rounded up to whole deals."""
    json: Path = RESULTS
    """The file to write after each combination."""

    def __post_init__(self) -> None:
        check_settings(self, flags=True)
        policies_of(self.policies)  # raises ValueError if one is unknown
        for budget in self.worlds:
            search_budget(budget)  # raises ValueError if it is invalid


def ceilings(config: CeilingsConfig) -> None:
    """Play the cells that the file lacks; rows of older policies are dropped.

    Rows without digits of a file are kept until they are replaced.
    """
    rows = json.loads(config.json.read_text()) if config.json.exists() else []
    rows = [row for row in rows if is_of_these_files(**row["cell"])]
    done = [row["cell"] for row in rows]
    for choice in product(config.policies, config.worlds, config.dealt, config.end):
        against = config.against or choice[0]
        cell = CeilingCell(*choice, against, config.games, file_of(choice[0]), file_of(against))
        cell_json = asdict(cell)
        if cell_json not in done and not is_the_search_itself(cell):
            start = time.monotonic()
            result = played(cell)
            rows = [row for row in rows if not is_replaced(row["cell"], cell_json)]
            rows.append({
                "cell": cell_json, "share": result.share.to_json(),
                "seconds": round(time.monotonic() - start),
            })  # fmt: skip
            print(*cell_json.values(), result.share, flush=True)
            write_text(config.json, json.dumps(rows, indent=1) + "\n")


def is_replaced(cell: dict[str, Any], by: dict[str, Any]) -> bool:
    """Return whether a new cell measures the same as an old one, in at least as many games."""
    return {**cell, "games": by["games"]}.items() <= by.items() and cell["games"] <= by["games"]


def is_of_these_files(policy: str, against: str, **cell: Any) -> bool:
    """Return whether a row was measured with the current policy files, or names no file."""
    return all(
        cell.get(name, file_of(agent)) == file_of(agent)
        for name, agent in (("file", policy), ("against_file", against))
    )


def is_the_search_itself(cell: CeilingCell) -> bool:
    """Return whether a cell deals uniformly in a game whose search also does so."""
    game, players = policy_tables()[cell.policy]
    batch = registry.batch_game(game, 1, 0, num_players=players)
    return cell.dealt == "even" and not isinstance(batch, UndoSupport)


def played(cell: CeilingCell) -> MatchResult:
    """Play the match of a cell."""
    game, players = policy_tables()[cell.policy]
    searcher = make_agent(f"search:{cell.policy}:{cell.worlds}", game)
    deals = -(-cell.games // players) if cell.worlds.endswith("ms") else 1
    match = Match(searcher, cell.against, game, players, cell.games, SEED, least_chunks=deals)
    with ExitStack() as patches:
        if cell.dealt != "likely":
            deal = {"even": evenly, "true": true_hands}[cell.dealt]
            patches.enter_context(patch.object(search, "likely_worlds", deal))
        if cell.end == "game":
            patches.enter_context(patch.object(search.SearchAgent, "horizon", lambda *_: math.inf))
        return match.play()


def evenly(policy: Agent, view: View, rng: np.random.Generator, samples: int) -> BatchGame:
    """Sample uniformly from all possible worlds, in place of ``likely_worlds``."""
    return view.determinize(rng, samples)


def true_hands(policy: Agent, view: View, rng: np.random.Generator, samples: int) -> BatchGame:
    """Keep the true cards but shuffle undrawn ones, in place of ``likely_worlds``."""
    game: Any = view._current()
    worlds = game.take(np.arange(game.num_envs).repeat(samples))
    if game.name == "kado":
        shuffle_kado(worlds, rng)
    else:
        shuffle(worlds._state.deck, undrawn(worlds), rng)
    return cast(BatchGame, worlds)


def undrawn(game: Any) -> Bool:
    """Return which positions of the deck are undrawn in Kododo or Combi-Combo, (D, 1) bool."""
    state = game._state
    rules = game.rules
    undrawn_places = np.ones((len(state.deck), 1), np.bool_)
    if game.name == "kododo":
        undrawn_places[: rules.drawn(state.round_index, state.turn)] = False
    else:
        pile_places = undrawn_places[: rules.num_players * rules.pile_size]
        piles = pile_places.reshape(rules.num_players, -1)
        piles[:, : rules.opening_hand + state.turn + 1] = False
        undrawn_places[piles.size :][: state.face_up[:, 0].sum()] = False
    return undrawn_places


def shuffle_kado(game: Any, rng: np.random.Generator) -> None:
    """Shuffle, in place, the cards of KADO's deck that nobody has seen."""
    state = game._state
    viewers = viewers_by_place(state, game.rules, game._tables)
    shuffle(state.deck[:-1], viewers == 0, rng)
    places = np.arange(len(viewers))[:, None]
    entries = where_seen(state, game.rules, game._tables, places, state.games)
    state.viewers.reshape(-1)[entries] = viewers


def shuffle(deck: Array, free: Bool, rng: np.random.Generator) -> None:
    """Shuffle the cards at the free positions of decks, in place.

    Args:
        deck: The decks, (D, N).
        free: The free positions, (D, N).
        rng: The random numbers.
    """
    places = np.broadcast_to(np.arange(len(deck))[:, None], deck.shape)
    first = np.argsort(np.where(free, places, len(deck)), axis=0, kind="stable")  # the free ones
    order = np.argsort(np.where(free, rng.random(deck.shape), 2.0), axis=0, kind="stable")
    np.put_along_axis(deck, first, np.take_along_axis(deck, order, axis=0), axis=0)


if __name__ == "__main__":
    run_cli(CeilingsConfig, ceilings)
