"""A command line read into a dataclass by argparse: its fields are the arguments.

A field that must be given is told by its place, all others by name. A tuple takes any number of
values, and a truth value is switched by ``--name`` and ``--no-name``. The fields of a dataclass
that is itself a field are a group of their own. The docstring below a field is its help.
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

from kododo_env.core.bounds import bounds_of, flag
from kododo_env.core.numbers import shown

Config = TypeVar("Config")
NEAR = 0.75  # the least ratio, by difflib, of a name to its misspelling


class _Parser(ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise ValueError(message)


def read_arguments(
    config_class: type[Config],
    args: Sequence[str] | None = None,
    default: Config | None = None,
    among_others: bool = False,
) -> Config:
    """The arguments as an instance of their dataclass.

    Args:
        config_class: The dataclass. The type of a field is int, float, str, Path, bool, a Literal
            of words, a tuple of any number of one of these, one of these or None, or another
            dataclass. A field that must be given is an int, float, str or Path.
        args: The arguments; None: those of the process.
        default: What has the values that are not given; None: the dataclass itself.
        among_others: Whether there may be others, which are not read, ``--help`` among them.

    Raises:
        ValueError: They cannot be read, or the dataclass refuses them.
        TypeError: A field has another type.
    """
    parser = _Parser(
        prog=Path(sys.argv[0]).name,
        usage=_usage(config_class, default).replace("%", "%%"),
        description=inspect.getdoc(config_class),
        formatter_class=lambda prog: RawDescriptionHelpFormatter(prog, width=_width()),
        allow_abbrev=False,
        add_help=not among_others,
    )
    _add(parser, parser, config_class, default)
    given, others = parser.parse_known_args(_with_signs(sys.argv[1:] if args is None else args))
    if others and not among_others:
        name = _near(others[0], config_class)
        hint = f"did you mean {flag(name)}?" if name else "--help tells what there is"
        if name in _needed(config_class, default):
            hint = f"{name} is told by its place, without a name"
        parser.error(f"there is no {shown(others[0])}: {hint}")
    return _made(config_class, vars(given), default)


def _near(word: str, config_class: type[Any]) -> str | None:
    """Return the field whose name a word probably misspells, or None.

    Dashes in front do not count: they would make all short names alike.
    """
    if not word.startswith("-"):
        return None
    name = word.partition("=")[0].lstrip("-").replace("-", "_").lower()
    names = get_close_matches(name, [*_names(config_class)], 1, NEAR)
    return names[0] if names else None


def _usage(config_class: type[Any], default: Any) -> str:
    """How the command is called, with what must be given first: many values may follow a name."""
    needed = _needed(config_class, default)
    return " ".join([Path(sys.argv[0]).name, *needed, "[--NAME VALUE ...]"])


def _needed(config_class: type[Any], default: Any) -> list[str]:
    """The names of the fields that must be given."""
    return [each.name for each in fields(config_class) if _default(each, default) is MISSING]


def _width() -> int:
    return min(100, shutil.get_terminal_size().columns - 2)


def _with_signs(args: Sequence[str]) -> list[str]:
    """The arguments, with a negative number joined to its name: argparse knows no ``-1e-3``."""
    found: list[str] = []
    for word in args:
        if found and found[-1].startswith("--") and _is_negative(word):
            found[-1] += f"={word}"
        else:
            found.append(word)
    return found


def _is_negative(word: str) -> bool:
    try:
        return word.startswith("-") and float(word) is not None
    except ValueError:
        return False


def _names(config_class: type[Any]) -> Iterator[str]:
    """The names of the fields, and of the fields of those that are dataclasses."""
    types = get_type_hints(config_class)
    for each in fields(config_class):
        if is_dataclass(types[each.name]):
            yield from _names(cast("type[Any]", types[each.name]))
        else:
            yield each.name


def _add(parser: ArgumentParser, group: Any, config_class: type[Any], default: Any) -> None:
    """Add the fields of a dataclass to a group of a parser's arguments, or to the parser."""
    types, docs = get_type_hints(config_class), _docs(config_class)
    bounds = bounds_of(cast("Any", config_class))
    for each in fields(config_class):
        kind, value = types[each.name], _default(each, default)
        if is_dataclass(kind):
            below = parser.add_argument_group(docs.get(each.name, each.name).rstrip("."))
            _add(parser, below, cast("type[Any]", kind), None if value is MISSING else value)
            continue
        notes = [str(bounds[each.name])] if each.name in bounds else []
        if value not in (MISSING, None, (), "", False):
            shown_value = " ".join(map(str, value)) if isinstance(value, tuple) else value
            notes.append(f"default: {shown_value}")
        about = docs.get(each.name, "") + (f" ({'; '.join(notes)})" if notes else "")
        about = about.replace("%", "%%")  # which argparse would put something in place of
        if value is MISSING:
            group.add_argument(each.name, type=_reader(kind), help=about)
        else:
            group.add_argument(flag(each.name), default=SUPPRESS, help=about, **_manner(kind))


