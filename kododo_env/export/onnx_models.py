"""Models in ONNX, from any exporter, in the operators of policy files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

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

from kododo_env.core.arrays import Array, Float32, Int8
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.canonical import CanonicalForm
from kododo_env.export.parity import Answers
from kododo_env.export.trained import Ends, Trained
from kododo_env.policy.numpy_operators import OPERATORS, gather_elements
from kododo_env.policy.onnx_graph import OPSET
from kododo_env.policy.plain_text import plain
from kododo_env.policy.policy_file import LARGEST_FILE
from kododo_env.system.files import read_ordinary
from kododo_env.wrappers.spaces import MaskPlace, ObservationFormat

OWN = ("", "ai.onnx")  # the domain of ONNX's operators
RECURRENT = {"LSTM", "GRU", "RNN", "Loop", "Scan"}
STATELESS = (
    "a policy file sees one position and keeps nothing between two: let it play as a bot in Python "
    "with begin(view) (docs/bots.md)"
)
# What Gelu means, which is an operator since opset 20; onnx does not translate it back.
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
# Types that no policy computes in: by runtime, the last digits differ too much to be compared.
_REDUCED = {TensorProto.FLOAT16: "float16", TensorProto.BFLOAT16: "bfloat16"}
_NUMBERS = ("value", "value_int", "value_ints", "value_float", "value_floats")  # of a constant
_PLAIN = "plain_logits"  # of the game's own actions, behind a model of canonical ones
_PREFIX = "model/"  # of all names in somebody else's graph


def from_file(
    path: Path,
    game: BatchGame,
    normalize: bool,
    observation_dtype: npt.DTypeLike | None,
    action_mask: MaskPlace,
    canonical: bool = False,
) -> Trained:
    """The model of an ONNX file; nothing but this file is read, and nothing is run.

    With ``canonical`` it takes plain observations, which torch makes canonical.

    Raises:
        ValueError: It cannot be read, or is no model of observations of this game.
    """
    told = plain(path)
    content = read_ordinary(path, LARGEST_FILE, told)
    try:
        given = onnx.load_model_from_string(content)
        model = tidied(given)
        ends = _prefixed(ends_of(model, game))
        model = compose.add_prefix(model, _PREFIX)
        answers = _answers(model, ends)
    except ValueError as error:
        raise ValueError(f"{told} cannot be adopted: {error}") from error
    except Exception as error:  # of onnx, of protobuf, or of the C++ below them
        raise ValueError(f"{told} is no ONNX file that can be read: {plain(error)}") from error
    (kind,) = (e.type.tensor_type for e in model.graph.input if e.name == ends.observation)
    dtype = observation_dtype or helper.tensor_dtype_to_np_dtype(kind.elem_type)
    form = ObservationFormat(game, dtype, normalize, action_mask, canonical)
    producer = " ".join(filter(None, (given.producer_name, given.producer_version)))
    made_by = {"library": plain(producer or "unknown", 100), "model": "ONNX"}
    if canonical:
        model, ends, answers = _with_canonical_inputs(model, ends, answers, game, form)
    return Trained(model, ends, form, answers, made_by)


def _with_canonical_inputs(
    model: onnx.ModelProto, ends: Ends, answers: Answers, game: BatchGame, form: ObservationFormat
) -> tuple[onnx.ModelProto, Ends, Answers]:
    """A model of canonical observations as one of plain observations."""
    from kododo_env.export.torch_models import canonical_inputs  # imports torch

    front = canonical_inputs(game, form).graph
    graph = model.graph
    types = {end.name: end.type.tensor_type.elem_type for end in (*graph.input, *graph.output)}
    nodes = [
        *front.node,
        helper.make_node(
            "Cast", ["canonical_numbers"], [ends.observation], to=types[ends.observation]
        ),
    ]
    if ends.mask:
        nodes.append(helper.make_node("Cast", ["canonical_mask"], [ends.mask], to=types[ends.mask]))
    nodes += graph.node
    nodes.append(helper.make_node("GatherElements", [ends.logits, "places"], [_PLAIN], axis=1))
    logits = helper.make_tensor_value_info(_PLAIN, types[ends.logits], ["N", game.num_actions])
    outputs = [logits, *(end for end in graph.output if end.name == ends.value)]
    weights = [*front.initializer, *graph.initializer]
    joined = helper.make_graph(nodes, "policy", front.input, outputs, weights)
    plain_model = helper.make_model(joined, opset_imports=[helper.make_opsetid("", OPSET)])
    plain_ends = Ends("numbers", "mask", _PLAIN, ends.value)
    return plain_model, plain_ends, _plain_answers(answers, form)


def _plain_answers(answers: Answers, form: ObservationFormat) -> Answers:
    """A model's answers to plain observations, by numpy's canonical form."""
    layouts = form.layouts
    canonical_form = CanonicalForm(layouts.observation, layouts.actions)

    def plain_answers(numbers: Array, mask: Int8) -> tuple[Float32, Float32 | None]:
        counts = (numbers * form.maxima).round() if form.normalize else numbers
        rows = canonical_form(counts.astype(layouts.observation.dtype), mask)
        canonical_numbers = form.of_rows(rows.observations)
        canonical_logits, values = answers(canonical_numbers, rows.masks.astype(np.int8))
        logits = np.empty_like(canonical_logits)
        np.put_along_axis(logits, rows.actions, canonical_logits, axis=1)
        return logits, values

    return plain_answers


def _prefixed(ends: Ends) -> Ends:
    mask, value = (each and _PREFIX + each for each in (ends.mask, ends.value))
    return Ends(_PREFIX + ends.observation, mask, _PREFIX + ends.logits, value)


def tidied(given: onnx.ModelProto) -> onnx.ModelProto:
    """A model with one plain graph of opset ``OPSET``, as the reader of policy files has it.

    Functions are put into the graph, and constants become weights. A model that computes in half
    precision or bfloat16 keeps its weights, and computes in single precision.

    Raises:
        ValueError: It is recurrent, has weights in other files, or operators of a version that
            cannot be translated.
    """
    for tensor in given.graph.initializer:
        _check_inside(tensor)
    model = _translated(inliner.inline_local_functions(_without_gelu(given)))
    if reduced_types(model):
        _make_single(model)
    graph = model.graph
    for node in graph.node:
        if node.op_type in RECURRENT:
            raise ValueError(f"it is recurrent (it has the operation {node.op_type}); {STATELESS}")
    tensors = [_plain_tensor(each, each.name) for each in graph.initializer]
    tensors += [_constant(node) for node in graph.node if node.op_type == "Constant"]
    constants = {each.name for each in tensors}
    computed = _floats(model) - constants
    nodes = list[onnx.NodeProto]()
    for node in graph.node:
        if node.op_type == "Constant":
            continue
        if node.op_type == "Dropout":  # which does nothing in play
            node = helper.make_node("Identity", node.input[:1], node.output[:1])
        del node.metadata_props[:]
        node.doc_string = ""
        divides = node.op_type == "Div" and computed.issuperset(node.input)
        nodes += _divided(node) if divides else [node]
    for name in sorted({node.op_type for node in nodes} - OPERATORS.keys()):
        raise ValueError(f"its graph has the operation {name}, which no policy needs")
    inputs = [each for each in graph.input if each.name not in constants]
    graph = helper.make_graph(nodes, "policy", inputs, graph.output, tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)])


def reduced_types(model: onnx.ModelProto) -> list[str]:
    """The types of fewer bits than single precision in which a model computes, by name.

    Weights that are only cast do not count, unless they are of bfloat16, which no policy has.
    """
    types = _types(model)
    found = {each.data_type for each in model.graph.initializer} & {TensorProto.BFLOAT16}
    for node in model.graph.node:
        if node.op_type not in ("Cast", "Constant"):
            found |= {types.get(name, 0) for name in (*node.input, *node.output)}
    return sorted(_REDUCED[kind] for kind in found & _REDUCED.keys())


def _make_single(model: onnx.ModelProto) -> None:
    """Change all numbers of fewer bits to single precision, in place."""
    graph = model.graph
    attributes = [each for node in graph.node for each in node.attribute]
    for tensor in (*graph.initializer, *(each.t for each in attributes if each.HasField("t"))):
        if tensor.data_type in _REDUCED:
            _check_inside(tensor)
            numbers = numpy_helper.to_array(tensor).astype(np.float32)
            tensor.CopyFrom(numpy_helper.from_array(numbers, tensor.name))
    for node in graph.node:
        for attribute in node.attribute:
            if node.op_type == "Cast" and attribute.name == "to" and attribute.i in _REDUCED:
                attribute.i = TensorProto.FLOAT
    for end in (*graph.input, *graph.output):
        if end.type.tensor_type.elem_type in _REDUCED:
            end.type.tensor_type.elem_type = TensorProto.FLOAT
    del graph.value_info[:]


def _types(model: onnx.ModelProto) -> dict[str, int]:
    """The types of a model's numbers by name, as far as onnx can tell."""
    graph = shape_inference.infer_shapes(model).graph
    known = [*graph.input, *graph.value_info, *graph.output]
    types = {each.name: each.type.tensor_type.elem_type for each in known}
    return types | {each.name: each.data_type for each in graph.initializer}


