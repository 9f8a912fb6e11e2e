"""Draws which room imports which: ``python docs/draw_rooms.py`` writes ``docs/images/rooms.svg``.

A room stands one floor above the highest that it imports. A line is left out where others lead the
same way down.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

try:
    import grimp
except ImportError as error:
    raise ImportError("draw_rooms.py needs grimp: pip install --group dev") from error

PICTURE = Path(__file__).parent / "images" / "rooms.svg"
WIDTH, FLOOR, BOX, CHARACTER, GAP = 900, 74, 30, 7.6, 22  # in pixels
COLOURS = {"agents": "#fde3c8", "kododo_env": "#d9eef2"}
Rooms = dict[str, set[str]]


def imports() -> Rooms:
    """The rooms that each room imports."""
    graph, found = (
        grimp.build_graph("kododo_env", "agents", cache_dir=None),
        defaultdict[str, set[str]](set),
    )
    for module in graph.modules:
        for other in graph.find_modules_directly_imported_by(module):
            one, two = (".".join(name.split(".")[:2]) for name in (module, other))
            if one != two and "." in one and "." in two and "__main__" not in one:
                found[one].add(two)
                found[two] |= set()
    return dict(found)


def below(room: str, rooms: Rooms) -> set[str]:
    """All rooms that one comes to from a room."""
    return rooms[room].union(*(below(other, rooms) for other in rooms[room]))


def reduced(rooms: Rooms) -> Rooms:
    """The imports without those to a room that one comes to by way of another."""
    return {
        room: {one for one in others if all(one not in below(two, rooms) for two in others)}
        for room, others in rooms.items()
    }


def floors(rooms: Rooms) -> list[list[str]]:
    """The rooms of each floor, the lowest first, each near to those below that it imports."""

    def floor(room: str) -> int:
        return 1 + max(map(floor, rooms[room]), default=-1)

    rows: list[list[str]] = [[] for _ in range(1 + max(map(floor, rooms)))]
    at: dict[str, float] = {}
    for room in sorted(rooms, key=lambda room: (floor(room), room)):
        rows[floor(room)].append(room)
    for row in rows:
        row.sort(key=lambda room: (
            room.startswith("kododo_env"),
            sum(at[each] for each in rooms[room]) / max(1, len(rooms[room])),
        ))  # fmt: skip
        at |= {room: (place + 0.5) / len(row) for place, room in enumerate(row)}
    return rows


def drawn() -> str:
    """The picture as SVG."""
    rooms = reduced(imports())
    rows = floors(rooms)
    height = len(rows) * FLOOR
    places: dict[str, tuple[float, int]] = {}
    boxes, lines = [], []
    for level, row in enumerate(rows):
        widths = [24 + CHARACTER * len(room.partition(".")[2]) for room in row]
        x, y = (WIDTH - sum(widths) - GAP * (len(row) - 1)) / 2, height - (level + 1) * FLOOR + 20
        for room, wide in zip(row, widths, strict=True):
            half, _, name = room.partition(".")
            places[room] = x + wide / 2, y
            boxes.append(
                f'<rect x="{x:.1f}" y="{y}" width="{wide:.1f}" height="{BOX}" rx="6" '
                f'fill="{COLOURS[half]}" stroke="#265a66"/>'
                f'<text x="{x + wide / 2:.1f}" y="{y + 20}" text-anchor="middle">{name}</text>'
            )
            x += wide + GAP
    for room, others in sorted(rooms.items()):
        for other in sorted(others):
            (x, y), (u, v) = places[room], places[other]
            lines.append(
                f'<path d="M{x:.1f} {y + BOX} C{x:.1f} {y + BOX + 30} {u:.1f} {v - 30} '
                f'{u:.1f} {v}" fill="none" stroke="#265a66" stroke-opacity=".6"/>'
            )
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
        f'viewBox="0 0 {WIDTH} {height}" font-size="13" font-family="DejaVu Sans, Verdana, '
        'sans-serif" role="img" aria-label="The rooms, and the imports between them">',
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>', *lines, *boxes, "</svg>", "",
    ])  # fmt: skip


if __name__ == "__main__":
    PICTURE.write_text(drawn())
