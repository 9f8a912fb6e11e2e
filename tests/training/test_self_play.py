"""Self-play PPO: the buffer of decisions, the learner, runs that are killed and go on."""

from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import sys
import time
import weakref
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import Logger

from agents.commands.train import train
from agents.ppo.decision_buffer import DecisionBuffer
from agents.ppo.game_policy import GamePolicy
from agents.ppo.learning_schedule import entropy_of, learning_rate_of
from agents.ppo.recipes import Recipe, recipe_for, with_overrides
from agents.ppo.self_play_ppo import SelfPlayPPO
from agents.training.checkpoint import Progress, read_facts
from agents.training.run_folder import fresh_folder, write_config
from agents.training.trainer import Trainer
from agents.training.training_config import RecipeOverrides, TrainConfig, task_of
from kododo_env import kododo_v0
from kododo_env.core.view import View
from kododo_env.policy.onnx_agent import OnnxAgent
from kododo_env.wrappers.vec import BatchVecEnv, Step
from tests.command_line import assert_refused, run

ROOT = Path(__file__).parents[2]
SMALL = RecipeOverrides(num_envs=16, batch_size=256, width=16)


def learner(env: BatchVecEnv, algorithm: type[MaskablePPO] = SelfPlayPPO) -> MaskablePPO:
    layouts = {"layout": env.game.layout, "actions": env.game.actions, "width": 16}
    return algorithm(
        GamePolicy, env, n_steps=18, batch_size=128, n_epochs=2, gamma=1.0, seed=0,
        policy_kwargs=layouts, device="cpu",
    )  # fmt: skip


# --- the buffer ---------------------------------------------------------------------------


def slow_advantages(
    rewards: list[float], values: list[float], starts: list[bool], last_value: float,
    gamma: float, decided: list[bool], lam: float,
) -> list[float]:  # fmt: skip
    """Advantages of one slot, episode by episode, over its decisions only."""
    found = [0.0] * len(rewards)
    ends = [t for t in range(1, len(rewards)) if starts[t]] + [len(rewards)]
    begin = 0
    for end in ends:
        chosen = [t for t in range(begin, end) if decided[t]]
        advantage = 0.0
        for k in reversed(range(len(chosen))):
            t, following = chosen[k], chosen[k + 1] if k + 1 < len(chosen) else end
            gained = sum(rewards[t:following])
            if k + 1 < len(chosen):
                after = values[following]
            else:
                after = last_value if end == len(rewards) else 0.0
            advantage = gained + gamma * after - values[t] + gamma * lam * advantage
            found[t] = advantage
        begin = end
    return found


def test_advantages_run_over_a_slots_own_decisions() -> None:
    rng = np.random.default_rng(0)
    steps, slots = 12, 30
    buffer = DecisionBuffer(
        steps, spaces.Box(0, 9, (3,), np.uint8), spaces.Discrete(4), "cpu", 0.7, 0.9, slots
    )
    buffer.reset()
    rewards = rng.normal(size=(steps, slots)).astype(np.float32)
    values = rng.normal(size=(steps, slots)).astype(np.float32)
    starts, decided = rng.random((2, steps, slots)) < np.array([0.2, 0.5])[:, None, None]
    last, dones = torch.from_numpy(rng.normal(size=slots).astype(np.float32)), np.zeros(slots, bool)
    for t in range(steps):
        who = np.flatnonzero(decided[t])
        buffer.add_decisions(who, torch.from_numpy(values[t, who]))
        buffer.add_step(rewards[t], starts[t])
    buffer.gamma, buffer.gae_lambda = 0.9, 0.7
    buffer.compute_returns_and_advantage(last, dones)
    for slot in range(slots):
        expected = slow_advantages(
            rewards[:, slot].tolist(), values[:, slot].tolist(), starts[:, slot].tolist(),
            float(last[slot]), 0.9, decided[:, slot].tolist(), 0.7,
        )  # fmt: skip
        assert np.allclose(buffer.advantages[:, slot], expected, atol=1e-4)
    assert buffer.num_decisions == decided.sum()


