"""Write the pages that describe the shipped policies, from their JSON.

``python -m agents.release.card`` rewrites the pages in ``kododo_env/policy/shipped/``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, Template

from kododo_env.agent_registry import POLICIES
from kododo_env.policy.metadata_file import ENDING
from kododo_env.system.files import read_json, write_text


def write_cards(folder: Path) -> None:
    """Write ``NAME.md`` for each ``NAME.json`` in a folder, and README.md with a table of all."""
    paths = [file for file in sorted(folder.glob("*.json")) if not file.name.endswith(ENDING)]
    cards = [read_json(path) for path in paths]
    for content in cards:
        write_text(folder / f"{content['name']}.md", card(content))
    write_text(folder / "README.md", index(cards))


def card(content: dict[str, Any]) -> str:
    """Return the page of a policy, as Markdown, from the content of ``NAME.json``."""
    return _template("card").render(content, worst_attack=worst_attacker(content))


def index(cards: Sequence[dict[str, Any]]) -> str:
    """Return the page with the table of all policies, as Markdown."""
    return _template("index").render(cards=cards, columns=columns)


def _template(name: str) -> Template:
    files = FileSystemLoader(Path(__file__).parent)
    pages = Environment(
        loader=files, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    pages.filters |= {"interval": interval, "thousands": "{:,}".format}
    return pages.get_template(f"{name}.md.jinja")


def columns(data: dict[str, Any]) -> dict[str, str]:
    """Return a policy's row in the table of all policies, by column title."""
    unknown = data["unknown"]
    alone = data["shares"]["alone"]
    return {
        "parity": f"{1 / data['players']:.3f}",
        "held-out opponents": interval(unknown["mean"]),
        "hardest held-out opponent": interval(unknown["worst"]),
        "strongest attacker gains": interval(worst_attacker(data)["gain"], "+.3f"),
        "heuristic": interval(alone["heuristic"]["share"]),
        "random": interval(alone["random"]["share"]),
    }


def interval(estimate: dict[str, Any], form: str = ".3f") -> str:
    """Format the mean of an estimate and its confidence interval."""
    if estimate["low"] is None:  # an estimate from a single deal
        return f"{estimate['mean']:{form}} (unknown)"
    mean, low, high = (format(estimate[end], form) for end in ("mean", "low", "high"))
    return f"{mean} ({low} to {high})"


def worst_attacker(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the attack with the largest gain, and the kind of attacker as ``by``, from
    ``NAME.json``.
    """
    by, attack = max(attacks(data), key=lambda attack_by_kind: attack_by_kind[1]["gain"]["mean"])
    return {"by": by, **attack}


def attacks(data: Mapping[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Return the kind of attacker and the result of each attack in ``NAME.json``."""
    gains = data["exploitability"]
    responses = [("a best response", response) for response in gains["best_response"]["each"]]
    teams = [("a team", team) for team in gains["teams"]]
    return [*responses, ("search", gains["search"]), *teams]


if __name__ == "__main__":
    write_cards(POLICIES)
