"""Recipes: the lookup by the game's name, and the opponents of each update."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agents.recipes.recipe import Recipe, recipe_for, shipped_steps
from agents.training.training_config import default_config, task_of
from kododo_env.agent_registry import policy_tables
from kododo_env.policy import policy_schema
from tests.game_tables import TABLES


@pytest.mark.parametrize(("game", "players"), TABLES)
def test_every_game_has_a_recipe_that_can_be_trained(game: str, players: int) -> None:
    assert recipe_for(game, players) != Recipe()
    task = task_of(default_config(game, players))
    assert task.recipe == recipe_for(game, players)


def test_a_policy_that_ships_has_its_steps() -> None:
    assert all(shipped_steps(*table) > 0 for table in policy_tables().values())


@pytest.mark.parametrize("game", ["poker", "recipe", "not.a.name", "../kado"])
def test_a_game_without_a_recipe_is_learned_from_nothing(game: str) -> None:
    """Once the default recipe named players that only Kododo has, and new games were refused."""
    recipe = recipe_for(game, 3)
    assert (recipe, recipe.expert, recipe.opponents) == (Recipe(), "", ())


def test_from_nothing_is_a_recipe_of_its_own() -> None:
    """Training from scratch failed for KADO at the rates of the game's recipe."""
    scratch = default_config("kado", 3, "scratch").settings
    assert scratch == Recipe() != recipe_for("kado", 3)
    with pytest.raises(ValueError, match=r"--recipe .*'best'"):
        recipe_for("kado", 3, "best")


def test_scripted_opponents_take_turns_in_their_share_of_the_updates() -> None:
    recipe = Recipe(opponents=("heuristic", "follow"), opponents_share=0.4)
    order = [recipe.opponent_of(update) for update in range(10)]
    assert order == [None, None, "heuristic", None, "follow"] * 2
    assert opponents(recipe) == {None, "heuristic", "follow"}
    assert opponents(Recipe()) == {None}
    assert opponents(replace(recipe, opponents_share=0.0)) == {None}
    assert opponents(replace(recipe, opponents_share=1.0)) == {"heuristic", "follow"}


def opponents(recipe: Recipe) -> set[str | None]:
    return {recipe.opponent_of(update) for update in range(10)}


def test_a_game_that_policy_files_do_not_support_is_not_trained(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Once a game with too long an observation was trained, and then could not be saved."""
    monkeypatch.setattr(policy_schema, "_MOST", 20)
    with pytest.raises(ValueError, match=r"policy file.*kododo: .*20"):
        task_of(default_config())
