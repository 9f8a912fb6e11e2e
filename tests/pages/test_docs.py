"""The pages of the games: each game has one, and its tables match the code."""

from __future__ import annotations

from typing import Any

import pytest

from kododo_env.agent_registry import LEVELS, SEARCHING, levels, policy_tables
from tests.game_tables import GAMES
from tests.pages.scripts import script

goals = script("goals")
update_tables = script("update_tables")

HEADINGS = ("## Rules", "## Specification", "## Rulings", "## Scripted players", "## Versions")


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_a_page_with_all_its_parts(game: str) -> None:
    page = update_tables.page_of(game)
    assert page.exists(), f"{game} has no page docs/games/{game}.md (see CONTRIBUTING.md)"
    lines = page.read_text().splitlines()
    assert [heading for heading in HEADINGS if heading not in lines] == []


@pytest.mark.parametrize("game", GAMES)
def test_the_tables_of_the_layout_are_the_codes(game: str) -> None:
    page = update_tables.page_of(game).read_text()
    assert page == update_tables.updated(page, "layout", update_tables.layout(game)), (
        f"the observation table in docs/games/{game}.md is not that of the layout: "
        "run python -m docs.update_tables"
    )


@pytest.mark.parametrize(
    "page",
    [
        "no markers",
        "only <!-- layout --> begins",
        "<!-- /layout --> wrong way round <!-- layout -->",
        "<!-- layout --><!-- /layout --> twice <!-- layout --><!-- /layout -->",
    ],
)
def test_a_page_without_one_pair_of_markers_is_refused(page: str) -> None:
    with pytest.raises(ValueError, match="expected one"):
        update_tables.updated(page, "layout", "a table")


def test_only_what_is_between_the_markers_is_replaced() -> None:
    page = "above\n<!-- layout -->\nold\n<!-- /layout -->\nbelow\n"
    new = update_tables.updated(page, "layout", "new")
    assert new == "above\n<!-- layout -->\n\nnew\n\n<!-- /layout -->\nbelow\n"
    assert update_tables.updated(new, "layout", "new") == new


def test_of_each_opponent_one_row_counts() -> None:
    rows = [
        {
            "cell": {"policy": "kododo-2p", "against": "a", "is_test_opponent": True,
                     "steps": steps, "games": games},
            "ratio": dict.fromkeys(("mean", "low", "high"), mean),
        }
        for steps, games, mean in ((2, 20, 0.7), (2, 10, 0.6), (1, 90, 0.2))
    ]  # fmt: skip
    number, mean = goals.specialist_ratios(rows)["kododo-2p"]
    assert (number, mean.mean) == (1, 0.7)
    cell = {"worlds": "64", "dealt": "likely", "end": "near", "against": "heuristic"}
    rows = [
        {"cell": cell | {"policy": "kado-2p", "games": games}, "share": games}
        for games in (250, 1000, 500)
    ]
    search_goals = goals.of_search(update_tables._cards(), rows)
    heuristic_goal, *open_goals = (goal for goal in search_goals if "heuristic" in goal.title)
    assert heuristic_goal.reached == 1000
    assert {(goals._reached_text(goal), goals._met(goal)) for goal in open_goals} == {
        ("not measured", "open")
    }


@pytest.mark.parametrize(("width", "apart"), [(0.9, True), (1.0, False)])
def test_tables_are_counted_whose_levels_all_rise_for_sure(
    width: float, apart: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def rising(game: str, players: int) -> dict[str, dict[str, Any]]:
        """As many levels as players, one share apart, with intervals of a width."""
        return {str(n): {"share": {"low": n, "high": n + width}} for n in range(players)}

    monkeypatch.setattr(goals, "levels", rising)
    whole = [players for _, players in policy_tables().values() if players == len(LEVELS)]
    assert whole
    assert goals.of_levels().reached["mean"] == apart * len(whole)


def test_goals_and_words_skip_what_was_not_measured() -> None:
    assert [*goals.speed({})] == []
    assert update_tables.speed_in_words({}) == ""
    figures = {"decision/kododo-4p/1/decision": 63.0}
    assert update_tables.speed_in_words(figures) == "A policy decides one position in 63 µs."
    row = {"seeds": [{"curve": [{"nash_conv": {"1.0": 0.5}}]}]}
    assert goals.of_truth({"rows": [row, {"seeds": []}]}).reached["mean"] == 0.5


def test_levels_without_search_have_dashes(monkeypatch: pytest.MonkeyPatch) -> None:
    def levels_without_search(game: str, players: int) -> dict[str, dict[str, Any]]:
        results = levels(game, players)
        del results[SEARCHING]
        return results

    monkeypatch.setattr(update_tables, "levels", levels_without_search)
    for line in update_tables.levels_measured().splitlines()[2:]:
        *shares, strongest_share, games = line.replace(" ", "").split("|")[3:-1]
        assert all(0 < float(share) < 1 for share in shares)
        assert len(shares) == len(LEVELS) - 1
        assert (strongest_share, games) == ("–", "–")


def test_a_goal_is_open_where_the_interval_contains_it() -> None:
    reached = {"mean": 0.5, "low": 0.4, "high": 0.6}
    for goal, as_minimum, as_maximum in (
        (0.3, "yes", "no"),
        (0.5, "open", "open"),
        (0.7, "no", "yes"),
    ):
        assert goals._met(goals.Goal("", goal, reached)) == as_minimum
        assert goals._met(goals.Goal("", goal, reached, is_maximum=True)) == as_maximum
