"""Reading a command line into a dataclass, whose fields are the arguments, with argparse.

A required field is a positional argument, each other field an option. A tuple takes any number of
values, and a bool is set by ``--name`` and ``--no-name``. A field that is a dataclass becomes a
group of arguments. The docstring below a field is its help text.
"""

from __future__ import annotations

import ast
import inspect
import shutil
import sys
from argparse import (
    SUPPRESS,
    ArgumentParser,
    ArgumentTypeError,
    BooleanOptionalAction,
    RawDescriptionHelpFormatter,
)
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass, replace
from difflib import get_close_matches
from itertools import pairwise
from pathlib import Path
from textwrap import dedent
from types import NoneType
from typing import Any, Literal, NoReturn, TypeVar, cast, get_args, get_origin, get_type_hints

from kododo_env.checks.bounds import bounds_of, check_settings, flag
from kododo_env.checks.numbers import quote

Config = TypeVar("Config")
NEAR = 0.75  # the minimum difflib ratio at which a word counts as a misspelt name


class _Parser(ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise ValueError(message)


def read_arguments(
    config_class: type[Config],
    args: Sequence[str] | None = None,
    default: Config | None = None,
    ignore_unknown: bool = False,
) -> Config:
    """Return the arguments as an instance of a dataclass.

    Args:
        config_class: The dataclass. The type of a field is int, float, str, Path, bool or a Literal
            of strings; a tuple of any length or a union with None of one of these; or another
            dataclass, which needs a default. A required field is an int, float, str or Path.
        args: The arguments; None for those of the process.
        default: An instance with the default values; None for the defaults of the dataclass.
        ignore_unknown: Whether to ignore unknown arguments, including ``--help``.

    Raises:
        ValueError: The arguments cannot be read, or the dataclass rejects them.
        TypeError: A field has an unsupported type.
    """
    program = Path(sys.argv[0]).name
    required = [
        field.name
        for field in fields(cast("Any", config_class))
        if _default(field, default) is MISSING
    ]
    usage = " ".join([program, *required, "[--NAME VALUE ...]"])
    width = min(100, shutil.get_terminal_size().columns - 2)
    parser = _Parser(
        prog=program,
        usage=usage.replace("%", "%%"),
        description=inspect.getdoc(config_class),
        formatter_class=lambda prog: RawDescriptionHelpFormatter(prog, width=width),
        allow_abbrev=False,
        add_help=not ignore_unknown,
    )
    _add(parser, parser, config_class, default)
    options, unknown_words = parser.parse_known_args(args)
    if unknown_words and not ignore_unknown:
        name = _similar_name(unknown_words[0], config_class)
        hint = f"did you mean {flag(name)}?" if name else "see --help"
        if name in required:
            hint = f"{name} is positional: expected only its value"
        parser.error(f"unknown argument {quote(unknown_words[0])}; {hint}")
    return _instance(config_class, vars(options), default)


def _similar_name(word: str, config_class: type[Any]) -> str | None:
    """Return the field whose name a word probably misspells, or None.

    Leading dashes are ignored: with them all short names would be similar.
    """
    if not word.startswith("-"):
        return None
    name = word.partition("=")[0].lstrip("-").replace("-", "_").lower()
    names = get_close_matches(name, [*_names(config_class)], 1, NEAR)
    return names[0] if names else None


def _names(config_class: type[Any]) -> Iterator[str]:
    """Yield the names of the fields, and of the fields of nested dataclasses."""
    types = get_type_hints(config_class)
    for field in fields(config_class):
        if is_dataclass(types[field.name]):
            yield from _names(cast("type[Any]", types[field.name]))
        else:
            yield field.name


def _add(parser: ArgumentParser, group: Any, config_class: type[Any], default: Any) -> None:
    """Add the fields of a dataclass to a group of a parser's arguments, or to the parser."""
    types = get_type_hints(config_class)
    docs = _docs(config_class)
    bounds = bounds_of(cast("Any", config_class))
    for field in fields(config_class):
        kind = types[field.name]
        field_default = _default(field, default)
        if is_dataclass(kind):
            inner_group = parser.add_argument_group(docs.get(field.name, field.name).rstrip("."))
            _add(parser, inner_group, cast("type[Any]", kind), field_default)
            continue
        notes = [str(bounds[field.name])] if field.name in bounds else []
        if field_default not in (MISSING, None, (), "", False):
            words = field_default if isinstance(field_default, tuple) else (field_default,)
            notes.append(f"default: {' '.join(map(str, words))}")
        text = docs.get(field.name, "") + (f" ({'; '.join(notes)})" if notes else "")
        text = text.replace("%", "%%")  # argparse formats the text with the % operator
        if field_default is MISSING:
            group.add_argument(field.name, type=_reader(kind), help=text)
        else:
            group.add_argument(flag(field.name), default=SUPPRESS, help=text, **_settings(kind))


def _default(field: Field[Any], default: Any) -> Any:
    """Return the default of a field, MISSING if it is required."""
    if default is not None:
        return getattr(default, field.name)
    return field.default if field.default_factory is MISSING else field.default_factory()


def _settings(kind: Any) -> dict[str, Any]:
    """Return argparse's settings for an option of a type."""
    kinds = get_args(kind)
    if NoneType in kinds and len(kinds) == 2:
        (inner_kind,) = (argument for argument in kinds if argument is not NoneType)
        return _settings(inner_kind)
    if kind is bool:
        return {"action": BooleanOptionalAction}
    if get_origin(kind) is Literal:
        return {"choices": kinds}
    if get_origin(kind) is tuple and kinds[0] is not bool:
        return {**_settings(kinds[0]), "nargs": "*", "action": "extend"}
    return {"type": _reader(kind), "metavar": kind.__name__.upper()}


def _reader(kind: Any) -> Any:
    """Return the function that converts a word to a type."""
    readers: dict[Any, Any] = {int: int, float: float, Path: _path, str: str}
    if kind not in readers:
        raise TypeError(f"unsupported type of an argument: {kind}")
    return readers[kind]


def _path(word: str) -> Path:
    """Return a path; the empty path is rejected, as it would mean the current folder."""
    if not word or "\0" in word:
        raise ArgumentTypeError(f"expected the name of a file or folder, got {quote(word)}")
    return Path(word)


def _docs(config_class: type[Any]) -> dict[str, str]:
    """Return the docstrings below the fields of a dataclass and its base classes."""
    docs = {}
    for base_class in filter(is_dataclass, reversed(config_class.__mro__)):
        try:
            (definition,) = ast.parse(dedent(inspect.getsource(base_class))).body
        except OSError:  # only compiled files are installed
            continue
        for statement, next_statement in pairwise(cast("ast.ClassDef", definition).body):
            match statement, next_statement:
                case ast.AnnAssign(ast.Name(name)), ast.Expr(ast.Constant(str(text))):
                    docs[name] = " ".join(text.split())
    return docs


def _instance(config_class: type[Config], options: Mapping[str, Any], default: Any) -> Config:
    """Return an instance with the options, and the values of ``default`` for all others."""
    settings = {}
    types = get_type_hints(config_class)
    for field in fields(cast("Any", config_class)):
        kind = types[field.name]
        if is_dataclass(kind):
            inner_default = _default(field, default)
            settings[field.name] = _instance(cast("type[Any]", kind), options, inner_default)
        elif field.name in options:
            setting = options[field.name]
            settings[field.name] = tuple(setting) if isinstance(setting, list) else setting
    config = config_class(**settings) if default is None else replace(default, **settings)
    check_settings(config, flags=True)
    return config
