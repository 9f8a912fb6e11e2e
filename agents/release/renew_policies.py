"""Policy files of older versions as this one writes them.

Their weights and metadata stay what they are, and so does what they answer.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import onnx
import tyro
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]

from agents.commands.cli import run_cli
from agents.export.policy_graph import policy_bytes
from agents.release.cache import fingerprint
from agents.release.card import write_cards
from agents.training.run_folder import write_json
from kododo_env.agent_registry import POLICIES, SUFFIX, shipped
from kododo_env.policy.metadata import KEY, PolicyMetadata
from kododo_env.policy.onnx_agent import OnnxAgent
from kododo_env.policy.plain_text import plain
from kododo_env.policy.policy_file import DIGEST, check_digest, read_bytes
from kododo_env.system.files import written_whole


@dataclass(frozen=True)
class RenewConfig:
    """Give policy files of older versions a digest, and a graph that old runtimes can run.

    Files that have a digest are checked by it first. The others are taken as they are: renew
    only what you know to be whole.
    """

    files: Annotated[tuple[Path, ...], tyro.conf.Positional] = ()
    """The files; if none is given those that ship, whose cards are then written anew as well."""


def renew_policies(config: RenewConfig) -> None:
    """Write the files anew, each whole or not at all.

    Raises:
        ValueError: One cannot be read, or is no policy; those before it are written.
    """
    for path in config.files or [POLICIES / f"{name}{SUFFIX}" for name in shipped()]:
        renew(path)
        if not config.files:
            _renew_facts(path)
        print(path)
    if not config.files:
        write_cards(POLICIES)


def renew(path: Path) -> None:
    """Write a policy file anew, with the same weights and metadata.

    Raises:
        ValueError: It cannot be read, is damaged, or is no policy of this project.
    """
    content, told = read_bytes(path), plain(path)
    if DIGEST.encode() in content:
        check_digest(content, told)
    try:
        model = onnx.load_model_from_string(content)
    except DecodeError as error:
        raise ValueError(f"{told} is not an ONNX file, or it is damaged") from error
    entries = {entry.key: entry.value for entry in model.metadata_props}
    if KEY not in entries:
        raise ValueError(f"{told} is an ONNX file, but not a policy exported by this project")
    try:
        onnx.checker.check_model(model)  # what follows relies on that
        renewed = policy_bytes(model, PolicyMetadata.from_json(entries[KEY]))
    except (ValueError, RuntimeError, onnx.checker.ValidationError) as error:
        raise ValueError(f"{told} is not a policy that can be played: {plain(error)}") from error
    with written_whole(path) as aside:
        aside.write_bytes(renewed)
        OnnxAgent(aside)  # what is written can be read


def _renew_facts(path: Path) -> None:
    """The file's size and hash in the JSON beside it."""
    facts = path.with_suffix(".json")
    data = json.loads(facts.read_text())
    data["file"] = {"bytes": path.stat().st_size, "sha256": fingerprint(path)}
    write_json(facts, data)


if __name__ == "__main__":
    run_cli(RenewConfig, renew_policies)
