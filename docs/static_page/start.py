"""The page on which a table is chosen: a form for each game."""

from __future__ import annotations

from html import escape
from pathlib import Path

from kododo_env import registry
from kododo_env.agent_registry import WEAKER, baselines
from kododo_env.play import __file__ as play
from kododo_env.rules_arguments import default_players

START = Path(play).parent / "static" / "start.html"
PLACE = "<!-- tables -->"


def start_page() -> str:
    """The page, with all games of the registry."""
    page = START.read_text()
    assert PLACE in page, "start.html has no place for the tables"
    return page.replace(PLACE, "\n".join(map(_form, registry.DOORS)))


def _form(game: str) -> str:
    title = registry.batch_game(game, 1, 0).text(0).partition(":")[0]
    players = [(str(each), str(each)) for each in registry.door(game).PLAYERS]
    weaker = (*reversed(WEAKER), *reversed(baselines(game)))
    usual = default_players(game)
    daily = escape(f"table.html?game={game}&players={usual}")
    opponents = [("", "trained"), *((name, name) for name in weaker)]
    return f"""      <form action="table.html">
        <h2>{escape(title)}</h2>
        <input type="hidden" name="game" value="{escape(game)}" />
        <label>players {_select("players", players, str(usual))}</label>
        <label>the others are {_select("opponents", opponents, "")}</label>
        <button>Play {escape(title)}</button>
        <a class="daily" href="{daily}">The deal of the day</a>
      </form>"""


def _select(name: str, options: list[tuple[str, str]], chosen: str) -> str:
    tags = [
        f'<option value="{escape(value)}"{" selected" * (value == chosen)}>{escape(words)}</option>'
        for value, words in options
    ]
    return f'<select name="{name}">{"".join(tags)}</select>'
