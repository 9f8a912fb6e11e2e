"""Convert torch modules to ONNX."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from copy import deepcopy
from inspect import Parameter, signature
from io import StringIO
from typing import Any

import onnx
import torch
from torch import Tensor, nn

from kododo_env.arrays.dtypes import Array, Float32, Int8
from kododo_env.core.batch_game import BatchGame
from kododo_env.export.onnx_models import (
    STATELESS,
    GraphEnds,
    TrainedModel,
    reduced_types,
    tidied,
)
from kododo_env.export.parity import Answers, positions
from kododo_env.networks.canonical import CanonicalActions
from kododo_env.policy.onnx_graph import OPSET
from kododo_env.policy.plain_text import plain
from kododo_env.wrappers.spaces import GameLayouts, ObservationFormat

_RECURRENT = (nn.RNNBase, nn.RNNCellBase)
_REDUCED = (torch.float16, torch.bfloat16)
_NO_CASTS = "remove its casts and autocast to float16 or bfloat16"
_ENDS = GraphEnds("numbers", "mask", "raw_logits", "raw_value")


class ExportedNetwork(nn.Module):
    """A wrapper that gives any network the same signature: observations and masks to a tuple.

    Args:
        network: From observations, or observations and masks, to logits, or logits and values. It
            is copied and stays unchanged. If it has weights in half precision or bfloat16, the copy
            has weights and takes observations in single precision.
        form: The format of the network's observations in training.
        bool_mask: Whether the network takes masks as bool instead of numbers.
    """

    def __init__(
        self, network: nn.Module, form: ObservationFormat, bool_mask: bool = False
    ) -> None:
        super().__init__()
        self.network = deepcopy(network).cpu().eval()
        self._reduced = bool(_reduced_tensors(network))
        for tensor in _reduced_tensors(self.network):
            tensor.data = tensor.data.float()
        self._key = form.key if form.in_observation else None
        self._mask_type = torch.bool if bool_mask else getattr(torch, form.mask_dtype.name)
        self._second = _wants_mask(network)

    def forward(self, numbers: Tensor, mask: Tensor) -> tuple[Tensor, ...]:
        """Return logits (B, A) and, if the network has them, values (B,), both float32.

        Args:
            numbers: Observations in the format of training, (B, F).
            mask: Masks of legal actions, (B, A).
        """
        mask = mask.to(self._mask_type)
        if self._reduced and numbers.dtype in _REDUCED:
            numbers = numbers.float()
        observation: Any = {self._key: numbers, "action_mask": mask} if self._key else numbers
        arguments = (observation, mask) if self._second else (observation,)
        outputs = self.network(*arguments)
        logits, *values = outputs if isinstance(outputs, tuple | list) else (outputs,)
        # Tianshou's networks return None as their state.
        return logits.float(), *(value.flatten().float() for value in values if value is not None)


class CanonicalInputs(nn.Module):
    """A module that converts observations and masks to canonical form.

    Args:
        layouts: The layouts of the observations and actions.
    """

    def __init__(self, layouts: GameLayouts) -> None:
        super().__init__()
        self._canonical = CanonicalActions(layouts.observation, layouts.actions)

    def forward(self, numbers: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Convert observations (B, F), which are not normalised, and masks (B, A).

        Returns:
            Canonical observations, float32; canonical masks; and int64 (B, A): for each plain
            action the number of its canonical action.
        """
        ordered, places = self._canonical(numbers)
        actions = torch.arange(mask.shape[1], device=mask.device)
        moved = (places[:, None, :] == actions[:, None]).to(torch.float32)
        masks = (moved @ mask.to(torch.float32)[:, :, None]).squeeze(2)
        return ordered, masks.to(mask.dtype), places


def _reduced_tensors(network: nn.Module) -> list[Tensor]:
    """Return a network's weights and buffers in half precision or bfloat16."""
    return [
        tensor for tensor in (*network.parameters(), *network.buffers()) if tensor.dtype in _REDUCED
    ]


def _wants_mask(network: nn.Module) -> bool:
    """Return whether a network takes a mask as its second argument."""
    kinds = Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD
    parameters = signature(network.forward).parameters.values()
    positional = [parameter for parameter in parameters if parameter.kind in kinds]
    if len(positional) < 2:
        return False
    return positional[1].default is Parameter.empty or "mask" in positional[1].name


