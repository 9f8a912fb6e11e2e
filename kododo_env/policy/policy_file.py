"""The rules by which an ONNX file is a policy of this project; reads bytes and runs nothing."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from kododo_env.policy.metadata import KEY, PolicyMetadata
from kododo_env.policy.onnx_file import read_onnx
from kododo_env.policy.plain_text import plain
from kododo_env.system.files import read_ordinary

LARGEST_FILE = 1 << 25  # bytes; those that ship have a million at most
DIGEST = "kododo_env.sha256"  # the key of the last entry in the file's metadata
# That entry on the wire: metadata_props (14), its length, key (1), value (2) of 64 digits.
_ENTRY = b"\x0a" + bytes([len(DIGEST)]) + DIGEST.encode() + b"\x12\x40"
_SEAL = b"\x72" + bytes([len(_ENTRY) + 64]) + _ENTRY

_WRITTEN_AGAIN = (
    "; if another program has written the policy again, the command adopt makes a policy file of it"
)


class PolicyFile(NamedTuple):
    """The bytes of a policy file, and its own description."""

    content: bytes
    metadata: PolicyMetadata


def read_policy(path: Path) -> PolicyFile:
    """Read a policy file and check all that can be checked without running it.

    Raises:
        ValueError: It cannot be read, is damaged, or is no policy of this project.
    """
    path_text = plain(path)
    content = read_ordinary(path, LARGEST_FILE, f"policy file {path_text}")
    try:
        if content.startswith(b"PK"):
            raise ValueError("it is a zip archive, as a checkpoint is")
        entries = read_onnx(content)
        if KEY not in entries:
            raise ValueError("it was not exported by this project")
        _check_digest(content)
        return PolicyFile(content, PolicyMetadata.from_json(entries[KEY]))
    except ValueError as error:
        no_text = isinstance(error, UnicodeDecodeError)
        reason = "its text is not UTF-8" if no_text else plain(error)
        if KEY.encode() in content and not (no_text or _is_sealed(content)):
            reason += _WRITTEN_AGAIN
        raise ValueError(f"{path_text} is not a policy file, or it is damaged: {reason}") from error


def sealed(content: bytes) -> bytes:
    """The bytes of a model with their digest at the end, which ``read_policy`` asks for.

    The digest is the SHA-256 of all bytes before the entry that holds it. That entry is the
    last of the model's metadata, so the result is a model as before.
    """
    return content + _SEAL + sha256(content).hexdigest().encode()


def _check_digest(content: bytes) -> None:
    if DIGEST.encode() not in content:
        raise ValueError("it has no digest, and was not exported by this version")
    if not _is_sealed(content):
        raise ValueError("its digest is not that of its bytes")


def _is_sealed(content: bytes) -> bool:
    return sealed(content[: -len(_SEAL) - 64]) == content
