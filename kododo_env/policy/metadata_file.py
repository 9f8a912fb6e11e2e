"""``NAME.meta.json``: the metadata of a policy file for programs that do not read ONNX."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kododo_env.policy.policy_file import read_policy
from kododo_env.system.files import check_file, write_json, written_whole

ENDING = ".meta.json"


def metadata_file(policy: Path) -> Path:
    """Return the path of the JSON file with a policy's metadata."""
    return policy.with_suffix(ENDING)


def write_metadata(policy: Path) -> None:
    """Write the metadata of a policy file to its JSON file, atomically."""
    write_json(metadata_file(policy), _metadata_of(policy))


def _metadata_of(policy: Path) -> Any:
    return json.loads(read_policy(policy).metadata.to_json())


@contextmanager
def written_with_metadata(policy: Path) -> Iterator[Path]:
    """Write a policy file and its metadata file, or neither of them.

    Args:
        policy: The path of the policy file.

    Yields:
        A temporary path, to which the caller writes the policy file; see ``written_whole``.

    Raises:
        ValueError: The metadata file cannot be written at its path, or the policy file is invalid.
        OSError: One of the files cannot be written.
    """
    with written_whole(policy) as policy_path:
        check_file(metadata_file(policy))
        with written_whole(metadata_file(policy)) as metadata_path:
            yield policy_path
            write_json(metadata_path, _metadata_of(policy_path))