def test_forced_moves_leave_no_transition() -> None:
    """In the long variant a finished game waits for the end of the deal with only the no-op."""
    env = BatchVecEnv(kododo_v0.batch_game(8, num_players=5, variant="long", seed=5), "win")
    model = learner(env)
    model.n_steps = model.rollout_buffer.buffer_size = 100
    model.learn(1)
    buffer = model.rollout_buffer
    assert isinstance(buffer, DecisionBuffer)
    packed = buffer.packed()
    assert (packed.masks.sum(dim=1) > 1).all()
    assert len(packed.actions) == buffer.num_decisions < 100 * env.num_envs
    assert packed.masks.gather(1, packed.actions[:, None]).all()  # only what was legal


# --- the learner --------------------------------------------------------------------------


def test_a_rollout_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kododo's self-play grew by a megabyte with each update: the callback named itself."""
    env = BatchVecEnv(kododo_v0.batch_game(4, seed=0), "win")
    model, seen = learner(env), []
    step_wait = env.step_wait

    def noted() -> Step:
        played = step_wait()
        seen.extend(weakref.ref(array) for array in played[:2])
        return played

    monkeypatch.setattr(env, "step_wait", noted)
    gc.disable()
    try:
        for _ in range(3):
            model.learn(1, reset_num_timesteps=False)
        left = sum(reference() is not None for reference in seen)
    finally:
        gc.enable()
    assert left <= 1  # the observations that the next rollout begins with


def test_unmodified_maskable_ppo_learns_with_the_policy_and_loads(tmp_path: Path) -> None:
    env = BatchVecEnv(kododo_v0.batch_game(4, seed=0), "margin")
    model = learner(env, MaskablePPO)
    model.learn(18 * env.num_envs)
    model.save(tmp_path / "model")
    loaded = MaskablePPO.load(tmp_path / "model")
    observation, masks = env.reset(), env.action_masks()
    for each in (model, loaded):
        actions, _ = each.predict(observation, action_masks=masks, deterministic=True)
        assert masks[np.arange(len(actions)), actions].all()
    for one, other in zip(model.policy.parameters(), loaded.policy.parameters(), strict=True):
        assert torch.equal(one, other)


def test_both_learners_act_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """What self-play samples from is what the policy answers through sb3-contrib's interface."""
    env = BatchVecEnv(kododo_v0.batch_game(16, seed=0))
    model = learner(env)
    monkeypatch.setattr(model, "train", lambda: None)
    seen = [env.reset()]
    step_wait = env.step_wait

    def watched() -> object:
        result = step_wait()
        seen.append(result[0])
        return result

    monkeypatch.setattr(env, "step_wait", watched)
    monkeypatch.setattr(env, "reset", lambda: seen[0])
    model.learn(1)
    packed = model.rollout_buffer.packed()
    observations = torch.from_numpy(np.concatenate(seen[:-1]))
    with torch.no_grad():
        values, log_probs, _ = model.policy.evaluate_actions(
            observations, packed.actions, packed.masks
        )
    assert torch.allclose(log_probs, packed.log_probs, atol=1e-4)
    assert np.allclose(values.numpy(), model.rollout_buffer.values.flatten(), atol=1e-4)


def test_learning_beats_its_own_start() -> None:
    """A tiny game with one obvious lesson: take the card that scores."""
    rules = {
        "num_players": 2, "num_colours": 2, "copies": (0, 6), "hand_size": 2, "plays": (1,),
        "removed_cards": 0, "limit_offset": 9, "kododo_offset": 9,
    }  # fmt: skip
    env = BatchVecEnv(kododo_v0.batch_game(64, seed=0, **rules), "score")
    model = learner(env)
    model.n_steps = model.rollout_buffer.buffer_size = 5
    first = None
    for _ in range(25):
        model.learn(1, reset_num_timesteps=False)
        mean = float(model.rollout_buffer.rewards.mean())
        first = mean if first is None else first
    assert mean > first + 0.1


