"""What search gains on the policies that ship, and what it could gain: ``make ceilings``.

One searcher plays among copies of its policy, with other worlds than it deals, more of them, or
another end of playing out. The true cards of the other players are the ceiling of all beliefs.
Each cell is played once: the command goes on where it was stopped, and plays again only where a
policy has changed. ``docs/update_tables.py`` makes a table of it.
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
from benchmarks.same_way import file_of
from kododo_env import registry
from kododo_env.agent_registry import (
    make_agent,
    policy_tables,
    search_budget,
)
from kododo_env.arena.match import Match, MatchResult
from kododo_env.commands.cli import run_cli
from kododo_env.core.agent import Agent
from kododo_env.core.arrays import Array, Bool
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.bounds import Games, check_settings
from kododo_env.core.capabilities import TakesBack
from kododo_env.core.view import View
from kododo_env.games.kado.cards import viewers_by_place, where_seen
from kododo_env.search import search
from kododo_env.system.files import write_text

FOUND = Path(__file__).parents[1] / "docs" / "search.json"
SEED = 1004  # deals other than those by which policies were chosen


@dataclass(frozen=True)
class Cell:
    """One searcher among copies of another agent.

    Attributes:
        policy: The searcher's policy.
        worlds: How many for each decision; or a time, such as "50ms", in games one by one.
        dealt: How worlds are dealt: as the search does ("likely"), evenly ("even"), or with the
            "true" hands.
        end: Where playing out ends: as the search does ("near"), or with the "game".
        against: The other agent, if it is not the policy.
        games: How many, every deck from every seat.
        file: The first digits of the SHA-256 of the policy's file.
        against_file: Those of the other agent's; "" if it has none.
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
    """Play all combinations that the file does not have yet."""

    policies: tuple[str, ...] = (
        "kododo-2p", "kododo-4p", "kado-2p", "kado-3p", "kado-4p", "combi_combo-4p",
    )  # fmt: skip
    worlds: tuple[str, ...] = ("64",)
    """For each decision; or a time such as 50ms, for which games are played one by one."""
    dealt: tuple[Literal["likely", "even", "true"], ...] = ("likely", "even", "true")
    """How worlds are dealt: as search does it, evenly, or with everybody's true hand."""
    end: tuple[Literal["near", "game"], ...] = ("near",)
    """Where playing out ends: near, as search does it, or with the game."""
    against: str = ""
    """Whose copies are played against; if not given those of the policy."""
    games: Games = 250
    """Rounded up to whole deals."""
    json: Path = FOUND
    """The file that is written after each combination."""

    def __post_init__(self) -> None:
        check_settings(self, flags=True)
        policies_of(self.policies)  # raises if one is unknown
        for each in self.worlds:
            search_budget(each)  # raises if it is none


def ceilings(config: CeilingsConfig) -> None:
    """Play what the file does not have yet; rows of older policies are dropped.

    Rows from before files were told are kept until they are played again.
    """
    found = json.loads(config.json.read_text()) if config.json.exists() else []
    found = [row for row in found if is_of_these_files(**row["cell"])]
    done = [each["cell"] for each in found]
    for choice in product(config.policies, config.worlds, config.dealt, config.end):
        against = config.against or choice[0]
        cell = Cell(*choice, against, config.games, file_of(choice[0]), file_of(against))
        about = asdict(cell)
        if about not in done and not is_the_search_itself(cell):
            begun = time.monotonic()
            result = played(cell)
            found = [row for row in found if not is_replaced(row["cell"], about)]
            found.append({
                "cell": about, "share": result.share.to_json(),
                "seconds": round(time.monotonic() - begun),
            })  # fmt: skip
            print(*about.values(), result.share, flush=True)
            write_text(config.json, json.dumps(found, indent=1) + "\n")


