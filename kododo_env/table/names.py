"""Display names of the players at a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any
from unicodedata import normalize
from zlib import crc32

from kododo_env.checks.numbers import quote

LONGEST = 20  # characters per name
JOINERS = "\u200c\u200d"  # invisible letters in Persian words and between the parts of an emoji
BOTS = (
    "Ada", "Bruno", "Carla", "Dario", "Emma", "Felix", "Greta", "Hugo", "Ines", "Jonas", "Klara",
    "Luis", "Mira", "Nils", "Olga", "Paul",
)  # fmt: skip


def people_named(names: Sequence[Any], people: int) -> list[str]:
    """Return the names of the people at a table in tidy form, padded with empty names.

    Raises:
        ValueError: There are too many names, or a name is malformed or not unique.
    """
    if len(names) > people:
        raise ValueError(f"expected at most {people} names, one per person, got {len(names)}")
    tidy = list(map(tidy_name, names))
    check_distinct(tidy)
    return tidy + [""] * (people - len(tidy))


def tidy_name(name: Any) -> str:
    """Return a person's name without superfluous spaces.

    Raises:
        ValueError: It is not a string, too long, or has characters that cannot be printed.
    """
    printable = isinstance(name, str) and _without_joiners(name).isprintable()
    if not printable or len(name) > LONGEST:
        raise ValueError(
            f"a name must have at most {LONGEST} printable characters, not {quote(name)}"
        )
    return " ".join(name.strip(f" {JOINERS}").split())


def check_distinct(names: Iterable[str]) -> None:
    """Raise ValueError if two names look the same; empty names are ignored."""
    names = [name for name in names if name]
    if len(set(map(_looks, names))) < len(names):
        raise ValueError(f"names must be distinct, not {', '.join(map(quote, names))}")


def names_of_record(players: Sequence[str]) -> list[str]:
    """Return the names of the players of a record, shortened, and numbered if they are equal."""
    names: list[str] = []
    for place, player in enumerate(players):
        number = players[:place].count(player) + 1
        short = player[:LONGEST]
        names.append(short if number == 1 else f"{short} {number}")
    return names


def _without_joiners(name: str) -> str:
    return name.translate(dict.fromkeys(map(ord, JOINERS)))


def _looks(name: str) -> str:
    """Normalise a name for comparison: case and Unicode variants look the same."""
    return normalize("NFKC", normalize("NFKC", _without_joiners(name)).casefold())


def bots_named(agents: Sequence[str], person_names: Iterable[str]) -> list[str]:
    """Return a first name for each agent.

    The names are determined by the arguments, and none of them is a person's.

    Args:
        agents: The agents' own names, as in records and results.
        person_names: The names of the people at the table.
    """
    folded_names = set(map(_looks, person_names))
    turns = range(1 + (len(agents) + len(folded_names)) // len(BOTS))  # numbered if there are many
    names = (f"{name} {turn + 1}" if turn else name for turn in turns for name in BOTS)
    free_names = [name for name in names if _looks(name) not in folded_names]
    first = crc32(" ".join(agents).encode("utf-8", "replace"))
    return [free_names[(first + place) % len(free_names)] for place in range(len(agents))]
