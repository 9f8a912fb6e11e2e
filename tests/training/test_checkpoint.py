"""A run's games, put away in a checkpoint's file and taken out again, go on as if undisturbed."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.ppo.game_policy import GamePolicy
from agents.ppo.recipes import recipe_for
from agents.ppo.self_play_ppo import SelfPlayPPO
from agents.training.checkpoint import Progress, load_checkpoint, read_facts, save_checkpoint
from agents.training.training_config import Task
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


def rewritten(content: bytes, name: str, change: Callable[[bytes], bytes]) -> bytes:
    """A checkpoint with another member, whose check sums in the archive are right."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(file, "w") as new:
        for each in old.namelist():
            new.writestr(each, change(old.read(each)) if each == name else old.read(each))
    return file.getvalue()


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("facts.json", lambda text: text.replace(b'"num_players"', b'"num_playersx"')),
        ("facts.json", lambda text: text.replace(b'"updates": 0', b'"updates": 9')),
        ("facts.json", lambda text: b"[" * 100_000),
        ("facts.json", lambda text: b"\xff"),
        ("game.npz", lambda arrays: b""),
        ("game.npz", lambda arrays: arrays[:-9]),
        ("model.zip", lambda model: model[: len(model) // 2]),
        ("model.zip", lambda model: b""),
        ("sha256", lambda digest: b"\xff" * 64),
        ("sha256", lambda digest: digest + b"0"),
    ],
)
def test_a_checkpoint_with_another_member_is_refused_before_anything_is_loaded(
    name: str, change: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    """It was BadZipFile, EOFError, KeyError or AssertionError, or went on with what was changed."""
    game, path = "kododo", tmp_path / "checkpoint.zip"
    task = Task(game, {"num_players": 2}, recipe_for(game, 2), 0)
    batch = task.batch_game(NUM_ENVS, 1)
    save_checkpoint(path, task, learner(task), batch, Progress())
    whole = path.read_bytes()
    assert read_facts(path) == (task, Progress())
    for damaged in (rewritten(whole, name, change), whole[:-30]):
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match=r"is damaged or an older version's$"):
            read_facts(path)
        with pytest.raises(ValueError, match=r"is damaged or an older version's$"):
            load_checkpoint(path, BatchVecEnv(batch))
