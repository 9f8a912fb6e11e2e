"""The names by which the players at a table are called."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from unicodedata import normalize
from zlib import crc32

from kododo_env.core.numbers import shown

LONGEST = 20  # letters of a name
JOINERS = "\u200c\u200d"  # not seen themselves: in Persian words, and between the parts of an emoji
BOTS = (
    "Ada", "Bruno", "Carla", "Dario", "Emma", "Felix", "Greta", "Hugo", "Ines", "Jonas", "Klara",
    "Luis", "Mira", "Nils", "Olga", "Paul",
)  # fmt: skip


def people_named(names: Sequence[str], people: int) -> list[str]:
    """The names of the people at a table; empty for those who have given none.

    Raises:
        ValueError: There are too many, or one cannot be told from other words or other names.
    """
    if len(names) > people:
        raise ValueError(f"{len(names)} names for {people} of the players, who are people")
    candidates: Sequence[object] = names
    for candidate in candidates:
        printable = isinstance(candidate, str) and _without_joiners(candidate).isprintable()
        if not isinstance(candidate, str) or not printable or len(candidate) > LONGEST:
            raise ValueError(
                f"a name has at most {LONGEST} letters, all printable, unlike {shown(candidate)}"
            )
    tidy = [" ".join(name.strip(f" {JOINERS}").split()) for name in names]
    for name in tidy:
        if "player_" in _looks(name):
            raise ValueError(f"a name must not hold player_, which tells a seat, as {shown(name)}")
    folded = [_looks(name) for name in tidy if name]
    if len(folded) > len(set(folded)):
        different = ", ".join(map(shown, tidy))
        raise ValueError(f"people at a table need different names, unlike {different}")
    return tidy + [""] * (people - len(tidy))


def _without_joiners(name: str) -> str:
    return name.translate(dict.fromkeys(map(ord, JOINERS)))


def _looks(name: str) -> str:
    """A name as it is compared: letters of any size or kind, however they are put together."""
    return normalize("NFKC", normalize("NFKC", _without_joiners(name)).casefold())


def bots_named(agents: Sequence[str], person_names: Iterable[str]) -> list[str]:
    """Friendly names for agents, always the same for the same ones, and none that is taken.

    Args:
        agents: Their own names, by which records and tables of results know them.
        person_names: Names that people at the table have.
    """
    folded_names = set(map(_looks, person_names))
    turns = range(1 + (len(agents) + len(folded_names)) // len(BOTS))  # more for very many
    names = (f"{name} {turn + 1}" if turn else name for turn in turns for name in BOTS)
    free_names = [name for name in names if _looks(name) not in folded_names]
    first = crc32(" ".join(agents).encode("utf-8", "replace"))
    return [free_names[(first + place) % len(free_names)] for place in range(len(agents))]
