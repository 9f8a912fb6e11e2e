"""Models of stable-baselines3 and sb3-contrib, whose spaces tell how they saw the game."""

from __future__ import annotations

import warnings
from copy import deepcopy
from importlib.metadata import version
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from torch import Tensor, nn

from kododo_env.core.agent import TIE
from kododo_env.core.arrays import Array, Float32, Int8
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.canonical import CanonicalForm
from kododo_env.export.onnx_models import STATELESS
from kododo_env.export.parity import Answers
from kododo_env.export.torch_models import from_module
from kododo_env.export.trained import Trained
from kododo_env.policy.plain_text import plain
from kododo_env.wrappers.spaces import MaskPlace, ObservationFormat

_TAKEN = "MaskablePPO, PPO, A2C, TRPO, DQN and QRDQN are taken"
_CUT = (
    "under VecNormalize the model has learned from {name} that its buffer cut to {type}: train "
    "with observation_dtype='float32', and dictionaries with norm_obs_keys=['observation']"
)
_WITHOUT_STATISTICS = (
    "the model seems to have learned from observations that a VecNormalize normalised, and is "
    "exported without its statistics, so that it plays worse: load it with "
    "env=VecNormalize.load('statistics.pkl', envs)"
)
_RECURRENT = f"it is recurrent; {STATELESS}"


def from_model(model: Any, game: BatchGame) -> Trained:
    """A model as ONNX, with its features extractor and the VecNormalize of its environment.

    Raises:
        ValueError: It is of another kind, or has other observations or actions than the game.
    """
    library, kind = type(model).__module__.partition(".")[0], type(model).__name__
    if next(model.policy.parameters(), None) is None:
        raise ValueError(
            f"{library}'s {kind} has no network of torch (those of SBX are of jax): train with "
            "stable-baselines3, or export a torch.nn.Module with the same weights"
        )
    form = _form_of(model, game)
    if _lacks_statistics(model):
        warnings.warn(_WITHOUT_STATISTICS, stacklevel=4)  # in the line that exports
    found = from_module(_Policy(model, form), game, form)
    if library not in ("stable_baselines3", "sb3_contrib"):  # of a class of the user's own
        library = "stable_baselines3"
    made_by = {"library": f"{library} {version(library)}", "model": kind}
    return found._replace(made_by=made_by, answers=_checked(model, form, found.answers))


def _lacks_statistics(model: Any) -> bool:
    """Whether a model learned from normalised observations, and their statistics are missing.

    A saved model has the last observations that it saw, unless it was loaded with an environment.
    Those that no door gives were normalised.
    """
    normalizer = model.get_vec_normalize_env()
    if normalizer is not None:
        if not normalizer.norm_obs or not model.num_timesteps:
            return False
        found = normalizer.obs_rms
        statistics = found.values() if isinstance(found, dict) else (found,)
        return all(each.count < 1 for each in statistics)  # it has seen nothing
    seen, space = model._last_obs, model.observation_space
    if seen is None:  # models that learn from a replay buffer have this without a VecNormalize too
        return hasattr(model, "rollout_buffer") and model._last_original_obs is not None
    if isinstance(seen, dict):
        return not all(space[name].contains(row) for name in seen for row in seen[name])
    return not all(space.contains(row) for row in seen)


