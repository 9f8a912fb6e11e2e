"""The last step of an export: from a model to the bytes of a policy file."""

from __future__ import annotations

import onnx
from onnx import TensorProto, helper, version_converter

from kododo_env.policy.metadata import KEY, PolicyMetadata
from kododo_env.policy.onnx_file import read_onnx
from kododo_env.policy.policy_file import LARGEST_FILE, check_operators, sealed

# The oldest runtime for Python 3.11, 1.15, reads these, and so do all since.
OPSET, IR_VERSION = 18, 8
MASK = "action_mask"


def policy_bytes(model: onnx.ModelProto, metadata: PolicyMetadata) -> bytes:
    """The policy file of a model: readable by old runtimes, with metadata and digest.

    Args:
        model: Is left as it is.
        metadata: What the file shall say of itself.

    Raises:
        ValueError: It would be too large, or no policy.
    """
    model = portable(model)
    helper.set_model_props(model, {KEY: metadata.to_json()})
    onnx.checker.check_model(model)
    content = sealed(model.SerializeToString())
    if len(content) > LARGEST_FILE:
        raise ValueError(
            f"a policy file of {len(content):,} bytes would not be read again, which are "
            f"{LARGEST_FILE:,} at most: make the network smaller"
        )
    check_operators(read_onnx(content))
    return content


def portable(model: onnx.ModelProto) -> onnx.ModelProto:
    """A copy of a model, with the same answers, that old runtimes can run.

    onnxruntime below 1.26 makes one operation of a transposition and a product of matrices in
    double precision and then has nothing to compute it by; below 1.21 it cannot compare int8.
    A copy of a copy is the copy.
    """
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    del copy.graph.value_info[:]  # the runtime infers them, and halving changes some
    if max(each.version for each in copy.opset_import) > OPSET:
        copy = version_converter.convert_version(copy, OPSET)
        del copy.graph.value_info[:]
    copy.ir_version = IR_VERSION
    _spell_out_products(copy.graph)
    _widen_mask(copy.graph)
    return copy


def _spell_out_products(graph: onnx.GraphProto) -> None:
    """Products with a matrix in double precision as Gemm, which is not fused."""
    doubles = {
        tensor.name
        for tensor in graph.initializer
        if tensor.data_type == TensorProto.DOUBLE and len(tensor.dims) == 2
    }
    for node in graph.node:
        if node.op_type == "MatMul" and node.input[1] in doubles:
            node.op_type = "Gemm"


def _widen_mask(graph: onnx.GraphProto) -> None:
    """The mask is compared as int32, which every runtime can."""
    nodes: list[onnx.NodeProto] = []
    for node in graph.node:
        if node.op_type == "Greater" and MASK in node.input:
            narrow, node.input[:] = list(node.input), [f"{name}/int32" for name in node.input]
            ends = zip(narrow, node.input, strict=True)
            nodes += [helper.make_node("Cast", [a], [b], to=TensorProto.INT32) for a, b in ends]
        nodes.append(node)
    del graph.node[:]
    graph.node.extend(nodes)