class LastAction:
    """A teacher with a habit that is easily told: always the last legal action."""

    name = "last"

    def act(self, view: View, rng: np.random.Generator) -> np.ndarray:
        mask = view.legal_action_mask
        return np.asarray(view.num_actions - 1 - mask[:, ::-1].argmax(axis=1))


def test_a_teacher_is_imitated_at_first_and_then_no_more() -> None:
    env = BatchVecEnv(kododo_v0.batch_game(32, num_players=2, seed=0), "margin")
    model = learner(env)
    model.teacher, model.teacher_share = LastAction(), 0.5
    model.progress = lambda: 1.0
    agreed = []
    for _ in range(40):
        model.learn(1, reset_num_timesteps=False)
        packed = model.rollout_buffer.packed()
        last = packed.masks.shape[1] - 1 - packed.masks.flip(1).int().argmax(dim=1)
        assert (packed.actions == last).all()  # the teacher plays
        agreed.append(float(packed.log_probs.exp().mean()))
    assert agreed[-1] > agreed[0] + 0.15  # and the learner tends to do the same by now
    model.progress = lambda: 0.4
    model.learn(1, reset_num_timesteps=False)
    assert not (model.rollout_buffer.packed().actions == last).all()


def test_what_is_compiled_for_each_number_of_rows_is_not_kept_for_ever() -> None:
    """Training in bfloat16 grew by hundreds of MB, where the processor has it."""
    script = (
        "import psutil, torch, agents.ppo.self_play_ppo\n"
        "torch.set_num_threads(1)\n"
        "layer, resident = torch.nn.Linear(256, 256), []\n"
        "for rows in range(1, 801):\n"
        "    with torch.no_grad(), torch.autocast('cpu', torch.bfloat16):\n"
        "        layer(torch.zeros(rows, 256))\n"
        "    resident.append(psutil.Process().memory_info().rss)\n"
        "print(resident[-1] - resident[100])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert int(done.stdout) < 64 << 20


# --- runs ---------------------------------------------------------------------------------


def short(run_dir: Path, **changes: object) -> TrainConfig:
    settings: dict[str, object] = {
        "steps": 4 * 16 * 3 * 21, "run_dir": run_dir, "players": 3, "games": 30, "evaluations": 2,
        "threads": 1, "ppo": SMALL,
    }  # fmt: skip
    return TrainConfig(**(settings | changes))  # type: ignore[arg-type]


def weights(path: Path) -> list[np.ndarray]:
    import onnx

    return [onnx.numpy_helper.to_array(x) for x in onnx.load(path).graph.initializer]


def test_a_run_ends_with_everything_written(tmp_path: Path) -> None:
    train(short(tmp_path / "run"))
    names = {path.name for path in (tmp_path / "run").iterdir()}
    assert names == {
        "config.json", "checkpoint.zip", "policy.onnx", "results.json", "learning_curve.png",
        "tensorboard",
    }  # fmt: skip
    metadata = OnnxAgent(tmp_path / "run" / "policy.onnx").metadata
    assert metadata.training["steps"] == 4 * 16 * 3 * 21
    assert set(metadata.results) == set(json.loads((tmp_path / "run" / "results.json").read_text()))
    assert (tmp_path / "run" / "learning_curve.png").read_bytes().startswith(b"\x89PNG")


def test_the_same_seed_gives_the_same_bot_and_the_same_curve(tmp_path: Path) -> None:
    for name in ("one", "other"):
        train(short(tmp_path / name))
    train(short(tmp_path / "third", seed=1))
    one, other, third = (weights(tmp_path / n / "policy.onnx") for n in ("one", "other", "third"))
    assert all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))
    assert not all(np.array_equal(a, b) for a, b in zip(one, third, strict=True))
    curve, twin, stranger = (curve_of(tmp_path / name) for name in ("one", "other", "third"))
    assert len(curve) == 2
    assert curve == twin != stranger


