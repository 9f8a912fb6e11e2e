"""Training runs: what they write, the same seed, runs that are killed and go on."""

from __future__ import annotations

import io
import json
import re
import signal
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from agents.commands.train import comparison, train
from agents.export.policy_weights import network_of
from agents.ppo.ppo import PPO, Played
from agents.recipes.recipe import recipe_for
from agents.training.checkpoint import Checkpoint, Progress, read_checkpoint
from agents.training.run_folder import read_run, write_config
from agents.training.trainer import Trainer
from agents.training.training_config import Which, default_config, defaults, task_of
from kododo_env.agent_registry import POLICIES
from kododo_env.arena.intervals import Estimate
from kododo_env.core import BatchGame
from kododo_env.core.agent import Agent
from kododo_env.policy.onnx_agent import OnnxAgent
from tests.command_line import train_py
from tests.helpers import made_once
from tests.trainings import NO_EXPORT, short


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a short run that nothing disturbed."""
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


def test_another_seed_gives_another_bot_and_another_curve(whole: Path, tmp_path: Path) -> None:
    """That the same seed gives the same ones is seen where a run is broken off and resumed."""
    config = short(tmp_path, seed=1)
    stranger = Trainer(config, Checkpoint(task_of(config)), tmp_path)
    stranger.run()
    assert curve_of(whole) != curve_of(tmp_path)
    first, second = map(network_of_run, (whole, tmp_path))
    assert not all(torch.equal(second[name], each) for name, each in first.items())


@pytest.mark.parametrize("minutes", [None, 10.0])
def test_a_resumed_run_measures_as_the_unbroken_run(minutes: float | None, tmp_path: Path) -> None:
    """It counted the points of the curve: but an update may pass several at once, and with a
    larger budget a point is another share."""
    steps = None if minutes else 1000
    config = short(tmp_path, evaluations=8, steps=steps, minutes=minutes)
    curve = [{"seconds": 301.0, "steps": 501, "shares": {}}]
    trainer = Trainer(config, Checkpoint(task_of(config), Progress(curve=curve)), tmp_path)
    assert trainer._measured == 4


def network_of_run(run: Path) -> dict[str, torch.Tensor]:
    """The weights in a run's checkpoint, by name."""
    found: dict[str, torch.Tensor]
    found = torch.load(io.BytesIO(read_checkpoint(run / "checkpoint.zip").learner))["policy"]
    return found


def curve_of(run: Path) -> list[tuple[int, dict[str, object]]]:
    """A run's learning curve, to the bit, without the time that it took."""
    progress = read_checkpoint(run / "checkpoint.zip").progress
    return [(point["steps"], point["shares"]) for point in progress.curve]


def logged(run: Path) -> list[int]:
    """The steps that TensorBoard shows of each update."""
    log = EventAccumulator(str(run / "tensorboard"))
    log.Reload()
    return [event.step for event in log.Scalars("time/fps")]


