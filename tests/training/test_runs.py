"""Training runs: written files, seeds, and resuming after a kill."""

from __future__ import annotations

import io
import json
import signal
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from agents.commands.train import train
from agents.export.policy_weights import network_of
from agents.ppo.ppo import PPO, Rollout
from agents.recipes.recipe import recipe_for
from agents.training.checkpoint import Checkpoint, Progress, read_checkpoint
from agents.training.command_defaults import TableChoice, defaults
from agents.training.run_folder import config_facts, read_run
from agents.training.trainer import Trainer
from agents.training.training_config import default_config, task_of
from kododo_env.agent_registry import POLICIES
from kododo_env.core import BatchGame
from kododo_env.core.agent import Agent
from kododo_env.policy.onnx_agent import OnnxAgent
from kododo_env.system.files import write_json
from tests.command_line import train_py
from tests.helpers import made_once
from tests.trainings import NO_EXPORT, short


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a short uninterrupted run."""
    return made_once(tmp_path_factory, "whole-run", lambda run: train(short(run)))


def test_a_run_ends_with_everything_written(whole: Path) -> None:
    names = {path.name for path in whole.iterdir()}
    assert names == {
        "config.json", "checkpoint.zip", "policy.onnx", "policy.meta.json", "results.json",
        "learning_curve.png", "tensorboard",
    }  # fmt: skip
    metadata = OnnxAgent(whole / "policy.onnx").metadata
    assert metadata.training["steps"] == 4 * 16 * 3 * 21
    beside = (whole / "policy.meta.json").read_text()
    assert json.loads(beside) == json.loads(metadata.to_json())
    assert set(metadata.results) == set(json.loads((whole / "results.json").read_text()))
    assert (whole / "learning_curve.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("minutes", [None, 10.0])
def test_a_resumed_run_measures_as_the_unbroken_run(minutes: float | None, tmp_path: Path) -> None:
    """Once it counted the points of the curve, but an update may pass several at once, and with a
    larger budget a point is a different share."""
    steps = None if minutes else 1000
    config = short(tmp_path, evaluations=8, steps=steps, minutes=minutes)
    curve = [{"seconds": 301.0, "steps": 501, "shares": {}}]
    trainer = Trainer(config, Checkpoint(task_of(config), Progress(curve=curve)), tmp_path)
    assert trainer._measured == 4


def network_of_run(run: Path) -> dict[str, torch.Tensor]:
    """Return the weights in a run's checkpoint, by name."""
    learner = torch.load(io.BytesIO(read_checkpoint(run / "checkpoint.zip").learner))
    weights: dict[str, torch.Tensor] = learner["policy"]
    return weights


def curve_of(run: Path) -> list[tuple[int, dict[str, object]]]:
    """Return a run's learning curve without times."""
    progress = read_checkpoint(run / "checkpoint.zip").progress
    return [(point["steps"], point["shares"]) for point in progress.curve]


def logged(run: Path) -> list[int]:
    """Return the steps of the updates that TensorBoard shows."""
    log = EventAccumulator(str(run / "tensorboard"))
    log.Reload()
    return [event.step for event in log.Scalars("time/fps")]


