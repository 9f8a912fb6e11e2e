"""Models of torch: what they take and give, and what they are in ONNX."""

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

from kododo_env.core.arrays import Array, Float32, Int8
from kododo_env.core.batch_game import BatchGame
from kododo_env.export.onnx_models import STATELESS, reduced_types, tidied
from kododo_env.export.parity import Answers, positions
from kododo_env.export.trained import Ends, Trained
from kododo_env.networks.canonical import CanonicalActions
from kododo_env.policy.onnx_graph import OPSET
from kododo_env.policy.plain_text import plain
from kododo_env.wrappers.spaces import ObservationFormat

_RECURRENT = (nn.RNNBase, nn.RNNCellBase)
_REDUCED = (torch.float16, torch.bfloat16)
_NO_CASTS = "leave out its own casts and autocast to types of fewer bits"
_ENDS = Ends("numbers", "mask", "raw_logits", "raw_value")


class Exported(nn.Module):
    """A network with one manner of inputs and outputs: numbers and mask in, logits and value out.

    Args:
        network: Takes an observation, or observation and mask; gives logits, or logits and value.
            It is copied, so that nothing that is done here changes it. Weights in half precision
            or bfloat16 are in single precision in the copy, which gets such observations.
        form: How its observations were given, perhaps as a dictionary with the mask.
        bool_mask: Whether masks are given to it as bool, not as numbers.
    """

    def __init__(
        self, network: nn.Module, form: ObservationFormat, bool_mask: bool = False
    ) -> None:
        super().__init__()
        self.network = deepcopy(network).cpu().eval()
        self._reduced = bool(_reduced_tensors(network))
        for tensor in _reduced_tensors(self.network):
            tensor.data = tensor.data.float()
        self._canonical = CanonicalInputs(form) if form.layouts.canonical else None
        self._key = form.key if form.in_observation else None
        self._mask_type = torch.bool if bool_mask else getattr(torch, form.mask_dtype.name)
        self._second = _wants_mask(network)

    def forward(self, numbers: Tensor, mask: Tensor) -> tuple[Tensor, ...]:
        """Logits (B, A), and values (B,) if the network gives any, both float32."""
        places: Tensor | None = None
        if self._canonical is not None:
            numbers, mask, places = self._canonical(numbers, mask)
        mask = mask.to(self._mask_type)
        if self._reduced and numbers.dtype in _REDUCED:
            numbers = numbers.float()
        given: Any = {self._key: numbers, "action_mask": mask} if self._key else numbers
        found = self.network(given, mask) if self._second else self.network(given)
        logits, *values = found if isinstance(found, tuple | list) else (found,)
        if places is not None:
            logits = logits.gather(1, places)
        # A state that there is not, as Tianshou's networks give it, is no value.
        return logits.float(), *(each.flatten().float() for each in values if each is not None)


