"""Digests by which damaged or modified content is detected.

They are not secret, so they do not prevent forgery.
"""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

WHOLE = 64  # the hexadecimal digits of a SHA-256 digest


def digest(content: bytes | str, digits: int = WHOLE) -> str:
    """Return the first hexadecimal digits of the SHA-256 digest of bytes, or of text in UTF-8."""
    if isinstance(content, str):
        content = content.encode()
    return sha256(content).hexdigest()[:digits]


def json_digest(content: Any, before: str = "", digits: int = WHOLE) -> str:
    """Return the digest of JSON without spaces and with sorted keys.

    Args:
        content: The content, in JSON types.
        before: The digest of what precedes the content, which the result covers too.
        digits: The number of hexadecimal digits.
    """
    return digest(before + json.dumps(content, sort_keys=True, separators=(",", ":")), digits)
