"""The start page, with a form for each game to choose a table, and the pages of rules."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from kododo_env import registry
from kododo_env.agent_registry import baselines
from kododo_env.levels import LEVEL_WORDS, MEDIUM, levels
from kododo_env.play import __file__ as play
from kododo_env.rendering.languages import say, speaking
from kododo_env.rules_arguments import default_players, rule_choices
from kododo_env.table.rules_page import sections

START = Path(play).parent / "static" / "start.html"
RULES = START.with_name("rules.html")
PLACE = "<!-- tables -->"
SIZE = "<!-- size -->"
SEED = (
    '<input name="seed" inputmode="numeric" pattern="[0-9]{1,9}" '
    'placeholder="other cards each time" data-placeholder="start.any_seed" />'
)
SEATS = "first", "second", "third", "fourth", "fifth"
FAN = 4  # cards beside the title of a game
FEW = 100  # below this number of games the interval of a win share is shown

# For each option: its value, its text or the key of it, and the parts of the text.
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
        title = say("rules.page_title", game=_title(game))
        back = say("start.choose")
    parts = [
        f'<section id="{part["anchor"]}"><h2>{escape(part["title"])}</h2>{part["html"]}</section>'
        for part in chapters
    ]
    page = RULES.read_text().replace('lang="en"', f'lang="{language}"')
    page = page.replace("<!-- title -->", escape(title)).replace("<!-- back -->", escape(back))
    return page.replace("<!-- rules -->", "\n".join(parts))


def _title(game: str) -> str:
    return registry.words_of(registry.batch_game(game, 1, 0)).title()


def _form(game: str) -> str:
    """Return the form of a game; ``start.js`` adapts it to the chosen number of players."""
    title = _title(game)
    numbers = registry.environment_module(game).PLAYERS
    players = [(str(number), str(number)) for number in numbers]
    by_level = [(name, f"level.{words}") for name, words in LEVEL_WORDS.items()]
    scripted = [(name, "start.script", {"name": name}) for name in reversed(baselines(game))]
    opponents = [*by_level, *scripted]
    seats = [(str(seat), f"start.seat.{SEATS[seat]}") for seat in range(max(numbers))]
    several = [
        (str(count), "start.people.many", {"n": count}) for count in range(2, max(numbers) + 1)
    ]
    people = [("1", "start.people.one"), *several]
    rules = "".join(
        _labelled(f"rule.{rule}", _select("rules", _rule(rule, kinds), ""))
        for rule, kinds in rule_choices(game).items()
    )
    level_texts = escape(json.dumps({number: _level_sentences(game, number) for number in numbers}))
    usual = default_players(game)
    daily = escape(f"table.html?game={game}&players={usual}&opponents={MEDIUM}")
    return f"""      <form action="table.html" aria-label="{escape(title)}" data-told="{level_texts}">
        <div class="fan" aria-hidden="true">{"".join(_cards(game))}</div>
        <h2>{escape(title)}</h2>
        <input type="hidden" name="game" value="{escape(game)}" />
        <button{_text("start.play", {"game": title})}</button>
        <div class="first">
          {_labelled("start.players", _select("players", players, str(usual)))}
          {_labelled("start.opponents", _select("opponents", opponents, MEDIUM))}
        </div>
        <p class="told"></p>
        <button name="lesson" value="1" class="lesson"{_text("start.lesson")}</button>
        <p class="links">
          <a class="daily" href="{daily}"{_text("start.daily")}</a>
          <a class="rules" href="rules-{escape(game)}.html"{_text("start.rules")}</a>
        </p>
        <details>
          <summary{_text("start.more")}</summary>
          <label class="tick" data-text="start.each_opponent"><input type="checkbox" class="each" /> {say("start.each_opponent")}</label>
          <div class="all"></div>
          {rules}
          {_labelled("start.seat", _select("seat", [("rotate", "start.seat.change"), *seats], "0"))}
          {_labelled("start.people", _select("people", people, "1"))}
          <div class="names"></div>
          {_labelled("start.seed", SEED)}
        </details>
      </form>"""  # noqa: E501


def _cards(game: str) -> list[str]:
    """Return some cards of a game as SVG, from the first table that shows as many face up."""
    batch = registry.batch_game(game, 1, seed=1)
    while True:
        faces = registry.picture_of(batch).scene().to_json()["faces"]
        cards = [svg for name, svg in faces.items() if name not in ("back", "slot")]
        if len(cards) >= FAN:
            return cards[-FAN:]
        batch.step(batch.legal_action_mask().argmax(-1))


def _rule(rule: str, kinds: tuple[str, ...]) -> Options:
    usual, *alternatives = kinds
    return [
        ("", f"rule.{rule}.{usual}"),
        *((f"{rule}={kind}", f"rule.{rule}.{kind}") for kind in alternatives),
    ]


def _level_sentences(game: str, players: int) -> dict[str, tuple[str, dict[str, int]]]:
    """Return, for each level, the key of a sentence on its measured win share, and its parts."""
    return {name: _sentence(level, players) for name, level in levels(game, players).items()}


def _sentence(level: dict[str, Any], players: int) -> tuple[str, dict[str, int]]:
    share = level["share"]
    games = level["games"]
    parts = {name: round(100 * fraction) for name, fraction in share.items()}
    parts |= {"games": games, "equals": round(100 / players)}
    if level.get("temperature") is not None and share["low"] <= 1 / players <= share["high"]:
        return "level.best", parts
    if games >= FEW:
        return "level.share", parts
    return "level.search", parts


def _select(name: str, options: Options, chosen: str) -> str:
    tags = [
        f'<option value="{escape(value)}"{" selected" if value == chosen else ""}{_text(*words)}'
        "</option>"
        for value, *words in options
    ]
    return f'<select name="{name}">{"".join(tags)}</select>'


def _text(key: str, parts: dict[str, Any] | None = None) -> str:
    """Return the attributes from which ``say.js`` makes a text, and the English text."""
    attributes = {"text": key, **(parts or {})}
    words = say(key, **{name: say(str(part)) for name, part in attributes.items()})
    data = "".join(f' data-{name}="{escape(str(part))}"' for name, part in attributes.items())
    return f"{data}>{escape(words)}"


def _labelled(key: str, field: str) -> str:
    return f"<label{_text(key)} {field}</label>"
