"""A run's games, put away in a checkpoint's file and taken out again, go on as if undisturbed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.checkpoint import Progress, load_checkpoint, save_checkpoint
from agents.game_policy import GamePolicy
from agents.recipes import recipe_for
from agents.self_play_ppo import SelfPlayPPO
from agents.training_config import Task
from kododo_env.core import BatchGame
from kododo_env.wrappers.vec import BatchVecEnv
from tests.doors import TABLES
from tests.helpers import assert_same_state, random_actions

NUM_ENVS = 3
KINDS: tuple[tuple[str, dict[str, Any]], ...] = (
    *((game, {"num_players": players}) for game, players in TABLES),
    ("kododo", {"num_players": 3, "variant": "long", "target_score": 30}),
)
A_TURN = 7  # steps in a row in the middle, so that every phase of a turn is among them


def learner(task: Task) -> SelfPlayPPO:
    """The smallest there is; what it learns is nobody's concern here."""
    table = task.batch_game(NUM_ENVS, 0)
    network = {"layout": table.layout, "actions": table.actions, "width": 16, "depth": 1}
    return SelfPlayPPO(
        GamePolicy, BatchVecEnv(table), n_steps=2, batch_size=8, policy_kwargs=network,
        seed=0, device="cpu",
    )  # fmt: skip


def positions(task: Task) -> Iterator[BatchGame]:
    """Batches at several places of the same games, the last of them over."""
    whole, rng = task.batch_game(NUM_ENVS, 1), np.random.default_rng(2)
    found = [whole.clone()]
    while not whole.terminated.all():
        whole.step(random_actions(whole, rng))
        found.append(whole.clone())
    middle = len(found) // 2
    yield from (found[0], *found[middle : middle + A_TURN], found[-1])


def resumed(task: Task, model: SelfPlayPPO, game: BatchGame, path: Path) -> BatchGame:
    """The game as it comes out of a checkpoint's file, in a batch that stood elsewhere."""
    save_checkpoint(path, task, model, game, Progress())
    env = BatchVecEnv(task.batch_game(NUM_ENVS, 99))
    env.game.step(random_actions(env.game, np.random.default_rng(0)))
    load_checkpoint(path, env)
    return env.game


@pytest.mark.parametrize(
    ("game", "rules"),
    KINDS,
    ids=[f"{game}-{'-'.join(map(str, rules.values()))}" for game, rules in KINDS],
)
def test_every_game_goes_on_from_a_file_as_if_undisturbed(
    game: str, rules: dict[str, Any], tmp_path: Path
) -> None:
    """KADO's phase came back from the file as a plain number, and the game asked which it *is*."""
    task = Task(game, rules, recipe_for(game, rules["num_players"]), 0)
    model = learner(task)
    for place, undisturbed in enumerate(positions(task)):
        other = resumed(task, model, undisturbed, tmp_path / f"{place}.zip")
        rng, twin = np.random.default_rng(place), np.random.default_rng(place)
        for _ in range(30):  # those in the middle over the end, and into what is dealt next
            assert_same_state(other, undisturbed)
            assert other.observe().tobytes() == undisturbed.observe().tobytes()
            assert other.text(player=0) == undisturbed.text(player=0)
            undisturbed.step(random_actions(undisturbed, rng))
            other.step(random_actions(other, twin))
            undisturbed.restart_finished()
            other.restart_finished()
