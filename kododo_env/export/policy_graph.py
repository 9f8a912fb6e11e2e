"""The last step of an export: from a model to the bytes of a policy file."""

from __future__ import annotations

import onnx
from onnx import TensorProto, helper

from kododo_env.policy.metadata import KEY, PolicyMetadata
from kododo_env.policy.onnx_file import read_onnx
from kododo_env.policy.onnx_graph import IR_VERSION
from kododo_env.policy.plain_text import plain
from kododo_env.policy.policy_file import LARGEST_FILE, sealed


def policy_bytes(model: onnx.ModelProto, metadata: PolicyMetadata) -> bytes:
    """The policy file of a model of opset ``OPSET``: for old runtimes, with metadata and digest.

    Raises:
        ValueError: It would be too large, or no policy.
    """
    model = portable(model)
    helper.set_model_props(model, {KEY: metadata.to_json()})
    try:
        onnx.checker.check_model(model)
    except onnx.checker.ValidationError as error:
        raise ValueError(f"onnx finds no policy in the graph: {plain(error)}") from error
    content = sealed(model.SerializeToString())
    if len(content) > LARGEST_FILE:
        raise ValueError(
            f"a policy file of {len(content):,} bytes would not be read again, which are "
            f"{LARGEST_FILE:,} at most: make the network smaller"
        )
    read_onnx(content)  # raises
    return content


def portable(model: onnx.ModelProto) -> onnx.ModelProto:
    """A copy of a model, with the same answers, that old runtimes can run.

    onnxruntime below 1.26 fuses a transposition with a product of matrices, and cannot compute
    that in double precision; a Gemm it does not fuse.
    """
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    copy.ir_version = IR_VERSION
    del copy.graph.value_info[:]  # the runtime infers them, and half precision changes some
    doubles = {
        tensor.name
        for tensor in copy.graph.initializer
        if tensor.data_type == TensorProto.DOUBLE and len(tensor.dims) == 2
    }
    for node in copy.graph.node:
        if node.op_type == "MatMul" and doubles & set(node.input):
            node.op_type = "Gemm"
    return copy
