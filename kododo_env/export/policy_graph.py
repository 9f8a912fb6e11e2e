"""Make a policy file of a trained model.

Nodes before the model convert plain observations as the environment did in training: canonical
form, type, and normalisation. Nodes after it convert logits of canonical actions to logits of plain
actions, and set those of illegal actions to ``ILLEGAL``.
"""

from __future__ import annotations

import numpy as np
import onnx
from onnx import TensorProto, compose, helper

from kododo_env.core.batch_game import BatchGame
from kododo_env.export.onnx_editor import Nodes, OnnxEditor
from kododo_env.export.onnx_models import TrainedModel
from kododo_env.policy.metadata import KEY, PolicyMetadata
from kododo_env.policy.onnx_file import read_onnx
from kododo_env.policy.onnx_graph import ILLEGAL, IR_VERSION
from kododo_env.policy.plain_text import plain
from kododo_env.policy.policy_file import LARGEST_FILE, sealed
from kododo_env.wrappers.spaces import ObservationFormat

_CANONICAL = "canonical/"  # begins the names of the conversion to canonical form


def policy_model(trained: TrainedModel, game: BatchGame) -> onnx.ModelProto:
    """Return a copy of a trained model with the inputs and outputs of a policy file for a game."""
    editor = OnnxEditor(trained.model)
    ends = trained.ends
    types = {
        end.name: end.type.tensor_type.elem_type
        for end in (*editor.graph.input, *editor.graph.output)
    }
    observation_type = helper.np_dtype_to_tensor_dtype(game.layout.dtype)
    before = Nodes()
    numbers = "observation"
    numbers_type = observation_type
    mask = "action_mask"
    canonical = trained.form.layouts.canonical
    if canonical:
        _add_canonical_inputs(editor, before, game)
        numbers = f"{_CANONICAL}numbers"
        numbers_type = TensorProto.FLOAT
        mask = f"{_CANONICAL}mask"
    numbers = _formatted(
        editor, before, trained.form, numbers, numbers_type, types[ends.observation]
    )
    names = {ends.observation: numbers}
    if ends.mask:
        names[ends.mask] = before.cast(mask, TensorProto.INT8, types[ends.mask], "mask")
    editor.rename(names)
    after = Nodes()
    logits = after.cast(ends.logits, types[ends.logits], TensorProto.FLOAT, "logits")
    if canonical:
        logits = after.add("GatherElements", [logits, f"{_CANONICAL}places"], "plain", axis=1)
    # Not compared with 0: onnxruntime below 1.21 cannot compare int8.
    legal = after.cast("action_mask", TensorProto.INT8, TensorProto.BOOL, "legal")
    illegal = editor.constant("illegal", np.float32(ILLEGAL))
    after.append(helper.make_node("Where", [legal, logits, illegal], ["logits"]))
    outputs = [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["N", game.num_actions])]
    if ends.value:
        value = after.cast(ends.value, types[ends.value], TensorProto.FLOAT, "value")
        shape = editor.constant("shape", np.array([-1]))
        after.append(helper.make_node("Reshape", [value, shape], ["value"]))
        outputs.append(helper.make_tensor_value_info("value", TensorProto.FLOAT, ["N"]))
    editor.set_nodes([*before, *editor.graph.node, *after])
    inputs = [
        helper.make_tensor_value_info("observation", observation_type, ["N", game.layout.size]),
        helper.make_tensor_value_info("action_mask", TensorProto.INT8, ["N", game.num_actions]),
    ]
    editor.set_ends(inputs, outputs)
    return editor.model


def _add_canonical_inputs(editor: OnnxEditor, nodes: Nodes, game: BatchGame) -> None:
    """Add nodes that convert plain observations and masks to canonical form."""
    from kododo_env.export.torch_models import canonical_inputs  # imports torch

    front = compose.add_prefix(canonical_inputs(game), _CANONICAL, rename_inputs=False).graph
    nodes.extend(front.node)
    editor.graph.initializer.extend(front.initializer)


def _formatted(
    editor: OnnxEditor, nodes: Nodes, form: ObservationFormat, numbers: str, kind: int, to: int
) -> str:
    """Convert observations to the format of training, then to the type of the model's input.

    Args:
        editor: The graph.
        nodes: The nodes, to which the conversion is added.
        form: The format of training.
        numbers: The name of the observations.
        kind: Their element type.
        to: The element type of the model's input.

    Returns:
        The name of the result.
    """
    trained_type = helper.np_dtype_to_tensor_dtype(form.dtype)
    if not form.normalize:
        numbers = nodes.cast(numbers, kind, trained_type, "numbers")
        return nodes.cast(numbers, trained_type, to, "given")
    half = trained_type == TensorProto.FLOAT16
    dtype = np.dtype(np.float32) if half else form.dtype
    wide_type = helper.np_dtype_to_tensor_dtype(dtype)
    numbers = nodes.cast(numbers, kind, wide_type, "numbers")
    maxima = editor.constant("maxima", form.maxima.astype(dtype))
    numbers = nodes.add("Div", [numbers, maxima], "normalized")
    if half:
        # Round to the 11 bits of half precision. Runtimes remove a cast to half precision and back,
        # so the bits are split off instead (T. Dekker, "A floating-point technique for extending
        # the available precision", 1971).
        scale = editor.constant("scale", np.float32(2**13 + 1))
        scaled = nodes.add("Mul", [numbers, scale], "scaled")
        remainder = nodes.add("Sub", [scaled, numbers], "remainder")
        numbers = nodes.add("Sub", [scaled, remainder], "rounded")
    return nodes.cast(numbers, wide_type, to, "given")


def policy_bytes(model: onnx.ModelProto, metadata: PolicyMetadata) -> bytes:
    """Serialize a model of opset ``OPSET`` with metadata and digest, also for old runtimes.

    Raises:
        ValueError: The file would be too large, or the model has parts that policy files must not
            have.
    """
    model = portable(model)
    helper.set_model_props(model, {KEY: metadata.to_json()})
    try:
        onnx.checker.check_model(model)
    except onnx.checker.ValidationError as error:
        raise ValueError(f"the graph is not valid ONNX: {plain(error)}") from error
    content = sealed(model.SerializeToString())
    if len(content) > LARGEST_FILE:
        raise ValueError(
            f"the policy file would have {len(content):,} bytes, but at most {LARGEST_FILE:,} can "
            "be read: make the network smaller"
        )
    read_onnx(content)  # raises ValueError
    return content


def portable(model: onnx.ModelProto) -> onnx.ModelProto:
    """Return a copy of a model that old runtimes can run, with the same outputs.

    onnxruntime below 1.26 fuses a Transpose with a MatMul, but cannot compute the fused operator
    in double precision. Products with double-precision matrices therefore become Gemm, which is not
    fused.
    """
    editor = OnnxEditor(model)
    editor.model.ir_version = IR_VERSION
    del editor.graph.value_info[:]  # runtimes infer these; some are wrong after a conversion
    doubles = {
        tensor.name
        for tensor in editor.graph.initializer
        if tensor.data_type == TensorProto.DOUBLE and len(tensor.dims) == 2
    }
    for node in editor.graph.node:
        if node.op_type == "MatMul" and doubles & set(node.input):
            node.op_type = "Gemm"
    return editor.model
