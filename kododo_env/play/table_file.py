"""The file in which a served table is saved: its game, port, and the tokens in people's URLs."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from secrets import token_urlsafe
from typing import Any

from kododo_env.checks.numbers import quote, whole_number
from kododo_env.records.lines import check_keys
from kododo_env.system.files import read_json, written_whole
from kododo_env.system.folders import filled_folder
from kododo_env.system.reservation import reserved

LARGEST = 1 << 26  # bytes; a game has a few thousand
FORMAT = "kododo-env table 1"
TOKEN_BYTES = 16
TOKEN = re.compile(r"[\w-]{22}", re.ASCII)  # the form of ``token_urlsafe(TOKEN_BYTES)``
FIELDS = {"format", "tokens", "port", "game"}


@dataclass
class TableFile:
    """The contents of the file of a served table.

    Attributes:
        path: The file; None for a table that is not saved.
        tokens: The secret token in each person's URL, with which an open page reconnects.
        port: The port at which the table is served; 0 if it has not been served.
        game: The text of ``saved_game``; None for a new table.
    """

    path: Path | None
    tokens: list[str]
    port: int = 0
    game: str | None = None

    def write(self, game: str) -> None:
        """Write the file atomically; if that fails, print a warning to stderr."""
        if self.path is None:
            return
        content = {"format": FORMAT, "tokens": self.tokens, "port": self.port, "game": game}
        try:
            with written_whole(self.path) as aside:
                aside.chmod(0o600)  # it reveals the tokens and all cards
                aside.write_text(json.dumps(content) + "\n", encoding="utf-8")
        except OSError as error:
            message = f"cannot save the game in {self.path}: {error.strerror}; the game continues"
            print(message, file=sys.stderr, flush=True)


@contextmanager
def kept_file(path: Path | None, people: int) -> Iterator[TableFile]:
    """Open the file of a table, and lock it against other processes until the block ends.

    Args:
        path: The file, which need not exist; None for a table that is not saved.
        people: The number of people at the table.

    Yields:
        The contents of the file, or of a new one with random tokens.

    Raises:
        ValueError: The file is not a saved table or has another number of people, another process
            uses it, or it cannot be written.
    """
    fresh = TableFile(path, [token_urlsafe(TOKEN_BYTES) for _ in range(people)])
    if path is None:
        yield fresh
        return
    with filled_folder(path.parent), reserved(path, [path]):
        file = _read(path) if path.exists() else fresh
        if len(file.tokens) != people:
            raise ValueError(f"{path} holds a table with --people {len(file.tokens)}, not {people}")
        yield file


def _check_tokens(tokens: Any) -> None:
    """Raise ValueError unless the tokens are distinct and well formed."""
    well_formed = isinstance(tokens, list) and all(
        isinstance(token, str) and TOKEN.fullmatch(token) for token in tokens
    )
    if not well_formed or len(set(tokens)) < len(tokens):
        raise ValueError(
            f"tokens must be distinct strings of {TOKEN_BYTES} bytes in base64, not {quote(tokens)}"
        )


def _read(path: Path) -> TableFile:
    try:
        content = read_json(path, LARGEST, f"the saved table {path}")
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise ValueError(f'expected {{"format": "{FORMAT}", ...}}')
        check_keys(content, FIELDS)
        _check_tokens(content["tokens"])
        port = whole_number(content["port"], "port", 0, 65_535)
        return TableFile(path, content["tokens"], port, str(content["game"]))
    except ValueError as error:
        raise ValueError(f"{path} is not a saved table: {error}") from error
