"""Only regular files of a bounded size are read."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kododo_env.system.files import (
    fingerprint,
    ordinary_file,
    read_json,
    read_ordinary,
    written_whole,
)
from kododo_env.system.folders import files_in


def opened(path: Path) -> bytes:
    with ordinary_file(path, str(path)) as file:
        return file.read()


READERS: list[Callable[[Path], Any]] = [
    opened,
    fingerprint,
    read_json,
    lambda path: read_ordinary(path, 9, "it"),
]


@pytest.mark.parametrize("read", READERS)
def test_what_might_never_end_is_not_read(read: Callable[[Path], Any], tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    link = tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to("/dev/zero")
    for path in (pipe, link):
        with pytest.raises(ValueError, match="regular file"):
            read(path)


def test_no_more_bytes_are_read_than_are_allowed(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"[1, 2, 3]")
    assert read_ordinary(path, 9, "it") == b"[1, 2, 3]"
    assert read_json(path, 9) == [1, 2, 3]
    for read in (lambda: read_ordinary(path, 8, "it"), lambda: read_json(path, 8)):
        with pytest.raises(ValueError, match="9 bytes"):
            read()


def test_what_cannot_be_read_as_json_is_refused_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    for content, words in ((b"", "JSON"), (b"\xff", "UTF-8"), (b"[" * 100_000, "nested")):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=rf"cannot read .*file\.json: .*{words}"):
            read_json(path)
    with pytest.raises(ValueError, match="No such file"):
        read_json(tmp_path / "missing.json")
    path.write_text(json.dumps({"a": 1}))
    assert read_json(path) == {"a": 1}


def test_what_a_killed_process_left_of_a_file_is_none_of_a_folder(tmp_path: Path) -> None:
    """An incomplete benchmark or record once ended a command."""
    (tmp_path / "a.json").touch()
    with written_whole(tmp_path / "b.json"):
        assert [path.name for path in files_in(tmp_path, "*.json")] == ["a.json"]
    assert [path.name for path in files_in(tmp_path, "*.json")] == ["a.json", "b.json"]