def test_a_resumed_run_is_the_unbroken_run(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its log too, which had twice the updates that were made after the last checkpoint."""
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
    torch.manual_seed(999)  # whatever happens in between
    train(short(tmp_path / "broken", resume=True))
    for name in ("policy.onnx", "policy.meta.json"):  # where the minutes stood
        assert (whole / name).read_bytes() == (tmp_path / "broken" / name).read_bytes()
    one, other = map(network_of_run, (whole, tmp_path / "broken"))
    assert one.keys() == other.keys()
    assert all(torch.equal(other[name], each) for name, each in one.items())
    assert curve_of(whole) == curve_of(tmp_path / "broken")
    assert len(curve_of(whole)) == 2
    steps, update = logged(tmp_path / "broken"), 16 * 3 * 21
    assert steps == logged(whole) == [update * number for number in (1, 2, 3, 4)]


def test_ctrl_c_ends_cleanly_with_everything_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Trainer, "_measure_if_due", lambda _: signal.raise_signal(signal.SIGINT))
    monkeypatch.setattr(*NO_EXPORT)  # see tests/system/test_stopping.py
    run = tmp_path / "a run"
    small = ["--num-envs", "16", "--width", "16", "--games", "20", "--threads", "1"]
    former = signal.signal(signal.SIGINT, signal.default_int_handler)  # in the background: ignored
    code, out, error = train_py(capsys, ["--run-dir", str(run), "--players", "2", *small])
    signal.signal(signal.SIGINT, former)
    assert code == 130, error
    assert "stopped early" in out
    assert error.endswith(f"\nstopped: go on with: python train.py --resume --run-dir '{run}'\n")
    assert read_checkpoint(run / "checkpoint.zip").progress.updates == 1


def test_updates_against_scripted_players_and_policy_files_have_one_learner_at_a_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = str(POLICIES / "kododo-3p.onnx")
    config = short(tmp_path / "run", expert="", opponents=("heuristic", policy))
    task = task_of(config)
    trainer = Trainer(config, Checkpoint(task), tmp_path / "run")
    seats, play = [], PPO.play

    def noted(self: PPO, game: BatchGame, agents: Sequence[Agent | None], seed: int) -> Played:
        seats.append([agent and agent.name for agent in agents])
        played = play(self, game, agents, seed)
        assert len(played.decisions["actions"]) == played.steps == 16 * 3 * 21
        return played

    monkeypatch.setattr(PPO, "play", noted)
    for _ in range(4):
        trainer._play_itself()
        trainer.progress.updates += 1
    itself, players = [None] * task.num_players, task.num_players - 1
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
    """It had the first one always, which is not like the others in every game."""
    task = task_of(short(tmp_path, expert="", opponents=opponents, opponents_share=share))
    tables, met = task.tables(), Counter[tuple[str, int]]()
    for update in range(36):
        _, agents = task.table_of(tables, update)
        for name in {agent.name for agent in agents if agent is not None}:
            met[name, agents.index(None)] += 1
    times = 36 * share / len(opponents) / 3
    named = Counter(opponents)
    assert met == {(name, seat): times * named[name] for name in named for seat in range(3)}


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
    """It was a share of the minutes: a slow machine imitated a tenth of too few steps."""
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
    """A run that was given more time went back to its expert, and unlearned what it had found."""
    config = short(tmp_path, imitation_steps=1000)
    trainer = Trainer(config, Checkpoint(task_of(config)), tmp_path)
    trainer.run()
    longer = replace(config, steps=100 * trainer.progress.steps)
    again = Trainer(longer, read_checkpoint(tmp_path / "checkpoint.zip"), tmp_path)
    assert again.imitation_remaining() == 0
    assert again.self_play_remaining() > 0.9


def test_nobody_is_imitated_who_cannot_play_this_game(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="it is for 2 players, not 3"):
        task_of(short(tmp_path, expert="kododo-2p"))


def test_a_teacher_whose_name_cannot_be_printed_stands_in_the_metadata(tmp_path: Path) -> None:
    """The run was trained to its end, and then its policy could not be written."""
    expert = tmp_path / "mon\u00a0expert.onnx"
    expert.symlink_to(POLICIES / "kododo-3p.onnx")
    train(short(tmp_path / "run", expert=str(expert)))
    recipe = OnnxAgent(tmp_path / "run" / "policy.onnx").metadata.training["recipe"]
    assert recipe["expert"].endswith("/mon expert.onnx")


@pytest.mark.parametrize(
    ("there", "said"),
    [
        ("another game", "holds the beginning of a run of another game, kado: give another --run-"),
        ("a file", "holds tensorboard already: give another --run-dir"),
    ],
)
def test_a_run_begins_in_no_folder_of_something_else(there: str, said: str, tmp_path: Path) -> None:
    if there == "a file":
        (tmp_path / "tensorboard").touch()
    else:
        config = default_config("kado", 2, run_dir=tmp_path)
        write_config(tmp_path, task_of(config), config)
    with pytest.raises(ValueError, match=said):
        train(short(tmp_path))


def test_imitation_may_be_all(tmp_path: Path) -> None:
    config = short(tmp_path, imitation_steps=10_000, steps=1)
    trainer = Trainer(config, Checkpoint(task_of(config)), tmp_path)
    trainer.run()
    assert not trainer.progress.imitation_over
    assert trainer.progress.updates == 1


def test_training_begins_with_the_network_of_a_policy(whole: Path, tmp_path: Path) -> None:
    """It has the width of that network, not the recipe's, and nobody is imitated before."""
    config = short(tmp_path, init=f"{whole}/policy.onnx", magnet=0.1, steps=1)
    usual, recipe = recipe_for("kododo", 3), default_config("kododo", 3, init=config.settings.init)
    trainer = Trainer(config, Checkpoint(task_of(config)), tmp_path)
    begun = network_of(whole / "policy.onnx")
    assert recipe.settings.width == begun.settings["width"] != usual.width
    assert (recipe.settings.expert, usual.expert) == ("", "heuristic")
    assert trainer.imitation_remaining() == 0
    assert trainer.learner.average is not None
    for mine in (trainer.learner.network, trainer.learner.average):
        for name, each in begun.state_dict().items():
            assert torch.equal(mine.state_dict()[name], each)
    trainer.run()
    again = Trainer(config, read_checkpoint(tmp_path / "checkpoint.zip"), tmp_path)
    for one in (begun, again.learner.network):
        differs = [
            not torch.equal(trainer.learner.network.state_dict()[name], each)
            for name, each in one.state_dict().items()
        ]
        assert any(differs) == (one is begun)


@pytest.mark.parametrize(
    ("init", "said"),
    [
        ("kododo-2p", "it is for 2 players, not 3"),
        ("kado-3p", "it is for game kado, not kododo"),
        ("nobody", "cannot read policy file nobody"),
    ],
)
def test_training_begins_with_no_policy_of_another_table(
    init: str, said: str, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=said):
        task_of(short(tmp_path, init=init))


def test_no_other_network_is_asked_for_than_the_one_to_begin_with(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"--width: the network of kododo-3p has \d+, not 16;"):
        task_of(short(tmp_path, init="kododo-3p"))


def test_the_options_beside_a_policy_to_begin_with_are_its_own_or_refused(whole: Path) -> None:
    """The recipe's width was taken for one that was not given, and passed over like imitation."""
    init = str(whole / "policy.onnx")
    own = defaults(Which(players=3, init=init))
    assert own.settings == task_of(own).recipe
    assert own.settings.width == network_of(init).settings["width"]
    usual = recipe_for("kododo", 3)
    with pytest.raises(ValueError, match=f"--width: the network of .* has 16, not {usual.width};"):
        task_of(default_config("kododo", 3, init=init, width=usual.width))
    imitation = {
        "expert": usual.expert, "imitation_steps": 5, "imitation_share": 0.5,
        "imitation_learning_rate": 0.1, "imitation_temperature": 0.1,
    }  # fmt: skip
    for name, value in imitation.items():
        with pytest.raises(ValueError, match=rf"--{name.replace('_', '-')}: nobody is imitated"):
            task_of(default_config("kododo", 3, init=init, **{name: value}))


@pytest.mark.parametrize(
    ("name", "needed"),
    [
        ("imitation_steps", "expert"),
        ("imitation_share", "expert"),
        ("imitation_learning_rate", "expert"),
        ("imitation_temperature", "expert"),
        ("opponents_share", "opponents"),
        ("magnet_updates", "magnet"),
    ],
)
def test_a_setting_is_refused_without_the_one_for_which_it_counts(name: str, needed: str) -> None:
    """It was passed over: the training did not do what its command line said."""
    value = {"magnet_updates": 7.0, "imitation_steps": 7}.get(name, 0.07)
    said = f"--{name.replace('_', '-')} counts only with --{needed}; give both or leave it out"
    with pytest.raises(ValueError, match=said):
        task_of(default_config("kododo", 3, "scratch", **{name: value}))
    given = {"expert": "heuristic", "opponents": ["heuristic"], "magnet": 0.1}[needed]
    task_of(default_config("kododo", 3, "scratch", **{name: value, needed: given}))


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (
            {"imitation_steps": 0, "imitation_share": 0.0, "imitation_learning_rate": 0.1},
            "--imitation-learning-rate counts only with --imitation-steps or --imitation-share;",
        ),
        (
            {"opponents": ("heuristic",), "opponents_share": 0.0},
            "--opponents counts only with --opponents-share; give both or leave it out",
        ),
        (
            {"opponents": ("heuristic",), "steps": 1000},
            "--opponents: .* no self-play",
        ),
    ],
)
def test_nothing_is_named_that_has_no_share(settings: dict[str, Any], said: str) -> None:
    """Such a run was trained to its end, and its config.json named players that it never met."""
    with pytest.raises(ValueError, match=said):
        task_of(default_config("kododo", 3, **settings))


