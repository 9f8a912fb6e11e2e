"""The ONNX operators of policy files (opset 18), implemented with numpy.

An operator takes its inputs as positional arguments, None for an omitted input, and its attributes
as keyword arguments. It never writes to its inputs, but its result may be a view of an input.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from functools import partial, reduce
from typing import Any

import numpy as np

from kododo_env.core.arrays import Array

Operator = Callable[..., Any]

BLAS = sys.platform != "emscripten"  # numpy in a browser has no BLAS

# The dtypes by their number in ONNX (``TensorProto.DataType``).
DTYPES: dict[int, np.dtype[Any]] = {
    number: np.dtype(name).newbyteorder("<")
    for number, name in {
        1: "float32", 2: "uint8", 3: "int8", 4: "uint16", 5: "int16", 6: "int32", 7: "int64",
        9: "bool", 10: "float16", 11: "float64",
    }.items()
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


def _unary(function: Operator) -> Operator:
    def operator(x: Array) -> Any:
        return function(x)

    return operator


def _divided(a: Array, b: Array) -> Any:
    if a.dtype.kind == "f":
        return np.divide(a, b)
    quotient = a // b  # ONNX rounds towards zero
    return np.asarray(quotient + ((a % b != 0) & ((a < 0) != (b < 0))), a.dtype)


def _mod(a: Array, b: Array, *, fmod: int = 0) -> Any:
    return np.fmod(a, b) if fmod else np.mod(a, b)


def _clip(x: Array, low: Array | None = None, high: Array | None = None) -> Any:
    x = x if low is None else np.maximum(x, low)
    return x if high is None else np.minimum(x, high)


def _cast(x: Array, *, to: int) -> Any:
    if to not in DTYPES:
        raise ValueError(f"cast to the unsupported type {to}")
    return x.astype(DTYPES[to])


def _power(x: Array, by: Array) -> Any:
    return np.power(x, by).astype(x.dtype)


def _where(condition: Array, x: Array, y: Array) -> Any:
    return _nary(partial(np.where, condition))(x, y)


# --- activations ----------------------------------------------------------------------------

_ERF = np.vectorize(math.erf, otypes=[np.float64])  # numpy has no erf


def _sigmoid(x: Array) -> Any:
    return 1 / (1 + np.exp(-x))


def _softplus(x: Array) -> Any:
    return np.logaddexp(x.dtype.type(0), x)


def _leaky_relu(x: Array, *, alpha: float = 0.01) -> Any:
    return np.where(x < 0, x.dtype.type(alpha) * x, x)


def _elu(x: Array, *, alpha: float = 1.0) -> Any:
    return np.where(x < 0, x.dtype.type(alpha) * np.expm1(x), x)


def _selu(x: Array, *, alpha: float = 1.6732632423543772, gamma: float = 1.0507009873554805) -> Any:
    return x.dtype.type(gamma) * _elu(x, alpha=alpha)


def _celu(x: Array, *, alpha: float = 1.0) -> Any:
    return np.maximum(x, 0) + np.minimum(0, alpha * np.expm1(x / x.dtype.type(alpha)))


def _hard_sigmoid(x: Array, *, alpha: float = 0.2, beta: float = 0.5) -> Any:
    return np.clip(x.dtype.type(alpha) * x + x.dtype.type(beta), 0, 1)


def _prelu(x: Array, slope: Array) -> Any:
    return _nary(lambda x, slope: np.where(x < 0, slope * x, x))(x, slope)


# --- products and sums ----------------------------------------------------------------------


def _product(a: Array, b: Array) -> Any:
    """Return ``a @ b``; without BLAS, einsum multiplies matrices of several rows."""
    if BLAS or a.ndim != 2 or b.ndim != 2 or len(a) == 1 or a.shape[1] != len(b):
        return np.matmul(a, b)
    return np.einsum("ij,jk->ik", a, b)


def _gemm(
    a: Array, b: Array, c: Array | None = None, *,
    alpha: float = 1.0, beta: float = 1.0, transA: int = 0, transB: int = 0,
) -> Any:  # fmt: skip
    product = _product(a.T if transA else a, b.T if transB else b)
    if alpha != 1:
        product = product * product.dtype.type(alpha)
    if c is None:
        return product
    product += c if beta == 1 else c * c.dtype.type(beta)
    return product


def _reduced(function: Callable[..., Any]) -> Operator:
    def operator(
        x: Array, axes: Array | None = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0
    ) -> Array:
        along = None if axes is None or not axes.size else tuple(axes.tolist())
        if along is None and noop_with_empty_axes:
            return x
        return np.asarray(function(x, axis=along, keepdims=bool(keepdims)), x.dtype)

    return operator


def _log_sum_exp(x: Array, axis: Any = None, keepdims: bool = False) -> Any:
    largest = x.max(axis=axis, keepdims=True)
    total = np.log(np.exp(x - largest).sum(axis=axis, keepdims=True)) + largest
    return total if keepdims else np.squeeze(total, axis)


def _norm(x: Array, axis: Any = None, keepdims: bool = False) -> Any:
    return np.sqrt(np.square(x).sum(axis=axis, keepdims=keepdims))


def _log_softmax(x: Array, *, axis: int = -1) -> Any:
    return x - _log_sum_exp(x, axis, True)


def _softmax(x: Array, *, axis: int = -1) -> Any:
    return np.exp(_log_softmax(x, axis=axis))


def _layer_norm(
    x: Array, scale: Array, bias: Array | None = None, *,
    axis: int = -1, epsilon: float = 1e-5, stash_type: int = 1,
) -> Any:  # fmt: skip
    axes = tuple(range(axis % x.ndim, x.ndim))
    centred = x - x.mean(axes, keepdims=True)
    deviation = np.sqrt(np.square(centred).mean(axes, keepdims=True) + x.dtype.type(epsilon))
    scaled = centred / deviation * scale
    return scaled if bias is None else scaled + bias


def _batch_norm(
    x: Array,
    *parameters: Array,
    epsilon: float = 1e-5,
    momentum: float = 0.9,
    training_mode: int = 0,
) -> Any:  # the reader rejects training_mode other than 0
    lengths = (x.shape[1], *[1] * (x.ndim - 2))  # parameters belong to the second axis
    scale, bias, mean, variance = (parameter.reshape(lengths) for parameter in parameters)
    return (x - mean) / np.sqrt(variance + x.dtype.type(epsilon)) * scale + bias


def _cumulated(x: Array, axis: Array, *, exclusive: int = 0, reverse: int = 0) -> Any:
    along = int(axis.item())
    x = np.flip(x, along) if reverse else x
    total: Array = np.cumsum(x, along, x.dtype)
    if exclusive:
        total = np.delete(np.insert(total, 0, 0, along), -1, along)
    return np.flip(total, along) if reverse else total


def _place_of(function: Callable[..., Any]) -> Operator:
    def operator(
        x: Array, *, axis: int = 0, keepdims: int = 1, select_last_index: int = 0
    ) -> Array:
        places = function(np.flip(x, axis) if select_last_index else x, axis=axis)
        places = x.shape[axis] - 1 - places if select_last_index else places
        return np.asarray(np.expand_dims(places, axis) if keepdims else places, np.int64)

    return operator


# --- places and shapes ----------------------------------------------------------------------


def _gather(x: Array, places: Array, *, axis: int = 0) -> Any:
    return np.take(x, places, axis)


def gather_elements(x: Array, places: Array, *, axis: int = 0) -> Any:
    """Return the numbers of ``x`` at ``places`` along an axis, like ONNX's GatherElements."""
    if x.ndim == 2 and axis == 1 and x.shape[0] == places.shape[0]:
        return x[np.arange(len(x))[:, None], places]
    whole = axis % x.ndim  # the other axes are cut to the size of ``places``
    parts = (
        slice(None if dimension == whole else size) for dimension, size in enumerate(places.shape)
    )
    return np.take_along_axis(x[tuple(parts)], places, axis)