def _form_of(model: Any, game: BatchGame) -> ObservationFormat:
    """How observations were given to a model.

    Raises:
        ValueError: No options of this game's doors give observations or actions as it has them.
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
        wanted = _told(ObservationFormat(game, action_mask="info").space)
        raise ValueError(
            f"the model has observations {_told(space)}, which no options of the doors give here: "
            f"{game.name} with {game.num_players} players has {wanted}"
        )
    actions = model.action_space
    if not isinstance(actions, spaces.Discrete) or actions.n != game.num_actions:
        raise ValueError(f"the model has actions {actions}, the game has {game.num_actions}")
    return form


def _told(space: Any) -> str:
    if isinstance(space, spaces.Box):
        return f"{space.shape} of {space.dtype} up to {space.high.max():g}"
    return plain(space)


class _Policy(nn.Module):
    """A model's policy from observations to logits, or Q-values, and a value where it has one."""

    def __init__(self, model: Any, form: ObservationFormat) -> None:
        super().__init__()
        last = getattr(model.policy, "action_dist", None)  # has tensors that cannot be copied
        self.policy = deepcopy(model.policy, {id(last): last})
        self.policy.action_dist = None
        self._logits = _logits_of(model)
        normalizer = model.get_vec_normalize_env()
        self._normalizers: dict[str, tuple[Tensor, Tensor, float]] = {}
        if normalizer is not None and normalizer.norm_obs:
            found = normalizer.obs_rms
            if isinstance(found, dict) and not form.in_observation:
                raise ValueError(
                    "the model has seen a part of what its VecNormalize normalises: "
                    "VecExtractDictObs must be within VecNormalize, not around it"
                )
            for name, each in (found if form.in_observation else {"": found}).items():
                box = model.observation_space[name] if name else model.observation_space
                if box.dtype.kind != "f" and hasattr(model, "rollout_buffer"):
                    told = _CUT.format(name=name or "observations", type=box.dtype)
                    warnings.warn(told, stacklevel=5)  # in the line that exports
                deviation = np.sqrt(each.var + normalizer.epsilon)
                numbers = torch.as_tensor(each.mean), torch.as_tensor(deviation)
                self._normalizers[name] = (*numbers, float(normalizer.clip_obs))

    def forward(self, observation: Any) -> Any:
        if isinstance(observation, dict):
            given = {name: self._normalized(name, each) for name, each in observation.items()}
            return self._logits(self.policy, given)
        return self._logits(self.policy, self._normalized("", observation))

    def _normalized(self, name: str, numbers: Tensor) -> Tensor:
        """As ``VecNormalize.normalize_obs``: in double precision, then in single precision."""
        if name not in self._normalizers:
            return numbers
        mean, deviation, most = self._normalizers[name]
        return ((numbers.double() - mean) / deviation).clip(-most, most).float()


def _logits_of(model: Any) -> Any:
    """The function from a model's policy and an observation to logits, and a value if there is one.

    Raises:
        ValueError: It is recurrent, or of a kind that has neither logits nor Q-values.
    """
    policy, kind = model.policy, type(model).__name__
    if any(hasattr(policy, name) for name in ("lstm_actor", "lstm_critic")):
        raise ValueError(f"{kind} cannot be exported: {_RECURRENT}")
    if hasattr(policy, "action_net") and hasattr(policy, "value_net"):
        return _actor_critic
    if hasattr(policy, "q_net"):
        return lambda policy, seen: policy.q_net(seen)
    if hasattr(policy, "quantile_net"):
        return lambda policy, seen: policy.quantile_net(seen).mean(dim=1)
    raise ValueError(f"{kind} has no logits or Q-values of the actions; {_TAKEN}")


def _actor_critic(policy: Any, seen: Any) -> tuple[Tensor, Tensor]:
    features = policy.extract_features(seen)
    if policy.share_features_extractor:
        features = features, features
    actor = policy.mlp_extractor.forward_actor(features[0])
    critic = policy.mlp_extractor.forward_critic(features[1])
    return policy.action_net(actor), policy.value_net(critic)


def _checked(model: Any, form: ObservationFormat, answers: Answers) -> Answers:
    """The answers, after they were compared with what the model itself would do without masks."""
    canonical = CanonicalForm(*form.layouts[:2]) if form.layouts.canonical else None

    def checked(numbers: Array, mask: Int8) -> tuple[Float32, Float32 | None]:
        logits, values = answers(numbers, mask)
        if canonical is not None:
            whole = np.rint(numbers * form.maxima) if form.normalize else numbers
            ordered, mask, actions = canonical(whole.astype(form.layouts.observation.dtype), mask)
            numbers = form.of_rows(ordered)
        seen, normalizer = form.observation(numbers, mask), model.get_vec_normalize_env()
        seen = normalizer.normalize_obs(seen) if normalizer is not None else seen
        chosen, _ = model.predict(seen, deterministic=True)
        if canonical is not None:
            chosen = np.take_along_axis(actions, chosen[:, None], axis=1)[:, 0]
        lost = logits.max(axis=1) - np.take_along_axis(logits, chosen[:, None], 1)[:, 0]
        if lost.max() > TIE:
            raise ValueError(
                "the model's own predict() chooses other actions than its action_net or q_net: "
                "export a torch.nn.Module that gives the logits by which it chooses"
            )
        return logits, values

    return checked
