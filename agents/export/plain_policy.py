"""Write policy files for engines that support neither half precision nor 8-bit numbers."""

from __future__ import annotations

from pathlib import Path

import onnx
from onnx import TensorProto, numpy_helper

from agents.export.policy_weights import game_of
from kododo_env.core.agent import ValueAgent
from kododo_env.core.arrays import Array, Float32, Int8
from kododo_env.export.parity import check_parity
from kododo_env.export.policy_graph import policy_bytes
from kododo_env.policy.metadata_file import written_with_metadata
from kododo_env.policy.onnx_agent import OnnxAgent
from kododo_env.policy.plain_text import plain
from kododo_env.policy.policy_file import read_policy
from kododo_env.system.files import check_other
from kododo_env.wrappers.spaces import ObservationFormat

_REPLACEMENTS = {
    TensorProto.FLOAT16: TensorProto.FLOAT,
    **dict.fromkeys((TensorProto.UINT8, TensorProto.UINT16, TensorProto.INT8), TensorProto.INT32),
}


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
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    kinds = {}
    for tensor in copy.graph.initializer:
        if tensor.data_type in _REPLACEMENTS:
            kind = _REPLACEMENTS[tensor.data_type]
            numbers = numpy_helper.to_array(tensor)
            dtype = onnx.helper.tensor_dtype_to_np_dtype(kind)
            tensor.CopyFrom(numpy_helper.from_array(numbers.astype(dtype), tensor.name))
        kinds[tensor.name] = tensor.data_type
    for graph_input in copy.graph.input:
        kind = graph_input.type.tensor_type.elem_type
        graph_input.type.tensor_type.elem_type = kinds[graph_input.name] = _REPLACEMENTS.get(
            kind, kind
        )
    _drop_casts(copy.graph, kinds)
    onnx.checker.check_model(copy, full_check=True)
    return copy


def _drop_casts(graph: onnx.GraphProto, kinds: dict[str, int]) -> None:
    """Remove casts of weights and inputs to their own type."""
    nodes: list[onnx.NodeProto] = []
    sources: dict[str, str] = {}  # the name of the equal tensor by the cast's name
    for node in graph.node:
        node.input[:] = [sources.get(name, name) for name in node.input]
        to = next((attribute.i for attribute in node.attribute if attribute.name == "to"), None)
        if node.op_type == "Cast" and kinds.get(node.input[0]) == to:
            sources[node.output[0]] = node.input[0]
        else:
            nodes.append(node)
    copies = [onnx.NodeProto.FromString(node.SerializeToString()) for node in nodes]
    del graph.node[:]
    graph.node.extend(copies)
