"""The page on which a table is chosen, a form for each game, and a page with each game's rules."""

from __future__ import annotations

import json
from html import escape
from pathlib import Path
from typing import Any

from kododo_env import registry
from kododo_env.agent_registry import AS_IT_SHIPS, LEVEL_WORDS, baselines, levels
from kododo_env.play import __file__ as play
from kododo_env.play.rules_page import sections
from kododo_env.rules_arguments import default_players, rule_choices

START = Path(play).parent / "static" / "start.html"
RULES = START.with_name("rules.html")
PLACE, SIZE = "<!-- tables -->", "<!-- size -->"
SEATS = "the first", "the second", "the third", "the fourth", "the fifth"
FEW = 100  # games below which a share is told by its interval

Options = list[tuple[str, str]]


def start_page(megabytes: float) -> str:
    """The page, with all games of the registry, and how much a table loads."""
    page = START.read_text()
    assert PLACE in page, "start.html has no place for the tables"
    assert SIZE in page, "start.html has no place for the size"
    tables = "\n".join(map(_form, registry.DOORS))
    return page.replace(PLACE, tables).replace(SIZE, f"{megabytes:.0f} MB")


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
    """The form of a game; ``start.js`` fits it to the number of players that is chosen."""
    title = escape(_title(game))
    numbers = registry.door(game).PLAYERS
    players = [(str(each), str(each)) for each in numbers]
    by_name = {level: f"{words} ({level})" for level, words in LEVEL_WORDS.items()}
    scripted = {name: f"{name}, scripted" for name in reversed(baselines(game))}
    opponents = [*by_name.items(), *scripted.items()]
    seats = [(str(seat), SEATS[seat]) for seat in range(max(numbers))]
    people = [(str(each), _people(each)) for each in range(1, max(numbers) + 1)]
    rules = "".join(
        f"<label>{escape(rule)} {_select('rules', _rule(rule, kinds), '')}</label>"
        for rule, kinds in rule_choices(game).items()
    )
    told = escape(json.dumps({number: _told(game, number) for number in numbers}))
    usual = default_players(game)
    daily = escape(f"table.html?game={game}&players={usual}")
    return f"""      <form action="table.html" data-told="{told}">
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
        <button>Play {title}</button>
        <button name="lesson" value="1" class="lesson">Learn it in three minutes</button>
        <a class="daily" href="{daily}">{title}: deal of the day</a>
        <a href="rules-{escape(game)}.html">The rules of {title}</a>
      </form>"""  # noqa: E501


def _people(number: int) -> str:
    return "you alone" if number == 1 else f"{number}, who hand the device over"


def _rule(rule: str, kinds: tuple[str, ...]) -> Options:
    usual, *others = kinds
    return [("", usual), *((f"{rule}={kind}", kind) for kind in others)]


def _told(game: str, players: int) -> dict[str, str]:
    """Of each level the share that was measured, in a sentence."""
    return {level: _sentence(found, players) for level, found in levels(game, players).items()}


def _sentence(level: dict[str, Any], players: int) -> str:
    share, games, equals = level["share"], level["games"], f"where equals win {100 / players:.0f}"
    if level.get("temperature") is not None and share["low"] <= 1 / players <= share["high"]:
        return f"The best policy itself: equals win {100 / players:.0f} of 100 games."
    if games >= FEW:
        return f"Wins {100 * share['mean']:.0f} of 100 games against the best policy, {equals}."
    return (
        f"Looks ahead by search for half a second. In {games} games against the best policy it won "
        f"{100 * share['mean']:.0f} of 100, {equals}: too few to tell more than "
        f"{100 * share['low']:.0f} to {100 * share['high']:.0f}. In a browser it sees less far."
    )


def _select(name: str, options: Options, chosen: str) -> str:
    tags = [
        f'<option value="{escape(value)}"{" selected" * (value == chosen)}>{escape(words)}</option>'
        for value, words in options
    ]
    return f'<select name="{name}">{"".join(tags)}</select>'
