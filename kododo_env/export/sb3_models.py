"""Convert models of stable-baselines3 and sb3-contrib to ONNX."""

from __future__ import annotations

import warnings
from copy import deepcopy
from importlib.metadata import version
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from torch import Tensor, nn

from kododo_env.arrays.dtypes import Array, Float32, Int8
from kododo_env.core.agent import TIE
from kododo_env.core.batch_game import BatchGame
from kododo_env.export.onnx_models import STATELESS, TrainedModel
from kododo_env.export.parity import Answers
from kododo_env.export.torch_models import from_module
from kododo_env.policy.plain_text import plain
from kododo_env.wrappers.spaces import MaskPlace, ObservationFormat

_SUPPORTED = "supported models are MaskablePPO, PPO, A2C, TRPO, DQN and QRDQN"
_CUT = (
    "with VecNormalize the model was trained on {name} that its buffer truncated to {type}: train "
    "with observation_dtype='float32', and for dictionaries with norm_obs_keys=['observation']"
)
_WITHOUT_STATISTICS = (
    "the model seems to have been trained with VecNormalize, but is exported without its "
    "statistics and will play worse: load the model with "
    "env=VecNormalize.load('statistics.pkl', envs)"
)
_RECURRENT = f"the model is recurrent; {STATELESS}"


def from_model(model: Any, game: BatchGame) -> TrainedModel:
    """Convert a model to ONNX, including its features extractor and its VecNormalize.

    Raises:
        ValueError: The model is of an unsupported kind, or its spaces are not those of the game.
    """
    library = type(model).__module__.partition(".")[0]
    kind = type(model).__name__
    if next(model.policy.parameters(), None) is None:
        raise ValueError(
            f"the {kind} of {library} has no torch network (SBX uses jax): train with "
            "stable-baselines3, or export a torch.nn.Module with the same weights"
        )
    form = _form_of(model, game)
    if _lacks_statistics(model):
        warnings.warn(_WITHOUT_STATISTICS, stacklevel=4)  # at the call of export()
    trained = from_module(_Policy(model, form), game, form)
    if library not in ("stable_baselines3", "sb3_contrib"):  # the class is defined elsewhere
        library = "stable_baselines3"
    made_by = {"library": f"{library} {version(library)}", "model": kind}
    return trained._replace(made_by=made_by, answers=_checked(model, form, trained.answers))


def _lacks_statistics(model: Any) -> bool:
    """Return whether a model was trained with VecNormalize, but has lost its statistics.

    A saved model has its last observations, unless it was loaded with an environment. If they lie
    outside its observation space, they were normalised.
    """
    normalizer = model.get_vec_normalize_env()
    if normalizer is not None:
        if not normalizer.norm_obs or not model.num_timesteps:
            return False
        moments = normalizer.obs_rms
        statistics = moments.values() if isinstance(moments, dict) else (moments,)
        return all(statistic.count < 1 for statistic in statistics)  # no observation yet
    space = model.observation_space
    observations = model._last_obs
    if observations is None:  # off-policy models have _last_original_obs without a VecNormalize too
        return hasattr(model, "rollout_buffer") and model._last_original_obs is not None
    if isinstance(observations, dict):
        return not all(
            space[name].contains(row) for name, rows in observations.items() for row in rows
        )
    return not all(space.contains(row) for row in observations)


def _form_of(model: Any, game: BatchGame) -> ObservationFormat:
    """Find the observation format of a model by its spaces.

    Raises:
        ValueError: No options of this game's environments give such observations or actions.
    """
    space = model.observation_space
    in_observation = isinstance(space, spaces.Dict)
    rllib = in_observation and "observations" in space.spaces
    box = space.spaces.get("observations" if rllib else "observation") if in_observation else space
    form = None
    if isinstance(box, spaces.Box) and box.shape == (game.layout.size,):
        normalize = box.dtype.kind == "f" and bool((box.high <= 1).all())
        where: MaskPlace = "rllib" if rllib else "observation" if in_observation else "info"
        layouts = getattr(box, "layouts", None)
        canonical = layouts is not None and layouts.canonical
        form = ObservationFormat(game, box.dtype, normalize, where, canonical)
    if form is None or form.space != space:
        expected = _summary(ObservationFormat(game, action_mask="info").space)
        raise ValueError(
            f"{game.name} with {game.num_players} players has observations {expected}, "
            f"got a model of {_summary(space)}"
        )
    actions = model.action_space
    if not isinstance(actions, spaces.Discrete) or actions.n != game.num_actions:
        raise ValueError(f"the game has {game.num_actions} actions, got a model of {actions}")
    return form


