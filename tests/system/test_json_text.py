"""Limits of the depth and size of JSON from untrusted sources."""

from __future__ import annotations

import json

import pytest

from kododo_env.system.json_text import DEEPEST, NestingError, parse_json


@pytest.mark.parametrize("text", ["1", '"[[["', "[]", "{}", '{"a": [1, {"b": null}], "c": "{"}'])
def test_a_value_is_what_json_has(text: str) -> None:
    assert parse_json(text) == parse_json(text.encode()) == json.loads(text)


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a": ', "}"), ('[{"a": ', "}]")])
def test_it_is_nested_so_deep_and_no_deeper(opening: str, closing: str) -> None:
    levels = (opening + closing).count("[") + (opening + closing).count("{")
    for repeats in (*range(1, 70), 300, 900, 990, 1000, 5_000, 100_000):
        text = repeats * opening + "1" + repeats * closing
        if repeats * levels <= DEEPEST:
            assert parse_json(text) == json.loads(text)
        else:
            with pytest.raises(NestingError, match=f"at most {DEEPEST} deep"):
                parse_json(text)


@pytest.mark.parametrize("wrong", ["", "[", "nonsense"])
def test_what_is_no_json_is_told_as_json_tells_it(wrong: str) -> None:
    with pytest.raises(json.JSONDecodeError):
        parse_json(wrong)


@pytest.mark.parametrize("wrong", [b"\xff\xff", "9" * 5_000])
def test_other_bytes_and_endless_numbers_are_refused(wrong: str | bytes) -> None:
    with pytest.raises(ValueError, match=r"codec|digits"):
        parse_json(wrong)
