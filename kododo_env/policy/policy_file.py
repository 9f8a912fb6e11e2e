"""Read and check policy files, without running them."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from kododo_env.policy.metadata import KEY, PolicyMetadata
from kododo_env.policy.onnx_file import read_onnx
from kododo_env.policy.plain_text import plain
from kododo_env.system.digests import WHOLE, digest
from kododo_env.system.files import read_ordinary

LARGEST_FILE = 1 << 25  # bytes; shipped policies have at most a million
DIGEST = "kododo_env.sha256"  # the key of the last entry in the file's metadata
# The encoded entry: metadata_props (14), its length, key (1), value (2) of 64 digits.
_ENTRY = b"\x0a" + bytes([len(DIGEST)]) + DIGEST.encode() + b"\x12\x40"
_SEAL = b"\x72" + bytes([len(_ENTRY) + WHOLE]) + _ENTRY

_ADOPT_HINT = "; if another program has rewritten it, convert it again with kododo adopt"


class PolicyFile(NamedTuple):
    """The bytes and metadata of a policy file."""

    content: bytes
    metadata: PolicyMetadata


def read_policy(path: Path) -> PolicyFile:
    """Read a policy file and check it as far as possible without running it.

    Raises:
        ValueError: The file cannot be read, is damaged, or is not a policy file of this project.
    """
    path_text = plain(path)
    content = read_ordinary(path, LARGEST_FILE, f"policy file {path_text}")
    try:
        if content.startswith(b"PK"):
            raise ValueError("it is a zip archive, perhaps a checkpoint")
        entries = read_onnx(content)
        if KEY not in entries:
            raise ValueError("it was not exported by this project")
        _check_digest(content)
        return PolicyFile(content, PolicyMetadata.from_json(entries[KEY]))
    except ValueError as error:
        is_text_error = isinstance(error, UnicodeDecodeError)
        reason = "its text is not UTF-8" if is_text_error else plain(error)
        if KEY.encode() in content and not (is_text_error or _is_sealed(content)):
            reason += _ADOPT_HINT
        raise ValueError(f"{path_text} is not a policy file, or it is damaged: {reason}") from error


def sealed(content: bytes) -> bytes:
    """Append to the bytes of a model the digest that ``read_policy`` requires.

    The digest is the SHA-256 of all bytes before it. It is the last entry of the model's metadata,
    so the result is a valid model.
    """
    return content + _SEAL + digest(content).encode()


def _check_digest(content: bytes) -> None:
    if DIGEST.encode() not in content:
        raise ValueError("it has no digest; export it again with this version")
    if not _is_sealed(content):
        raise ValueError("its digest does not match its bytes")


def _is_sealed(content: bytes) -> bool:
    return sealed(content[: -len(_SEAL) - WHOLE]) == content
