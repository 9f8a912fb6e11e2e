"""Run a policy's graph with numpy, without onnxruntime."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from inspect import signature
from typing import Any, NamedTuple

import numpy as np

from kododo_env.arrays.dtypes import Array
from kododo_env.policy.numpy_operators import BY_NUMBER, FIXED, OPERATORS, Operator
from kododo_env.policy.onnx_graph import End, Node, Session, read_graph, type_name
from kododo_env.policy.plain_text import plain
from kododo_env.system.extras import missing_extra

WIDEST = 8  # bytes of the largest type


class _Step(NamedTuple):
    """A node with its operator, and the names of the arrays that no later node needs."""

    node: Node
    operator: Operator
    done: frozenset[str]


class NumpySession(Session):
    """An open graph, which numpy runs node by node.

    Args:
        content: The bytes of the policy file.
        threads: Ignored; numpy uses the threads of its BLAS.
        memory: The memory limit of a trial run in bytes. None sets no limit and computes nodes
            whose inputs are all constant only once.

    Attributes:
        inputs: The names, types and shapes of the graph's inputs.
        outputs: The names, types and shapes of its outputs.

    Raises:
        ValueError: The graph is not supported.
    """

    def __init__(self, content: bytes, threads: int, memory: int | None) -> None:
        super().__init__(content, threads, memory)
        try:
            graph = read_graph(content)
            steps = [_step(node) for node in graph.nodes]
        except ValueError as error:
            raise ValueError(f"numpy cannot run the graph: {plain(error)}") from error
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
        """Compute outputs of the graph.

        Args:
            names: The names of the outputs to return.
            feed: The inputs by name.
            seconds: The time limit, checked before each node; None for no limit.

        Returns:
            The outputs in the order of ``names``.

        Raises:
            TimeoutError: The time limit has passed.
            MemoryError: A node would exceed the memory limit.
            ValueError: An output has another type than the graph declares.
            Exception: Any other error of numpy.
        """
        deadline = None if seconds is None else time.monotonic() + seconds
        arrays: dict[str, Array] = {**self._constants, **feed}
        with np.errstate(all="ignore"):  # NaN and infinity are found at the end
            for step in self._steps:
                if deadline is not None and time.monotonic() > deadline:
                    raise TimeoutError(f"stopped before {step.node.operator}")
                self._play(step, arrays)
                for name in step.done:
                    del arrays[name]
        for output in self.outputs:
            dtype = arrays[output.name].dtype
            if type_name(dtype) != output.type:
                raise ValueError(
                    f"output {output.name} must be {output.type} as declared, got {dtype}"
                )
        return [arrays[name] for name in names]

    def _play(self, step: _Step, arrays: dict[str, Array]) -> None:
        """Compute one node."""
        node = step.node
        arguments = [arrays[name] if name else None for name in node.inputs]
        if self._memory is not None:
            used = sum(array.nbytes for array in arrays.values())
            if used + WIDEST * _numbers(node, arguments) > self._memory:
                raise MemoryError(f"{node.operator} needs more than {self._memory:,} bytes")
        computed = step.operator(*arguments, **node.attributes)
        results = computed if isinstance(computed, list) else [computed]
        for name, result in zip(node.outputs, results, strict=True):
            arrays[name] = result if isinstance(result, np.ndarray) else np.asarray(result)

    def _computed_once(self, steps: list[_Step]) -> list[_Step]:
        """Compute steps that use only constants, and return the other steps."""
        remaining = []
        with np.errstate(all="ignore"):
            for step in steps:
                if {*step.node.inputs} - {""} <= self._constants.keys():
                    self._play(step, self._constants)
                else:
                    remaining.append(step)
        return remaining


def _step(node: Node) -> _Step:
    """Return the step of a node; raise ValueError if numpy cannot run it."""
    if node.operator not in OPERATORS:
        raise ValueError(missing_extra(f"the operator {node.operator}", "onnxruntime", "play"))
    operator = OPERATORS[node.operator]
    attributes = {**node.attributes}
    for name in sorted(attributes.keys() - signature(operator).parameters.keys()):
        number = attributes.pop(name)
        if FIXED.get(name, math.nan) not in (None, number):
            feature = f"the operator {node.operator} with {name} {number}"
            raise ValueError(missing_extra(feature, "onnxruntime", "play"))
    num_outputs = len(node.outputs)
    declared = attributes.get("num_outputs", num_outputs)
    if declared != num_outputs:
        raise ValueError(f"{node.operator} declares {declared} outputs but has {num_outputs}")
    return _Step(node._replace(attributes=attributes), operator, frozenset())


def _with_ends(steps: list[_Step], output_names: set[str]) -> list[_Step]:
    """Add to each step the names that no later step needs and that are no outputs."""
    needed = {"", *output_names}
    reversed_steps = []
    for step in reversed(steps):
        step_names = {*step.node.inputs, *step.node.outputs}
        reversed_steps.append(step._replace(done=frozenset(step_names - needed)))
        needed |= step_names
    return reversed_steps[::-1]


def _numbers(node: Node, arguments: Sequence[Array | None]) -> int:
    """Return an upper bound on the size of a node's outputs."""
    arrays = [array for array in arguments if array is not None]
    shapes: list[tuple[int, ...]] = [array.shape for array in arrays]
    if node.operator in BY_NUMBER:
        return math.prod(np.broadcast_shapes(*shapes))
    if node.operator == "Expand":
        return math.prod(np.broadcast_shapes(shapes[0], tuple(arrays[1].tolist())))
    if node.operator == "Range":
        first, end, step = map(float, arrays)
        return max(0, math.ceil((end - first) / step))
    if node.operator in ("Gemm", "MatMul"):  # an upper bound for stacks
        return arrays[0].size * arrays[1].size // max(1, shapes[0][-1])
    if node.operator == "Gather":
        axis: Any = node.attributes.get("axis", 0)
        length: int = shapes[0][axis]
        return arrays[1].size * arrays[0].size // max(1, length)
    if node.operator == "GatherND":
        return arrays[1].size * math.prod(shapes[0][shapes[1][-1] :])
    return sum(array.size for array in arrays)
