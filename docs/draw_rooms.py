"""Draw which package imports which: ``python docs/draw_rooms.py`` writes ``docs/images/rooms.svg``.

A package (``room`` in this file) stands one row above the highest package that it imports. An
import is not drawn if other imports lead to the same package.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

try:
    import grimp
except ImportError as error:
    raise ImportError("draw_rooms.py needs grimp: pip install --group dev") from error

PICTURE = Path(__file__).parent / "images" / "rooms.svg"
# Sizes in pixels.
WIDTH = 900
FLOOR = 74
BOX = 30
CHARACTER = 7.6
GAP = 22
COLOURS = {"agents": "#fde3c8", "kododo_env": "#d9eef2"}
Rooms = dict[str, set[str]]


def imports() -> Rooms:
    """Return the packages that each package imports."""
    graph = grimp.build_graph("kododo_env", "agents", cache_dir=None)
    rooms = defaultdict[str, set[str]](set)
    for module in graph.modules:
        for imported in graph.find_modules_directly_imported_by(module):
            room, target = (".".join(name.split(".")[:2]) for name in (module, imported))
            if room != target and "." in room and "." in target and "__main__" not in room:
                rooms[room].add(target)
                rooms[target] |= set()
    return dict(rooms)


def below(room: str, rooms: Rooms) -> set[str]:
    """Return all packages that a package imports directly or indirectly."""
    return rooms[room].union(*(below(imported, rooms) for imported in rooms[room]))


def reduced(rooms: Rooms) -> Rooms:
    """Return the imports without those that are also indirect."""
    return {
        room: {
            target
            for target in targets
            if all(target not in below(other_target, rooms) for other_target in targets)
        }
        for room, targets in rooms.items()
    }


def floors(rooms: Rooms) -> list[list[str]]:
    """Return the packages of each row, from the bottom, each near its imports in lower rows."""

    def floor(room: str) -> int:
        return 1 + max(map(floor, rooms[room]), default=-1)

    rows: list[list[str]] = [[] for _ in range(1 + max(map(floor, rooms)))]
    position_of: dict[str, float] = {}
    for room in sorted(rooms, key=lambda room: (floor(room), room)):
        rows[floor(room)].append(room)
    for row in rows:
        row.sort(key=lambda room: (
            room.startswith("kododo_env"),
            sum(position_of[imported] for imported in rooms[room]) / max(1, len(rooms[room])),
        ))  # fmt: skip
        position_of |= {room: (place + 0.5) / len(row) for place, room in enumerate(row)}
    return rows


def draw() -> str:
    """Return the picture as SVG."""
    rooms = reduced(imports())
    rows = floors(rooms)
    height = len(rows) * FLOOR
    places: dict[str, tuple[float, int]] = {}
    boxes = []
    lines = []
    for level, row in enumerate(rows):
        widths = [24 + CHARACTER * len(room.partition(".")[2]) for room in row]
        x = (WIDTH - sum(widths) - GAP * (len(row) - 1)) / 2
        y = height - (level + 1) * FLOOR + 20
        for room, width in zip(row, widths, strict=True):
            package, _, name = room.partition(".")
            places[room] = x + width / 2, y
            boxes.append(
                f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{BOX}" rx="6" '
                f'fill="{COLOURS[package]}" stroke="#265a66"/>'
                f'<text x="{x + width / 2:.1f}" y="{y + 20}" text-anchor="middle">{name}</text>'
            )
            x += width + GAP
    for room, targets in sorted(rooms.items()):
        for target in sorted(targets):
            x, y = places[room]
            target_x, target_y = places[target]
            lines.append(
                f'<path d="M{x:.1f} {y + BOX} C{x:.1f} {y + BOX + 30} '
                f'{target_x:.1f} {target_y - 30} {target_x:.1f} {target_y}" '
                'fill="none" stroke="#265a66" stroke-opacity=".6"/>'
            )
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
        f'viewBox="0 0 {WIDTH} {height}" font-size="13" font-family="DejaVu Sans, Verdana, '
        'sans-serif" role="img" aria-label="The packages, and the imports between them">',
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>', *lines, *boxes, "</svg>", "",
    ])  # fmt: skip


if __name__ == "__main__":
    PICTURE.write_text(draw())
