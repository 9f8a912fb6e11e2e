"""From a model of any library to a policy file, checked before it takes its place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy.typing as npt

from kododo_env import __version__
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.numbers import finite_number, shown
from kododo_env.export.onnx_models import from_file
from kododo_env.export.parity import check_parity
from kododo_env.export.policy_graph import policy_bytes
from kododo_env.export.trained import Trained
from kododo_env.export.wrapping import policy_model
from kododo_env.policy.metadata import describe
from kododo_env.policy.metadata_file import metadata_file, written_with_metadata
from kododo_env.policy.onnx_agent import OnnxAgent
from kododo_env.policy.onnx_trial import open_session
from kododo_env.policy.policy_schema import HOTTEST
from kododo_env.system.extras import needs
from kododo_env.system.files import check_file, check_other
from kododo_env.wrappers.dealing import check_batch
from kododo_env.wrappers.spaces import MaskPlace, ObservationFormat

SUFFIX = ".onnx"
_SB3 = "stable_baselines3.common.base_class.BaseAlgorithm"
_TORCH = "torch.nn.modules.module.Module"


def export(
    model: Any,
    game: BatchGame,
    path: str | Path,
    *,
    temperature: float = 0.0,
    normalize: bool = False,
    observation_dtype: npt.DTypeLike | None = None,
    action_mask: MaskPlace = "info",
    canonical: bool = False,
    training: dict[str, Any] | None = None,
) -> Path:
    """Write a trained model as a policy file, after comparing the file with the model.

    The file takes plain observations and masks: what the options of a door did to observations
    while the model learned is done in it. Every program here plays it, with onnxruntime or numpy.

    Args:
        model: One of

            - a ``torch.nn.Module`` from observations (B, F), or observations and masks (B, A), to
              logits (B, A), or logits and values (B,) or (B, 1);
            - a model of stable-baselines3 or sb3-contrib: MaskablePPO, PPO, A2C, TRPO, DQN or
              QRDQN. Its spaces tell the options below, which are not read. The statistics of a
              VecNormalize are those of its environment, ``model.get_vec_normalize_env()``; if it
              seems to lack them, a warning says so;
            - the path of an ONNX file with such inputs and outputs.
        game: A batch of the game that it plays; used for its description and for positions.
        path: The file to write, ``.onnx``, which is returned; it appears whole or not at all, with
            its metadata as JSON beside it.
        temperature: At which the policy is meant to be played: 0 = the likeliest action, 1 = drawn
            from the softmax of its logits. Q-values have no softmax that means anything.
        normalize: Whether it learned with ``normalize=True``.
        observation_dtype: That with which it learned; None: the door's own, or the type of an ONNX
            file's input.
        action_mask: ``"info"``: its observation is an array; else a module takes a dictionary of
            ``"observation"`` and ``"action_mask"``, or as RLlib's modules do with ``"rllib"``.
        canonical: Whether it learned with ``canonical=True``. The policy file takes plain
            observations, and its logits are those of plain actions.
        training: How it was trained, for the metadata; the library and its version are added.

    Raises:
        ValueError: The model is not of such a kind, or the file would disagree with it.
        ImportError: What brings the extra ``[export]`` is missing.
    """
    check_batch(game)
    temperature = finite_number(temperature, "temperature", 0, HOTTEST)
    path = Path(path)
    if path.suffix != SUFFIX:
        raise ValueError(f"{path} must end with {SUFFIX}")
    if isinstance(model, str | Path):
        check_other(path, model, "the model itself: write the policy elsewhere")
    if training is not None and not isinstance(training, Mapping):
        raise ValueError(f"training must be a dictionary, not {shown(training)}")
    trained = _trained(model, game, normalize, observation_dtype, action_mask, canonical)
    made_by = {**trained.made_by, "exported_by": f"kododo-env {__version__}"}
    return write_policy(
        trained, game, path, temperature=temperature, training={**made_by, **(training or {})}
    )


def _trained(
    model: Any,
    game: BatchGame,
    normalize: bool,
    observation_dtype: npt.DTypeLike | None,
    action_mask: MaskPlace,
    canonical: bool,
) -> Trained:
    """A model of any kind as ONNX."""
    if isinstance(model, str | Path):
        if canonical:
            needs("exporting a canonical ONNX file", "export", "torch", "onnxscript")
        return from_file(Path(model), game, normalize, observation_dtype, action_mask, canonical)
    kinds = {f"{each.__module__}.{each.__qualname__}" for each in type(model).__mro__}
    if not kinds & {_SB3, _TORCH}:
        raise ValueError(
            "model must be a torch.nn.Module, a model of stable-baselines3 or the path of an ONNX "
            f"file, not {shown(model)}"
        )
    needs("exporting a model of torch", "export", "torch", "onnxscript")
    if _SB3 in kinds:
        from kododo_env.export.sb3_models import from_model

        return from_model(model, game)
    from kododo_env.export.torch_models import from_module

    form = ObservationFormat(game, observation_dtype, normalize, action_mask, canonical)
    return from_module(model, game, form)


def write_policy(trained: Trained, game: BatchGame, path: Path, **facts: Any) -> Path:
    """Write a model as a policy file, with its metadata as JSON beside it.

    Args:
        trained: The model.
        game: A batch of the game that it plays.
        path: The file, which is returned; it appears whole or not at all.
        **facts: Further fields of its ``PolicyMetadata``.

    Raises:
        ValueError: It cannot be played, or disagrees with the model.
    """
    check_file(path)
    check_file(metadata_file(path))
    metadata = replace(describe(game), **facts)
    content = policy_bytes(policy_model(trained, game), metadata)
    open_session(content, metadata, 1)  # says what is wrong without the name of a hidden file
    with written_with_metadata(path) as aside:
        aside.write_bytes(content)
        check_parity(trained.answers, OnnxAgent(aside), game, trained.form)
    return path