def _summary(space: Any) -> str:
    if isinstance(space, spaces.Box):
        return f"{space.shape} of {space.dtype} up to {space.high.max():g}"
    return plain(space)


class _Policy(nn.Module):
    """A model's policy as a module: observations to logits or Q-values, and values if any."""

    def __init__(self, model: Any, form: ObservationFormat) -> None:
        super().__init__()
        last = getattr(model.policy, "action_dist", None)  # its tensors cannot be copied
        self.policy = deepcopy(model.policy, {id(last): last})
        self.policy.action_dist = None
        self._logits = _logits_of(model)
        normalizer = model.get_vec_normalize_env()
        self._normalizers: dict[str, tuple[Tensor, Tensor, float]] = {}
        if normalizer is not None and normalizer.norm_obs:
            moments = normalizer.obs_rms
            if isinstance(moments, dict) and not form.in_observation:
                raise ValueError(
                    "the model takes only a part of the observations of its VecNormalize: "
                    "VecExtractDictObs must be inside VecNormalize, not around it"
                )
            for name, statistic in (moments if form.in_observation else {"": moments}).items():
                box = model.observation_space[name] if name else model.observation_space
                if box.dtype.kind != "f" and hasattr(model, "rollout_buffer"):
                    message = _CUT.format(name=name or "observations", type=box.dtype)
                    warnings.warn(message, stacklevel=5)  # at the call of export()
                mean = torch.as_tensor(statistic.mean)
                deviation = torch.as_tensor(np.sqrt(statistic.var + normalizer.epsilon))
                self._normalizers[name] = mean, deviation, float(normalizer.clip_obs)

    def forward(self, observation: Any) -> Any:
        if isinstance(observation, dict):
            normalized = {
                name: self._normalized(name, numbers) for name, numbers in observation.items()
            }
            return self._logits(self.policy, normalized)
        return self._logits(self.policy, self._normalized("", observation))

    def _normalized(self, name: str, numbers: Tensor) -> Tensor:
        """Normalise like ``VecNormalize.normalize_obs``, in double precision."""
        if name not in self._normalizers:
            return numbers
        mean, deviation, bound = self._normalizers[name]
        return ((numbers.double() - mean) / deviation).clip(-bound, bound).float()


def _logits_of(model: Any) -> Any:
    """Return a function of a model's policy and observations: logits, or logits and values.

    Raises:
        ValueError: The model is recurrent, or has neither logits nor Q-values.
    """
    policy = model.policy
    kind = type(model).__name__
    if any(hasattr(policy, name) for name in ("lstm_actor", "lstm_critic")):
        raise ValueError(f"{kind} cannot be exported: {_RECURRENT}")
    if hasattr(policy, "action_net") and hasattr(policy, "value_net"):
        return _actor_critic
    if hasattr(policy, "q_net"):
        return lambda policy, observation: policy.q_net(observation)
    if hasattr(policy, "quantile_net"):
        return lambda policy, observation: policy.quantile_net(observation).mean(dim=1)
    raise ValueError(f"{kind} has no logits or Q-values of the actions; {_SUPPORTED}")


def _actor_critic(policy: Any, observation: Any) -> tuple[Tensor, Tensor]:
    features = policy.extract_features(observation)
    if policy.share_features_extractor:
        features = features, features
    actor = policy.mlp_extractor.forward_actor(features[0])
    critic = policy.mlp_extractor.forward_critic(features[1])
    return policy.action_net(actor), policy.value_net(critic)


def _checked(model: Any, form: ObservationFormat, answers: Answers) -> Answers:
    """Wrap answers to check them against the model's ``predict``, which is called without masks."""

    def checked(numbers: Array, mask: Int8) -> tuple[Float32, Float32 | None]:
        logits, values = answers(numbers, mask)
        observation = form.observation(numbers, mask)
        normalizer = model.get_vec_normalize_env()
        if normalizer is not None:
            observation = normalizer.normalize_obs(observation)
        chosen, _ = model.predict(observation, deterministic=True)
        lost = logits.max(axis=1) - np.take_along_axis(logits, chosen[:, None], 1)[:, 0]
        if lost.max() > TIE:
            raise ValueError(
                "the model's predict() chooses other actions than its action_net or q_net: export "
                "a torch.nn.Module that outputs the logits that predict() uses"
            )
        return logits, values

    return checked
