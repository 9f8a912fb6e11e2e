"""Create a table from the names of the game, of the agents in the seats and of the adviser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kododo_env.agent_registry import make_agent
from kododo_env.checks.numbers import whole_number
from kododo_env.core.agent import Agent
from kododo_env.review.best_agent import best_agent
from kododo_env.review.hints import gives_hints
from kododo_env.rules_arguments import default_players, make_game
from kododo_env.table.names import bots_named, people_named
from kododo_env.table.table import Table


def make_table(
    game: str,
    players: int | None = None,
    opponents: Sequence[str] = (),
    people: int = 1,
    rules: Mapping[str, Any] | None = None,
    hints: str | None = None,
    seed: int | None = None,
    pictures: bool = True,
    seat: int = 0,
    rotate: bool = False,
    names: Sequence[str] = (),
    names_in_texts: bool = False,
) -> Table:
    """Create a table at which people have adjacent seats and agents have the other seats.

    Args:
        game: The game's name in the registry.
        players: The number of seats. None means four, or the game's maximum if it is not playable
            by four.
        opponents: The agents' names (see ``make_agent``): one for each seat after those of people,
            or one for all seats. Empty means the best agent; see ``best_agent``.
        people: The number of people.
        rules: Further rules by name.
        hints: The name of the agent that gives hints. None means the best agent if it can give
            hints, otherwise no hints.
        seed: The seed of the cards and of the agents' randomness; see ``PlayedGame``.
        pictures: Whether to draw SVG pictures in addition to texts.
        seat: The seat of the first person, from 0; the other people have the next seats.
        rotate: Whether all players move to the next seat before other cards are dealt.
        names: The people's names; agents get first names.
        names_in_texts: Whether texts have these names even without pictures; see ``Table``.

    Raises:
        ValueError: The game, a rule or an agent does not exist, or the arguments do not fit
            together.
    """
    seats = default_players(game) if players is None else players
    batch = make_game(game, 1, seats, rules or {}, seed)
    num_agents = seats - whole_number(people, "people", 1, seats)
    if len(opponents) not in {0, num_agents} and (len(opponents) > 1 or not num_agents):
        raise ValueError(
            f"expected {num_agents} opponents ({seats} players, {people} of them people), or one "
            f"for all seats, got {len(opponents)}"
        )
    best = best_agent(batch)
    named_agents = [(name, make_agent(name, game, seats)) for name in opponents]
    named_agents = named_agents or [(best.name, best)]
    named_agents = (named_agents * num_agents)[:num_agents]  # a single opponent takes all seats
    adviser = best if gives_hints(best) else None
    if hints is not None:
        adviser = make_agent(hints, game, seats)
    whole_number(seat, "seat", 0, seats - 1)
    display_names = people_named(names, people)
    display_names += bots_named([agent.name for _, agent in named_agents], display_names)
    players_by_name: list[tuple[str, Agent | None]] = [*[("", None)] * people, *named_agents]
    first = seats - seat  # the index that moves to seat 0
    places = [*range(first, seats), *range(first)]
    lineup = [players_by_name[place][1] for place in places]
    display_names = [display_names[place] for place in places]
    agent_names = [players_by_name[place][0] for place in places]
    return Table(
        batch,
        lineup,
        adviser,
        seed,
        pictures,
        display_names,
        rotate,
        agent_names,
        names_in_texts,
    )
