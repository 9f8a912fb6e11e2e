"""Policies in JavaScript: the examples for node and the browser, compared with Python."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.export.policy_weights import game_of
from kododo_env import registry
from kododo_env.agent_registry import POLICIES, shipped
from kododo_env.core.agent import ValueAgent, first_of_best
from kododo_env.export.parity import positions
from kododo_env.policy.onnx_agent import OnnxAgent
from tests.clients.python_clients import EXAMPLES, Skipped
from tests.clients.serving import serving
from tests.policy_exports import from_elsewhere

POSITIONS = 1000  # of each policy
CLOSE = 1e-4  # of logits and values
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
Answers = dict[str, Any]


def try_node(folder: Path) -> dict[str, Any]:
    """The policies that ship, and one without a value, by onnxruntime-node.

    Raises:
        Skipped: It cannot be installed.
        ValueError: It answers otherwise.
    """
    version = _npm(folder, "onnxruntime-node")
    result = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True)

    def node(name: str) -> Answers:
        command = ["node", "onnx_node.mjs", f"{name}.onnx", "positions.json"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            raise ValueError(f"onnx_node.mjs fails: {done.stderr[-2000:]}")
        return dict(json.loads(done.stdout))

    versions = {"onnxruntime-node": version, "node": result.stdout.strip().lstrip("v")}
    return _trial("onnx_node.mjs", versions, _compare(node, folder))


def try_browser(folder: Path) -> dict[str, Any]:
    """The same by onnxruntime-web in a browser without a window."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        raise Skipped(f"there is no browser here ({', '.join(BROWSERS)})")
    version = _npm(folder, "onnxruntime-web")
    result = subprocess.run([browser, "--version"], capture_output=True, text=True, check=True)
    command = [
        browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/user",
        "--virtual-time-budget=60000", "--dump-dom",
    ]  # fmt: skip

    def show(address: str, name: str) -> Answers:
        page = f"http://{address}/onnx_browser.html?policy={name}"
        done = subprocess.run([*command, page], capture_output=True, text=True, check=False)
        match = re.search('<pre id="answers">(.*?)</pre>', done.stdout, re.DOTALL)
        if match is None or not match[1].startswith("{"):
            raise ValueError(f"onnx_browser.html does not answer: {done.stderr[-2000:]}")
        return dict(json.loads(html.unescape(match[1])))

    with serving(folder) as address:
        largest = _compare(partial(show, address), folder)
    versions = {"onnxruntime-web": version, "Chromium": re.findall(r"[\d.]+", result.stdout)[0]}
    return _trial("onnx_browser.html", versions, largest)


def _trial(example: str, versions: dict[str, str], largest: float) -> dict[str, Any]:
    return {"example": example, "versions": versions, "largest_difference": largest}


def _npm(folder: Path, package: str) -> str:
    """Install a package, without scripts of its own; its version."""
    if shutil.which("npm") is None or shutil.which("node") is None:
        raise Skipped("there is no node and npm here")
    command = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", package]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Skipped(f"it cannot be installed here: {done.stderr.splitlines()[-1:]}")
    content = (folder / "node_modules" / package / "package.json").read_text()
    return str(json.loads(content)["version"])


def _compare(answers_of: Callable[[str], Answers], folder: Path) -> float:
    """The largest difference from Python's answers; ValueError if an action is another."""
    for script in EXAMPLES.glob("onnx_*"):
        shutil.copy(script, folder)
    largest = 0.0
    for name in shipped():
        for ending in (".onnx", ".meta.json"):
            shutil.copy(POLICIES / f"{name}{ending}", folder)
    elsewhere = from_elsewhere(registry.batch_game("kododo", 1), folder / "elsewhere.onnx")
    for name in (*shipped(), elsewhere.stem):
        agent = OnnxAgent(folder / f"{name}.onnx")
        observations, masks = (
            array[:POSITIONS] for array in positions(game_of(agent.metadata), POSITIONS)
        )
        content = {"observations": observations.tolist(), "masks": masks.tolist()}
        (folder / "positions.json").write_text(json.dumps(content))
        answers = answers_of(name)
        logits, values = agent.evaluate(observations, masks)
        _difference(answers["actions"], first_of_best(logits), 0, f"{name}'s actions")
        largest = max(largest, _difference(answers["logits"], logits, CLOSE, f"{name}'s logits"))
        if isinstance(agent, ValueAgent):
            largest = max(
                largest, _difference(answers["values"], values, CLOSE, f"{name}'s values")
            )
        elif answers["values"] is not None:
            raise ValueError(f"{name} has no values, and values are given")
    return largest


def _difference(answer: Any, expected: npt.NDArray[Any], tolerance: float, name: str) -> float:
    difference = np.abs(np.asarray(answer, expected.dtype) - expected).max()
    if not difference <= tolerance:
        raise ValueError(f"{name} differ from those in Python by {difference:.2g}")
    return float(difference)