def _default(field: Field[Any], default: Any) -> Any:
    """The value of a field that is not given; MISSING if it must be."""
    if default is not None:
        return getattr(default, field.name)
    return field.default if field.default_factory is MISSING else field.default_factory()


def _manner(kind: Any) -> dict[str, Any]:
    """What argparse is to do with a named argument of a type."""
    kinds = get_args(kind)
    if NoneType in kinds and len(kinds) == 2:  # or None
        return _manner(next(each for each in kinds if each is not NoneType))
    if kind is bool:
        return {"action": BooleanOptionalAction}
    if get_origin(kind) is Literal:
        return {"choices": kinds}
    if get_origin(kind) is tuple and kinds[0] is not bool:
        return {**_manner(kinds[0]), "nargs": "*", "action": "extend"}
    return {"type": _reader(kind), "metavar": kind.__name__.upper()}


def _reader(kind: Any) -> Any:
    """What makes a value of a word."""
    readers: dict[Any, Any] = {int: _whole, float: _number, Path: _path, str: str}
    if kind not in readers:
        raise TypeError(f"an argument cannot be of the type {kind}")
    return readers[kind]


def _whole(word: str) -> int:
    return int(_in_digits(word, int))


def _number(word: str) -> float:
    return float(_in_digits(word, float))


def _in_digits(word: str, kind: type[int] | type[float]) -> str:
    """The word itself, if it is a number by the digits 0 to 9; to Python there are others."""
    try:
        if word.isascii() and "_" not in word:
            kind(word)
            return word
    except ValueError:
        pass
    name = "whole number" if kind is int else "number"
    raise ArgumentTypeError(f"{shown(word)} is no {name}: write it with the digits 0 to 9")


def _path(word: str) -> Path:
    """A path as it is given; none that is empty, which would be the folder one is in."""
    if not word or "\0" in word:
        raise ArgumentTypeError(f"{shown(word)} is not the name of a file or folder")
    return Path(word)


def _docs(config_class: type[Any]) -> dict[str, str]:
    """The docstrings below the fields of a dataclass, and of those that it inherits from."""
    found = {}
    for each in filter(is_dataclass, reversed(config_class.__mro__)):
        try:
            (definition,) = ast.parse(dedent(inspect.getsource(each))).body
        except OSError:  # there is no source where only compiled files are
            continue
        for line, below in pairwise(cast("ast.ClassDef", definition).body):
            match line, below:
                case ast.AnnAssign(ast.Name(name)), ast.Expr(ast.Constant(str(text))):
                    found[name] = " ".join(text.split())
    return found


def _made(config_class: type[Config], given: Mapping[str, Any], default: Any) -> Config:
    """An instance with the values that are given, and those of ``default`` for the others."""
    values, types = {}, get_type_hints(config_class)
    for each in fields(cast("Any", config_class)):
        if is_dataclass(types[each.name]):
            inner = _default(each, default)
            values[each.name] = _made(
                cast("type[Any]", types[each.name]), given, None if inner is MISSING else inner
            )
        elif each.name in given:
            value = given[each.name]
            values[each.name] = tuple(value) if isinstance(value, list) else value
    return config_class(**values) if default is None else replace(default, **values)
