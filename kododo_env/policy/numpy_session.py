"""Playing a policy's graph in numpy, where there is no onnxruntime."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from inspect import signature
from typing import Any, NamedTuple

import numpy as np

from kododo_env.core.arrays import Array
from kododo_env.policy.numpy_operators import BY_NUMBER, OPERATORS, Operator
from kododo_env.policy.onnx_graph import End, Node, Session, read_graph, type_name
from kododo_env.policy.plain_text import plain

WIDEST = 8  # bytes of a number


class _Step(NamedTuple):
    """An operation, and the names that nobody needs after it."""

    node: Node
    operator: Operator
    done: frozenset[str]


class NumpySession(Session):
    """A graph that can be played, operation by operation, by the threads of numpy's BLAS.

    Args:
        content: The file's bytes.
        threads: Not used.
        memory: Bytes that a trial may take, which plays the graph as it stands; None: there is no
            limit, and constants are computed once.

    Attributes:
        inputs: Names, types and shapes of its inputs; ``outputs`` likewise.

    Raises:
        ValueError: It is no graph that a policy has.
    """

    def __init__(self, content: bytes, threads: int, memory: int | None) -> None:
        super().__init__(content, threads, memory)
        try:
            graph = read_graph(content)
            steps = [_step(node) for node in graph.nodes]
        except ValueError as error:
            raise ValueError(f"it cannot be opened with numpy alone: {plain(error)}") from error
        self.inputs: list[End] = graph.inputs
        self.outputs: list[End] = graph.outputs
        self._memory = memory
        self._constants = graph.constants
        if memory is None:
            steps = self._computed_once(steps)
        self._steps = _with_ends(steps, {output.name for output in graph.outputs})

    def run(
        self, names: Sequence[str], feed: Mapping[str, Array], seconds: float | None = None
    ) -> list[Array]:
        """The outputs of these names for some inputs, by name.

        Raises:
            TimeoutError: It takes more than ``seconds``; an operation that has begun is finished.
            Exception: Of any kind, from numpy, if the graph cannot be computed.
        """
        end = None if seconds is None else time.monotonic() + seconds
        values: dict[str, Array] = {**self._constants, **feed}
        with np.errstate(all="ignore"):  # what is no number is found at the end
            for step in self._steps:
                if end is not None and time.monotonic() > end:
                    raise TimeoutError(f"{step.node.operator} was not begun")
                self._play(step, values)
                for name in step.done:
                    del values[name]
        for output in self.outputs:
            if type_name(values[output.name].dtype) != output.type:
                raise ValueError(f"{output.name} is of the type {values[output.name].dtype}")
        return [values[name] for name in names]

    def _play(self, step: _Step, values: dict[str, Array]) -> None:
        """Compute what one operation gives."""
        node = step.node
        arguments = [values[name] if name else None for name in node.inputs]
        if self._memory is not None:
            held = sum(array.nbytes for array in values.values())
            if held + WIDEST * _numbers(node, arguments) > self._memory:
                raise MemoryError(f"{node.operator} wants more than {self._memory:,} bytes")
        computed = step.operator(*arguments, **node.attributes)
        results = computed if isinstance(computed, list) else [computed]
        for name, result in zip(node.outputs, results, strict=True):
            values[name] = result if isinstance(result, np.ndarray) else np.asarray(result)

    def _computed_once(self, steps: list[_Step]) -> list[_Step]:
        """Replace operations on constants alone by their results; the other operations."""
        remaining = []
        with np.errstate(all="ignore"):
            for step in steps:
                if {*step.node.inputs} - {""} <= self._constants.keys():
                    self._play(step, self._constants)
                else:
                    remaining.append(step)
        return remaining


def _step(node: Node) -> _Step:
    operator = OPERATORS[node.operator]
    takes = signature(operator).parameters.values()
    attribute_names = {
        parameter.name for parameter in takes if parameter.kind is parameter.KEYWORD_ONLY
    }
    for name in sorted(node.attributes.keys() - attribute_names):
        raise ValueError(f"{name!r} is no attribute of {node.operator}")
    num_outputs = len(node.outputs)
    if (number := node.attributes.get("num_outputs", num_outputs)) != num_outputs:
        raise ValueError(f"its {node.operator} names {number} outputs and has {num_outputs}")
    return _Step(node, operator, frozenset())


def _with_ends(steps: list[_Step], output_names: set[str]) -> list[_Step]:
    """The operations, each with what is not needed after it; outputs always are."""
    needed = {"", *output_names}
    reversed_steps = []
    for step in reversed(steps):
        step_names = {*step.node.inputs, *step.node.outputs}
        reversed_steps.append(step._replace(done=frozenset(step_names - needed)))
        needed |= step_names
    return reversed_steps[::-1]


def _numbers(node: Node, arguments: Sequence[Array | None]) -> int:
    """How many numbers an operation gives at most."""
    arrays = [array for array in arguments if array is not None]
    shapes: list[tuple[int, ...]] = [array.shape for array in arrays]
    if node.operator in BY_NUMBER:
        return math.prod(np.broadcast_shapes(*shapes))
    if node.operator == "Expand":
        return math.prod(np.broadcast_shapes(shapes[0], tuple(arrays[1].tolist())))
    if node.operator == "Range":
        first, end, step = map(float, arrays)
        return max(0, math.ceil((end - first) / step))
    if node.operator in ("Gemm", "MatMul"):
        inner = shapes[0][0 if node.attributes.get("transA") else -1]
        return arrays[0].size * arrays[1].size // max(1, inner)  # of stacks more than that
    if node.operator == "Gather":
        axis: Any = node.attributes.get("axis", 0)
        length: int = shapes[0][axis]
        return arrays[1].size * arrays[0].size // max(1, length)
    if node.operator == "GatherND":
        return arrays[1].size * math.prod(shapes[0][shapes[1][-1] :])
    return sum(array.size for array in arrays)
