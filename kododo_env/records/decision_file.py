"""Decisions in a Parquet file; the schema is told in ``docs/records.md``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from kododo_env.core.arrays import Array
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.json_text import read_json
from kododo_env.records.decisions import Decisions
from kododo_env.records.header import check_players, rules_of
from kododo_env.system.extras import needs
from kododo_env.system.files import ordinary_file, written_whole

if TYPE_CHECKING:
    import pyarrow as pa

FORMAT, FORMAT_VERSION = "kododo-env decisions", 1
KEY = b"kododo_env"  # of the schema's metadata
COLUMNS = *(each.name for each in fields(Decisions)), "agent"


def needs_parquet() -> None:
    """Raise ImportError, saying how to get it, unless Parquet can be written."""
    needs("a file of decisions", "offline", "pyarrow")


class DecisionFile:
    """A Parquet file of decisions, written piece by piece; for a ``with`` block.

    Args:
        path: The file, which is there when the block is left, and not if that was by an error.
        game: A batch of the game that is played.

    Raises:
        ImportError: pyarrow is missing.
        OSError: The file cannot be written.
    """

    def __init__(self, path: Path, game: BatchGame) -> None:
        needs_parquet()
        from pyarrow import parquet

        self._game, self._schema, self._games = game, schema(game), 0
        with ExitStack() as open_files:
            aside = open_files.enter_context(written_whole(Path(path)))
            made = parquet.ParquetWriter(
                aside, self._schema, compression="zstd", use_dictionary=["agent"]
            )
            self._file = open_files.enter_context(made)
            self._open_files = open_files.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: Any) -> None:
        self._open_files.__exit__(*raised)

    def write(self, decisions: Decisions, agents: Sequence[str]) -> None:
        """Add the decisions of a batch, whose games are numbered on from those before.

        Args:
            decisions: Of all its games.
            agents: The name of the agent in each seat.

        Raises:
            ValueError: There is not a name for each seat, they are decisions of another game, or
                the block has been left.
        """
        import pyarrow as pa

        if not self._file.is_open:
            raise ValueError("the file is closed: write inside the with block")
        check_players(list(agents), self._game.num_players)
        sizes = decisions.observation.shape[1:], decisions.mask.shape[1:]
        if sizes != ((self._game.layout.size,), (self._game.num_actions,)):
            raise ValueError(f"these decisions are of another game than {self._game.name}")
        columns = {each.name: getattr(decisions, each.name) for each in fields(decisions)}
        arrays = {
            name: _rows(array) if array.ndim > 1 else pa.array(array)
            for name, array in columns.items()
        }
        arrays["game"] = pa.array(decisions.game + self._games)
        names = sorted(set(agents))  # an Arrow dictionary holds each word once
        who = np.array([names.index(agent) for agent in agents], np.int32)
        arrays["agent"] = pa.DictionaryArray.from_arrays(who[decisions.seat], names)
        self._file.write_table(pa.Table.from_pydict(arrays, schema=self._schema))
        self._games += int(decisions.game.max(initial=-1)) + 1


def schema(game: BatchGame) -> pa.Schema:
    """The columns, and in the metadata the meaning of the numbers."""
    import pyarrow as pa

    columns = {
        "observation": pa.binary(game.layout.size * game.layout.dtype.itemsize),
        "mask": pa.binary(game.num_actions),
        "action": pa.int16(),
        "reward": pa.float32(),
        "outcome": pa.float32(),
        "seat": pa.uint8(),
        "step": pa.int32(),
        "game": pa.int64(),
        "agent": pa.dictionary(pa.int32(), pa.string()),
    }
    return pa.schema(columns.items(), {KEY: json.dumps(facts(game)).encode()})


def read_decisions(path: Path | str) -> dict[str, Array]:
    """The columns of a file of decisions, each an array of its M rows.

    Returns:
        ``observation`` (M, F) and ``mask`` (M, A) bool, and all others (M,); see
        ``docs/records.md``.

    Raises:
        ImportError: pyarrow is missing.
        OSError: It cannot be opened.
        ValueError: It is no file of decisions, or it is damaged.
    """
    needs_parquet()
    from pyarrow import parquet

    with ordinary_file(Path(path), str(path)) as file:
        try:
            table = parquet.read_table(file).combine_chunks()
            known = read_json(table.schema.metadata[KEY])
            if (known["format"], known["format_version"]) != (FORMAT, FORMAT_VERSION):
                raise ValueError("another format, or another version of it")
            types = {"observation": np.dtype(known["dtype"]), "mask": np.dtype(np.bool_)}
            return {name: _array(table[name], types.get(name)) for name in COLUMNS}
        except (OSError, TypeError, KeyError, ValueError) as error:
            raise ValueError(f"{path} is not a file of decisions: {error}") from error


def _array(column: Any, kind: np.dtype[Any] | None) -> Array:
    """A column as an array; one of bytes as rows of numbers."""
    if kind is None:
        return np.asarray(column.to_numpy())
    whole = column.combine_chunks()
    shape = len(whole), whole.type.byte_width // kind.itemsize
    return np.frombuffer(whole.buffers()[1], kind, shape[0] * shape[1]).reshape(shape)


def facts(game: BatchGame) -> dict[str, Any]:
    """A file's facts on its game: which one, the observation's pieces, the actions' meaning."""
    pieces = [
        {"name": piece.name, "shape": piece.shape, "maximum": piece.maximum}
        for piece in game.layout.pieces
    ]
    return {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "game": game.name,
        "game_version": game.version,
        "rules": rules_of(game),
        "dtype": game.layout.dtype.newbyteorder("<").str,
        "observation": pieces,
        "actions": [game.describe_action(action) for action in range(game.num_actions)],
    }


def _rows(array: Array) -> Any:
    """An array (M, K) as M values of bytes: ten times as fast to write as lists of numbers."""
    import pyarrow as pa

    little = np.ascontiguousarray(array.astype(array.dtype.newbyteorder("<"), copy=False))
    width = little.shape[1] * little.itemsize
    buffers = [None, pa.py_buffer(little.data)]
    return pa.FixedSizeBinaryArray.from_buffers(pa.binary(width), len(little), buffers)