def _floats(model: onnx.ModelProto) -> set[str]:
    """The names of a model's floats, as far as onnx can tell."""
    kinds = TensorProto.FLOAT16, TensorProto.FLOAT, TensorProto.DOUBLE
    return {name for name, kind in _types(model).items() if kind in kinds}


def _divided(node: onnx.NodeProto) -> list[onnx.NodeProto]:
    """Floats divided by what is computed, told from whole numbers, which no policy divides so."""
    (one, other), (result,) = node.input, node.output
    reciprocal = f"{result} by"
    return [
        helper.make_node("Reciprocal", [other], [reciprocal]),
        helper.make_node("Mul", [one, reciprocal], [result]),
    ]


def _without_gelu(given: onnx.ModelProto) -> onnx.ModelProto:
    """The same with functions of older operators for each Gelu."""
    if not any(each.domain in OWN for each in given.opset_import):
        raise ValueError("it names no version of its operators (opset_import)")
    model = onnx.ModelProto()
    model.CopyFrom(given)
    for node in model.graph.node:
        if node.op_type == "Gelu" and node.domain in OWN:
            words = [each.s.decode() for each in node.attribute] or ["none"]
            node.CopyFrom(helper.make_node(words[0], node.input, node.output, domain="gelu"))
    versions = [str(each.version) for each in model.opset_import if each.domain in OWN]
    for text in _GELU.values():
        model.functions.append(parser.parse_function(text.replace("OPSET", versions[0])))
    model.opset_import.append(helper.make_opsetid("gelu", 1))
    return model


