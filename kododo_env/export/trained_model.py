"""A trained model in ONNX, from which a policy file is made."""

from __future__ import annotations

from typing import NamedTuple

import onnx

from kododo_env.export.parity import Answers
from kododo_env.wrappers.spaces import ObservationFormat


class GraphEnds(NamedTuple):
    """The names of a graph's inputs and outputs; None for one that it lacks."""

    observation: str
    mask: str | None
    logits: str
    value: str | None


class TrainedModel(NamedTuple):
    """A model as ONNX.

    Attributes:
        model: Its graph, in the operators of a policy file.
        ends: The names of its inputs and outputs.
        form: The format of its observations in training.
        answers: The outputs of the model itself, with which the file is compared.
        made_by: Its library with version, and its class, for the metadata.
    """

    model: onnx.ModelProto
    ends: GraphEnds
    form: ObservationFormat
    answers: Answers
    made_by: dict[str, str]
