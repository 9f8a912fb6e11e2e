"""Rewrite policy files in another precision.

Half precision makes them smaller; some engines support neither half precision nor 8-bit numbers.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from agents.export.policy_weights import game_of
from kododo_env.arrays.dtypes import Array, Float32, Int8
from kododo_env.core.agent import ValueAgent
from kododo_env.export.onnx_editor import OnnxEditor
from kododo_env.export.parity import check_parity
from kododo_env.export.policy_graph import policy_bytes
from kododo_env.policy.metadata_file import written_with_metadata
from kododo_env.policy.onnx_agent import OnnxAgent
from kododo_env.policy.plain_text import plain
from kododo_env.policy.policy_file import read_policy
from kododo_env.system.files import check_other
from kododo_env.wrappers.spaces import ObservationFormat

_REPLACEMENTS: dict[int, int] = {
    TensorProto.FLOAT16: TensorProto.FLOAT,
    **dict.fromkeys((TensorProto.UINT8, TensorProto.UINT16, TensorProto.INT8), TensorProto.INT32),
}


def halved(model: onnx.ModelProto) -> onnx.ModelProto:
    """Return a copy of a model with its matrices in half precision.

    Each matrix is cast back to single precision before it is used, so computations stay in single
    precision. The runtime casts once, when it loads the file. Weights are rounded to 11 significant
    bits. Matrices that are already in half precision do not change.

    Raises:
        ValueError: A weight is not a finite number in half precision.
    """
    editor = OnnxEditor(model)
    names: dict[str, str] = {}  # the name of the cast matrix by the matrix's name
    for tensor in editor.graph.initializer:
        if tensor.data_type != TensorProto.FLOAT or len(tensor.dims) < 2:
            continue
        with np.errstate(over="ignore"):
            half = numpy_helper.to_array(tensor).astype(np.float16)
        if not np.isfinite(half).all():
            raise ValueError(f"{tensor.name} has weights outside the range of half precision")
        tensor.CopyFrom(numpy_helper.from_array(half, tensor.name))
        names[tensor.name] = f"{tensor.name}/single"
    editor.rename(names)
    casts = [helper.make_node("Cast", [n], [s], to=TensorProto.FLOAT) for n, s in names.items()]
    editor.set_nodes([*casts, *editor.graph.node])
    onnx.checker.check_model(editor.model)
    return editor.model


def write_plain(policy: Path, path: Path) -> None:
    """Rewrite a policy file with float32 weights and int32 inputs.

    The new file has the same outputs. It is written atomically, with its metadata as JSON beside
    it.

    Raises:
        ValueError: The policy cannot be read or converted, ``path`` is the policy itself, or the
            new file would be too large.
    """
    check_other(path, policy, "the policy itself; choose another file")
    file = read_policy(policy)
    usual = OnnxAgent(policy)
    try:
        model = plain_model(onnx.load_model_from_string(file.content))
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError) as error:
        raise ValueError(f"{policy} cannot be converted: {plain(error)}") from error
    game = game_of(file.metadata)

    def answers(observation: Array, mask: Int8) -> tuple[Float32, Float32 | None]:
        logits, values = usual.evaluate(observation, mask)
        return logits, values if isinstance(usual, ValueAgent) else None

    with written_with_metadata(path) as aside:
        aside.write_bytes(policy_bytes(model, file.metadata))
        check_parity(answers, OnnxAgent(aside), game, ObservationFormat(game))


def plain_model(model: onnx.ModelProto) -> onnx.ModelProto:
    """Return a copy of a policy's model in float32 and int32, without redundant casts.

    The sorting keys of the canonical form stay in double precision, and indices stay int64.
    """
    editor = OnnxEditor(model)
    editor.convert(_REPLACEMENTS)
    graph = editor.graph
    kinds = {tensor.name: tensor.data_type for tensor in graph.initializer}
    kinds |= {end.name: end.type.tensor_type.elem_type for end in graph.input}
    sources: dict[str, str] = {}  # the name of the equal tensor by the cast's name
    for node in graph.node:
        source = sources.get(node.input[0], node.input[0])
        if node.op_type == "Cast" and kinds.get(source) == node.attribute[0].i:
            sources[node.output[0]] = source
    editor.set_nodes(node for node in graph.node if node.output[0] not in sources)
    editor.rename(sources)
    onnx.checker.check_model(editor.model, full_check=True)
    return editor.model
