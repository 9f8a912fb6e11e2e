"""Trained models in ONNX, converted from any exporter to the operators of policy files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import onnx
from onnx import (
    TensorProto,
    compose,
    helper,
    inliner,
    numpy_helper,
    parser,
    shape_inference,
    version_converter,
)
from onnx.reference import ReferenceEvaluator
from onnx.reference.op_run import OpRun

from kododo_env.arrays.dtypes import Array, Float32, Int8
from kododo_env.core.batch_game import BatchGame
from kododo_env.export.onnx_editor import OnnxEditor
from kododo_env.export.parity import Answers
from kododo_env.policy.numpy_operators import gather_elements
from kododo_env.policy.onnx_file import ALLOWED_OPERATORS
from kododo_env.policy.onnx_graph import OPSET
from kododo_env.policy.plain_text import plain
from kododo_env.policy.policy_file import LARGEST_FILE
from kododo_env.system.files import read_ordinary
from kododo_env.wrappers.spaces import MaskPlace, ObservationFormat

ONNX_DOMAINS = ("", "ai.onnx")  # both mean the domain of ONNX's operators
RECURRENT = {"LSTM", "GRU", "RNN", "Loop", "Scan"}
STATELESS = (
    "a policy file keeps no state between positions: write a Python bot with begin(view) instead "
    "(docs/bots.md)"
)
# Gelu as a function, since onnx cannot translate it from opset 20 to older ones.
_GELU = {
    "none": """<opset_import: ["": OPSET], domain: "gelu"> none (x) => (y) {
        root = Constant<value_float = 1.4142135623730951>()
        one = Constant<value_float = 1.0>()
        half = Constant<value_float = 0.5>()
        part = Div(x, root)  error = Erf(part)  more = Add(error, one)
        both = Mul(x, more)  y = Mul(both, half)
    }""",
    "tanh": """<opset_import: ["": OPSET], domain: "gelu"> tanh (x) => (y) {
        root = Constant<value_float = 0.7978845608028654>()
        small = Constant<value_float = 0.044715>()
        one = Constant<value_float = 1.0>()
        half = Constant<value_float = 0.5>()
        square = Mul(x, x)  cube = Mul(square, x)  part = Mul(cube, small)
        sum = Add(x, part)  scaled = Mul(sum, root)  bent = Tanh(scaled)
        more = Add(bent, one)  both = Mul(x, more)  y = Mul(both, half)
    }""",
}
# Policies do not compute in these types, in which the results of runtimes differ too much.
_REDUCED = {TensorProto.FLOAT16: "float16", TensorProto.BFLOAT16: "bfloat16"}
_FLOATS = (TensorProto.FLOAT16, TensorProto.FLOAT, TensorProto.DOUBLE)
_NUMBERS = ("value", "value_int", "value_ints", "value_float", "value_floats")  # of a Constant
_PREFIX = "model/"  # of all names in the original graph


class GraphEnds(NamedTuple):
    """The names of a graph's inputs and outputs; ``mask`` and ``value`` are None if it has none."""

    observation: str
    mask: str | None
    logits: str
    value: str | None


class TrainedModel(NamedTuple):
    """A trained model, converted to ONNX.

    Attributes:
        model: The ONNX model, with only the operators of policy files.
        ends: The names of its inputs and outputs.
        form: The format of its observations in training.
        answers: A function that runs the original model, to compare the policy file with.
        made_by: The "library" with its version and the "model" class, for the metadata.
    """

    model: onnx.ModelProto
    ends: GraphEnds
    form: ObservationFormat
    answers: Answers
    made_by: dict[str, str]


def from_file(
    path: Path,
    game: BatchGame,
    normalize: bool,
    observation_dtype: npt.DTypeLike | None,
    action_mask: MaskPlace,
    canonical: bool = False,
) -> TrainedModel:
    """Read the model of an ONNX file, without reading other files or running the model.

    Args:
        path: The ONNX file.
        game: A batch of the game that the model plays.
        normalize: Whether the model was trained with ``normalize=True``.
        observation_dtype: The dtype of observations in training; None means that of the input.
        action_mask: Where the mask was in training.
        canonical: Whether the model was trained with ``canonical=True``.

    Raises:
        ValueError: The file cannot be read, has unsupported parts, or its inputs and outputs do not
            fit this game.
    """
    name = plain(path)
    content = read_ordinary(path, LARGEST_FILE, name)
    try:
        original = onnx.load_model_from_string(content)
        model = tidied(original)
        ends = _prefixed(ends_of(model, game))
        model = compose.add_prefix(model, _PREFIX)
        answers = _answers(model, ends)
    except ValueError as error:
        raise ValueError(f"cannot adopt {name}: {error}") from error
    except Exception as error:  # of onnx, protobuf or their C++ code
        raise ValueError(f"cannot read {name} as an ONNX file: {plain(error)}") from error
    (input_type,) = (
        end.type.tensor_type for end in model.graph.input if end.name == ends.observation
    )
    dtype = observation_dtype or helper.tensor_dtype_to_np_dtype(input_type.elem_type)
    form = ObservationFormat(game, dtype, normalize, action_mask, canonical)
    producer = " ".join(filter(None, (original.producer_name, original.producer_version)))
    made_by = {"library": plain(producer or "unknown", 100), "model": "ONNX"}
    return TrainedModel(model, ends, form, answers, made_by)


