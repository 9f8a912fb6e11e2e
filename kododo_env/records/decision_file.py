"""Decisions in a Parquet file; ``docs/records.md`` describes the schema."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from kododo_env.arrays.dtypes import Array
from kododo_env.checks.numbers import quote
from kododo_env.core.batch_game import BatchGame
from kododo_env.records.decisions import Decisions
from kododo_env.records.header import check_players, rules_of
from kododo_env.registry import words_of
from kododo_env.system.extras import needs
from kododo_env.system.files import ordinary_file, written_whole
from kododo_env.system.json_text import parse_json

if TYPE_CHECKING:
    import pyarrow as pa

FORMAT = "kododo-env decisions"
FORMAT_VERSION = 1
KEY = b"kododo_env"  # of the schema's metadata
COLUMNS = (*(field.name for field in fields(Decisions)), "agent")


def needs_parquet() -> None:
    """Raise ImportError with the command that installs pyarrow if it is missing."""
    needs("a file of decisions", "offline", "pyarrow")


class DecisionFile:
    """A Parquet file of decisions, written batch by batch; a context manager.

    Args:
        path: The file. It is created at the end of the block, unless the block raises.
        game: A batch of the game that is played.

    Raises:
        ImportError: pyarrow is missing.
        OSError: The file cannot be written.
    """

    def __init__(self, path: Path, game: BatchGame) -> None:
        needs_parquet()
        from pyarrow import parquet

        self._game = game
        self._schema = schema(game)
        self._games = 0
        with ExitStack() as open_files:
            aside = open_files.enter_context(written_whole(Path(path)))
            writer = parquet.ParquetWriter(
                aside, self._schema, compression="zstd", use_dictionary=["agent"]
            )
            self._file = open_files.enter_context(writer)
            self._open_files = open_files.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: Any) -> None:
        self._open_files.__exit__(*raised)

    def write(self, decisions: Decisions, agents: Sequence[str]) -> None:
        """Add the decisions of a batch; game numbers continue from the previous batch.

        Args:
            decisions: The decisions of all games of the batch.
            agents: The name of the agent in each seat.

        Raises:
            ValueError: ``agents`` is not one printable name per seat, ``decisions`` are of another
                game, or the file is closed.
        """
        import pyarrow as pa

        if not self._file.is_open:
            raise ValueError("the file is closed: call write() inside the with block")
        check_players(list(agents), self._game.num_players)
        sizes = decisions.observation.shape[1:] + decisions.mask.shape[1:]
        expected_sizes = (self._game.layout.size, self._game.num_actions)
        if sizes != expected_sizes:
            raise ValueError(
                f"expected decisions of {self._game.name}, whose numbers of features and actions "
                f"are {expected_sizes}, got {sizes}"
            )
        columns = {field.name: getattr(decisions, field.name) for field in fields(decisions)}
        arrays = {
            name: _rows(array) if array.ndim > 1 else pa.array(array)
            for name, array in columns.items()
        }
        arrays["game"] = pa.array(decisions.game + self._games)
        names = sorted(set(agents))  # an Arrow dictionary has distinct values
        name_indices = np.array([names.index(agent) for agent in agents], np.int32)
        arrays["agent"] = pa.DictionaryArray.from_arrays(name_indices[decisions.seat], names)
        self._file.write_table(pa.Table.from_pydict(arrays, schema=self._schema))
        self._games += int(decisions.game.max(initial=-1)) + 1


def schema(game: BatchGame) -> pa.Schema:
    """Return the Arrow schema of the columns; its metadata describe the game and the numbers."""
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
    """Read the columns of a file of decisions.

    Returns:
        An array for each column, by name: ``observation`` (M, F), ``mask`` (M, A) bool, and the
        other columns (M,); see ``docs/records.md``.

    Raises:
        ImportError: pyarrow is missing.
        OSError: The file cannot be opened.
        ValueError: The file is damaged, or is not a file of decisions of this version.
    """
    needs_parquet()
    from pyarrow import parquet

    with ordinary_file(Path(path), str(path)) as file:
        try:
            table = parquet.read_table(file).combine_chunks()
            metadata = parse_json(table.schema.metadata[KEY])
            version = (metadata["format"], metadata["format_version"])
            if version != (FORMAT, FORMAT_VERSION):
                raise ValueError(
                    f"expected format and version {(FORMAT, FORMAT_VERSION)}, got {quote(version)}"
                )
            types = {"observation": np.dtype(metadata["dtype"]), "mask": np.dtype(np.bool_)}
            return {name: _array(table[name], types.get(name)) for name in COLUMNS}
        except (OSError, TypeError, KeyError, ValueError) as error:
            raise ValueError(f"{path} is not a file of decisions: {error}") from error


def _array(column: Any, kind: np.dtype[Any] | None) -> Array:
    """Convert a column to an array; a column of bytes to rows of numbers of a dtype."""
    if kind is None:
        return np.asarray(column.to_numpy())
    array = column.combine_chunks()
    rows = len(array)
    width = array.type.byte_width // kind.itemsize
    return np.frombuffer(array.buffers()[1], kind, rows * width).reshape(rows, width)


def facts(game: BatchGame) -> dict[str, Any]:
    """Return the metadata that describe the game: rules, observation layout and actions."""
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
        "actions": [words_of(game).describe_action(action) for action in range(game.num_actions)],
    }


def _rows(array: Array) -> Any:
    """Convert an array (M, K) to M values of bytes, which are faster to write than lists."""
    import pyarrow as pa

    rows = np.ascontiguousarray(array.astype(array.dtype.newbyteorder("<"), copy=False))
    width = rows.shape[1] * rows.itemsize
    buffers = [None, pa.py_buffer(rows.data)]
    return pa.FixedSizeBinaryArray.from_buffers(pa.binary(width), len(rows), buffers)
