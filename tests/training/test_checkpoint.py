"""Checkpoints: a restored learner continues exactly, and damaged files are rejected."""

from __future__ import annotations

import copy
import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
import torch

from agents.ppo.ppo import PPO
from agents.recipes.recipe import Recipe
from agents.training import checkpoint
from agents.training.checkpoint import (
    Checkpoint,
    Progress,
    read_checkpoint,
    restore,
    save_checkpoint,
)
from agents.training.training_config import Task
from tests.trainings import update

NUM_ENVS = 3


def learner(task: Task) -> PPO:
    """Make a small learner for the task."""
    recipe = replace(task.recipe, width=16, depth=1)
    return PPO(task.batch_game(NUM_ENVS), recipe, task.seed)


@pytest.mark.parametrize(
    ("game", "changes"),
    [
        ("kododo", {}),
        ("kododo", {"muon": 30.0}),
        ("kododo", {"magnet": 1.0, "magnet_updates": 4.0}),
        ("kado", {"tied": True, "muon": 30.0}),
    ],
)
def test_a_learner_goes_on_from_a_file_as_if_undisturbed(
    game: str, changes: dict[str, Any], tmp_path: Path
) -> None:
    recipe = Recipe(batch_size=16 if game == "kododo" else 256, **changes)
    task = Task(game, {"num_players": 2}, recipe, 0)
    model = learner(task)
    resumed = learner(replace(task, seed=9))
    update(model, task.batch_game(NUM_ENVS))
    save_checkpoint(tmp_path / "run.zip", task, model, Progress())
    torch.manual_seed(99)
    saved = read_checkpoint(tmp_path / "run.zip")
    restore(model, saved)  # for the same random state
    update(model, task.batch_game(NUM_ENVS), seed=5)
    restore(resumed, saved)
    update(resumed, task.batch_game(NUM_ENVS), seed=5)
    pairs = zip(model.parameters(), resumed.parameters(), strict=True)
    assert all(torch.equal(a, b) for a, b in pairs)


def test_a_run_with_the_network_of_an_older_version_is_refused_in_a_line(tmp_path: Path) -> None:
    """The encoders of tied networks once did not see the surroundings of their entry."""
    task = Task("kado", {"num_players": 2}, Recipe(tied=True), 0)
    model = learner(task)
    model.network.encoders.around = torch.nn.ModuleList()
    save_checkpoint(tmp_path / "run.zip", task, model, Progress())
    with pytest.raises(ValueError, match=r"older version.*--init"):
        restore(learner(task), read_checkpoint(tmp_path / "run.zip"))


def rewritten(content: bytes, name: str, change: Callable[[bytes], bytes]) -> bytes:
    """Change a member of a checkpoint; the archive's checksums remain correct."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(file, "w") as new:
        for member in old.namelist():
            new.writestr(member, change(old.read(member)) if member == name else old.read(member))
    return file.getvalue()


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("facts.json", lambda text: text.replace(b'"num_players"', b'"num_playersx"')),
        ("facts.json", lambda text: text.replace(b'"updates": 0', b'"updates": 9')),
        ("facts.json", lambda text: b"[" * 100_000),
        ("facts.json", lambda text: b"\xff"),
        ("learner.pt", lambda learner: learner[: len(learner) // 2]),
        ("learner.pt", lambda learner: b""),
        ("sha256", lambda digest: b"\xff" * 64),
        ("sha256", lambda digest: digest + b"0"),
    ],
)
def test_a_checkpoint_with_another_member_is_refused_before_anything_is_loaded(
    name: str, change: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    """Once these raised BadZipFile, EOFError, KeyError or AssertionError, or were accepted."""
    path = tmp_path / "checkpoint.zip"
    task = Task("kododo", {"num_players": 2}, Recipe(), 0)
    save_checkpoint(path, task, learner(task), Progress())
    whole = path.read_bytes()
    assert read_checkpoint(path) == Checkpoint(task, Progress(), read_checkpoint(path).learner)
    for damaged in (rewritten(whole, name, change), whole[:-30]):
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match="damaged"):
            read_checkpoint(path)


def packed(members: dict[str, bytes], compression: int) -> bytes:
    """Make an archive of these members."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


