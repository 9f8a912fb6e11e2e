"""What an export begins with, wherever the model was trained."""

from __future__ import annotations

from typing import NamedTuple

import onnx

from kododo_env.export.parity import Answers
from kododo_env.wrappers.spaces import ObservationFormat


class Ends(NamedTuple):
    """The names of a graph's inputs and outputs; None for one that it lacks."""

    observation: str
    mask: str | None
    logits: str
    value: str | None


class Trained(NamedTuple):
    """A model as ONNX.

    Attributes:
        model: Its graph, in the operators of a policy file.
        ends: Which of the graph's ends is which.
        form: How observations were given to it when it learned.
        answers: What the model itself says, by which the file is checked.
        made_by: The library and version that it comes from, and its kind, for the metadata.
    """

    model: onnx.ModelProto
    ends: Ends
    form: ObservationFormat
    answers: Answers
    made_by: dict[str, str]
