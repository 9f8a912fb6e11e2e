"""ONNX operators (opset 18) implemented with numpy.

These are the operators of the shipped policies, of the networks in the documentation, and of
exports in canonical form. Other operators need onnxruntime.

An operator takes its inputs as positional arguments, None for an omitted input, and its attributes
as keyword arguments, apart from those in ``FIXED``. It never writes to its inputs, but its result
may be a view of an input.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial, reduce
from typing import Any

import numpy as np

from kododo_env.arrays.dtypes import Array
from kododo_env.policy.onnx_file import DTYPES

Operator = Callable[..., Any]

BLAS = sys.platform != "emscripten"  # numpy in a browser has no BLAS

# The value that an attribute must have; None of an attribute that has no effect.
FIXED: dict[str, float | None] = {
    "alpha": 1, "batch_dims": 0, "beta": 1, "exclusive": 0, "fmod": 0, "noop_with_empty_axes": 0,
    "reverse": 0, "select_last_index": 0, "stash_type": None, "transA": 0,
}  # fmt: skip

# --- elementwise ----------------------------------------------------------------------------


def _nary(function: Operator) -> Operator:
    """Return an operator that requires inputs of one type, which numpy would promote."""

    def operator(*inputs: Array) -> Any:
        if any(array.dtype != inputs[0].dtype for array in inputs[1:]):
            types = ", ".join(str(array.dtype) for array in inputs)
            raise ValueError(f"expected inputs of one type, got {types}")
        return function(*inputs)

    return operator


def _divided(a: Array, b: Array) -> Any:
    if a.dtype.kind == "f":
        return np.divide(a, b)
    quotient = a // b  # ONNX rounds towards zero
    return np.asarray(quotient + ((a % b != 0) & ((a < 0) != (b < 0))), a.dtype)


def _clip(x: Array, low: Array | None = None, high: Array | None = None) -> Any:
    x = x if low is None else np.maximum(x, low)
    return x if high is None else np.minimum(x, high)


def _cast(x: Array, *, to: int) -> Any:
    if to not in DTYPES:
        raise ValueError(f"cast to the unsupported type {to}")
    return x.astype(DTYPES[to])


def _where(condition: Array, x: Array, y: Array) -> Any:
    return _nary(partial(np.where, condition))(x, y)


# --- products and sums ----------------------------------------------------------------------


def _product(a: Array, b: Array) -> Any:
    """Return ``a @ b``; without BLAS, einsum multiplies matrices of several rows."""
    if BLAS or a.ndim != 2 or b.ndim != 2 or len(a) == 1 or a.shape[1] != len(b):
        return np.matmul(a, b)
    return np.einsum("ij,jk->ik", a, b)


def _gemm(a: Array, b: Array, c: Array | None = None, *, transB: int = 0) -> Any:
    product = _product(a, b.T if transB else b)
    if c is not None:
        product += c
    return product


def _reduced(function: Callable[..., Any]) -> Operator:
    def operator(x: Array, axes: Array | None = None, *, keepdims: int = 1) -> Array:
        along = None if axes is None or not axes.size else tuple(axes.tolist())
        return np.asarray(function(x, axis=along, keepdims=bool(keepdims)), x.dtype)

    return operator


def _layer_norm(
    x: Array, scale: Array, bias: Array | None = None, *, axis: int = -1, epsilon: float = 1e-5
) -> Any:
    axes = tuple(range(axis % x.ndim, x.ndim))
    centred = x - x.mean(axes, keepdims=True)
    deviation = np.sqrt(np.square(centred).mean(axes, keepdims=True) + x.dtype.type(epsilon))
    scaled = centred / deviation * scale
    return scaled if bias is None else scaled + bias


def _cumulated(x: Array, axis: Array) -> Any:
    return np.cumsum(x, int(axis.item()), x.dtype)


def _place_of_largest(x: Array, *, axis: int = 0, keepdims: int = 1) -> Any:
    return np.argmax(x, axis, keepdims=bool(keepdims)).astype(np.int64)


# --- places and shapes ----------------------------------------------------------------------


def _gather(x: Array, places: Array, *, axis: int = 0) -> Any:
    return np.take(x, places, axis)


def gather_elements(x: Array, places: Array, *, axis: int = 0) -> Any:
    """Return the numbers of ``x`` at ``places`` along an axis, like ONNX's GatherElements."""
    whole = axis % x.ndim  # the other axes are cut to the size of ``places``
    parts = (
        slice(None if dimension == whole else size) for dimension, size in enumerate(places.shape)
    )
    return np.take_along_axis(x[tuple(parts)], places, axis)


