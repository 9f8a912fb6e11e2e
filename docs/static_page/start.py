"""The page on which a table is chosen, a form for each game, and a page with each game's rules."""

from __future__ import annotations

from html import escape
from pathlib import Path

from kododo_env import registry
from kododo_env.agent_registry import WEAKER, baselines
from kododo_env.play import __file__ as play
from kododo_env.play.rules_page import sections
from kododo_env.rules_arguments import default_players

START = Path(play).parent / "static" / "start.html"
RULES = START.with_name("rules.html")
PLACE = "<!-- tables -->"


def start_page() -> str:
    """The page, with all games of the registry."""
    page = START.read_text()
    assert PLACE in page, "start.html has no place for the tables"
    return page.replace(PLACE, "\n".join(map(_form, registry.DOORS)))


def rules_page(game: str) -> str:
    """The rules of a game, with its worked examples drawn."""
    parts = [
        f'<section id="{each["anchor"]}"><h2>{escape(each["title"])}</h2>{each["html"]}</section>'
        for each in sections(registry.batch_game(game, 1), pictures=True)
    ]
    page = RULES.read_text().replace("<!-- title -->", escape(_title(game)))
    return page.replace("<!-- rules -->", "\n".join(parts))


def _title(game: str) -> str:
    return registry.batch_game(game, 1, 0).text(0).partition(":")[0]


def _form(game: str) -> str:
    title = _title(game)
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
        <a href="rules-{escape(game)}.html">The rules of {escape(title)}</a>
      </form>"""


def _select(name: str, options: list[tuple[str, str]], chosen: str) -> str:
    tags = [
        f'<option value="{escape(value)}"{" selected" * (value == chosen)}>{escape(words)}</option>'
        for value, words in options
    ]
    return f'<select name="{name}">{"".join(tags)}</select>'
