"""Write a policy file with float32 weights and int32 inputs, for engines without smaller types."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from agents.export.precision import write_plain
from kododo_env.agent_registry import SUFFIX, policy_path
from kododo_env.commands.cli import run_cli
from kododo_env.policy.metadata_file import metadata_file


@dataclass(frozen=True)
class PlainConfig:
    """Write a policy file for engines that support neither half precision nor 8-bit numbers."""

    policy: str
    """The name of a shipped policy, or a policy file."""
    out: Path
    """The file to write, such as plain.onnx; its metadata are written beside it as JSON."""


def plain(config: PlainConfig) -> None:
    """Write the policy file and its metadata, and print their paths.

    Raises:
        ValueError: The policy cannot be read, or the file cannot be written.
    """
    if config.out.suffix != SUFFIX:
        raise ValueError(f"{config.out} must end with {SUFFIX}")
    write_plain(policy_path(config.policy), config.out)
    print(f"{config.out}\n{metadata_file(config.out)}")


if __name__ == "__main__":
    run_cli(PlainConfig, plain)
