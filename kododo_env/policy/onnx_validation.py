"""Open and run a policy's graph; a trial run first limits memory and time."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from kododo_env.arrays.dtypes import Array, Float32, Int8
from kododo_env.arrays.rows import all_true
from kododo_env.policy.metadata import PolicyMetadata
from kododo_env.policy.numpy_session import NumpySession
from kododo_env.policy.plain_text import plain

SESSION: type[Any] = NumpySession
"""The class that runs graphs: ``OnnxruntimeSession``, or ``NumpySession`` without onnxruntime."""
try:
    from kododo_env.policy.onnxruntime_session import OnnxruntimeSession
except ImportError:
    pass
else:
    SESSION = OnnxruntimeSession

MEMORY = 1 << 29  # bytes, the limit of a trial
SECONDS = 10.0  # the limit of a trial; numpy finishes the current operator
ROWS = (1, 3)  # batch sizes of a trial
_OUTPUTS = ("logits", "value")
_DTYPES = {f"tensor({name})": np.dtype(name) for name in ("uint8", "uint16", "int8", "int32")}

Feed = dict[str, Array]


def open_session(content: bytes, metadata: PolicyMetadata, threads: int) -> Any:
    """Open a session of class ``SESSION`` after a trial of the unoptimised graph.

    The trial checks inputs and outputs against the metadata, and that the outputs for some
    artificial positions are finite. No file is opened.

    Args:
        content: The bytes of the policy file.
        metadata: The metadata of the file.
        threads: The number of threads of onnxruntime; see ``SESSION``.

    Raises:
        ValueError: The graph cannot be read or run, exceeds ``MEMORY`` or ``SECONDS``, or is not
            that of a policy.
    """
    for memory in (MEMORY, None):
        session = SESSION(content, threads, memory)
        _check_ends(session, metadata)
        for rows in ROWS:
            logits = answers_of(session, fed(session, *_made_up(metadata, rows)), SECONDS)[0]
            if logits[-1].argmax() != len(metadata.actions) - 1:
                raise ValueError("the graph gives an illegal action the highest logit")
    return session


def fed(session: Any, observation: Array, action_mask: Array) -> Feed:
    """Convert N positions to a session's inputs: contiguous arrays of its dtypes, by name.

    Args:
        session: The session.
        observation: Observations of any dtype, (N, F).
        action_mask: Masks of legal actions, (N, A).

    Raises:
        ValueError: A number does not fit into the session's integer dtype, for example because
            observations are normalised.
    """
    arrays = {"observation": observation, "action_mask": action_mask}
    types = {end.name: _DTYPES[end.type] for end in session.inputs}
    for name, dtype in types.items():
        if not np.can_cast(arrays[name].dtype, dtype):
            _check_whole(arrays[name], dtype, name)
    return {name: np.ascontiguousarray(arrays[name], types[name]) for name in arrays}


def _check_whole(numbers: Array, dtype: np.dtype[Any], name: str) -> None:
    """Raise ValueError if a number does not fit into an integer dtype."""
    with np.errstate(invalid="ignore"):  # NaN
        representable = all_true(numbers.astype(dtype) == numbers)
    if not representable:
        raise ValueError(
            f"the {name} of a policy must have integers of {dtype}, as the game returns them "
            "without normalisation"
        )


def _check_ends(session: Any, metadata: PolicyMetadata) -> None:
    """Raise ValueError unless inputs and outputs are those of a policy for its game."""
    size = sum(math.prod(shape) for _, shape, _ in metadata.pieces)
    actions = len(metadata.actions)
    observation_type = (
        "tensor(uint8)" if max(piece[2] for piece in metadata.pieces) < 256 else "tensor(uint16)"
    )
    sides = (session.inputs, session.outputs)
    plain_inputs = all(end.type == "tensor(int32)" for end in sides[0])
    expected = {
        "action_mask": ("tensor(int32)" if plain_inputs else "tensor(int8)", [actions]),
        "observation": ("tensor(int32)" if plain_inputs else observation_type, [size]),
        "logits": ("tensor(float)", [actions]),
        "value": ("tensor(float)", []),
    }
    names = [sorted(end.name for end in side) for side in sides]
    if names[0] != ["action_mask", "observation"] or names[1] not in (["logits"], [*_OUTPUTS]):
        raise ValueError(
            "the inputs and outputs are not those of a policy (action_mask and observation, logits "
            f"and optionally value): {plain(names)}"
        )
    ends = {end.name: end for side in sides for end in side}
    for name, tensor_end in ends.items():
        kind, shape = expected[name]
        fits = list(tensor_end.shape[1:]) == shape and len(tensor_end.shape) == len(shape) + 1
        if tensor_end.type != kind or not fits or isinstance(tensor_end.shape[0], int):
            raise ValueError(
                f"{name} must be {kind} of shape {plain(['N', *shape])}, "
                f"got {tensor_end.type} of {plain(tensor_end.shape)}"
            )


def _made_up(metadata: PolicyMetadata, rows: int) -> tuple[Array, Int8]:
    """Return artificial positions, from all zeros to the maxima, the last with one legal action."""
    maxima = [np.full(math.prod(shape), maximum) for _, shape, maximum in metadata.pieces]
    parts = np.linspace(0, 1, rows)[:, None]
    mask = np.ones((rows, len(metadata.actions)), np.int8)
    mask[-1, :-1] = 0
    return np.floor(parts * np.concatenate(maxima)), mask


def answers_of(session: Any, feed: Feed, seconds: float | None = None) -> list[Float32]:
    """Run a session on N positions from ``fed``.

    Returns:
        Masked logits (N, A) and, if the policy has them, values (N,).

    Raises:
        ValueError: The session fails or takes more than ``seconds``, or its outputs have a wrong
            shape or are not finite.
    """
    names = _OUTPUTS[: len(session.outputs)]
    try:
        answers: list[Any] = session.run(names, feed, seconds)
    except TimeoutError as error:
        raise ValueError(
            f"its graph takes more than {seconds:g} seconds: {plain(error)}"
        ) from error
    except Exception as error:  # the runtimes have no common error class
        raise ValueError(f"its graph fails: {plain(error)}") from error
    shape = feed["action_mask"].shape
    for name, answer, answer_shape in zip(names, answers, (shape, shape[:1]), strict=False):
        if answer.shape != answer_shape:
            raise ValueError(f"expected {name} of shape {answer_shape}, got {answer.shape}")
        if not all_true(np.isfinite(answer)):
            bad_number = answer[~np.isfinite(answer)].ravel()[0]
            raise ValueError(f"its network outputs {bad_number} as {name}: its weights are damaged")
    return answers
