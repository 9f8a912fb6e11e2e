"""Resuming runs with damaged checkpoints and configurations."""

from __future__ import annotations

import io
import json
import shutil
import warnings
import zipfile
from contextlib import redirect_stdout
from pathlib import Path
from random import Random
from typing import Any

from agents.commands.train import train
from agents.training.checkpoint import Checkpoint, Progress, read_checkpoint, save_checkpoint
from agents.training.learning_curve import draw_learning_curve
from agents.training.run_folder import write_config
from agents.training.trainer import CHECKPOINT, Trainer
from agents.training.training_config import TrainConfig, default_config, task_of
from tests.fuzz.odd_values import byte_edits, edited_bytes, edited_json, json_edits
from tests.fuzz.promises import ACCEPTED, FaultFound
from tests.fuzz.scripts import check_end, contents, replaced, run, starts
from tests.game_tables import GAMES

MEMBERS = ("facts.json", "learner.pt")
PLAYERS = 4
POINT = {"mean": 0.5, "low": 0.4, "high": 0.6}


def prepare(base: Path) -> None:
    """Create, for each game, the folder of a run that was stopped in its second update."""
    for game in GAMES:
        folder = base / game
        folder.mkdir()
        config = default_config(
            game, PLAYERS, seed=1, steps=1000, threads=1, bfloat16=False, games=8,
            num_envs=4, width=8, depth=1, one_hot=0,
        )  # fmt: skip
        task = task_of(config)
        progress = Progress(
            1.0, 1, 64, [{"seconds": 0.5, "steps": 64, "shares": {"random": POINT}}]
        )
        with redirect_stdout(io.StringIO()):
            trainer = Trainer(config, Checkpoint(task), folder)
        save_checkpoint(folder / CHECKPOINT, task, trainer.learner, progress)
        write_config(folder, task, config)


def generate(rng: Random) -> dict[str, Any]:
    """Return changes of the file's bytes, members or facts, or of the configuration."""
    how = rng.choice(("bytes", "member", "facts", "facts", "config"))
    case: dict[str, Any] = {"game": rng.choice(GAMES)}
    if how == "config":
        edits = (
            {"json": json_edits(rng, depth=3)} if rng.random() < 0.8 else {"raw": byte_edits(rng)}
        )
        states = {"checkpoint": rng.random() < 0.2, "resume": rng.random() < 0.5}
        return {**case, "config": edits, **states}
    if how == "bytes":
        return {**case, "bytes": byte_edits(rng)}
    if how == "member":
        damage = rng.choice(("drop", "empty", "bytes", "other", "twice", "rename", "compress"))
        return {**case, "member": rng.choice(MEMBERS), "what": damage, "bytes": byte_edits(rng)}
    return {**case, "facts": json_edits(rng, depth=5)}


def check(case: dict[str, Any], base: Path) -> str:
    """Check that a run is rejected without a change, or continues from the saved state."""
    shutil.copytree(base / case["game"], "run")
    path = Path("run", CHECKPOINT)
    edits = case.get("config")
    whole = path.read_bytes()
    try:
        if edits:
            _damage_config(edits)
        else:
            path.write_bytes(damaged(whole, case))
    except (TypeError, ValueError, IndexError, AttributeError, OverflowError):
        return "no case"
    if edits and not case["checkpoint"]:
        path.unlink()
    before = contents()
    args = ["--run-dir", "run", "--steps", "1000", "--threads", "1"]
    args += ["--num-envs", "4"] if edits else []
    args += ["--resume"] if case.get("resume", True) else []
    with replaced(Trainer, "run", starts):
        done = run(TrainConfig, train, args)
    refused = check_end(done, before)
    if refused or edits:
        return refused or ACCEPTED
    path.write_bytes(whole)
    if "bytes" in case:
        _check_same_state(done.started, path)
    _goes_on(done.started)
    return ACCEPTED


def _damage_config(edits: dict[str, Any]) -> None:
    path = Path("run", "config.json")
    if "json" in edits:
        path.write_text(edited_json(json.loads(path.read_text()), edits["json"]))
    else:
        path.write_bytes(edited_bytes(path.read_bytes(), edits["raw"]))


def damaged(content: bytes, case: dict[str, Any]) -> bytes:
    """Return the damaged checkpoint."""
    members = _members(content)
    if "member" in case:
        return _zipped(_other_members(members, case))
    if "facts" in case:
        text = edited_json(json.loads(members["facts.json"]), case["facts"])
        return _zipped([*(members | {"facts.json": text.encode()}).items()])
    return edited_bytes(content, case["bytes"])


def _other_members(members: dict[str, bytes], case: dict[str, Any]) -> list[tuple[str, bytes]]:
    name = case["member"]
    damage = case["what"]
    (other_name,) = {*MEMBERS} - {name}
    changed = edited_bytes(members[name], case["bytes"])
    if damage == "twice":
        return [*members.items(), (name, changed)]
    if damage in ("drop", "rename"):
        content = members.pop(name)
        return [*members.items(), *([(f"{name}_", content)] if damage == "rename" else [])]
    new = {"empty": b"", "bytes": changed, "compress": bytes(1 << 20), "other": members[other_name]}
    return [*(members | {name: new[damage]}).items()]


def _members(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _zipped(members: list[tuple[str, bytes]]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about duplicate names
        for name, content in members:
            archive.writestr(name, content)
    return file.getvalue()


def _check_same_state(trainer: Trainer, path: Path) -> None:
    """Raise FaultFound unless the trainer has the saved state."""
    saved = read_checkpoint(path)
    restored = Trainer(trainer.config, saved, path.parent)
    restored_state = restored.learner.state_dict()
    trainer_state = trainer.learner.state_dict()
    changed_names = [
        name
        for name in restored_state
        if not bool((restored_state[name] == trainer_state[name]).all())
    ]
    if changed_names or (saved.task, saved.progress) != (trainer.task, trainer.progress):
        raise FaultFound("a damaged checkpoint was taken, and is another one", str(changed_names))


def _goes_on(trainer: Trainer) -> None:
    """Raise FaultFound unless the run can continue to its end."""
    progress = trainer.progress
    if not 0 <= trainer.remaining() <= 1:
        raise FaultFound("a checkpoint was taken with time that cannot be", str(progress.seconds))
    whole = all(
        type(number) is int and number >= 0 for number in (progress.updates, progress.steps)
    )
    if not whole or type(progress.seconds) not in (int, float):
        raise FaultFound("a checkpoint was taken with progress that cannot be", str(vars(progress)))
    draw_learning_curve(Path("curve.png"), progress.curve, trainer.task.num_players, "title")
    trainer.self_play_remaining()
    trainer.imitation_remaining()
