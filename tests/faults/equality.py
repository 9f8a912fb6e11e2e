"""What two runs have come to, to the bit: everything but the time that they took."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch

from agents.training.run_folder import CHECKPOINT, POLICY
from kododo_env.policy.onnx_agent import OnnxAgent

CLOCK = ("seconds", "minutes", "start_time")


def differences(one: Path, other: Path) -> list[str]:
    """Where two finished runs differ, in words."""
    return _differences(_content(one), _content(other), "run")


def _content(folder: Path) -> dict[str, Any]:
    policy = onnx.load(folder / POLICY)
    graph = policy.graph.SerializeToString(deterministic=True)
    metadata = json.loads(OnnxAgent(folder / POLICY).metadata.to_json())
    config = json.loads((folder / "config.json").read_text())
    results = (folder / "results.json").read_bytes()
    return {
        "graph": graph,
        "metadata": metadata,
        "config": config,
        "results": results,
        "checkpoint": _checkpoint(folder / CHECKPOINT),
    }


def _checkpoint(path: Path) -> dict[str, Any]:
    with zipfile.ZipFile(path) as archive:
        facts = json.loads(archive.read("facts.json"))
        learner = torch.load(io.BytesIO(archive.read("learner.pt")), weights_only=True)
    return {"facts": facts, "learner": learner}


def _differences(one: Any, other: Any, name: str) -> list[str]:
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        keys = [key for key in {**one, **other} if key not in CLOCK]
        missing = [f"{name}.{key}: in one only" for key in keys if (key in one) != (key in other)]
        both = [key for key in keys if key in one and key in other]
        return missing + [
            found for key in both for found in _differences(one[key], other[key], f"{name}.{key}")
        ]
    if isinstance(one, torch.Tensor):
        one, other = one.numpy(), other.numpy()
    if isinstance(one, np.ndarray):
        same = one.dtype == other.dtype and one.tobytes() == other.tobytes()
        return [] if same else [f"{name}: other numbers"]
    if isinstance(one, str | bytes | int | float | None):
        return (
            [] if type(one) is type(other) and one == other else [f"{name}: {_shown(one, other)}"]
        )
    if isinstance(one, Iterable):
        ones, others = list(one), list(other)
        if len(ones) != len(others):
            return [f"{name}: {len(ones)} entries, {len(others)}"]
        pairs = enumerate(zip(ones, others, strict=True))
        return [found for k, pair in pairs for found in _differences(*pair, f"{name}[{k}]")]
    # Functions and spaces of the learner: made again from the settings, which are compared.
    return [] if type(one) is type(other) else [f"{name}: {type(one)}, {type(other)}"]


def _shown(one: Any, other: Any) -> str:
    return "other bytes" if isinstance(one, bytes) else f"{one!r}, {other!r}"
