"""Store the matrices of policy files in half precision, which halves their size."""

from __future__ import annotations

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from kododo_env.export.onnx_editor import OnnxEditor


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
