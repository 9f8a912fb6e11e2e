"""Export models of stable-baselines3 and sb3-contrib: the files choose as ``predict`` does."""

from __future__ import annotations

from contextlib import nullcontext
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sb3_contrib import ARS, QRDQN, MaskablePPO, RecurrentPPO
from stable_baselines3 import A2C, DQN, PPO
from stable_baselines3.common.policies import BasePolicy
from stable_baselines3.common.vec_env import VecExtractDictObs, VecNormalize

from kododo_env import registry
from kododo_env.core.agent import ValueAgent
from kododo_env.export import export
from kododo_env.wrappers.sb3 import BatchVecEnv
from tests.export.test_export import GAME, check_plays, check_searched


def env(**options: Any) -> BatchVecEnv:
    return BatchVecEnv(GAME.fresh(4, 0), illegal_action="random", **options)


def expect_warning(words: str) -> Any:
    return pytest.warns(UserWarning, match=words)


SPLIT = {"policy_kwargs": {"share_features_extractor": False}}
MODELS: dict[str, tuple[Any, dict[str, Any], dict[str, Any], bool]] = {
    "MaskablePPO": (MaskablePPO, {"n_steps": 18, "batch_size": 72}, {}, False),
    "PPO of dictionaries": (
        PPO, {"n_steps": 18, "batch_size": 72, **SPLIT},
        {"normalize": True, "action_mask": "observation"}, True,
    ),
    "A2C as RLlib": (A2C, {}, {"normalize": True, "action_mask": "rllib"}, False),
    "DQN": (DQN, {"learning_starts": 0}, {"normalize": True}, False),
    "QRDQN": (QRDQN, {"learning_starts": 0}, {"normalize": True}, False),
}  # fmt: skip
"""Name to (class, settings, options of the environment, whether it is in a VecNormalize)."""


def choices(model: Any, observation: Any, mask: Any) -> Any:
    """Return the legal actions with the highest logits of a model that knows no masks."""
    inputs, _ = model.policy.obs_to_tensor(observation)
    if isinstance(model, DQN):
        logits = model.q_net(inputs)
    elif isinstance(model, QRDQN):
        logits = model.quantile_net(inputs).mean(dim=1)
    else:
        logits = model.policy.get_distribution(inputs).distribution.logits
    return np.where(mask == 1, logits.detach().numpy(), -np.inf).argmax(axis=1)


@pytest.mark.parametrize("name", MODELS)
def test_a_model(name: str, tmp_path: Path) -> None:
    kind, settings, options, normalized = MODELS[name]
    envs: Any = VecNormalize(env(**options)) if normalized else env(**options)
    policy = "MultiInputPolicy" if "action_mask" in options else "MlpPolicy"
    cut = normalized and "action_mask" in options  # its mask, normalised and in a buffer of int8
    with expect_warning("VecNormalize scales the action masks") if cut else nullcontext():
        model = kind(policy, envs, seed=0, **settings).learn(300)
    with expect_warning("action_mask that its buffer truncated to int8") if cut else nullcontext():
        path = export(model, GAME, tmp_path / "model.onnx")

    def choose(observation: Any, mask: Any) -> Any:
        if normalized:
            observation = envs.normalize_obs(observation)
        if kind is MaskablePPO:
            return model.predict(observation, deterministic=True, action_masks=mask)[0]
        return choices(model, observation, mask)

    agent = check_plays(path, choose, **{"action_mask": "info", **options})
    check_searched(path)
    assert isinstance(agent, ValueAgent) == (kind not in (DQN, QRDQN))
    assert agent.metadata.training["model"] == kind.__name__
    library, number = agent.metadata.training["library"].split()
    assert number == version(library)


def test_a_model_whose_buffer_has_cut_what_was_normalised(tmp_path: Path) -> None:
    """The environment gives uint8, and so A2C's buffer truncates normalised numbers."""
    model = A2C("MlpPolicy", VecNormalize(env()), n_steps=2, seed=0).learn(4)
    assert model.rollout_buffer.observations.dtype == np.uint8
    with pytest.warns(UserWarning, match="observations that its buffer truncated to uint8"):
        export(model, GAME, tmp_path / "model.onnx")


def test_a_model_that_saw_a_part_of_normalised_dictionaries(tmp_path: Path) -> None:
    """The statistics of all parts were used for one of them: a traceback."""
    envs = VecExtractDictObs(VecNormalize(env(action_mask="observation")), "observation")
    with pytest.raises(ValueError, match="VecExtractDictObs must be inside"):
        export(A2C("MlpPolicy", envs), GAME, tmp_path / "model.onnx")


def test_a_model_without_the_statistics_of_its_vec_normalize(tmp_path: Path) -> None:
    """It was exported as if trained on unnormalised observations, and played worse."""
    options = {"observation_dtype": "float32"}
    envs = VecNormalize(env(**options))
    model = A2C("MlpPolicy", envs, n_steps=2, seed=0).learn(40)
    model.save(tmp_path / "model.zip")
    envs.save(str(tmp_path / "statistics.pkl"))
    plain_envs = env(**options)
    for lost in (
        A2C.load(tmp_path / "model.zip"),
        A2C.load(tmp_path / "model.zip", env=VecNormalize(plain_envs)),
    ):
        with pytest.warns(UserWarning, match=r"VecNormalize\.load") as warned:
            export(lost, GAME, tmp_path / "lost.onnx")
        assert [warning.filename for warning in warned] == [__file__]
    restored = VecNormalize.load(str(tmp_path / "statistics.pkl"), plain_envs)
    whole = A2C.load(tmp_path / "model.zip", env=restored)
    path = export(whole, GAME, tmp_path / "whole.onnx")

    def choose(observation: Any, mask: Any) -> Any:
        return choices(model, envs.normalize_obs(observation), mask)

    check_plays(path, choose, action_mask="info", **options)


def test_a_model_of_unnormalised_observations(tmp_path: Path) -> None:
    """No statistics are missing: VecNormalize scaled only rewards."""
    envs = VecNormalize(env(normalize=True), norm_obs=False)
    A2C("MlpPolicy", envs, seed=0).learn(40).save(tmp_path / "model.zip")
    export(A2C.load(tmp_path / "model.zip"), GAME, tmp_path / "model.onnx")


class JaxPolicy(BasePolicy):
    """A policy without torch weights, like those of SBX."""

    def _predict(self, observation: Any, deterministic: bool = False) -> Any:
        raise NotImplementedError


def of_jax(name: str) -> Any:
    """Return a model like those of SBX, which have the names of stable-baselines3."""
    model = A2C("MlpPolicy", env())
    model.policy = JaxPolicy(model.observation_space, model.action_space)  # type: ignore[assignment]
    model.__class__ = type(name, (A2C,), {"__module__": "sbx.ppo.ppo"})
    return model


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: RecurrentPPO("MlpLstmPolicy", env(), n_steps=18),
            "RecurrentPPO cannot be exported: the model is recurrent",
        ),
        (lambda: ARS("LinearPolicy", env()), "ARS has no logits or Q-values"),
        (lambda: of_jax("PPO"), "the PPO of sbx has no torch network"),
        (
            lambda: A2C("MlpPolicy", BatchVecEnv(registry.batch_game("kododo", 4, num_players=2))),
            "kododo with 3 players has observations (",
        ),
    ],
    ids=["recurrent", "evolved", "of jax", "another table"],
)
def test_models_that_cannot_be_exported(make: Any, words: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"\A[^\n]+\Z") as error:
        export(make(), GAME, tmp_path / "model.onnx")
    assert words in str(error.value)
