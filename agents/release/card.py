"""The pages that describe the policies that ship, from their JSON alone.

``python -m agents.release.card`` writes those in ``kododo_env/policy/shipped/`` anew.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kododo_env.agent_registry import POLICIES
from kododo_env.system.files import write_text

GENERATED = "<!-- Written by agents/release/card.py from the JSON beside it; do not edit. -->"


def write_cards(folder: Path) -> None:
    """Write the page of each policy in a folder, and README.md with the table of all.

    Args:
        folder: Where ``NAME.json`` are; ``NAME.md`` come beside them.
    """
    cards = [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))]
    for data in cards:
        write_text(folder / f"{data['name']}.md", card(data))
    write_text(folder / "README.md", index(cards))


def card(data: dict[str, Any]) -> str:
    """The page of a policy, as Markdown.

    Args:
        data: What ``make_policies`` found, the content of ``NAME.json``.
    """
    parts = [
        _heading(data),
        _use(data),
        _shares(data),
        _rating(data),
        _exploitability(data),
        _training(data),
        _choice(data),
        _curve(data),
        _settings(data),
    ]
    return "\n\n".join(parts) + "\n"


def index(cards: Sequence[dict[str, Any]]) -> str:
    """The page with the table of all policies, as Markdown."""
    rows = [_row(data) for data in cards]
    heads = [
        "policy", "strongest baseline", "share against it", "an equal's", "its share back",
        "a best response's", "steps, millions", "kB",
    ]  # fmt: skip
    return "\n\n".join(
        [
            "# Policies",
            GENERATED,
            "One ONNX file for each game and number of players, with a page that says what it "
            'was trained with and how it plays. `kododo_env.load("NAME")` loads one, '
            "`evaluate.py --agents NAME ...` lets it play, and `make policies` trains all "
            "again from nothing. What is in a file, what is checked when it is loaded, and what "
            "somebody else's could do: [docs/policy-files.md](../../../docs/policy-files.md).",
            _table(heads, rows),
            "Shares are of one policy among copies of the strongest baseline, then of one such "
            "baseline among copies of the policy, then of a best response among copies of the "
            "policy; with 95 % intervals.",
        ]
    ) + "\n"  # fmt: skip


def _row(data: dict[str, Any]) -> list[str]:
    strongest = data["shares"]["strongest_alone"]
    found = data["exploitability"]
    return [
        f"[{data['name']}]({data['name']}.md)",
        strongest["agent"],
        _interval(data["shares"]["alone"][strongest["agent"]]["share"]),
        _parity(data),
        _interval(strongest["share"]),
        "not measured" if found is None else _interval(found["best_response"]["share"]),
        f"{_chosen_run(data)['steps'] / 1e6:.1f}",
        f"{data['file']['bytes'] / 1000:.0f}",
    ]


# --- the parts of a card ------------------------------------------------------------------


def _heading(data: dict[str, Any]) -> str:
    name, kilobytes = data["name"], data["file"]["bytes"] / 1000
    return (
        f"# {name}\n\n{GENERATED}\n\n"
        f"Plays `{_door(data)}` with {data['players']} players, at temperature "
        f"{data['temperature']:g}. File: [{name}.onnx]({name}.onnx), {kilobytes:.0f} kB, SHA-256 "
        f"`{data['file']['sha256']}`. All numbers, unrounded: [{name}.json]({name}.json)."
    )


def _use(data: dict[str, Any]) -> str:
    door, players = _door(data), data["players"]
    return f"""## Use

```python
import numpy as np

from kododo_env import load
from kododo_env import {door}

game = {door}.batch_game(1, num_players={players}, seed=0)
policy = load("{data["name"]}")
view = game.view(0)
actions = policy.act(view, np.random.default_rng(0))
```

A view is what one player may know, here player 0; the actions are those of this seat in all games \
of the batch, here of one."""


def _shares(data: dict[str, Any]) -> str:
    shares, others = data["shares"], data["players"] - 1
    rows = [
        [name, _interval(each["share"]), _interval(each["margin"], "+.2f")]
        for name, each in shares["alone"].items()
    ]
    back = shares["strongest_alone"]
    return f"""## How it plays

One policy and {_copies(others)} of the other at a table, {shares["games"]:,} games each, every \
deck from every seat; 95 % intervals. An equal's share of the victories is {_parity(data)}. These \
deals are not those by which it was chosen.

{_table(["against", "win share", "margin of points"], rows)}

One {back["agent"]} and {_copies(others)} of the policy: {back["agent"]} has \
{_interval(back["share"])}."""


def _rating(data: dict[str, Any]) -> str:
    rating = data["rating"]
    rows = [
        [each["agent"], _interval(each["rating"], "+.0f"), _interval(each["share"])]
        for each in rating["standings"]
    ]
    return f"""## Rating

A tournament of {rating["games"]:,} games at mixed tables; 400 points are odds of ten to one, and \
random has 0.

{_table(["agent", "rating", "win share"], rows)}"""


def _exploitability(data: dict[str, Any]) -> str:
    found = data["exploitability"]
    if found is None:
        return "## Exploitability\n\nNot measured."
    response, search = found["best_response"], found["search"]
    titles = f"best response, {response['steps']:,} steps", f"search, {_budget(search['budget'])}"
    rows = [
        [title, f"{each['games']:,}", _interval(each["share"]), _interval(each["gain"], "+.3f")]
        for title, each in zip(titles, (response, search), strict=True)
    ]
    return f"""## Exploitability

