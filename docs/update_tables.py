"""Writes the tables of the observations into docs/games: ``python docs/update_tables.py``.

In each game's page the text between the markers is replaced by what the layouts say.
"""

from __future__ import annotations

from pathlib import Path

from kododo_env import registry

GAMES = Path(__file__).parent / "games"
BEGIN, END = "<!-- layout -->", "<!-- /layout -->"


def page_of(game: str) -> Path:
    """The page of a game in the documentation."""
    return GAMES / f"{game}.md"


def tables(game: str) -> str:
    """What belongs between the markers: sizes by number of players, and the default layout."""
    door = registry.door(game)
    lines = ["| players | observation | actions |", "|---|---|---|"]
    for players in door.PLAYERS:
        one = door.batch_game(1, num_players=players)
        kind = one.layout.dtype
        lines.append(f"| {players} | ({one.layout.size},) {kind} | Discrete({one.num_actions}) |")
    default = door.batch_game(1)
    title = f"The pieces of an observation with {default.num_players} players:"
    return "\n".join([*lines, "", title, "", default.layout.table()])


def updated(page: str, game: str) -> str:
    """A page with its tables brought up to date.

    Raises:
        ValueError: The page has not exactly one pair of markers.
    """
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end or BEGIN in after or END in after:
        raise ValueError(f"the page of {game} needs one {BEGIN} and, after it, one {END}")
    return f"{before}{BEGIN}\n\n{tables(game)}\n\n{END}{after}"


if __name__ == "__main__":
    for name in registry.DOORS:
        path = page_of(name)
        if path.exists():
            path.write_text(updated(path.read_text(), name))
        else:
            print(f"{path} is missing")
