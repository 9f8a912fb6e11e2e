"""A command line read into a dataclass by argparse: its fields are the arguments.

A field that must be given is told by its place, all others by name. A tuple takes any number of
values, and a truth value is switched by ``--name`` and ``--no-name``. The fields of a dataclass
that is itself a field are a group of their own. The docstring below a field is its help.
"""

from __future__ import annotations

import ast
import inspect
from argparse import (
    SUPPRESS,
    ArgumentParser,
    ArgumentTypeError,
    BooleanOptionalAction,
    RawDescriptionHelpFormatter,
)
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass, replace
from itertools import pairwise
from pathlib import Path
from textwrap import dedent
from types import NoneType
from typing import Any, Literal, NoReturn, TypeVar, cast, get_args, get_origin, get_type_hints

from kododo_env.core.bounds import bounds_of, flag
from kododo_env.core.numbers import shown

Config = TypeVar("Config")


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
            of words, a tuple of one of these, one of these or None, or another dataclass.
        args: The arguments; None: those of the process.
        default: What has the values that are not given; None: the dataclass itself.
        among_others: Whether there may be others, which are not read, ``--help`` among them.

    Raises:
        ValueError: They cannot be read, or the dataclass refuses them.
    """
    parser = _Parser(
        description=inspect.getdoc(config_class),
        formatter_class=lambda prog: RawDescriptionHelpFormatter(prog, width=100),
        allow_abbrev=False,
        add_help=not among_others,
    )
    _add(parser, config_class, default)
    given, others = parser.parse_known_args(args)
    if others and not among_others:
        parser.error(f"there is no {' '.join(map(shown, others))}: --help tells what there is")
    return _made(config_class, vars(given), default)


def _add(parser: Any, config_class: type[Any], default: Any) -> None:
    """Add the fields of a dataclass to a parser, or to a group of its arguments."""
    types, docs = get_type_hints(config_class), _docs(config_class)
    bounds = bounds_of(cast("Any", config_class))
    for each in fields(config_class):
        kind, value = types[each.name], _default(each, default)
        if is_dataclass(kind):
            group = parser.add_argument_group(docs.get(each.name, "").rstrip("."))
            _add(group, cast("type[Any]", kind), None if value is MISSING else value)
            continue
        notes = [str(bounds[each.name])] if each.name in bounds else []
        if value not in (MISSING, None, ()):
            notes.append(f"default: {value}")
        about = docs.get(each.name, "") + (f" ({'; '.join(notes)})" if notes else "")
        about = about.replace("%", "%%")  # which argparse would put something in place of
        if value is MISSING:
            parser.add_argument(each.name, type=_reader(kind), help=about)
        else:
            how = _how_it_is_read(kind)
            parser.add_argument(flag(each.name), default=SUPPRESS, help=about, **how)


def _default(field: Field[Any], default: Any) -> Any:
    """The value of a field that is not given; MISSING if it must be."""
    if default is not None:
        return getattr(default, field.name)
    return field.default if field.default_factory is MISSING else field.default_factory()


def _how_it_is_read(kind: Any) -> dict[str, Any]:
    """What argparse is to do with a named argument of a type."""
    kinds = [each for each in get_args(kind) or [kind] if each is not NoneType]
    if kind is bool:
        return {"action": BooleanOptionalAction}
    if get_origin(kind) is Literal:
        return {"choices": kinds}
    many = {"nargs": "*"} if get_origin(kind) is tuple else {}
    return {"type": _reader(kinds[0]), "metavar": kinds[0].__name__.upper(), **many}


def _reader(kind: Any) -> Any:
    """What makes a value of a word."""
    return {int: _whole, float: _number, Path: _path}.get(kind, kind)


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
        (definition,) = ast.parse(dedent(inspect.getsource(each))).body
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
            values[each.name] = _made(
                cast("type[Any]", types[each.name]), given, _default(each, default)
            )
        elif each.name in given:
            value = given[each.name]
            values[each.name] = tuple(value) if isinstance(value, list) else value
    return config_class(**values) if default is None else replace(default, **values)