class CanonicalInputs(nn.Module):
    """Numbers and masks in canonical form, as a network that learned from them takes them.

    Args:
        form: How its observations were given.
    """

    def __init__(self, form: ObservationFormat) -> None:
        super().__init__()
        self._canonical = CanonicalActions(form.layouts.observation, form.layouts.actions)
        self._maxima = torch.from_numpy(form.maxima) if form.normalize else None

    def forward(self, numbers: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Canonical numbers and masks, and the canonical action of each plain one."""
        whole = numbers if self._maxima is None else (numbers * self._maxima).round()
        ordered, places = self._canonical(whole)
        if self._maxima is not None:
            ordered = ordered / self._maxima
        actions = torch.arange(mask.shape[1], device=mask.device)
        moved = (places[:, None, :] == actions[:, None]).to(torch.float32)
        masks = (moved @ mask.to(torch.float32)[:, :, None]).squeeze(2)
        return ordered.to(numbers.dtype), masks.to(mask.dtype), places


def _reduced_tensors(network: nn.Module) -> list[Tensor]:
    """The weights and buffers of a network in half precision or bfloat16."""
    return [
        tensor for tensor in (*network.parameters(), *network.buffers()) if tensor.dtype in _REDUCED
    ]


def _wants_mask(network: nn.Module) -> bool:
    """Whether a network takes a mask beside the observation."""
    kinds = Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD
    taken = [each for each in signature(network.forward).parameters.values() if each.kind in kinds]
    return len(taken) > 1 and (taken[1].default is Parameter.empty or "mask" in taken[1].name)


def from_module(network: nn.Module, game: BatchGame, form: ObservationFormat) -> Trained:
    """A network as ONNX.

    Raises:
        ValueError: It is recurrent, fails, or gives anything but logits and values of the game.
    """
    network = getattr(network, "_orig_mod", network)  # of torch.compile
    for name, each in network.named_modules():
        if isinstance(each, _RECURRENT):
            kind = type(each).__name__
            raise ValueError(f"the network is recurrent ({kind} at {name or 'top'}); {STATELESS}")
    observation, mask = positions(game, 64)
    module = _tried(network, form, torch.from_numpy(form.of_rows(observation)), mask)
    few = torch.from_numpy(form.of_rows(observation[:2])), torch.from_numpy(mask[:2])
    ends = _ENDS if len(module(*few)) == 2 else _ENDS._replace(value=None)
    made_by = {"library": f"torch {torch.__version__}", "model": type(network).__name__}
    outputs = ["raw_logits", *filter(None, [ends.value])]
    return Trained(_to_onnx(module, few, outputs), ends, form, answers_of(module), made_by)


def canonical_inputs(game: BatchGame, form: ObservationFormat) -> onnx.ModelProto:
    """``CanonicalInputs`` as ONNX: from numbers and mask to canonical ones, and places."""
    observation, mask = positions(game, 2)
    few = torch.from_numpy(form.of_rows(observation)), torch.from_numpy(mask)
    return _to_onnx(CanonicalInputs(form), few, ["canonical_numbers", "canonical_mask", "places"])


def answers_of(module: Exported) -> Answers:
    """What a network itself says."""

    def answers(numbers: Array, mask: Int8) -> tuple[Float32, Float32 | None]:
        with torch.no_grad():
            logits, *values = module(torch.from_numpy(numbers), torch.from_numpy(mask))
        return logits.numpy(), (values[0].numpy() if values else None)

    return answers


def _tried(network: nn.Module, form: ObservationFormat, numbers: Tensor, mask: Int8) -> Exported:
    """A network that takes these positions, with its mask as int8 or, where that fails, as bool.

    Raises:
        ValueError: It fails with both, or its answers have other shapes than they must.
    """
    errors = []
    for bool_mask in (False, True):
        try:
            module = Exported(network, form, bool_mask)
            with torch.no_grad():
                found = module(numbers, torch.from_numpy(mask))
            break
        except Exception as error:  # a network may raise anything
            errors.append(error)
    else:
        takes = "a dictionary of " if form.in_observation else ""
        hint = "say how it was trained: normalize=, observation_dtype=, action_mask="
        reduced = sorted({str(each.dtype) for each in _reduced_tensors(network)})
        if reduced:
            hint = f"its weights in {', '.join(reduced)} are exported in float32: {_NO_CASTS}"
        raise ValueError(
            f"the network fails on {takes}observations {tuple(numbers.shape)} of {form.dtype}: "
            f"{plain(errors[0])}; {hint}"
        ) from errors[0]
    shapes = [tuple(each.shape) for each in found]
    wanted = [mask.shape, mask.shape[:1]]
    if shapes not in (wanted[:1], wanted):
        raise ValueError(
            f"the network gives {', '.join(map(str, shapes))} for {len(mask)} positions, not "
            f"logits {mask.shape}, one for each action, and, if it has any, values ({len(mask)},)"
        )
    return module


def _to_onnx(module: nn.Module, few: tuple[Tensor, Tensor], outputs: list[str]) -> onnx.ModelProto:
    batch = torch.export.Dim("batch", min=1)
    try:
        with _quiet(), torch.no_grad():
            program = torch.onnx.export(
                module,
                few,
                input_names=["numbers", "mask"],
                output_names=outputs,
                dynamic_shapes={"numbers": {0: batch}, "mask": {0: batch}},
                dynamo=True,
                opset_version=OPSET,
                verbose=False,
            )
    except Exception as error:  # of the exporter, which has no common class
        cause: BaseException = error
        while cause.__cause__ is not None:  # around it are the exporter's own words
            cause = cause.__cause__
        raise ValueError(f"torch cannot export the network: {plain(cause)}") from error
    assert program is not None
    model = program.model_proto  # made at each access
    if model.graph.output[0].type.tensor_type.shape.dim[0].dim_value:
        raise ValueError(
            "torch exports the network for 2 positions alone: in forward take their number from "
            "x.shape[0], not from len(x) or a loop over x"
        )
    reduced = reduced_types(model)
    if reduced:
        raise ValueError(
            f"the network computes in {', '.join(reduced)}, a policy file in float32: {_NO_CASTS}"
        )
    return tidied(model)


@contextmanager
def _quiet() -> Iterator[None]:
    """Inside, the exporter says nothing: its warnings are about its own parts."""
    level = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        # Where it fails, torch prints the graph.
        with warnings.catch_warnings(action="ignore"), redirect_stderr(StringIO()):
            yield
    finally:
        logging.disable(level)
