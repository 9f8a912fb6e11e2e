"""Reading protobuf's wire format: bounded, strict, and without a library."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5  # wire types; the old groups (3, 4) are not read
_FIXED = {FIXED64: 8, FIXED32: 4}


class Field(NamedTuple):
    """A field of a message.

    Attributes:
        name: What the reader calls it.
        wire: Its wire type.
        many: Whether it may come several times; then numbers may also be packed.
    """

    name: str
    wire: int
    many: bool = False


@dataclass
class Budget:
    """How many fields and packed numbers may still be read, in all messages together."""

    left: int

    def spend(self) -> None:
        """Count one.

        Raises:
            ValueError: There were too many.
        """
        self.left -= 1
        if self.left < 0:
            raise ValueError("it has too many parts")


def read_message(
    data: memoryview, kind: str, known: Mapping[int, Field], budget: Budget
) -> dict[str, Any]:
    """The fields of one message by name.

    Args:
        data: The message, without its length.
        kind: What it is, for the errors.
        known: The fields that it may have, by number.
        budget: Is spent by what is read.

    Returns:
        Numbers as ints (two's complement, 64 bits), the rest as the bytes that are there; of
        those that may come several times a list. Fields that are not there are left out.

    Raises:
        ValueError: It is no message, or has a field that is not known, is of another wire
            type, or comes twice though it may not.
    """
    found: dict[str, Any] = {}
    for number, wire, value in _parts(data, budget):
        field = known.get(number)
        if field is None:
            raise ValueError(f"field {number} of a {kind} is not one that a policy has")
        if field.many:
            found.setdefault(field.name, []).extend(_several(field, wire, value, kind, budget))
        elif wire != field.wire or field.name in found:
            raise ValueError(f"the {field.name} of a {kind} is damaged")
        else:
            found[field.name] = value
    return found


def _parts(data: memoryview, budget: Budget) -> Iterator[tuple[int, int, Any]]:
    """The parts of a message: field number, wire type, value."""
    at = 0
    while at < len(data):
        budget.spend()
        tag, at = _varint(data, at)
        number, wire = (tag >> 3) & 0x1FFFFFFF, tag & 7
        if wire == VARINT:
            value, at = _varint(data, at)
            yield number, wire, value
            continue
        if wire == BYTES:
            length, at = _varint(data, at)
        elif wire in _FIXED:
            length = _FIXED[wire]
        else:
            raise ValueError(f"byte {at - 1} begins no field")
        if not 0 <= length <= len(data) - at:
            raise ValueError("it is cut short")
        yield number, wire, data[at : at + length]
        at += length


def _several(
    field: Field, wire: int, value: Any, kind: str, budget: Budget
) -> Iterator[int | memoryview]:
    if wire == field.wire:
        yield value
    elif wire == BYTES and field.wire == VARINT:  # packed
        at = 0
        while at < len(value):
            budget.spend()
            number, at = _varint(value, at)
            yield number
    else:
        raise ValueError(f"the {field.name} of a {kind} are damaged")


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    """A number of 64 bits in two's complement, and where the next thing begins."""
    number = 0
    for place, byte in enumerate(data[at : at + 10]):
        number |= (byte & 0x7F) << (7 * place)
        if byte < 0x80:
            number &= (1 << 64) - 1
            return number - (number >> 63 << 64), at + place + 1
    raise ValueError("a number in it does not end")
