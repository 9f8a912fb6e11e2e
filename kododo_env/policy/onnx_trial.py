"""Running a policy's graph, first of all as a trial: in little memory and for a short time."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from kododo_env.core.arrays import Array, Float32, Int8
from kododo_env.core.rows import all_true
from kododo_env.policy.metadata import PolicyMetadata
from kododo_env.policy.numpy_session import NumpySession
from kododo_env.policy.plain_text import plain

SESSION: type[Any] = NumpySession
"""The class that plays graphs: by the runtime, or by numpy where that does not import."""
try:
    from kododo_env.policy.onnxruntime_session import OnnxruntimeSession
except ImportError:
    pass
else:
    SESSION = OnnxruntimeSession

MEMORY = 1 << 29  # bytes that a trial may take
SECONDS = 10.0  # that it may take; what is being computed then is still finished
ROWS = (1, 3)  # positions in each batch that is tried
_OUTPUTS = ("logits", "value")
_DTYPES = {f"tensor({name})": np.dtype(name) for name in ("uint8", "uint16", "int8", "int32")}

Feed = dict[str, Array]


def open_session(content: bytes, metadata: PolicyMetadata, threads: int) -> Any:
    """A session for the graph of a policy file's bytes, after a trial of the graph as it stands.

    It is of the class ``SESSION``. Its inputs and outputs are those that the metadata say, and its
    answers to some made-up positions are finite. No file is opened.

    Raises:
        ValueError: The graph cannot be read or run here, or is no policy's.
    """
    for memory in (MEMORY, None):
        session = SESSION(content, threads, memory)
        _check_ends(session, metadata)
        for rows in ROWS:
            logits = answers_of(session, fed(session, *_made_up(metadata, rows)), SECONDS)[0]
            if logits[-1].argmax() != len(metadata.actions) - 1:
                raise ValueError("it likes illegal actions better than legal ones")
    return session


def fed(session: Any, observation: Array, action_mask: Array) -> Feed:
    """Positions, (N, F) and (N, A), as a session takes them: contiguous, in its own dtypes.

    Raises:
        ValueError: There is a number that its dtype does not have, as in a normalised observation.
    """
    arrays = {"observation": observation, "action_mask": action_mask}
    types = {end.name: _DTYPES[end.type] for end in session.inputs}
    for name, dtype in types.items():
        if not np.can_cast(arrays[name].dtype, dtype):
            _check_whole(arrays[name], dtype, name)
    return {name: np.ascontiguousarray(arrays[name], types[name]) for name in arrays}


def _check_whole(numbers: Array, dtype: np.dtype[Any], name: str) -> None:
    """Raise ValueError if there is a number that a dtype of whole ones does not have."""
    with np.errstate(invalid="ignore"):  # NaN
        representable = all_true(numbers.astype(dtype) == numbers)
    if not representable:
        raise ValueError(
            f"a policy takes the {name} as the game tells it, whole numbers of {dtype}, not "
            "normalised"
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
        raise ValueError(f"it has other inputs or outputs than a policy: {plain(names)}")
    ends = {end.name: end for side in sides for end in side}
    for name, tensor_end in ends.items():
        kind, shape = expected[name]
        fits = list(tensor_end.shape[1:]) == shape and len(tensor_end.shape) == len(shape) + 1
        if tensor_end.type != kind or not fits or isinstance(tensor_end.shape[0], int):
            raise ValueError(
                f"its {name} must be {kind} of shape {plain(['N', *shape])}, "
                f"not {tensor_end.type} of {plain(tensor_end.shape)}"
            )


def _made_up(metadata: PolicyMetadata, rows: int) -> tuple[Array, Int8]:
    """Positions from the least to the most that can be seen, the last with one legal action."""
    maxima = [np.full(math.prod(shape), maximum) for _, shape, maximum in metadata.pieces]
    parts = np.linspace(0, 1, rows)[:, None]
    mask = np.ones((rows, len(metadata.actions)), np.int8)
    mask[-1, :-1] = 0
    return np.floor(parts * np.concatenate(maxima)), mask


def answers_of(session: Any, feed: Feed, seconds: float | None = None) -> list[Float32]:
    """Logits (N, A), and values (N,) if it has any, of a session for N positions, see ``fed``.

    Raises:
        ValueError: It fails, takes more than ``seconds``, or answers in another shape, or with a
            number that is not finite.
    """
    names = _OUTPUTS[: len(session.outputs)]
    try:
        answers: list[Any] = session.run(names, feed, seconds)
    except TimeoutError as error:
        late = f"(it is not done after {seconds:g} seconds)"
        raise ValueError(f"its graph fails: {plain(error)} {late}") from error
    except Exception as error:  # neither runtime has a common class for what a bad graph raises
        raise ValueError(f"its graph fails: {plain(error)}") from error
    shape = feed["action_mask"].shape
    for name, answer, answer_shape in zip(names, answers, (shape, shape[:1]), strict=False):
        if answer.shape != answer_shape:
            raise ValueError(f"its {name} for {shape[0]} positions has the shape {answer.shape}")
        if not all_true(np.isfinite(answer)):
            bad_number = answer[~np.isfinite(answer)].ravel()[0]
            raise ValueError(f"its network gives {bad_number} as {name}: its weights are damaged")
    return answers
