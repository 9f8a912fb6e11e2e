"""The pages that describe the policies that ship, from their JSON alone.

``python -m agents.release.card`` writes those in ``kododo_env/policy/shipped/`` again.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from agents.export.metadata_file import ENDING
from agents.release.met import met_in_words, role
from kododo_env.agent_registry import POLICIES, STRANGER, search_parts
from kododo_env.rendering.words import counted
from kododo_env.system.files import write_text

GENERATED = "<!-- Written by agents/release/card.py from the JSON beside it; do not edit. -->"
KINDS = ("heuristic", "search", "policy")  # of those who are held out


def write_cards(folder: Path) -> None:
    """Write the page of each policy in a folder, and README.md with the table of all.

    Args:
        folder: Where ``NAME.json`` are; ``NAME.md`` come beside them.
    """
    found = [file for file in sorted(folder.glob("*.json")) if not file.name.endswith(ENDING)]
    cards = [json.loads(path.read_text("utf-8")) for path in found]
    for data in cards:
        write_text(folder / f"{data['name']}.md", card(data))
    write_text(folder / "README.md", index(cards))


def card(data: dict[str, Any]) -> str:
    """The page of a policy, as Markdown.

    Args:
        data: What ``make_policies`` found, the content of ``NAME.json``.
    """
    parts = (_use, _strength, _exploitability, _provenance)
    return "\n\n".join(part(data) for part in parts) + "\n"


def index(cards: Sequence[dict[str, Any]]) -> str:
    """The page with the table of all policies, as Markdown."""
    heads = ["policy", *columns(cards[0]), "steps, millions", "kB"]
    rows = [
        [
            f"[{data['name']}]({data['name']}.md)",
            *columns(data).values(),
            f"{data['training']['steps'] / 1e6:.1f}",
            f"{data['file']['bytes'] / 1000:.0f}",
        ]
        for data in cards
    ]
    return f"""# Policies

{GENERATED}

One ONNX file for each game and number of players, with a page on how strong it is, whom it has \
met and where it comes from. `kododo_env.load("NAME")` loads one, `evaluate.py --agents NAME ...` \
lets it play, and `make policies` trains all again from nothing. What is in a file, what is \
checked when it is loaded, and what somebody else's could do: \
[docs/policy-files.md](../../../docs/policy-files.md).

{_table(heads, rows)}

{COLUMNS}
"""


COLUMNS = """Shares are of one policy among copies of another player, with 95 % intervals. \
Held-out opponents are in no recipe: a heuristic of other principles, a search, and a policy that \
learned by self-play alone, as far as a game has them; the cards name them. What best responses \
gain, on the mean, is over parity, each among copies of the policy."""


def columns(data: dict[str, Any]) -> dict[str, str]:
    """A policy's row in a table of several, by its head: whom it never met come first."""
    shares, found = data["shares"], data["exploitability"]
    unmet = {
        _kind(name): each
        for name, each in reversed(shares["held_out"].items())  # the first of a kind stays
        if not role(name, data["met"])
    }
    first = {f"v held-out {kind}": _share(unmet.get(kind)) for kind in KINDS}
    known = {name: _share(shares["alone"].get(name)) for name in ("heuristic", "random")}
    gain = "not measured" if found is None else _interval(found["best_response"]["gain"], "+.3f")
    return {
        "parity": _parity(data),
        **first,
        "best responses gain": gain,
        **{f"v {name}": share for name, share in known.items()},
    }


def _kind(name: str) -> str:
    if search_parts(name)[0]:
        return "search"
    return "policy" if name.startswith(STRANGER) else "heuristic"


# --- the parts of a card ------------------------------------------------------------------


def _use(data: dict[str, Any]) -> str:
    name, players, door = data["name"], data["players"], f"{data['game']}_v{data['version']}"
    return f"""# {name}

{GENERATED}

Plays `{door}` with {players} players, at temperature {data["temperature"]:g}. File: \
[{name}.onnx]({name}.onnx), {data["file"]["bytes"] / 1000:.0f} kB, SHA-256 \
`{data["file"]["sha256"]}`. All numbers, unrounded: [{name}.json]({name}.json).

## Use

```python
import numpy as np

from kododo_env import {door}, load

view = {door}.batch_game(1, num_players={players}, seed=0).view(0)
actions = load("{name}").act(view, np.random.default_rng(0))
```

A view is what one player may know, here player 0; the actions are theirs in all games of the \
batch, here in one."""