def is_replaced(cell: dict[str, Any], by: dict[str, Any]) -> bool:
    """Whether a row tells the same in no more games, and maybe of unknown files."""
    return {**cell, "games": by["games"]}.items() <= by.items() and cell["games"] <= by["games"]


def is_of_these_files(policy: str, against: str, **cell: Any) -> bool:
    """Whether a row is of the files that there are now, or of unknown ones."""
    return all(
        cell.get(name, file_of(agent)) == file_of(agent)
        for name, agent in (("file", policy), ("against_file", against))
    )


def is_the_search_itself(cell: Cell) -> bool:
    """Whether worlds are to be dealt evenly in a game in which search does just that."""
    game, players = policy_tables()[cell.policy]
    batch = registry.batch_game(game, 1, 0, num_players=players)
    return cell.dealt == "even" and not isinstance(batch, TakesBack)


def played(cell: Cell) -> MatchResult:
    """How a searcher fares."""
    game, players = policy_tables()[cell.policy]
    searcher = make_agent(f"search:{cell.policy}:{cell.worlds}", game)
    deals = -(-cell.games // players) if cell.worlds.endswith("ms") else 1
    match = Match(searcher, cell.against, game, players, cell.games, SEED, least_chunks=deals)
    with ExitStack() as changed:
        if cell.dealt != "likely":
            deal = {"even": evenly, "true": true_hands}[cell.dealt]
            changed.enter_context(patch.object(search, "likely_worlds", deal))
        if cell.end == "game":
            changed.enter_context(patch.object(search.SearchAgent, "horizon", lambda *_: math.inf))
        return match.play()


def evenly(policy: Agent, view: View, rng: np.random.Generator, samples: int) -> BatchGame:
    """In place of ``likely_worlds``: all possible ones alike."""
    return view.determinize(rng, samples)


def true_hands(policy: Agent, view: View, rng: np.random.Generator, samples: int) -> BatchGame:
    """In place of ``likely_worlds``: the cards as they lie, but those undrawn in any order."""
    game: Any = view._current()
    worlds = game.take(np.arange(game.num_envs).repeat(samples))
    if game.name == "kado":
        shuffle_kado(worlds, rng)
    else:
        shuffle(worlds._state.deck, undrawn(worlds), rng)
    return cast(BatchGame, worlds)


def undrawn(game: Any) -> Bool:
    """Which places of the deck have not been drawn in Kododo or Combi-Combo, (D, 1)."""
    state, rules = game._state, game.rules
    found = np.ones((len(state.deck), 1), np.bool_)
    if game.name == "kododo":
        found[: rules.drawn(state.round_index, state.turn)] = False
    else:
        piles = found[: rules.num_players * rules.pile_size].reshape(rules.num_players, -1)
        piles[:, : rules.opening_hand + state.turn + 1] = False
        found[piles.size :][: state.face_up[:, 0].sum()] = False
    return found


def shuffle_kado(game: Any, rng: np.random.Generator) -> None:
    """Shuffle the cards of KADO's deck that nobody has seen."""
    state = game._state
    seen = viewers_by_place(state, game.rules, game._tables)
    shuffle(state.deck[:-1], seen == 0, rng)
    places = np.arange(len(seen))[:, None]
    state.seen.reshape(-1)[where_seen(state, game.rules, game._tables, places, state.games)] = seen


def shuffle(deck: Array, free: Bool, rng: np.random.Generator) -> None:
    """Put the cards of the free places (D, N) of decks (D, N) in a random order, in place."""
    places = np.broadcast_to(np.arange(len(deck))[:, None], deck.shape)
    first = np.argsort(np.where(free, places, len(deck)), axis=0, kind="stable")  # the free ones
    order = np.argsort(np.where(free, rng.random(deck.shape), 2.0), axis=0, kind="stable")
    np.put_along_axis(deck, first, np.take_along_axis(deck, order, axis=0), axis=0)


if __name__ == "__main__":
    run_cli(CeilingsConfig, ceilings)
