"""The file in which a served table is kept: its game, and the secrets in the people's addresses."""

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

from kododo_env.core.json_text import read_json
from kododo_env.core.numbers import shown, whole_number
from kododo_env.records.lines import check_keys
from kododo_env.system.files import read_ordinary, written_whole
from kododo_env.system.folders import filled_folder
from kododo_env.system.reservation import reserved

LARGEST = 1 << 26  # bytes; a game has some thousands
FORMAT = "kododo-env table 1"
TOKEN_BYTES = 16
TOKEN = re.compile(r"[\w-]{22}", re.ASCII)  # as ``token_urlsafe`` writes as many bytes
FIELDS = {"format", "tokens", "port", "game"}


@dataclass
class KeptFile:
    """A served table as a file holds it.

    Attributes:
        path: The file; None for a table that is not kept.
        tokens: The secret of each person, by which an open page finds its seat again.
        port: At which the table was served; 0 if it has not been.
        game: As ``KeptTable`` keeps it; None if there is none yet.
    """

    path: Path | None
    tokens: list[str]
    port: int = 0
    game: str | None = None

    def write(self, game: str) -> None:
        """Write the file whole or not at all; if that fails, say so and play on."""
        if self.path is None:
            return
        content = {"format": FORMAT, "tokens": self.tokens, "port": self.port, "game": game}
        try:
            with written_whole(self.path) as aside:
                aside.chmod(0o600)  # who reads it has the seats and sees the cards
                aside.write_text(json.dumps(content) + "\n", encoding="utf-8")
        except OSError as error:
            message = f"the game cannot be kept in {self.path} and goes on: {error.strerror}"
            print(message, file=sys.stderr, flush=True)


@contextmanager
def kept_file(path: Path | None, people: int) -> Iterator[KeptFile]:
    """The file of a table with this many people, which no other process has meanwhile.

    Args:
        path: The file, which need not be there; None for a table that is not kept.
        people: How many.

    Raises:
        ValueError: It holds something else, or a table of another number of people; or another
            process has it, or it cannot be written.
    """
    fresh = KeptFile(path, [token_urlsafe(TOKEN_BYTES) for _ in range(people)])
    if path is None:
        yield fresh
        return
    with filled_folder(path.parent), reserved(path, [path]):
        file = _read(path) if path.exists() else fresh
        if len(file.tokens) != people:
            raise ValueError(f"{path} keeps a table of --people {len(file.tokens)}, not {people}")
        yield file


def _check_tokens(tokens: Any) -> None:
    """Raise ValueError unless these are different secrets, as a table makes them."""
    well_formed = isinstance(tokens, list) and all(
        isinstance(token, str) and TOKEN.fullmatch(token) for token in tokens
    )
    if not well_formed or len(set(tokens)) < len(tokens):
        raise ValueError(
            f"tokens must be different texts of {TOKEN_BYTES} random bytes in base64, "
            f"not {shown(tokens)}"
        )


def _read(path: Path) -> KeptFile:
    try:
        content = read_json(read_ordinary(path, LARGEST, f"the kept table {path}"))
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise ValueError(f'not {{"format": "{FORMAT}", ...}}')
        check_keys(content, FIELDS)
        _check_tokens(content["tokens"])
        port = whole_number(content["port"], "port", 0, 65_535)
        return KeptFile(path, content["tokens"], port, str(content["game"]))
    except ValueError as error:
        raise ValueError(f"{path} is no table that was kept: {error}") from error