def _prefixed(ends: GraphEnds) -> GraphEnds:
    mask = None if ends.mask is None else _PREFIX + ends.mask
    value = None if ends.value is None else _PREFIX + ends.value
    return GraphEnds(_PREFIX + ends.observation, mask, _PREFIX + ends.logits, value)


def tidied(original: onnx.ModelProto) -> onnx.ModelProto:
    """Convert a model to one graph of opset ``OPSET`` that the reader of policy files accepts.

    Functions are inlined, and constants become initializers. All tensors in half precision or
    bfloat16 become single precision if the model computes in these types.

    Raises:
        ValueError: The model is recurrent, has weights in other files or unsupported operators, or
            cannot be translated to opset ``OPSET``.
    """
    for tensor in original.graph.initializer:
        _check_inside(tensor)
    editor = OnnxEditor(_translated(inliner.inline_local_functions(_without_gelu(original))))
    graph = editor.graph
    tensors = [_plain_tensor(tensor, tensor.name) for tensor in graph.initializer]
    tensors += [_constant(node) for node in graph.node if node.op_type == "Constant"]
    del graph.initializer[:]
    graph.initializer.extend(tensors)
    editor.set_nodes(node for node in graph.node if node.op_type != "Constant")
    if reduced_types(editor.model):
        editor.convert(dict.fromkeys(_REDUCED, TensorProto.FLOAT))
    constants = {tensor.name for tensor in tensors}
    computed_floats = {name for name, kind in editor.types().items() if kind in _FLOATS} - constants
    nodes: list[onnx.NodeProto] = []
    for node in graph.node:
        if node.op_type in RECURRENT:
            raise ValueError(f"the model is recurrent (operator {node.op_type}); {STATELESS}")
        if node.op_type == "Dropout":  # the identity outside training
            node = helper.make_node("Identity", node.input[:1], node.output[:1])
        del node.metadata_props[:]
        node.doc_string = ""
        divides = node.op_type == "Div" and computed_floats.issuperset(node.input)
        nodes += _without_division(node) if divides else [node]
    for name in sorted({node.op_type for node in nodes} - ALLOWED_OPERATORS):
        raise ValueError(f"the graph has the unsupported operator {name}")
    inputs = [end for end in graph.input if end.name not in constants]
    graph = helper.make_graph(nodes, "policy", inputs, graph.output, graph.initializer)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)])


def reduced_types(model: onnx.ModelProto) -> list[str]:
    """Return the names of the reduced-precision types in which a model computes.

    Half-precision weights that are only cast do not count. All bfloat16 weights count, since policy
    files do not support this type.
    """
    types = OnnxEditor(model).types()
    kinds = {tensor.data_type for tensor in model.graph.initializer} & {TensorProto.BFLOAT16}
    for node in model.graph.node:
        if node.op_type not in ("Cast", "Constant"):
            kinds |= {types.get(name, 0) for name in (*node.input, *node.output)}
    return sorted(_REDUCED[kind] for kind in kinds & _REDUCED.keys())


def _without_division(node: onnx.NodeProto) -> list[onnx.NodeProto]:
    """Rewrite a division of computed floats as Reciprocal and Mul (no policy divides integers)."""
    numerator, denominator = node.input
    (quotient,) = node.output
    reciprocal = f"{quotient} by"
    return [
        helper.make_node("Reciprocal", [denominator], [reciprocal]),
        helper.make_node("Mul", [numerator, reciprocal], [quotient]),
    ]


def _without_gelu(original: onnx.ModelProto) -> onnx.ModelProto:
    """Copy a model with each Gelu replaced by a function of older operators."""
    if not any(opset.domain in ONNX_DOMAINS for opset in original.opset_import):
        raise ValueError("the model has no operator set version (opset_import)")
    model = OnnxEditor(original).model
    for node in model.graph.node:
        if node.op_type == "Gelu" and node.domain in ONNX_DOMAINS:
            modes = [attribute.s.decode() for attribute in node.attribute] or ["none"]
            node.CopyFrom(helper.make_node(modes[0], node.input, node.output, domain="gelu"))
    version = str(_versions(model)[0])
    for text in _GELU.values():
        model.functions.append(parser.parse_function(text.replace("OPSET", version)))
    model.opset_import.append(helper.make_opsetid("gelu", 1))
    return model


def _versions(model: onnx.ModelProto) -> list[int]:
    return [opset.version for opset in model.opset_import if opset.domain in ONNX_DOMAINS]


def _translated(model: onnx.ModelProto) -> onnx.ModelProto:
    """Translate a model to opset ``OPSET``."""
    versions = _versions(model)
    if versions == [OPSET]:
        return model
    try:
        return version_converter.convert_version(model, OPSET)
    except Exception as error:  # the converter has no common error class
        raise ValueError(
            f"onnx cannot translate the model from opset {versions} to {OPSET}: export it again "
            f"with opset {OPSET} ({plain(error, 150)})"
        ) from error