def overlapping(count: int, size: int) -> bytes:
    """Make an archive whose members all share the same bytes."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("0", bytes(size))
        for number in range(1, count):
            archive.filelist.append(copy.copy(archive.filelist[0]))
            archive.filelist[-1].filename = str(number)
    return file.getvalue()


ZEROS = bytes(1 << 20)
LEARNERS = {
    "compressed": packed({"archive/data/0": ZEROS}, zipfile.ZIP_DEFLATED),
    "overlapping": overlapping(10, 1 << 20),
    "no archive of torch's": b"\x80\x02" + packed({"archive/data/0": ZEROS}, zipfile.ZIP_STORED),
}


@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
@pytest.mark.parametrize("case", [*LEARNERS, "larger than its archive"])
def test_a_checkpoint_that_unpacks_to_more_than_it_has_is_refused(
    case: str, compression: int, tmp_path: Path
) -> None:
    """Once an archive of 3 MB with a correct digest unpacked to 3 GB."""
    task = Task("kododo", {"num_players": 2}, Recipe(), 0)
    path = tmp_path / "checkpoint.zip"
    save_checkpoint(path, task, learner(task), Progress())
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    if case in LEARNERS:
        members["learner.pt"] = LEARNERS[case]
    else:
        compression = zipfile.ZIP_DEFLATED
        members["facts.json"] = b" " * 10**7 + members["facts.json"]
    members["sha256"] = checkpoint._digest(members)
    path.write_bytes(packed(members, compression))
    with pytest.raises(ValueError, match="damaged"):
        read_checkpoint(path)


LONG = 100_000 * "x"
ONE_LINE = r"\A[^\n]{10,500}\Z"
TASKS: list[tuple[dict[str, Any], str]] = [
    ({"rules": {"300": 4}}, ONE_LINE),
    ({"rules": {"num_players": None}}, ONE_LINE),
    ({"rules": {"num_players": 4, LONG: 1}}, ONE_LINE),
    ({"rules": {"num_players": 4, "variant": {}}}, ONE_LINE),
    ({"rules": []}, ONE_LINE),
    ({"game": float("nan")}, ONE_LINE),
    ({"game": ["kododo"]}, ONE_LINE),
    ({"game": LONG}, ONE_LINE),
    ({"recipe": None}, ONE_LINE),
    *(({"seed": seed}, r"\Aseed must be [^\n]*\Z") for seed in (0.5, "0", -1, 2**40, None)),
]
RECIPES: list[tuple[dict[str, Any], str]] = [
    ({LONG: 1}, ONE_LINE),
    ({"tied": LONG}, ONE_LINE),
    ({"tied": 1}, "tied must be True or False"),
    ({"expert": [LONG]}, ONE_LINE),
    ({"expert": 5}, "reward and network must be names"),
    ({"init": 5}, "reward and network must be names"),
    ({"opponents": [[LONG]]}, ONE_LINE),
    ({"opponents": 5}, ONE_LINE),
    ({"reward": 5}, "reward and network must be names"),
    ({"reward": "best"}, "--reward takes .*'best'"),
    ({"network": None}, "reward and network must be names"),
    ({"network": "exec:touch ran"}, "--network takes"),
    ({"learning_rate": float("nan")}, "--learning-rate must be a finite number"),
    ({"width": 10**9}, "width must be 1 to 4096"),
    ({"width": 7, "tied": True}, "width must be at least 8 with --tied"),
    ({"n_epochs": 1.0}, "--n-epochs must be an integer"),
    ({"temperature": "0.5"}, "temperature must be a finite number"),
]


@pytest.mark.parametrize(
    ("task", "recipe", "message"),
    [
        *((task, {}, message) for task, message in TASKS),
        *(({}, recipe, message) for recipe, message in RECIPES),
    ],
)
def test_a_task_that_no_run_has_is_refused_in_one_line(
    task: dict[str, Any], recipe: dict[str, Any], message: str
) -> None:
    """Once missing players raised a KeyError later on, and a long name was printed whole."""
    content = json.loads(json.dumps(asdict(Task("kododo", {"num_players": 4}, Recipe(), 0))))
    assert Task.from_dict(content) == Task("kododo", {"num_players": 4}, Recipe(), 0)
    content["recipe"] |= recipe
    with pytest.raises(ValueError, match=message):
        Task.from_dict(content | task)