def _gather_nd(
    x: Array, places: Array, *, batch_dims: int = 0
) -> Any:  # the reader rejects batch_dims other than 0
    if places.shape[-1] == 1:
        return np.take(x, places[..., 0], 0)
    return x[tuple(np.moveaxis(places, -1, 0))]


def _reshaped(x: Array, shape: Array, *, allowzero: int = 0) -> Any:
    lengths = [
        x.shape[axis] if length == 0 and not allowzero else length
        for axis, length in enumerate(shape.tolist())
    ]
    return x.reshape(lengths)


def _flattened(x: Array, *, axis: int = 1) -> Any:
    before = x.shape[: axis if axis >= 0 else x.ndim + axis]
    return x.reshape(int(np.prod(before)), -1)


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
    "Less": _nary(np.less),
    "LessOrEqual": _nary(np.less_equal), "Max": _nary(lambda *arrays: reduce(np.maximum, arrays)),
    "Min": _nary(lambda *arrays: reduce(np.minimum, arrays)), "Mod": _mod,
    "Mul": _nary(np.multiply), "Or": _nary(np.logical_or), "PRelu": _prelu, "Pow": _power,
    "Sub": _nary(np.subtract), "Sum": _nary(lambda *arrays: reduce(np.add, arrays)),
    "Where": _where,
}  # fmt: skip
"""The operators whose output has the broadcast shape of their inputs."""