def _translated(model: onnx.ModelProto) -> onnx.ModelProto:
    """The same with operators of opset ``OPSET``."""
    versions = [each.version for each in model.opset_import if each.domain in OWN]
    if versions == [OPSET]:
        return model
    try:
        return version_converter.convert_version(model, OPSET)
    except Exception as error:  # it has no class for all that it raises
        raise ValueError(
            f"it has operators of opset {versions}, which onnx cannot translate to {OPSET}: export "
            f"it again with opset {OPSET} ({plain(error, 150)})"
        ) from error


def _plain_tensor(tensor: onnx.TensorProto, name: str) -> onnx.TensorProto:
    """A constant with its numbers as bytes, and nothing else."""
    _check_inside(tensor)
    _check_type(tensor.data_type, f"constant {plain(name, 60)}")
    return numpy_helper.from_array(numpy_helper.to_array(tensor), name)


def _check_type(kind: int, name: str) -> None:
    """Raise ValueError if a number stands for no type that this version of onnx knows."""
    if kind not in helper.get_all_tensor_dtypes():
        raise ValueError(f"its {name} is of no known type ({kind})")


def _check_inside(tensor: onnx.TensorProto) -> None:
    """Raise ValueError if its numbers are in another file, which onnx would read."""
    if tensor.external_data or tensor.data_location == onnx.TensorProto.EXTERNAL:
        raise ValueError(
            "it has its weights in another file: export it again as one file (external_data=False)"
        )


