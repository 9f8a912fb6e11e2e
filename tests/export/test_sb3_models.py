"""Models of stable-baselines3 and sb3-contrib as policy files: they choose as ``predict`` does."""

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
from kododo_env.policy.onnx_agent import OnnxAgent
from kododo_env.wrappers.sb3 import BatchVecEnv
from tests.export.test_export import GAME, check_plays, check_searched


def env(**options: Any) -> BatchVecEnv:
    return BatchVecEnv(GAME.fresh(4, 0), illegal_action="random", **options)


def told(words: str) -> Any:
    return pytest.warns(UserWarning, match=words)


SPLIT = {"policy_kwargs": {"share_features_extractor": False}}
MODELS: dict[str, tuple[Any, dict[str, Any], dict[str, Any], bool]] = {
    "MaskablePPO": (MaskablePPO, {"n_steps": 18, "batch_size": 72}, {}, False),
    "PPO of dictionaries": (
        PPO, {"n_steps": 18, "batch_size": 72, **SPLIT},
        {"normalize": True, "action_mask": "observation"}, True,
    ),
    "A2C": (A2C, {}, {"observation_dtype": "float32"}, True),
    "A2C as RLlib": (A2C, {}, {"normalize": True, "action_mask": "rllib"}, False),
    "DQN": (DQN, {"learning_starts": 0}, {"normalize": True}, False),
    "QRDQN": (QRDQN, {"learning_starts": 0}, {"normalize": True}, False),
}  # fmt: skip
"""Of each the class, its settings, the options of its environment, and whether there is a
VecNormalize around that."""


def choices(model: Any, seen: Any, mask: Any) -> Any:
    """The likeliest legal actions by a model that knows no masks."""
    given, _ = model.policy.obs_to_tensor(seen)
    if isinstance(model, DQN):
        likes = model.q_net(given)
    elif isinstance(model, QRDQN):
        likes = model.quantile_net(given).mean(dim=1)
    else:
        likes = model.policy.get_distribution(given).distribution.logits
    return np.where(mask == 1, likes.detach().numpy(), -np.inf).argmax(axis=1)


@pytest.mark.parametrize("name", MODELS)
def test_a_model(name: str, tmp_path: Path) -> None:
    kind, settings, options, normalized = MODELS[name]
    envs: Any = VecNormalize(env(**options)) if normalized else env(**options)
    policy = "MultiInputPolicy" if "action_mask" in options else "MlpPolicy"
    cut = normalized and "action_mask" in options  # its mask, normalised and in a buffer of int8
    with told("VecNormalize scales the action masks") if cut else nullcontext():
        model = kind(policy, envs, seed=0, **settings).learn(300)
    with told("action_mask that its buffer cut to int8: train with") if cut else nullcontext():
        path = export(model, GAME, tmp_path / "model.onnx")

    def choose(seen: Any, mask: Any) -> Any:
        """Among legal actions; where predict knows no masks, that is seen in those it likes."""
        seen = envs.normalize_obs(seen) if normalized else seen
        if kind is MaskablePPO:
            return model.predict(seen, deterministic=True, action_masks=mask)[0]
        return choices(model, seen, mask)

    agent = check_plays(path, choose, **{"action_mask": "info", **options})
    check_searched(path)
    assert isinstance(agent, ValueAgent) == (kind not in (DQN, QRDQN))
    assert agent.metadata.training["model"] == kind.__name__
    library, number = agent.metadata.training["library"].split()
    assert number == version(library)


def test_a_model_whose_buffer_has_cut_what_was_normalised(tmp_path: Path) -> None:
    """The door's numbers are uint8, and so is A2C's buffer: it has learned from other ones."""
    model = A2C("MlpPolicy", VecNormalize(env()), n_steps=2, seed=0).learn(4)
    kept = model.rollout_buffer.observations
    assert kept.dtype == np.uint8
    with pytest.warns(UserWarning, match="observations that its buffer cut to uint8: train with"):
        export(model, GAME, tmp_path / "model.onnx")