def test_a_run_goes_on_without_its_teacher_when_imitation_is_over(
    whole: Path, tmp_path: Path
) -> None:
    """It read the teacher's file for nothing, and could never go on where that was gone."""
    teacher = tmp_path / "teacher.onnx"
    teacher.write_bytes((whole / "policy.onnx").read_bytes())
    run = tmp_path / "run"
    config = short(run, expert=str(teacher), imitation_steps=1, steps=2100)
    train(config)
    teacher.unlink()
    kept = defaults(Which(run_dir=run, resume=True))
    train(replace(kept, run_dir=run, resume=True, steps=3000, games=config.games))
    assert read_run(run).progress.steps >= 3000


def test_a_run_goes_on_without_the_policy_that_it_began_with(whole: Path, tmp_path: Path) -> None:
    init = tmp_path / "init.onnx"
    init.write_bytes((whole / "policy.onnx").read_bytes())
    config = short(tmp_path, init=str(init), steps=1)
    task = task_of(config)
    write_config(tmp_path, task, config)
    init.unlink()
    assert defaults(Which(run_dir=tmp_path, resume=True)).settings == task.recipe


SHARE = Estimate(0.3, 0.29, 0.31)


@pytest.mark.parametrize(
    ("curve", "words"),
    [
        ({500: (0.2, 0.18, 0.22)}, "0.200 .* at half time: it has risen"),
        ({490: (0.4, 0.38, 0.42), 1000: (0.3, 0.28, 0.32)}, "0.400 .* it has fallen"),
        ({510: (0.28, 0.26, 0.3)}, "at half time: no clear difference"),
        ({1000: (0.3, 0.28, 0.32)}, "at the end$"),
        ({}, "at the end$"),
    ],
)
def test_a_training_compares_its_share_at_half_time_with_that_at_the_end(
    curve: dict[int, tuple[float, float, float]], words: str
) -> None:
    points = [
        {"steps": steps, "seconds": 1.0, "shares": {"heuristic": Estimate(*share).to_json()}}
        for steps, share in curve.items()
    ]
    line = comparison(Progress(steps=1000, curve=points), "heuristic", SHARE)
    assert line.startswith("win share against heuristic: 0.300 (0.290 to 0.310)")
    assert re.search(words, line)