def _constant(node: onnx.NodeProto) -> onnx.TensorProto:
    names = [each.name for each in node.attribute]
    if len(names) != 1 or names[0] not in _NUMBERS:
        raise ValueError(f"it has a constant without numbers ({plain(names, 60)})")
    (attribute,) = node.attribute
    value = helper.get_attribute_value(attribute)
    if isinstance(value, onnx.TensorProto):
        return _plain_tensor(value, node.output[0])
    dtype = np.float32 if attribute.name.startswith("value_float") else np.int64
    return numpy_helper.from_array(np.asarray(value, dtype), node.output[0])


def ends_of(model: onnx.ModelProto, game: BatchGame) -> Ends:
    """Which inputs and outputs of a model are observation, mask, logits and value, by their shapes.

    Raises:
        ValueError: There is no input or no output of the shape that one must have, or several.
    """
    graph = shape_inference.infer_shapes(model).graph
    for each in graph.input:
        _check_type(each.type.tensor_type.elem_type, f"input {plain(each.name, 60)}")
    size, actions = game.layout.size, game.num_actions
    inputs, outputs = map(_shapes, (graph.input, graph.output))
    observation = _the_one(inputs, [size], "an input", "the numbers of an observation", "obs")
    others = {name: shape for name, shape in inputs.items() if name != observation}
    mask = None
    if others:
        mask = _the_one(others, [actions], "a second input", "the mask of legal actions", "mask")
    logits = _the_one(outputs, [actions], "an output", "a logit for each action", "logit")
    worth = [name for name, shape in outputs.items() if shape in ([], [1]) and name != logits]
    if len(worth) > 1:
        worth = [name for name in worth if "value" in name.lower()]
    if len(others) > 1 or len(worth) > 1:
        raise ValueError(f"it has more inputs or outputs than a policy: {[*inputs, *outputs]}")
    return Ends(observation, mask, logits, worth[0] if worth else None)


def _shapes(ends: Sequence[onnx.ValueInfoProto]) -> dict[str, list[int | str]]:
    """The shape of each end behind that of the batch."""
    return {
        each.name: [dim.dim_value or dim.dim_param for dim in each.type.tensor_type.shape.dim][1:]
        for each in ends
    }


def _the_one(
    ends: dict[str, list[int | str]], shape: list[int], what: str, holds: str, word: str
) -> str:
    """The name of the end with a shape, by a word in it if there are several."""
    found = [name for name, each in ends.items() if each == shape]
    if len(found) > 1:
        found = [name for name in found if word in name.lower()]
    if len(found) != 1:
        has = ", ".join(f"{plain(name, 60)} {plain(['N', *each])}" for name, each in ends.items())
        raise ValueError(f"it needs {what} of shape ['N', {shape[0]}], {holds}; it has {has}")
    return found[0]


class GatherElements(OpRun):
    """As ONNX defines it; that of onnx 1.23 fails along the numbers of an observation."""

    op_domain = ""

    def _run(self, x: Array, places: Array, axis: int | None = None) -> tuple[Array]:
        return (gather_elements(x, places, axis=axis or 0),)


def _answers(model: onnx.ModelProto, ends: Ends) -> Answers:
    """What a model says by onnx's own evaluator."""
    types = {
        each.name: helper.tensor_dtype_to_np_dtype(each.type.tensor_type.elem_type)
        for each in model.graph.input
    }
    evaluator = ReferenceEvaluator(model, new_ops=[GatherElements])

    def answers(numbers: Array, mask: Int8) -> tuple[Float32, Float32 | None]:
        given = {ends.observation: numbers, ends.mask: mask}
        feed = {name: given[name].astype(kind) for name, kind in types.items()}
        names = [ends.logits, *filter(None, [ends.value])]
        found = evaluator.run(names, feed)
        logits, *values = (np.asarray(each, np.float32) for each in found)
        return logits, (values[0].reshape(-1) if values else None)

    return answers
