"""The start page, with a form for each game to choose a table, and the pages of rules."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from kododo_env import registry
from kododo_env.agent_registry import baselines
from kododo_env.levels import AS_IT_SHIPS, LEVEL_WORDS, levels
from kododo_env.play import __file__ as play
from kododo_env.rendering.languages import say, speaking
from kododo_env.rules_arguments import default_players, rule_choices
from kododo_env.table.rules_page import sections

START = Path(play).parent / "static" / "start.html"
RULES = START.with_name("rules.html")
PLACE = "<!-- tables -->"
SIZE = "<!-- size -->"
SEATS = "the first", "the second", "the third", "the fourth", "the fifth"
LEVEL = "{words} ({level})"
SCRIPTED = "{name}, scripted"
SEVERAL = "{n}, who hand the device over"
WINS = "Wins {mean} of 100 games against the best policy, where equals win {equals}."
LOOKS_AHEAD = (
    "Looks ahead by search for half a second. In {games} games against the best policy it won "
    "{mean} of 100, where equals win {equals}: too few to tell more than {low} to {high}. "
    "In a browser it sees less far."
)
FEW = 100  # below this number of games the interval of a win share is shown

# For each option: its value, its text, and the parts that ``say.js`` inserts into the text.
Options = Sequence[tuple[str, str] | tuple[str, str, dict[str, Any]]]


def start_page(megabytes: float) -> str:
    """Return the start page, with all games of the registry and the download size of a table."""
    page = START.read_text()
    assert PLACE in page, "start.html has no place for the tables"
    assert SIZE in page, "start.html has no place for the size"
    tables = "\n".join(map(_form, registry.ENVIRONMENT_MODULES))
    return page.replace(PLACE, tables).replace(SIZE, f"{megabytes:.0f}")


def rules_page(game: str, language: str = "en") -> str:
    """Return the page with the rules of a game in a language, with drawn examples."""
    with speaking(language):
        chapters = sections(registry.batch_game(game, 1), pictures=True)
        title = say("{game}: the rules", game=_title(game))
        back = say("Choose a table.")
    parts = [
        f'<section id="{part["anchor"]}"><h2>{escape(part["title"])}</h2>{part["html"]}</section>'
        for part in chapters
    ]
    page = RULES.read_text().replace('lang="en"', f'lang="{language}"')
    page = page.replace("<!-- title -->", escape(title)).replace("<!-- back -->", escape(back))
    return page.replace("<!-- rules -->", "\n".join(parts))


def _title(game: str) -> str:
    return registry.batch_game(game, 1, 0).text(0).partition(":")[0]


def _form(game: str) -> str:
    """Return the form of a game; ``start.js`` adapts it to the chosen number of players."""
    title = escape(_title(game))
    numbers = registry.environment_module(game).PLAYERS
    players = [(str(number), str(number)) for number in numbers]
    by_level = [
        (name, LEVEL, {"words": words, "level": name}) for name, words in LEVEL_WORDS.items()
    ]
    scripted = [(name, SCRIPTED, {"name": name}) for name in reversed(baselines(game))]
    opponents = [*by_level, *scripted]
    seats = [(str(seat), SEATS[seat]) for seat in range(max(numbers))]
    several = [(str(count), SEVERAL, {"n": count}) for count in range(2, max(numbers) + 1)]
    people = [("1", "you alone"), *several]
    rules = "".join(
        f"<label>{escape(rule)} {_select('rules', _rule(rule, kinds), '')}</label>"
        for rule, kinds in rule_choices(game).items()
    )
    level_texts = escape(json.dumps({number: _level_sentences(game, number) for number in numbers}))
    usual = default_players(game)
    daily = escape(f"table.html?game={game}&players={usual}")
    return f"""      <form action="table.html" data-told="{level_texts}">
        <h2>{title}</h2>
        <input type="hidden" name="game" value="{escape(game)}" />
        <label>players {_select("players", players, str(usual))}</label>
        <label>the others are {_select("opponents", opponents, AS_IT_SHIPS)}</label>
        <p class="told"></p>
        <details>
          <summary>More</summary>
          <label class="tick"><input type="checkbox" class="each" /> choose each opponent</label>
          <div class="all"></div>
          {rules}
          <label>your seat {_select("seat", [("rotate", "another with each deal"), *seats], "0")}</label>
          <label>people {_select("people", people, "1")}</label>
          <div class="names"></div>
          <label>seed <input name="seed" inputmode="numeric" pattern="[0-9]{{1,9}}" placeholder="other cards each time" /></label>
        </details>
        <button data-game="{title}">Play {{game}}</button>
        <button name="lesson" value="1" class="lesson">Learn it in three minutes</button>
        <a class="daily" href="{daily}" data-game="{title}">{{game}}: deal of the day</a>
        <a class="rules" href="rules-{escape(game)}.html" data-game="{title}">The rules of {{game}}</a>
      </form>"""  # noqa: E501


def _rule(rule: str, kinds: tuple[str, ...]) -> Options:
    usual, *alternatives = kinds
    return [("", usual), *((f"{rule}={kind}", kind) for kind in alternatives)]


def _level_sentences(game: str, players: int) -> dict[str, tuple[str, dict[str, int]]]:
    """Return, for each level, a sentence on its measured win share, and its parts."""
    return {name: _sentence(level, players) for name, level in levels(game, players).items()}


def _sentence(level: dict[str, Any], players: int) -> tuple[str, dict[str, int]]:
    share = level["share"]
    games = level["games"]
    parts = {name: round(100 * fraction) for name, fraction in share.items()}
    parts |= {"games": games, "equals": round(100 / players)}
    if level.get("temperature") is not None and share["low"] <= 1 / players <= share["high"]:
        return "The best policy itself: equals win {equals} of 100 games.", parts
    if games >= FEW:
        return WINS, parts
    return LOOKS_AHEAD, parts


def _select(name: str, options: Options, chosen: str) -> str:
    tags = [
        f'<option value="{escape(value)}"{_parts(*parts)}{" selected" if value == chosen else ""}>'
        f"{escape(words)}</option>"
        for value, words, *parts in options
    ]
    return f'<select name="{name}">{"".join(tags)}</select>'


def _parts(parts: dict[str, Any] | None = None) -> str:
    return "".join(f' data-{name}="{escape(str(part))}"' for name, part in (parts or {}).items())
