"""Digests: the values that files on disk contain."""

from __future__ import annotations

import pytest

from kododo_env.system.digests import digest, json_digest


@pytest.mark.parametrize("content", ["kododo", b"kododo"])
def test_a_digest_is_sha_256(content: str | bytes) -> None:
    assert digest(content, 12) == "fb93779b0099"
    assert len(digest(content)) == 64
    assert digest(content).startswith(digest(content, 12))


def test_the_digest_of_json_covers_all_of_it_in_any_order() -> None:
    assert json_digest({"a": 1, "b": [2, 3]}) == json_digest({"b": [2, 3], "a": 1})
    assert json_digest({"a": 1, "b": [2, 3]}, "", 8) == "efbd0040"
    assert json_digest({"a": 1}, "before") != json_digest({"a": 1})