@pytest.mark.parametrize("minutes", [None, 10.0])
def test_a_resumed_run_measures_as_the_unbroken_run(minutes: float | None, tmp_path: Path) -> None:
    """It counted the points of the curve: but an update may pass several at once, and with a
    larger budget a point is another share."""
    steps = None if minutes else 1000
    config = short(tmp_path, evaluations=8, steps=steps, minutes=minutes)
    curve = [{"seconds": 301.0, "steps": 501, "shares": {}}]
    trainer = Trainer(config, task_of(config), tmp_path, Progress(curve=curve))
    assert trainer._measured == 4


def curve_of(run: Path) -> list[tuple[int, dict[str, object]]]:
    """A run's learning curve, to the bit, without the time that it took."""
    _, progress = read_facts(run / "checkpoint.zip")
    return [(point["steps"], point["shares"]) for point in progress.curve]


def test_a_resumed_run_is_the_unbroken_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    train(short(tmp_path / "whole"))
    config = short(tmp_path / "broken")
    (tmp_path / "broken").mkdir()
    trainer = Trainer(config, task_of(config), tmp_path / "broken", Progress())
    update = Trainer._update

    def die_after_two(self: Trainer) -> None:
        if self.progress.updates == 2:
            raise SystemExit("killed")
        update(self)
        self.save()

    monkeypatch.setattr(Trainer, "_update", die_after_two)
    with pytest.raises(SystemExit):
        trainer.run()
    monkeypatch.undo()
    torch.manual_seed(999)  # whatever happens in between
    train(short(tmp_path / "broken", resume=True))
    for one, other in zip(
        weights(tmp_path / "whole" / "policy.onnx"),
        weights(tmp_path / "broken" / "policy.onnx"),
        strict=True,
    ):
        assert np.array_equal(one, other)