def _gather_nd(x: Array, places: Array) -> Any:
    return x[tuple(np.moveaxis(places, -1, 0))]


def _reshaped(x: Array, shape: Array, *, allowzero: int = 0) -> Any:
    lengths = [
        x.shape[axis] if length == 0 and not allowzero else length
        for axis, length in enumerate(shape.tolist())
    ]
    return x.reshape(lengths)


def _shape(x: Array, *, start: int = 0, end: int | None = None) -> Any:
    return np.array(x.shape[start:end], np.int64)


def _sliced(
    x: Array, starts: Array, ends: Array, axes: Array | None = None, steps: Array | None = None
) -> Any:
    count = len(starts)
    along = range(count) if axes is None else axes.tolist()
    by = [1] * count if steps is None else steps.tolist()
    slices = [slice(None)] * x.ndim
    for axis, start, end, step in zip(along, starts.tolist(), ends.tolist(), by, strict=True):
        slices[axis] = slice(start, end, step)
    return x[tuple(slices)]


def _split(
    x: Array, sizes: Array | None = None, *, axis: int = 0, num_outputs: int = 1
) -> list[Array]:
    length = -(-x.shape[axis] // num_outputs)  # the last may be smaller
    ends = np.arange(1, num_outputs) * length if sizes is None else np.cumsum(sizes)[:-1]
    return np.split(x, ends, axis)


def _squeezed(x: Array, axes: Array | None = None) -> Any:
    return np.squeeze(x, None if axes is None else tuple(axes.tolist()))


def _unsqueezed(x: Array, axes: Array) -> Any:
    return np.expand_dims(x, tuple(axes.tolist()))


def _transposed(x: Array, *, perm: list[int] | None = None) -> Any:
    return np.transpose(x, perm)


def _expanded(x: Array, shape: Array) -> Any:
    return np.broadcast_to(x, np.broadcast_shapes(x.shape, tuple(shape.tolist())))


def _concatenated(*inputs: Array, axis: int) -> Any:
    return _nary(lambda *arrays: np.concatenate(arrays, axis))(*inputs)


def _range(first: Array, end: Array, step: Array) -> Any:
    return np.arange(first.item(), end.item(), step.item(), dtype=first.dtype)


BY_NUMBER: dict[str, Operator] = {
    "Add": _nary(np.add), "And": _nary(np.logical_and), "Clip": _clip, "Div": _nary(_divided),
    "Equal": _nary(np.equal), "Greater": _nary(np.greater),
    "GreaterOrEqual": _nary(np.greater_equal), "LayerNormalization": _layer_norm,
    "Less": _nary(np.less), "LessOrEqual": _nary(np.less_equal),
    "Max": _nary(lambda *arrays: reduce(np.maximum, arrays)),
    "Min": _nary(lambda *arrays: reduce(np.minimum, arrays)), "Mod": _nary(np.mod),
    "Mul": _nary(np.multiply), "Or": _nary(np.logical_or), "Sub": _nary(np.subtract),
    "Where": _where,
}  # fmt: skip
"""The operators whose output has the broadcast shape of their inputs."""

OPERATORS: dict[str, Operator] = {
    **BY_NUMBER,
    "ArgMax": _place_of_largest, "Cast": _cast, "Concat": _concatenated, "CumSum": _cumulated,
    "Expand": _expanded, "Floor": _nary(np.floor), "Gather": _gather,
    "GatherElements": gather_elements, "GatherND": _gather_nd, "Gemm": _gemm,
    "MatMul": _nary(_product), "Not": _nary(np.logical_not), "Range": _range,
    "ReduceMax": _reduced(np.max), "ReduceMean": _reduced(np.mean), "ReduceSum": _reduced(np.sum),
    "Relu": _nary(lambda x: np.maximum(x, x.dtype.type(0))), "Reshape": _reshaped,
    "Shape": _shape, "Slice": _sliced, "Split": _split, "Squeeze": _squeezed,
    "Tanh": _nary(np.tanh), "Transpose": _transposed, "Unsqueeze": _unsqueezed,
}  # fmt: skip
"""The operators by their names in ONNX."""
