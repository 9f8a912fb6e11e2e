"""All worked examples of the rulebooks, played with the core.

The rulebooks show the cards on the table by colour; the distribution among players is ours.
"""

from __future__ import annotations

from kododo_env.games.kododo import Rules
from tests.games.kododo.written_deals import play_round, start, table_of


def points_of(table: list[str]) -> list[float]:
    """Return the points of a first round with this table."""
    points: list[float] = play_round(start(Rules(num_players=len(table)), [table]), table)[
        0
    ].tolist()
    return points


def test_kododo_example_exactly_six_in_a_game_of_four() -> None:
    # Six Kododo cards in several colours; green has the majority and does not score.
    table = ["B1 G1 G2 G3", "G1 Y1 G4 B2", "O1 V1 Y2 V2", "G5 B3 Y3 O2"]
    assert points_of(table) == [2, 2, 2, 0]


def test_limit_example_eight_green_and_four_yellow_cards() -> None:
    # Four players, so the limit is 7: green is out, and only the yellow cards score.
    table = ["G2 G3 Y4 B2", "G2 G3 Y2 B3", "G2 G4 Y5 O2", "G3 G4 Y3 V2"]
    assert "".join(table).count("G") == 8
    assert "".join(table).count("Y") == 4
    assert points_of(table) == [4, 2, 5, 3]


def test_tie_example_1_five_yellow_five_green_three_orange() -> None:
    table = ["Y2 Y3 G2 O3", "Y2 G2 G3 O5", "Y3 Y2 G2 B2", "G3 O2 B2 V2"]
    assert ["".join(table).count(colour) for colour in "YGO"] == [5, 5, 3]
    assert points_of(table) == [3, 5, 0, 2]


def test_tie_example_2_yellow_and_green_tied_and_then_blue_orange_and_violet() -> None:
    table = table_of("YYYYYGGGGGBBOOVV")
    assert points_of(table) == [0, 0, 0, 0]
