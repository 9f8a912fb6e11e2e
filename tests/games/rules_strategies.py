"""Hypothesis strategies for legal rules of every game, up to their bounds.

``rules_of(game)`` draws any rules of the game; ``AT_THE_BOUNDS[game]`` contains rules in which each
number is as small or as large as possible.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st

from kododo_env.games.combi_combo import Rules as CombiComboRules
from kododo_env.games.kado import Rules as KadoRules
from kododo_env.games.kododo import Rules as KododoRules

SEEDS = st.integers(0, 2**32 - 1)
MOST_CARDS = 250


def shared_out(draw: st.DrawFn, total: int, places: int) -> list[int]:
    """Distribute cards over places, often unevenly."""
    rng = np.random.default_rng(draw(SEEDS))
    shares: list[int] = rng.multinomial(total, rng.dirichlet(np.full(places, 0.5))).tolist()
    return shares


def minimum_share(total: int, parts: int) -> int:
    """Return the least number per part that makes up the total."""
    return -(-total // parts)


@st.composite
def kododo_rules(draw: st.DrawFn, most_target: int = 1000) -> KododoRules:
    """Any rules of Kododo, with a target of at most this many points."""
    players = draw(st.integers(2, 5))
    colours = draw(st.integers(1, 26))
    values = draw(st.integers(1, 120 // colours))
    in_colour = draw(st.integers(minimum_share(players, colours), MOST_CARDS // colours))
    cards = colours * in_colour
    most_laid = min(20, 255 // values, cards // players)
    plays = draw(st.lists(st.integers(1, min(2, most_laid)), min_size=1, max_size=20))
    while sum(plays) > most_laid:
        plays.pop()
    hand = draw(st.integers(sum(plays), min(20, cards // players)))
    undealt = cards - players * hand
    per_round = players * sum(plays)
    variant = draw(st.sampled_from(["standard", "long"]))
    target = KododoRules.target_score
    if variant == "long":
        target = draw(st.integers(1, most_target))
    return KododoRules(
        num_players=players,
        variant=variant,
        num_colours=colours,
        copies=tuple(shared_out(draw, in_colour, values)),
        hand_size=hand,
        plays=tuple(plays),
        kododo_offset=draw(st.integers(1 - players, 12) | st.just(250)),
        limit_offset=draw(st.integers(2 - players, 20) | st.just(250)),
        removed_cards=undealt - per_round * draw(st.integers(0, undealt // per_round)),
        target_score=target,
    )


@st.composite
def combi_combo_rules(draw: st.DrawFn) -> CombiComboRules:
    """Any rules of Combi-Combo."""
    players = draw(st.sampled_from([4, 5]))
    colours = draw(st.integers(1, 26))
    in_colour = draw(st.integers(minimum_share(players, colours), MOST_CARDS // colours))
    cards = colours * in_colour
    pile = draw(st.integers(1, cards // players))
    central = cards - players * pile
    turns = draw(st.integers(1, min(pile, central) if central else pile))
    points = st.integers(-100, 100) | st.sampled_from([-100, 100])
    entries = draw(st.integers(colours + 1, 27))
    return CombiComboRules(
        num_players=players,
        num_colours=colours,
        copies=tuple(shared_out(draw, in_colour, 4)),
        opening_hand=pile - turns,
        num_turns=turns,
        ones_points=draw(points),
        sequence_points=draw(points),
        twos_points=draw(points),
        twos_in_series=draw(st.integers(1, 10) | st.just(250)),
        threes_par=draw(points),
        fours_points=tuple(draw(st.lists(points, min_size=entries, max_size=entries))),
    )


@st.composite
def kado_rules(draw: st.DrawFn) -> KadoRules:
    """Any rules of KADO."""
    players = draw(st.integers(2, 4))
    discards = draw(st.sampled_from([0, 1]))
    values = draw(st.integers(1, 127))
    gifts = draw(st.integers(1, 127 // values))
    ribbons = draw(st.integers(1, 127 // values // gifts))
    a_turn = players + discards + 1
    most_turns = (MOST_CARDS + 1) // a_turn
    columns = draw(st.integers(1, min(most_turns, 255 // values)))
    rows = draw(st.integers(1 if columns > 1 else 2, most_turns // columns))
    cards = draw(st.integers(rows * columns * a_turn - 1, MOST_CARDS))
    counts = shared_out(draw, cards, gifts * ribbons * values)
    cells = [
        tuple(value + 1 for value in range(values) for _ in range(counts[kind * values + value]))
        for kind in range(gifts * ribbons)
    ]
    return KadoRules(
        num_players=players,
        deck=tuple(tuple(cells[g * ribbons : (g + 1) * ribbons]) for g in range(gifts)),
        num_rows=rows,
        num_columns=columns,
        perfect_points=draw(st.integers(0, 250) | st.sampled_from([0, 250])),
        discards=discards,
    )


STRATEGIES: dict[str, Callable[[], st.SearchStrategy[Any]]] = {
    "kododo": kododo_rules,
    "combi_combo": combi_combo_rules,
    "kado": kado_rules,
}


def rules_of(game: str) -> st.SearchStrategy[Any]:
    """Any legal rules of a game of the registry; KeyError for a game that has no strategy."""
    return STRATEGIES[game]()


def short_name(rules: Any) -> str:
    """Return a short name of rules for test ids."""
    return f"{rules.num_players} players, {rules.num_cards} cards, {rules.cards.max() + 1} types"


def one_value(cards: int, value: int, gifts: int = 1) -> Any:
    """Return a deck of KADO with this many cards of each gift, one ribbon and one value."""
    return tuple(((value,) * cards,) for _ in range(gifts))


NO_CLAUSE = {"kododo_offset": 250, "limit_offset": 250}  # so the fullest colour scores
AT_THE_BOUNDS: dict[str, tuple[Any, ...]] = {
    "kododo": (
        # 120 types, 250 cards, hands of 20; in the next 255 points in a round from one player.
        KododoRules(num_players=2, num_colours=10, copies=(2,) * 11 + (3,), hand_size=20,
                    plays=(2,) * 10, removed_cards=10),
        KododoRules(num_players=2, num_colours=7, copies=(0,) * 16 + (35,), hand_size=15,
                    plays=(1,) * 15, removed_cards=5, **NO_CLAUSE),
        KododoRules(num_players=2, num_colours=1, copies=(0,) * 119 + (250,), hand_size=2,
                    plays=(2,), removed_cards=2, **NO_CLAUSE),
        KododoRules(num_players=2, num_colours=1, copies=(250,), hand_size=1, plays=(1,),
                    removed_cards=0, kododo_offset=0, limit_offset=0),
        KododoRules(num_players=2, num_colours=1, copies=(250,), hand_size=1, plays=(1,),
                    removed_cards=248, kododo_offset=250, limit_offset=250),
        KododoRules(num_players=5, num_colours=26, copies=(3, 2, 2, 2), hand_size=2, plays=(1,),
                    removed_cards=4, kododo_offset=-4, limit_offset=-3),
        KododoRules(num_players=5, num_colours=26, copies=(1, 2, 6), hand_size=2, plays=(2,),
                    removed_cards=4, **NO_CLAUSE),
        KododoRules(num_players=2, variant="long", num_colours=3, copies=(1, 1), hand_size=2,
                    plays=(2,), removed_cards=2, target_score=1),
        KododoRules(num_players=2, variant="long", num_colours=1, copies=(0,) * 119 + (250,),
                    hand_size=2, plays=(2,), removed_cards=2, target_score=1000, **NO_CLAUSE),
        KododoRules(num_players=3, variant="long", target_score=1000),
    ),
    "combi_combo": (
        CombiComboRules(num_colours=8, copies=(0, 31, 0, 0), opening_hand=0, num_turns=62,
                        twos_in_series=1, twos_points=100, threes_par=-100, ones_points=100,
                        sequence_points=100, fours_points=(100,) * 27),
        CombiComboRules(num_colours=8, copies=(0, 31, 0, 0), opening_hand=61, num_turns=1,
                        twos_in_series=1, twos_points=-100, threes_par=100, ones_points=-100,
                        sequence_points=-100, fours_points=(-100,) * 27),
        CombiComboRules(num_colours=1, copies=(250, 0, 0, 0), opening_hand=61, num_turns=1,
                        twos_in_series=250, fours_points=(0, 0)),
        CombiComboRules(num_players=5, num_colours=26, copies=(1, 2, 3, 3), opening_hand=20,
                        num_turns=20, fours_points=tuple(range(27))),
        CombiComboRules(num_colours=15, copies=(4, 4, 4, 4), opening_hand=0, num_turns=60,
                        sequence_points=100, fours_points=(100,) * 16),
    ),
    "kado": (
        # A row, a column, a square of cards of one gift: far more than 255 points in own_gifts.
        KadoRules(num_players=2, deck=one_value(250, 3), num_rows=1, num_columns=83, discards=0,
                  perfect_points=250),
        KadoRules(num_players=2, deck=one_value(250, 127), num_rows=83, num_columns=1, discards=0,
                  perfect_points=250),
        KadoRules(num_players=2, deck=one_value(250, 127), num_rows=41, num_columns=2, discards=0,
                  perfect_points=0),
        KadoRules(num_players=4, deck=one_value(50, 25, 5), num_rows=4, num_columns=10),
        KadoRules(num_players=2, deck=(((1, 1),) * 125,), num_rows=9, num_columns=9, discards=0),
        KadoRules(num_players=3, deck=(((1, 1, 2),) * 7,) * 9, num_rows=6, num_columns=6,
                  discards=1),
        KadoRules(num_players=2, deck=one_value(6, 1), num_rows=2, num_columns=1, discards=0),
    ),
}  # fmt: skip