def from_module(network: nn.Module, game: BatchGame, form: ObservationFormat) -> TrainedModel:
    """Convert a network to ONNX.

    Raises:
        ValueError: The network is recurrent, fails, cannot be exported by torch, or its outputs
            are not logits and, optionally, values for the game.
    """
    network = getattr(network, "_orig_mod", network)  # unwraps torch.compile
    for name, layer in network.named_modules():
        if isinstance(layer, _RECURRENT):
            layer_type = type(layer).__name__
            raise ValueError(
                f"the network is recurrent ({layer_type} at {name or 'top level'}); {STATELESS}"
            )
    observation, mask = positions(game, 64)
    module = _wrap(network, form, torch.from_numpy(form.of_rows(observation)), mask)
    example = torch.from_numpy(form.of_rows(observation[:2])), torch.from_numpy(mask[:2])
    ends = _ENDS if len(module(*example)) == 2 else _ENDS._replace(value=None)
    made_by = {"library": f"torch {torch.__version__}", "model": type(network).__name__}
    outputs = ["raw_logits", *filter(None, [ends.value])]
    model = _to_onnx(module, example, ["numbers", "mask"], outputs)
    return TrainedModel(model, ends, form, answers_of(module), made_by)


def canonical_inputs(game: BatchGame) -> onnx.ModelProto:
    """Return ``CanonicalInputs`` for a game as an ONNX model.

    Its inputs are those of policy files, its outputs ``numbers``, ``mask`` and ``places``.
    """
    observation, mask = positions(game, 2)
    module = CanonicalInputs(GameLayouts(game.layout, game.actions, canonical=False))
    example = torch.from_numpy(observation), torch.from_numpy(mask)
    inputs = ["observation", "action_mask"]
    return _to_onnx(module, example, inputs, ["numbers", "mask", "places"])


def answers_of(module: ExportedNetwork) -> Answers:
    """Return a function of numpy arrays that runs a network without gradients."""

    def answers(numbers: Array, mask: Int8) -> tuple[Float32, Float32 | None]:
        with torch.no_grad():
            logits, *values = module(torch.from_numpy(numbers), torch.from_numpy(mask))
        return logits.numpy(), (values[0].numpy() if values else None)

    return answers


def _wrap(
    network: nn.Module, form: ObservationFormat, numbers: Tensor, mask: Int8
) -> ExportedNetwork:
    """Wrap a network, passing masks as numbers or, if that fails, as bool.

    Raises:
        ValueError: The network fails with both, or its outputs have unexpected shapes.
    """
    errors = []
    for bool_mask in (False, True):
        try:
            module = ExportedNetwork(network, form, bool_mask)
            with torch.no_grad():
                outputs = module(numbers, torch.from_numpy(mask))
            break
        except Exception as error:  # a network may raise anything
            errors.append(error)
    else:
        container = "a dictionary of " if form.in_observation else ""
        hint = "set normalize=, observation_dtype= and action_mask= as in training"
        reduced = sorted({str(tensor.dtype) for tensor in _reduced_tensors(network)})
        if reduced:
            hint = f"its weights in {', '.join(reduced)} are exported in float32: {_NO_CASTS}"
        raise ValueError(
            f"the network fails on {container}observations {tuple(numbers.shape)} of {form.dtype}: "
            f"{plain(errors[0])}; {hint}"
        ) from errors[0]
    shapes = [tuple(output.shape) for output in outputs]
    expected = [mask.shape, mask.shape[:1]]
    if shapes not in (expected[:1], expected):
        raise ValueError(
            f"for {len(mask)} positions the network must output logits {mask.shape} and, "
            f"optionally, values ({len(mask)},), got {', '.join(map(str, shapes))}"
        )
    return module


def _to_onnx(
    module: nn.Module, example: tuple[Tensor, Tensor], inputs: list[str], outputs: list[str]
) -> onnx.ModelProto:
    batch = torch.export.Dim("batch", min=1)
    try:
        with _quiet(), torch.no_grad():
            program = torch.onnx.export(
                module,
                example,
                input_names=inputs,
                output_names=outputs,
                dynamic_shapes={"numbers": {0: batch}, "mask": {0: batch}},
                dynamo=True,
                opset_version=OPSET,
                verbose=False,
            )
    except Exception as error:  # of the exporter, which has no common class
        cause: BaseException = error
        while cause.__cause__ is not None:  # the exporter wraps it in long messages
            cause = cause.__cause__
        raise ValueError(f"torch cannot export the network: {plain(cause)}") from error
    assert program is not None
    model = program.model_proto  # a new copy at each access
    if model.graph.output[0].type.tensor_type.shape.dim[0].dim_value:
        raise ValueError(
            "torch can export the network only for batches of 2: in forward use the batch size "
            "x.shape[0] instead of len(x) or a loop over x"
        )
    reduced = reduced_types(model)
    if reduced:
        raise ValueError(
            f"the network computes in {', '.join(reduced)} instead of float32: {_NO_CASTS}"
        )
    return tidied(model)


@contextmanager
def _quiet() -> Iterator[None]:
    """Suppress the exporter's logs and warnings, which concern only its internals."""
    level = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        # When it fails, torch prints the graph.
        with warnings.catch_warnings(action="ignore"), redirect_stderr(StringIO()):
            yield
    finally:
        logging.disable(level)
