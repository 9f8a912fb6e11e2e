"""Serialize a model as a policy file, the last step of an export."""

from __future__ import annotations

import onnx
from onnx import TensorProto, helper

from kododo_env.policy.metadata import KEY, PolicyMetadata
from kododo_env.policy.onnx_file import read_onnx
from kododo_env.policy.onnx_graph import IR_VERSION
from kododo_env.policy.plain_text import plain
from kododo_env.policy.policy_file import LARGEST_FILE, sealed


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
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    copy.ir_version = IR_VERSION
    del copy.graph.value_info[:]  # runtimes infer these; some are wrong after a change of precision
    doubles = {
        tensor.name
        for tensor in copy.graph.initializer
        if tensor.data_type == TensorProto.DOUBLE and len(tensor.dims) == 2
    }
    for node in copy.graph.node:
        if node.op_type == "MatMul" and doubles & set(node.input):
            node.op_type = "Gemm"
    return copy