def test_a_model_that_saw_a_part_of_normalised_dictionaries(tmp_path: Path) -> None:
    """The numbers of all parts were taken for those of the one: a traceback."""
    envs = VecExtractDictObs(VecNormalize(env(action_mask="observation")), "observation")
    with pytest.raises(ValueError, match="VecExtractDictObs must be within VecNormalize"):
        export(A2C("MlpPolicy", envs), GAME, tmp_path / "model.onnx")


def test_a_model_without_the_statistics_of_its_vec_normalize(tmp_path: Path) -> None:
    """It was exported as if it had learned from the door's own numbers, and played worse."""
    options = {"observation_dtype": "float32"}
    envs = VecNormalize(env(**options))
    model = A2C("MlpPolicy", envs, n_steps=2, seed=0).learn(40)
    model.save(tmp_path / "model.zip")
    envs.save(str(tmp_path / "statistics.pkl"))
    own = env(**options)
    for lost in (
        A2C.load(tmp_path / "model.zip"),
        A2C.load(tmp_path / "model.zip", env=own),
        A2C.load(tmp_path / "model.zip", env=VecNormalize(own)),
    ):
        with pytest.warns(UserWarning, match=r"VecNormalize\.load") as warned:
            export(lost, GAME, tmp_path / "lost.onnx")
        assert [each.filename for each in warned] == [__file__]
    found = VecNormalize.load(str(tmp_path / "statistics.pkl"), own)
    whole = A2C.load(tmp_path / "model.zip", env=found)
    path = export(whole, GAME, tmp_path / "whole.onnx")

    def choose(seen: Any, mask: Any) -> Any:
        return choices(model, envs.normalize_obs(seen), mask)

    check_plays(path, choose, action_mask="info", **options)


@pytest.mark.parametrize("kind", [A2C, DQN])
def test_a_model_that_has_learned_from_the_doors_own_numbers(kind: Any, tmp_path: Path) -> None:
    """No statistics are missing: it had a VecNormalize of rewards alone."""
    envs = VecNormalize(env(normalize=True), norm_obs=False)
    kind("MlpPolicy", envs, seed=0).learn(40).save(tmp_path / "model.zip")
    export(kind.load(tmp_path / "model.zip"), GAME, tmp_path / "model.onnx")


def test_the_value_is_the_models_own(tmp_path: Path) -> None:
    model = MaskablePPO("MlpPolicy", env(normalize=True), n_steps=18, batch_size=72, seed=0)
    agent = OnnxAgent(export(model, GAME, tmp_path / "model.onnx"))
    game = GAME.fresh(5, 1)
    seen, _ = model.policy.obs_to_tensor(game.observe()[:, 1] / GAME.layout.maxima)
    want = model.policy.predict_values(seen).detach().numpy()[:, 0]
    assert np.allclose(agent.value(game.view(1)), want, atol=1e-5)


class JaxPolicy(BasePolicy):
    """As those of SBX: a policy of stable-baselines3 whose weights are no tensors of torch."""

    def _predict(self, observation: Any, deterministic: bool = False) -> Any:
        raise NotImplementedError


def of_jax(name: str) -> Any:
    """A model as SBX makes it, which has the names of stable-baselines3."""
    model = A2C("MlpPolicy", env())
    model.policy = JaxPolicy(model.observation_space, model.action_space)  # type: ignore[assignment]
    model.__class__ = type(name, (A2C,), {"__module__": "sbx.ppo.ppo"})
    return model


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: RecurrentPPO("MlpLstmPolicy", env(), n_steps=18),
            "RecurrentPPO cannot be exported: it is recurrent",
        ),
        (lambda: ARS("LinearPolicy", env()), "ARS has no logits or Q-values"),
        (lambda: of_jax("PPO"), "sbx's PPO has no network of torch"),
        (
            lambda: A2C("MlpPolicy", BatchVecEnv(registry.batch_game("kododo", 4, num_players=2))),
            "which no options of the doors give here: kododo with 3 players has (",
        ),
    ],
    ids=["recurrent", "evolved", "of jax", "another table"],
)
def test_models_that_are_no_players(make: Any, words: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"\A[^\n]+\Z") as refused:
        export(make(), GAME, tmp_path / "model.onnx")
    assert words in str(refused.value)