def test_a_killed_run_goes_on_and_its_policy_is_evaluated(tmp_path: Path) -> None:
    """As a person would: start, kill without mercy, resume, look at the policy."""
    run = tmp_path / "run"
    common = [
        sys.executable, "train.py", "--run-dir", str(run), "--players", "3", "--threads", "1",
        "--games", "30", "--evaluations", "2",
    ]  # fmt: skip
    small = ["--num-envs", "16", "--width", "16", "--checkpoint-minutes", "0.001"]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    started = subprocess.Popen(
        [*common, *small, "--minutes", "5"], cwd=ROOT, env=environment, stdout=subprocess.DEVNULL
    )
    patience = time.monotonic() + 120
    while not (run / "checkpoint.zip").exists() and time.monotonic() < patience:
        time.sleep(0.1)
    time.sleep(0.5)
    started.kill()
    started.wait()
    _, progress = read_facts(run / "checkpoint.zip")
    assert progress.updates >= 1
    spent = progress.seconds / 60
    resumed = subprocess.run(
        [*common, "--resume", "--minutes", f"{spent + 0.02:.4f}"],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert resumed.returncode == 0, resumed.stderr
    assert "win share" in resumed.stdout
    evaluated = subprocess.run(
        [sys.executable, "evaluate.py", "--agents", str(run / "policy.onnx"), "random", "greedy",
         "--players", "3", "--games", "60", "--workers", "1", "--json", str(tmp_path / "r.json")],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert evaluated.returncode == 0, evaluated.stderr
    assert (tmp_path / "r.json").exists()


def test_ctrl_c_ends_cleanly_with_everything_saved(tmp_path: Path) -> None:
    run = tmp_path / "run"
    command = [
        sys.executable, "train.py", "--run-dir", str(run), "--players", "2", "--threads", "1",
        "--games", "20", "--num-envs", "8", "--width", "16", "--checkpoint-minutes", "0.001",
    ]  # fmt: skip
    started = subprocess.Popen(
        command, cwd=ROOT, env=os.environ | {"OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    patience = time.monotonic() + 120
    while not (run / "checkpoint.zip").exists() and time.monotonic() < patience:
        time.sleep(0.1)
    started.send_signal(signal.SIGINT)
    out, err = started.communicate(timeout=120)
    assert started.returncode == 130, err
    assert "stopped early" in out
    assert err == f"\nstopped: go on with: python train.py --resume --run-dir {run}\n"
    assert (run / "policy.onnx").exists()


# --- bad input ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--minutes", "0"], "--minutes must be above 0 and at most 525600, not 0.0"),
        (["--steps", "-5"], "--steps must be 1 to 1000000000000, not -5"),
        (["--minutes", "1", "--steps", "5"], "--minutes or --steps, not both"),
        (["--players", "7"], "2 to 5 players, not 7"),
        (["--game", "poker"], "unknown game 'poker'"),
        (["--rules", "variant=endless"], "variant must be"),
        (["--rules", "variant"], "name=value"),
        (["--rules", "colour=3"], "no rule 'colour'"),
        (["--seed", "-1"], "--seed must be 0 to 4294967295, not -1"),
        (["--learning-rate", "0"], "--learning-rate must be above 0 and at most 1"),
        (["--checkpoint-minutes", "-1"], "--checkpoint-minutes must be above 0"),
        (["--run-dir", "/proc/none"], "cannot write to the run folder"),
        (["--resume"], "--resume needs --run-dir"),
        (["--resume", "--run-dir", "nowhere"], "no checkpoint"),
        (["--players", "four"], "--players"),
    ],
)
def test_bad_arguments_are_one_line_and_status_2(
    arguments: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert_refused(run(capsys, TrainConfig, train, arguments), said, tmp_path)


def test_a_folder_with_a_run_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ValueError, match="holds a run already"):
        train(short(tmp_path))


@pytest.mark.parametrize("resume", [False, True])
def test_a_run_killed_before_its_first_checkpoint_begins_again(
    resume: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Without --resume it "holds a run already", with it there was "no checkpoint"."""
    config = short(tmp_path, seed=5)
    write_config(tmp_path, task_of(config), config)
    begun: list[Trainer] = []
    monkeypatch.setattr(Trainer, "run", lambda self: begun.append(self) or 1 / 0)
    with pytest.raises(ZeroDivisionError):
        train(TrainConfig(run_dir=tmp_path, resume=True) if resume else config)
    assert [(each.task, each.progress) for each in begun] == [(task_of(config), Progress())]
    said = capsys.readouterr().out.splitlines()
    assert said[1:] == ["it was stopped before its first checkpoint and begins again"]


def test_a_finished_run_without_its_checkpoint_is_not_begun_again(tmp_path: Path) -> None:
    config = short(tmp_path)
    write_config(tmp_path, task_of(config), config)
    (tmp_path / "policy.onnx").touch()
    with pytest.raises(ValueError, match="holds a run already: give another --run-dir"):
        train(config)


def test_runs_that_begin_at_the_same_time_find_different_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    task = task_of(TrainConfig())
    with fresh_folder(None, task) as one, fresh_folder(None, task) as other:
        folders = [one, other]
    assert folders == [Path("runs/kododo-4p"), Path("runs/kododo-4p-2")]
    monkeypatch.setattr("agents.commands.train.Trainer", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        train(TrainConfig())
    assert not Path("runs").exists()


def test_a_run_that_cannot_begin_leaves_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agents.commands.train.Trainer", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        train(short(tmp_path / "a" / "b"))
    assert not (tmp_path / "a").exists()


def test_damaged_and_foreign_checkpoints_are_refused(tmp_path: Path) -> None:
    train(short(tmp_path / "run", steps=1))
    path = tmp_path / "run" / "checkpoint.zip"
    with pytest.raises(ValueError, match="number of players 3, not 2"):
        train(short(tmp_path / "run", players=2, resume=True))
    with pytest.raises(ValueError, match="rule limit_offset 3, not 4"):
        train(short(tmp_path / "run", rules=("limit_offset=4",), resume=True))
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(ValueError, match="not a checkpoint of a training run, or is damaged"):
        train(short(tmp_path / "run", resume=True))
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("facts.json", "{}")
    with pytest.raises(ValueError, match="not a checkpoint of a training run, or is damaged"):
        train(short(tmp_path / "run", resume=True))


# --- schedules ----------------------------------------------------------------------------


def test_imitation_and_self_play_each_run_their_whole_course() -> None:
    recipe = Recipe(
        teacher_share=0.25, teacher_learning_rate=1.0, learning_rate=0.4, final_learning_rate=0.1,
        entropy=0.03, final_entropy=0.01,
    )  # fmt: skip
    rate, entropy = learning_rate_of(recipe), entropy_of(recipe)
    done = (0.0, 0.125, 0.2499, 0.25, 0.625, 1.0)
    assert np.allclose([rate(1 - d) for d in done], [1, 0.505, 0.01, 0.4, 0.25, 0.1], atol=1e-3)
    assert np.allclose(
        [entropy(1 - d) for d in done], [0.03, 0.03, 0.03, 0.03, 0.02, 0.01], atol=1e-3
    )


def test_who_is_not_taught_learns_faster_from_the_start() -> None:
    """Once it began at the rates meant for a bot that has been taught: KADO's learned nothing."""
    taught = recipe_for("kado", 3)
    alone = with_overrides(taught, {"teacher": "", "width": None})
    assert learning_rate_of(alone)(1.0) >= 10 * learning_rate_of(taught)(0.1)
    assert alone.muon == 0
    assert with_overrides(taught, {"teacher_share": 0.0}).learning_rate == alone.learning_rate
    assert with_overrides(taught, {"teacher": "", "learning_rate": 0.5}).learning_rate == 0.5
    once = recipe_for("kododo", 4)  # one pass, which was measured from taught weights only
    assert (once.epochs, with_overrides(once, {"teacher": ""}).epochs) == (1, 3)
    assert with_overrides(taught, {"teacher": None}) == taught


@pytest.mark.parametrize("changed", [{"teacher": ""}, {"teacher_share": 0.0}])
def test_without_a_teacher_self_play_has_the_whole_course(changed: dict[str, Any]) -> None:
    rate = learning_rate_of(Recipe(learning_rate=0.4, final_learning_rate=0.1, **changed))
    assert np.allclose([rate(1.0), rate(0.5), rate(0.0)], [0.4, 0.25, 0.1])


def test_imitation_alone_ends_with_its_own_rate() -> None:
    rate = learning_rate_of(Recipe(teacher_share=1.0, teacher_learning_rate=1.0))
    assert np.allclose([rate(1.0), rate(1e-9)], [1.0, 0.01])


# --- scripted opponents -------------------------------------------------------------------


def test_scripted_opponents_take_turns_in_their_share_of_the_updates() -> None:
    recipe = Recipe(opponents=("heuristic", "follow"), opponents_share=0.4)
    order = [recipe.opponent_of(update) for update in range(10)]
    assert order == [None, None, "heuristic", None, "follow"] * 2
    assert {Recipe(opponents=()).opponent_of(update) for update in range(10)} == {None}
    assert {Recipe(opponents_share=0.0).opponent_of(update) for update in range(10)} == {None}
    assert {Recipe(opponents_share=1.0).opponent_of(update) for update in range(4)} == {
        "heuristic", "follow",
    }  # fmt: skip


def test_updates_against_scripted_players_have_one_learner_at_a_table(tmp_path: Path) -> None:
    config = short(
        tmp_path / "run",
        ppo=replace(SMALL, teacher="", opponents=("heuristic", "follow"), opponents_share=0.5),
    )
    task = task_of(config)
    trainer = Trainer(config, task, tmp_path / "run", Progress())
    trainer.model.set_logger(Logger(None, []))
    seats = []
    for _ in range(4):
        trainer._update()
        env = trainer.model.get_env()
        assert isinstance(env, BatchVecEnv)
        seats.append([agent and agent.name for agent in env.opponents])
        assert trainer.model.rollout_buffer.num_decisions == trainer.model.num_timesteps / len(
            seats
        )
    itself, players = [None] * task.num_players, task.num_players - 1
    assert seats == [
        itself,
        [None] + ["heuristic"] * players,
        itself,
        [None] + ["follow"] * players,
    ]
