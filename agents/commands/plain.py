"""A policy file with float32 weights and int32 inputs: python -m agents.commands.plain --help."""

from __future__ import annotations

from agents.commands.script import run_script

if __name__ == "__main__":  # first, so that Ctrl-C is one line while all that follows is imported
    run_script("agents.commands.plain:PlainConfig", "agents.commands.plain:plain")

from dataclasses import dataclass
from pathlib import Path

from agents.export.plain import write_plain
from kododo_env.agent_registry import SUFFIX, policy_path
from kododo_env.policy.metadata_file import metadata_file


@dataclass(frozen=True)
class PlainConfig:
    """Write a policy file for engines that know neither half precision nor numbers of 8 bits."""

    policy: str
    """The name of a policy that ships, or a policy file."""
    out: Path
    """The file to write, such as plain.onnx; its metadata come beside it as JSON."""


def plain(config: PlainConfig) -> None:
    """Write the file.

    Raises:
        ValueError: The policy cannot be read, or the file not written.
    """
    if config.out.suffix != SUFFIX:
        raise ValueError(f"{config.out} must end with {SUFFIX}")
    write_plain(policy_path(config.policy), config.out)
    print(f"{config.out}\n{metadata_file(config.out)}")
