"""Export a model of any library as a policy file, which is compared with the model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy.typing as npt

from kododo_env import __version__
from kododo_env.checks.numbers import finite_number, quote
from kododo_env.core.batch_game import BatchGame
from kododo_env.export.onnx_models import TrainedModel, from_file
from kododo_env.export.parity import check_parity
from kododo_env.export.policy_graph import policy_bytes, policy_model
from kododo_env.policy.metadata import describe
from kododo_env.policy.metadata_file import metadata_file, written_with_metadata
from kododo_env.policy.onnx_agent import OnnxAgent
from kododo_env.policy.onnx_validation import open_session
from kododo_env.policy.policy_schema import HOTTEST
from kododo_env.system.extras import needs
from kododo_env.system.files import check_file, check_other
from kododo_env.wrappers.argument_checks import check_batch
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

    The file takes plain observations and masks. Conversions of observations that the environment
    made in training, such as normalisation, become part of the file.

    Args:
        model: One of

            - a ``torch.nn.Module`` from observations (B, F), or observations and masks (B, A), to
              logits (B, A), or logits and values (B,) or (B, 1);
            - a model of stable-baselines3 or sb3-contrib: MaskablePPO, PPO, A2C, TRPO, DQN or
              QRDQN. Its spaces determine the options below, which are ignored. The statistics of
              a VecNormalize come from its environment, ``model.get_vec_normalize_env()``; a
              warning is issued if they seem to be missing;
            - the path of an ONNX file with such inputs and outputs.
        game: A batch of the game that the model plays; used for its description and for test
            positions.
        path: The ``.onnx`` file to write. It is written atomically, together with a JSON file of
            its metadata (``.meta.json``).
        temperature: The playing temperature: 0 chooses the action with the highest logit, 1
            samples from the softmax of the logits. Softmax is meaningless for Q-values.
        normalize: Whether the model was trained with ``normalize=True``.
        observation_dtype: The dtype of observations in training; None means that of the game, or
            of an ONNX file's input.
        action_mask: Where the mask was in training. With ``"info"`` a module takes observations as
            an array, with ``"observation"`` or ``"both"`` a dictionary of ``"observation"`` and
            ``"action_mask"``, and with ``"rllib"`` the dictionary of RLlib's modules.
        canonical: Whether the model was trained with ``canonical=True``. The policy file takes
            plain observations and gives logits of plain actions.
        training: How the model was trained, for the metadata; the library and its version are
            added.

    Returns:
        ``path``.

    Raises:
        ValueError: The model is of an unsupported kind or does not fit the game, an argument is
            invalid, or the outputs of the file differ from the model's.
        ImportError: A package of the extra ``[export]`` is missing.
    """
    check_batch(game)
    temperature = finite_number(temperature, "temperature", 0, HOTTEST)
    path = Path(path)
    if path.suffix != SUFFIX:
        raise ValueError(f"{path} must end with {SUFFIX}")
    if isinstance(model, str | Path):
        check_other(path, model, "the model itself: choose another path")
    if training is not None and not isinstance(training, Mapping):
        raise ValueError(f"training must be a dictionary, got {quote(training)}")
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
) -> TrainedModel:
    """Convert a model of any kind to ONNX."""
    if isinstance(model, str | Path):
        if canonical:
            needs("exporting a canonical ONNX file", "export", "torch", "onnxscript")
        return from_file(Path(model), game, normalize, observation_dtype, action_mask, canonical)
    kinds = {f"{base.__module__}.{base.__qualname__}" for base in type(model).__mro__}
    if not kinds & {_SB3, _TORCH}:
        raise ValueError(
            "model must be a torch.nn.Module, a model of stable-baselines3 or the path of an ONNX "
            f"file, got {quote(model)}"
        )
    needs("exporting a model of torch", "export", "torch", "onnxscript")
    if _SB3 in kinds:
        from kododo_env.export.sb3_models import from_model

        return from_model(model, game)
    from kododo_env.export.torch_models import from_module

    form = ObservationFormat(game, observation_dtype, normalize, action_mask, canonical)
    return from_module(model, game, form)


def write_policy(trained: TrainedModel, game: BatchGame, path: Path, **facts: Any) -> Path:
    """Write a model as a policy file, with its metadata as JSON beside it.

    Args:
        trained: The model.
        game: A batch of the game that it plays.
        path: The file, which is written atomically.
        **facts: Further fields of the file's ``PolicyMetadata``.

    Returns:
        ``path``.

    Raises:
        ValueError: The file cannot be played, or its outputs differ from the model's.
    """
    check_file(path)
    check_file(metadata_file(path))
    metadata = replace(describe(game), **facts)
    content = policy_bytes(policy_model(trained, game), metadata)
    # Checked first, so that no error names the temporary file.
    open_session(content, metadata, 1)
    with written_with_metadata(path) as temporary:
        temporary.write_bytes(content)
        check_parity(trained.answers, OnnxAgent(temporary), game, trained.form)
    return path