What somebody gains who knows the policy and sits alone with {_copies(data["players"] - 1)} of it: \
a best response, trained by PPO from the policy's own weights, and search that has the policy as \
its model. Both are lower bounds of what can be gained.

{_table(["who", "games", "win share", "gain over an equal"], rows)}"""


def _training(data: dict[str, Any]) -> str:
    training, spread = data["training"], data["spread"]
    names = list(spread["shares"])
    rows = []
    for place, run in enumerate(training["runs"]):
        cells = [f"{spread['shares'][name]['shares'][place]:.3f}" for name in names]
        chosen = f"{run['seed']} (this one)" if run["seed"] == training["seed"] else run["seed"]
        rows.append([str(chosen), f"{run['steps']:,}", f"{run['minutes']:.1f}", *cells])
    heads = ["seed", "agent-steps", "minutes", *(f"v {name}" for name in names)]
    numbers = {"Python": training["python"], "kododo-env": training["kododo_env"]}
    versions = ", ".join(f"{k} {v}" for k, v in (numbers | training["libraries"]).items())
    precision = "bfloat16" if training["bfloat16"] else "float32"
    return f"""## Training

{_algorithm(training)}, {training["threads"]} thread, {precision}; {versions}. The same seed, \
steps, threads and versions give the same policy. The seeds differ in nothing else; their win \
shares are those of {spread["games"]:,} games each, all at this policy's temperature.

{_table(heads, [*rows, *_spread_rows(spread)])}"""


def _algorithm(training: dict[str, Any]) -> str:
    """How it learned, in words; those it learned from are among those it is measured against."""
    recipe = training["recipe"]
    learned = str(training["algorithm"])
    if recipe["teacher"] and recipe["teacher_share"]:
        share = 100 * recipe["teacher_share"]
        # Older recipes have no temperature, and no opponents.
        name = f"`{recipe['teacher']}`"
        weighs = recipe.get("teacher_temperature")
        what = f"how {name} weighs its actions" if weighs else f"what {name} does"
        learned = f"Imitation of {what} for {share:.0f} % of the steps, then {learned}"
    if recipe.get("opponents") and recipe["opponents_share"]:
        share = 100 * recipe["opponents_share"]
        names = " and ".join(f"`{name}`" for name in dict.fromkeys(recipe["opponents"]))
        learned += f", in {share:.0f} % of its updates against {names} by turns"
    return learned


def _spread_rows(spread: dict[str, Any]) -> list[list[str]]:
    """The spread between seeds: the range, and the standard deviation."""
    if len(spread["seeds"]) < 2:
        return []
    each = spread["shares"].values()
    ranges = [f"{min(one['shares']):.3f}–{max(one['shares']):.3f}" for one in each]
    deviations = [f"{one['std']:.3f}" for one in each]
    return [["range", "", "", *ranges], ["standard deviation", "", "", *deviations]]


def _choice(data: dict[str, Any]) -> str:
    choice = data["choice"]
    shares = {(each["seed"], each["temperature"]): each["share"] for each in choice["candidates"]}
    seeds, temperatures = ([*dict.fromkeys(column)] for column in zip(*shares, strict=True))
    rows = [[str(s), *(f"{shares[s, t]:.3f}" for t in temperatures)] for s in seeds]
    return f"""### Choice of seed and temperature

The mean of the win shares against all baselines, {choice["games"]:,} games against each, on deals \
of their own; the highest was chosen.

{_table(["seed", *(f"temperature {t:g}" for t in temperatures)], rows)}"""


def _curve(data: dict[str, Any]) -> str:
    curve = data["training"]["curve"]
    names = list(curve[-1]["shares"]) if curve else []
    rows = [
        [f"{point['seconds'] / 60:.1f}", f"{point['steps'] / 1e6:.2f}"]
        + [f"{point['shares'][name]['mean']:.3f}" for name in names]
        for point in curve
    ]
    heads = ["minutes", "steps, millions", *(f"v {name}" for name in names)]
    return f"""### Learning curve

Win shares while it learned, at temperature {data["training"]["recipe"]["temperature"]:g} and on \
fewer games; the minutes count the measuring.

{_table(heads, rows)}"""


def _settings(data: dict[str, Any]) -> str:
    rows = [[f"`{name}`", _value(value)] for name, value in data["training"]["recipe"].items()]
    return f"### Settings\n\n{_table(['setting', 'value'], rows)}"


# --- words and numbers --------------------------------------------------------------------


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _interval(estimate: dict[str, Any], form: str = ".3f") -> str:
    mean = format(estimate["mean"], form)
    if estimate["low"] is None:
        return f"{mean} (interval unknown)"
    return f"{mean} ({estimate['low']:{form}} to {estimate['high']:{form}})"


def _value(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value) or "none"


def _budget(budget: str) -> str:
    milliseconds = budget.removesuffix("ms")
    unit = "worlds" if milliseconds == budget else "ms"
    return f"{milliseconds} {unit} a decision"


def _copies(number: int) -> str:
    return "1 copy" if number == 1 else f"{number} copies"


def _parity(data: dict[str, Any]) -> str:
    return f"{1 / data['players']:.3f}"


def _door(data: dict[str, Any]) -> str:
    return f"{data['game']}_v{data['version']}"


def _chosen_run(data: dict[str, Any]) -> dict[str, Any]:
    training = data["training"]
    found: dict[str, Any] = next(r for r in training["runs"] if r["seed"] == training["seed"])
    return found


if __name__ == "__main__":
    write_cards(POLICIES)
