"""A trained model in ONNX, from which a policy file is made."""

from __future__ import annotations

from typing import NamedTuple

import onnx

from kododo_env.export.parity import Answers
from kododo_env.wrappers.spaces import ObservationFormat


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