def _strength(data: dict[str, Any]) -> str:
    shares, copies = data["shares"], _copies(data)
    rows = [
        [
            name,
            role(name, data["met"]) or ("held out" if name in shares["held_out"] else "no"),
            f"{each.get('games', shares['games']):,}",
            _interval(each["share"]),
            _interval(each["margin"], "+.2f"),
            ", ".join(f"{share:.3f}" for share in shares["seeds"].get(name, ())) or "–",
        ]
        for name, each in (shares["held_out"] | shares["alone"]).items()
    ]
    heads = ["against", "met in training", "games", "win share", "margin of points", "each seed"]
    back = " ".join(
        f"One {name} against {copies} of the policy has {_interval(share)}."
        for name, share in shares["back"].items()
    )
    return f"""## Strength

One policy against {copies} of another player, every deck from every seat, on other deals than it \
was chosen by; 95 % intervals. Parity is {_parity(data)}. In training {met_in_words(data["met"])}.

{_table(heads, rows)}

{back}"""


def _exploitability(data: dict[str, Any]) -> str:
    found = data["exploitability"]
    if found is None:
        return "## Exploitability\n\nNot measured."
    response, search = found["best_response"], found["search"]
    attackers = {
        f"best response, seed {each['seed']}, {each['steps']:,} steps": each
        for each in response["each"]
    }
    if len(attackers) > 1:
        attackers["mean of these"] = response
    attackers[f"search, {search['budget']} worlds a decision"] = search
    rows = [
        [title, f"{each['games']:,}", _interval(each["share"]), _interval(each["gain"], "+.3f")]
        for title, each in attackers.items()
    ]
    return f"""## Exploitability

What is gained by one attacker against {_copies(data)} of the policy: by PPO that begins with its \
weights, and by search that has it as its model. All are lower bounds; see \
[docs/exploitability.md](../../../docs/exploitability.md).

{_table(["attacker", "games", "win share", "gain over parity"], rows)}"""


def _provenance(data: dict[str, Any]) -> str:
    training, choice = data["training"], data["choice"]
    seeds = len(next(iter(data["shares"]["seeds"].values())))
    versions = {"Python": training["python"], "kododo-env": training["kododo_env"]}
    libraries = ", ".join(f"{k} {v}" for k, v in (versions | training["libraries"]).items())
    settings = ", ".join(f"`{k}` {_value(v)}" for k, v in training["recipe"].items())
    precision = "bfloat16" if training["bfloat16"] else "float32"
    return f"""## Provenance

{training["algorithm"]}: seed {training["seed"]}, {training["steps"]:,} agent-steps, \
{training["minutes"]:.1f} minutes on {training["threads"]} thread, {precision}; {libraries}. \
On one machine the same seed, steps, threads and versions give the same policy.

Settings: {settings}.

{_choice(choice, seeds)}"""


def _choice(choice: dict[str, Any], seeds: int) -> str:
    """By what the seed and the temperature were chosen."""
    temperatures = ", ".join(f"{each:g}" for each in choice["temperatures"])
    less, responses = "", choice["responses"]
    if responses is not None:
        less = (
            f", less what a best response of {responses['steps']:,} steps gains (to each seed's "
            f"{responses['temperatures']} best temperatures)"
        )
    return (
        f"Of {counted(seeds, 'seed')} and the temperatures {temperatures} "
        f"those were chosen that have the highest mean win share against "
        f"{', '.join(choice['opponents'])}{less}, in {choice['games']:,} games each."
    )


# --- words and numbers --------------------------------------------------------------------


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _share(result: dict[str, Any] | None) -> str:
    return "–" if result is None else _interval(result["share"])


def _interval(estimate: dict[str, Any], form: str = ".3f") -> str:
    mean = format(estimate["mean"], form)
    return f"{mean} ({estimate['low']:{form}} to {estimate['high']:{form}})"


def _value(value: Any) -> str:
    if isinstance(value, list):
        return " ".join(map(str, value)) or "none"
    return f"{value:g}" if isinstance(value, float) else str(value) or "none"


def _copies(data: dict[str, Any]) -> str:
    others = data["players"] - 1
    return "1 copy" if others == 1 else f"{others} copies"


def _parity(data: dict[str, Any]) -> str:
    return f"{1 / data['players']:.3f}"


if __name__ == "__main__":
    write_cards(POLICIES)