OPERATORS: dict[str, Operator] = {
    **BY_NUMBER,
    "Abs": _unary(np.abs), "ArgMax": _place_of(np.argmax), "ArgMin": _place_of(np.argmin),
    "BatchNormalization": _batch_norm, "Cast": _cast, "Ceil": _unary(np.ceil), "Celu": _celu,
    "Concat": _concatenated, "CumSum": _cumulated, "Elu": _elu,
    "Erf": _unary(lambda x: _ERF(x).astype(x.dtype)), "Exp": _unary(np.exp), "Expand": _expanded,
    "Flatten": _flattened, "Floor": _unary(np.floor), "Gather": _gather,
    "GatherElements": gather_elements, "GatherND": _gather_nd, "Gemm": _gemm,
    "HardSigmoid": _hard_sigmoid,
    "HardSwish": _unary(lambda x: x * _hard_sigmoid(x, alpha=1 / 6)),
    "Identity": _unary(lambda x: x), "IsNaN": _unary(np.isnan),
    "LeakyRelu": _leaky_relu, "Log": _unary(np.log), "LogSoftmax": _log_softmax,
    "MatMul": _nary(_product), "Mish": _unary(lambda x: x * np.tanh(_softplus(x))),
    "Neg": _unary(np.negative), "Not": _unary(np.logical_not), "Range": _range,
    "Reciprocal": _unary(np.reciprocal), "ReduceL2": _reduced(_norm),
    "ReduceLogSumExp": _reduced(_log_sum_exp), "ReduceMax": _reduced(np.max),
    "ReduceMean": _reduced(np.mean), "ReduceMin": _reduced(np.min), "ReduceSum": _reduced(np.sum),
    "Relu": _unary(lambda x: np.maximum(x, x.dtype.type(0))), "Reshape": _reshaped,
    "Round": _unary(np.rint), "Selu": _selu, "Shape": _shape, "Sigmoid": _unary(_sigmoid),
    "Sign": _unary(np.sign), "Slice": _sliced, "Softmax": _softmax, "Softplus": _unary(_softplus),
    "Softsign": _unary(lambda x: x / (1 + np.abs(x))), "Split": _split, "Sqrt": _unary(np.sqrt),
    "Squeeze": _squeezed, "Tanh": _unary(np.tanh), "Transpose": _transposed,
    "Unsqueeze": _unsqueezed,
}  # fmt: skip
"""All operators that policy files may contain.

None of them contains a subgraph, so each node runs exactly once, in the order of the file. None of
them opens a file.
"""