def _plain_tensor(tensor: onnx.TensorProto, name: str) -> onnx.TensorProto:
    """Copy a constant with its numbers as raw bytes and without other fields."""
    _check_inside(tensor)
    _check_type(tensor.data_type, f"constant {plain(name, 60)}")
    return numpy_helper.from_array(numpy_helper.to_array(tensor), name)


def _check_type(kind: int, name: str) -> None:
    """Raise ValueError if this version of onnx does not know an element type."""
    if kind not in helper.get_all_tensor_dtypes():
        raise ValueError(f"{name} has the unknown type {kind}")


def _check_inside(tensor: onnx.TensorProto) -> None:
    """Raise ValueError if a tensor's numbers are in another file, which onnx would read."""
    if tensor.external_data or tensor.data_location == onnx.TensorProto.EXTERNAL:
        raise ValueError(
            "the weights are in another file: export the model again with external_data=False"
        )


def _constant(node: onnx.NodeProto) -> onnx.TensorProto:
    names = [attribute.name for attribute in node.attribute]
    if len(names) != 1 or names[0] not in _NUMBERS:
        raise ValueError(f"a Constant must have one numeric attribute, got {plain(names, 60)}")
    (attribute,) = node.attribute
    numbers = helper.get_attribute_value(attribute)
    if isinstance(numbers, onnx.TensorProto):
        return _plain_tensor(numbers, node.output[0])
    dtype = np.float32 if attribute.name.startswith("value_float") else np.int64
    return numpy_helper.from_array(np.asarray(numbers, dtype), node.output[0])


def ends_of(model: onnx.ModelProto, game: BatchGame) -> GraphEnds:
    """Find a model's observation, mask, logits and value by the shapes of its inputs and outputs.

    Raises:
        ValueError: No input or output has an expected shape, or several have the same one.
    """
    graph = shape_inference.infer_shapes(model).graph
    for end in graph.input:
        _check_type(end.type.tensor_type.elem_type, f"input {plain(end.name, 60)}")
    size = game.layout.size
    actions = game.num_actions
    inputs, outputs = map(_shapes, (graph.input, graph.output))
    observation = _name_of_shape(inputs, [size], "an input", "the numbers of an observation", "obs")
    masks = {name: shape for name, shape in inputs.items() if name != observation}
    mask = None
    if masks:
        mask = _name_of_shape(
            masks, [actions], "a second input", "the mask of legal actions", "mask"
        )
    logits = _name_of_shape(outputs, [actions], "an output", "a logit for each action", "logit")
    values = [name for name, shape in outputs.items() if shape in ([], [1]) and name != logits]
    if len(values) > 1:
        values = [name for name in values if "value" in name.lower()]
    if len(masks) > 1 or len(values) > 1:
        raise ValueError(f"too many inputs or outputs for a policy: {[*inputs, *outputs]}")
    return GraphEnds(observation, mask, logits, values[0] if values else None)


def _shapes(ends: Sequence[onnx.ValueInfoProto]) -> dict[str, list[int | str]]:
    """Return the shapes of inputs or outputs by name, without the batch axis."""
    return {
        end.name: [dim.dim_value or dim.dim_param for dim in end.type.tensor_type.shape.dim][1:]
        for end in ends
    }


def _name_of_shape(
    shapes: dict[str, list[int | str]], shape: list[int], kind: str, meaning: str, word: str
) -> str:
    """Return the name with a shape; if several have it, the one that contains a word."""
    names = [name for name in shapes if shapes[name] == shape]
    if len(names) > 1:
        names = [name for name in names if word in name.lower()]
    if len(names) != 1:
        candidates = ", ".join(
            f"{plain(name, 60)} {plain(['N', *shapes[name]])}" for name in shapes
        )
        raise ValueError(
            f"expected {kind} of shape ['N', {shape[0]}] ({meaning}), got {candidates}"
        )
    return names[0]


class GatherElements(OpRun):
    """ONNX's GatherElements for the evaluator of onnx, whose own one (1.23) fails along axis 1."""

    op_domain = ""

    def _run(self, x: Array, places: Array, axis: int | None = None) -> tuple[Array]:
        return (gather_elements(x, places, axis=axis or 0),)


def _answers(model: onnx.ModelProto, ends: GraphEnds) -> Answers:
    """Return a function that runs a model with the evaluator of onnx."""
    types = {
        end.name: helper.tensor_dtype_to_np_dtype(end.type.tensor_type.elem_type)
        for end in model.graph.input
    }
    evaluator = ReferenceEvaluator(model, new_ops=[GatherElements])

    def answers(numbers: Array, mask: Int8) -> tuple[Float32, Float32 | None]:
        arrays = {ends.observation: numbers, ends.mask: mask}
        feed = {name: arrays[name].astype(dtype) for name, dtype in types.items()}
        names = [ends.logits, *filter(None, [ends.value])]
        outputs = evaluator.run(names, feed)
        logits, *values = (np.asarray(output, np.float32) for output in outputs)
        return logits, (values[0].reshape(-1) if values else None)

    return answers