def test_a_resumed_run_is_the_unbroken_run(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So does its log, in which updates after the last checkpoint once appeared twice."""
    config = short(tmp_path / "broken")
    (tmp_path / "broken").mkdir()
    trainer = Trainer(config, Checkpoint(task_of(config)), tmp_path / "broken")
    measure = Trainer._measure_if_due

    def die_after_two(self: Trainer) -> None:
        measure(self)
        self.progress.seconds += 60
        if self.progress.updates == 2:
            raise SystemExit("killed")
        self.save()

    monkeypatch.setattr(Trainer, "_measure_if_due", die_after_two)
    with pytest.raises(SystemExit):
        trainer.run()
    monkeypatch.undo()
    torch.manual_seed(999)  # the random state in between must not matter
    train(short(tmp_path / "broken", resume=True))
    for name in ("policy.onnx", "policy.meta.json"):  # where the minutes were
        assert (whole / name).read_bytes() == (tmp_path / "broken" / name).read_bytes()
    expected, resumed = map(network_of_run, (whole, tmp_path / "broken"))
    assert resumed.keys() == expected.keys()
    assert all(torch.equal(resumed[name], weights) for name, weights in expected.items())
    assert curve_of(whole) == curve_of(tmp_path / "broken")
    assert len(curve_of(whole)) == 2
    update = 16 * 3 * 21
    assert logged(whole) == [update * number for number in (1, 2, 3, 4)]
    assert logged(tmp_path / "broken") == logged(whole)


def test_ctrl_c_ends_cleanly_with_everything_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Trainer, "_measure_if_due", lambda _: signal.raise_signal(signal.SIGINT))
    monkeypatch.setattr(*NO_EXPORT)  # see tests/system/test_signals.py
    run = tmp_path / "a run"
    small = ["--num-envs", "16", "--width", "16", "--games", "20", "--threads", "1"]
    former = signal.signal(signal.SIGINT, signal.default_int_handler)  # in the background: ignored
    code, out, error = train_py(capsys, ["--run-dir", str(run), "--players", "2", *small])
    signal.signal(signal.SIGINT, former)
    assert code == 130, error
    assert "stopped early" in out
    assert error.endswith(f"\nstopped: resume with: python train.py --resume --run-dir '{run}'\n")
    assert read_checkpoint(run / "checkpoint.zip").progress.updates == 1


def test_updates_against_scripted_players_and_policy_files_have_one_learner_at_a_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = str(POLICIES / "kododo-3p.onnx")
    config = short(tmp_path / "run", expert="", opponents=("heuristic", policy))
    task = task_of(config)
    trainer = Trainer(config, Checkpoint(task), tmp_path / "run")
    seats: list[list[str | None]] = []
    play = PPO.play

    def record(self: PPO, game: BatchGame, agents: Sequence[Agent | None], seed: int) -> Rollout:
        seats.append([agent and agent.name for agent in agents])
        played = play(self, game, agents, seed)
        assert len(played.decisions["actions"]) == played.steps == 16 * 3 * 21
        return played

    monkeypatch.setattr(PPO, "play", record)
    for _ in range(4):
        trainer._play_itself()
        trainer.progress.updates += 1
    itself = [None] * task.num_players
    players = task.num_players - 1
    assert seats == [
        itself,
        [None] + ["heuristic"] * players,
        itself,
        [None] + ["kododo-3p"] * players,
    ]


@pytest.mark.parametrize("share", [0.25, 0.5, 1.0])
@pytest.mark.parametrize("opponents", [("heuristic",), ("heuristic", "greedy", "heuristic")])
def test_a_learner_has_each_seat_as_often_against_each_opponent(
    opponents: tuple[str, ...], share: float, tmp_path: Path
) -> None:
    """Once it always had the first seat, which differs from the others in some games."""
    task = task_of(short(tmp_path, expert="", opponents=opponents, opponents_share=share))
    tables = task.tables()
    meetings = Counter[tuple[str, int]]()
    for update in range(36):
        _, agents = task.table_of(tables, update)
        for name in {agent.name for agent in agents if agent is not None}:
            meetings[name, agents.index(None)] += 1
    times = 36 * share / len(opponents) / 3
    counts = Counter(opponents)
    assert meetings == {
        (name, seat): times * count for name, count in counts.items() for seat in range(3)
    }


@pytest.mark.parametrize(
    ("changes", "steps", "remaining"),
    [
        ({"imitation_steps": 250}, 0, 1),
        ({"imitation_steps": 250}, 125, 0.5),
        ({"imitation_steps": 250}, 250, 0),
        ({"imitation_steps": 250}, 625, 0),
        ({"imitation_steps": 4000}, 500, 0.5),
        ({"imitation_steps": 4000}, 1000, 0),
        ({"imitation_steps": 100, "imitation_share": 0.25}, 125, 0.5),
        ({"imitation_steps": 500, "imitation_share": 0.25}, 250, 0.5),
        ({"imitation_steps": 0, "imitation_share": 0.25}, 250, 0),
        ({"imitation_steps": 0, "imitation_share": 1.0}, 250, 0.75),
        ({"imitation_steps": 0, "imitation_share": 0.0}, 0, 0),
        ({"expert": ""}, 0, 0),
    ],
)
def test_imitation_ends_after_its_steps_or_its_share_or_with_the_budget(
    changes: dict[str, Any], steps: int, remaining: float, tmp_path: Path
) -> None:
    """A share of the minutes would leave a slow machine too few steps of imitation."""
    config = short(tmp_path, **{"steps": 1000, **changes})
    trainer = Trainer(config, Checkpoint(task_of(config)), tmp_path)
    trainer.progress.steps = steps
    assert trainer.imitation_remaining() == pytest.approx(remaining)


@pytest.mark.parametrize("budget", [{"steps": 1000}, {"minutes": 1000 / 60}])
def test_self_play_runs_its_whole_course_after_imitation(
    budget: dict[str, Any], tmp_path: Path
) -> None:
    config = short(tmp_path, **{"steps": None, **budget})
    progress = Progress(imitation_over=True, imitation_steps=200, imitation_seconds=200.0)
    trainer = Trainer(config, Checkpoint(task_of(config), progress), tmp_path)
    for spent, remaining in ((200, 1), (600, 0.5), (1000, 0)):
        trainer.progress.steps = spent
        trainer.budget = config.budget(spent)
        assert trainer.self_play_remaining() == pytest.approx(remaining, abs=1e-3)


def test_nobody_is_imitated_after_self_play_has_begun(tmp_path: Path) -> None:
    """Once a run with a larger budget imitated its expert again and unlearned its improvements."""
    config = short(tmp_path, imitation_steps=1000)
    trainer = Trainer(config, Checkpoint(task_of(config)), tmp_path)
    trainer.run()
    longer = replace(config, steps=100 * trainer.progress.steps)
    resumed = Trainer(longer, read_checkpoint(tmp_path / "checkpoint.zip"), tmp_path)
    assert resumed.imitation_remaining() == 0
    assert resumed.self_play_remaining() > 0.9


@pytest.mark.parametrize(
    ("folder_content", "message"),
    [
        ("another game", "kado.*--run-dir"),
        ("a file", "tensorboard.*--run-dir"),
    ],
)
def test_a_run_begins_in_no_folder_of_something_else(
    folder_content: str, message: str, tmp_path: Path
) -> None:
    if folder_content == "a file":
        (tmp_path / "tensorboard").touch()
    else:
        config = default_config("kado", 2, run_dir=tmp_path)
        write_json(tmp_path / "config.json", config_facts(task_of(config), config))
    with pytest.raises(ValueError, match=message):
        train(short(tmp_path))


def test_training_begins_with_the_network_of_a_policy(whole: Path, tmp_path: Path) -> None:
    """It has the width of that network, not the recipe's, and imitation is skipped."""
    config = short(tmp_path, init=f"{whole}/policy.onnx", magnet=0.1, steps=1)
    usual = recipe_for("kododo", 3)
    recipe = default_config("kododo", 3, init=config.settings.init)
    trainer = Trainer(config, Checkpoint(task_of(config)), tmp_path)
    initial = network_of(whole / "policy.onnx")
    assert recipe.settings.width == initial.settings["width"] != usual.width
    assert (recipe.settings.expert, usual.expert) == ("", "heuristic")
    assert trainer.imitation_remaining() == 0
    assert trainer.learner.average is not None
    for network in (trainer.learner.network, trainer.learner.average):
        for name, weights in initial.state_dict().items():
            assert torch.equal(network.state_dict()[name], weights)
    trainer.run()
    resumed = Trainer(config, read_checkpoint(tmp_path / "checkpoint.zip"), tmp_path)
    for network in (initial, resumed.learner.network):
        differs = [
            not torch.equal(trainer.learner.network.state_dict()[name], weights)
            for name, weights in network.state_dict().items()
        ]
        assert any(differs) == (network is initial)


@pytest.mark.parametrize(
    ("init", "message"),
    [
        ("kododo-2p", "2 players.*3"),
        ("kado-3p", "kado.*kododo"),
        ("nobody", "cannot read.*nobody"),
    ],
)
def test_training_begins_with_no_policy_of_another_table(
    init: str, message: str, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=message):
        task_of(short(tmp_path, init=init))


def test_the_options_beside_a_policy_to_begin_with_are_its_own_or_refused(whole: Path) -> None:
    """Once the recipe's width counted as not given, and was ignored like imitation."""
    init = str(whole / "policy.onnx")
    config = defaults(TableChoice(players=3, init=init))
    assert config.settings == task_of(config).recipe
    assert config.settings.width == network_of(init).settings["width"]
    usual = recipe_for("kododo", 3)
    with pytest.raises(ValueError, match=f"--width: .*16.*{usual.width}"):
        task_of(default_config("kododo", 3, init=init, width=usual.width))
    imitation = {
        "expert": usual.expert, "imitation_steps": 5, "imitation_share": 0.5,
        "imitation_learning_rate": 0.1, "imitation_temperature": 0.1,
    }  # fmt: skip
    for name, setting in imitation.items():
        with pytest.raises(ValueError, match=rf"--{name.replace('_', '-')}"):
            task_of(default_config("kododo", 3, init=init, **{name: setting}))


@pytest.mark.parametrize(
    ("name", "requirement"),
    [
        ("imitation_steps", "expert"),
        ("imitation_share", "expert"),
        ("imitation_learning_rate", "expert"),
        ("imitation_temperature", "expert"),
        ("opponents_share", "opponents"),
        ("magnet_updates", "magnet"),
    ],
)
def test_a_setting_is_refused_without_the_one_for_which_it_counts(
    name: str, requirement: str
) -> None:
    """Once it was ignored: the training did not follow its command line."""
    setting = {"magnet_updates": 7.0, "imitation_steps": 7}.get(name, 0.07)
    message = f"--{name.replace('_', '-')} .*--{requirement}"
    with pytest.raises(ValueError, match=message):
        task_of(default_config("kododo", 3, "scratch", **{name: setting}))
    requirements = {"expert": "heuristic", "opponents": ["heuristic"], "magnet": 0.1}
    task_of(
        default_config(
            "kododo", 3, "scratch", **{name: setting, requirement: requirements[requirement]}
        )
    )


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"opponents": ("heuristic",), "opponents_share": 0.0},
            "--opponents .*--opponents-share",
        ),
        (
            {"opponents": ("heuristic",), "steps": 1000},
            "--opponents: .*self-play",
        ),
    ],
)
def test_nothing_is_named_that_has_no_share(settings: dict[str, Any], message: str) -> None:
    """Once such a run was trained to its end, and its config.json named players it never met."""
    with pytest.raises(ValueError, match=message):
        task_of(default_config("kododo", 3, **settings))


def test_a_run_goes_on_without_its_teacher_when_imitation_is_over(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once it read the teacher's file needlessly, and could not resume without it."""
    monkeypatch.setattr(*NO_EXPORT)
    teacher = tmp_path / "teacher.onnx"
    teacher.write_bytes((whole / "policy.onnx").read_bytes())
    run = tmp_path / "run"
    first_config = short(run, expert=str(teacher), imitation_steps=1, steps=2100)
    train(first_config)
    teacher.unlink()
    config = defaults(TableChoice(run_dir=run, resume=True))
    train(replace(config, run_dir=run, resume=True, steps=3000, games=first_config.games))
    assert read_run(run).progress.steps >= 3000


def test_a_run_goes_on_without_the_policy_that_it_began_with(whole: Path, tmp_path: Path) -> None:
    init = tmp_path / "init.onnx"
    init.write_bytes((whole / "policy.onnx").read_bytes())
    config = short(tmp_path, init=str(init), steps=1)
    task = task_of(config)
    write_json(tmp_path / "config.json", config_facts(task, config))
    init.unlink()
    assert defaults(TableChoice(run_dir=tmp_path, resume=True)).settings == task.recipe
