"""Write the tables of the pages from the code and from JSON: ``python -m docs.update_tables``.

In each page the text between two markers, such as ``<!-- layout -->`` and ``<!-- /layout -->``, is
replaced. The bots' answers to the puzzles are updated, too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count, pairwise
from pathlib import Path
from statistics import fmean
from typing import Any

from tabulate import tabulate

from agents.commands.best_response import mean_of
from agents.release.card import attacks, columns, interval, worst_attacker
from benchmarks.speed import page as speed_page
from docs.game_tables import arguments, head, layout
from docs.static_page.puzzles import ask_again
from kododo_env import registry
from kododo_env.agent_registry import POLICIES, policy_tables
from kododo_env.arena.benchmark import figures as benchmark_figures
from kododo_env.arena.intervals import Estimate
from kododo_env.commands.benchmark import read_entry
from kododo_env.levels import LEVELS, SEARCHING, levels

DOCS = Path(__file__).parent
EVIDENCE = DOCS / "evidence"
ROOT = DOCS.parent
LEADERBOARD = DOCS / "leaderboard"
# Ablations of short trainings have names with this ending, and share one table of the page.
SHORT = ", 2 million steps"
# Win shares against three heuristics, of which the table shows the core-seconds.
TARGETS = 0.15, 0.20
ATTACKERS = "a best response", "search", "a team"
LAST_SHARES = "v heuristic", "v random", "v validation opponents"
LAST_HEADS = [share.replace("v ", "against ", 1) for share in LAST_SHARES]
# Agent-steps of the rows of benchmarks/libraries.py that are compared, by the ends of their names.
EQUAL_STEPS = {"": 1_000_000, ", 9 M steps": 9_000_000}
# Words for the values that benchmarks/search_ceilings.py writes.
DEALT = {"likely": "as search does", "even": "uniform", "true": "true hands"}
ENDS = {"near": "end of round or 8 steps", "game": "end of game"}
# Columns of the checks of policy files, by the words of tests/clients.
FILE_CHECKS = {
    "measured": "evaluate",
    "played": "play",
    "by numpy alone": "numpy",
    "in Pyodide": "Pyodide",
}


def page_of(game: str) -> Path:
    """Return the page of a game in the documentation."""
    return DOCS / "games" / f"{game}.md"


def tables() -> Iterator[tuple[Path, str, Callable[[], str]]]:
    """Yield each table: its page, its marker, and the function that makes it."""
    yield ROOT / "README.md", "strength", strength_in_sentences
    yield DOCS / "strength.md", "sentences", strength_in_sentences
    yield DOCS / "strength.md", "strength", strength
    yield DOCS / "strength.md", "attackers", attackers
    yield DOCS / "strength.md", "one-network", one_network
    yield DOCS / "playing.md", "levels", levels_measured
    yield EVIDENCE / "specialists.md", "specialists", specialists
    yield EVIDENCE / "ablations.md", "imitation", imitation
    yield EVIDENCE / "ablations.md", "ablation", ablation
    yield EVIDENCE / "ablations.md", "equal-steps", equal_steps
    yield DOCS / "libraries.md", "curves", library_curves
    yield EVIDENCE / "gpu.md", "devices", devices
    yield EVIDENCE / "exact.md", "exact", exact
    yield EVIDENCE / "ceilings.md", "gains", search_gains
    yield DOCS / "leaderboard.md", "leaderboard", leaderboard
    speeds = json.loads((ROOT / "benchmarks" / "results.json").read_text())
    yield EVIDENCE / "speed.md", "machine", partial(speed_page.about, speeds)
    for part, table in {"words": speed_in_words, **speed_page.TABLES}.items():
        yield EVIDENCE / "speed.md", part, partial(table, speeds["figures"])
    yield EVIDENCE / "ray.md", "measured", ray_measured
    yield DOCS / "libraries.md", "libraries", libraries
    yield DOCS / "libraries.md", "node", partial(javascript, "ONNX in node")
    yield DOCS / "libraries.md", "browser", partial(javascript, "ONNX in a browser")
    for game in registry.ENVIRONMENT_MODULES:
        yield page_of(game), "rules", partial(rules, game)
        yield page_of(game), "head", partial(head, game)
        yield page_of(game), "layout", partial(layout, game)
        yield page_of(game), "arguments", partial(arguments, game)
        yield page_of(game), "baselines", partial(baselines, game)


def updated(page: str, marker: str, table: str) -> str:
    """Return a page with one of its tables replaced.

    Args:
        page: The text of the page.
        marker: The name in the markers.
        table: The new table.

    Raises:
        ValueError: The page does not have exactly one pair of these markers.
    """
    begin = f"<!-- {marker} -->"
    end = f"<!-- /{marker} -->"
    before, begin_mark, remainder = page.partition(begin)
    _, end_mark, after = remainder.partition(end)
    if not begin_mark or not end_mark or begin in after or end in after:
        raise ValueError(f"expected one {begin} followed by one {end} on the page")
    return f"{before}{begin}\n\n{table}\n\n{end}{after}"


# --- the tables -----------------------------------------------------------------------------


def rules(game: str) -> str:
    """Return the rules of a game in words, with a picture below each worked example."""
    images = f"../images/{game}_example"
    numbers = count(1)
    return re.sub(
        r"^```text\n.*?^```$",
        lambda example: f"{example[0]}\n\n![The example, drawn]({images}_{next(numbers)}.svg)",
        registry.rules_text(registry.batch_game(game, 1)).rstrip(),
        flags=re.M | re.S,
    )


def _cards() -> dict[str, dict[str, Any]]:
    """Return the facts about each shipped policy."""
    return {name: json.loads((POLICIES / f"{name}.json").read_text()) for name in policy_tables()}


def _results(name: str) -> Any:
    """Read the results of a benchmark from ``docs/NAME.json``."""
    return json.loads((DOCS / f"{name}.json").read_text())


def strength() -> str:
    """Return the table of win shares of the shipped policies, held-out opponents first."""
    cells_by_policy = {name: columns(card) for name, card in _cards().items()}
    heads = ["policy", *next(iter(cells_by_policy.values()))]
    return markdown(heads, [[name, *cells.values()] for name, cells in cells_by_policy.items()])


def attackers() -> str:
    """Return the table of the strongest attacker of each kind against each shipped policy."""
    rows = []
    for name, card in _cards().items():
        gains = dict.fromkeys(ATTACKERS, "–")
        for kind, attack in sorted(attacks(card), key=lambda pair: pair[1]["gain"]["mean"]):
            gains[kind] = interval(attack["gain"], "+.3f")  # the largest is last
        rows.append([name, *gains.values()])
    return markdown(["policy", *(kind.removeprefix("a ") for kind in ATTACKERS)], rows)


def levels_measured() -> str:
    """Return the table of win shares of the levels, which agents/release/levels.py measured."""
    heads = ["policy", "parity", *LEVELS, f"games of {SEARCHING}"]
    rows = []
    for name, (game, players) in policy_tables().items():
        results = levels(game, players)
        row = [name, f"{1 / players:.3f}"]
        row += [f"{results[level]['share']['mean']:.3f}" for level in LEVELS[:-1]]
        strongest = results[SEARCHING]
        rows.append([*row, interval(strongest["share"]), f"{strongest['games']:,}"])
    return markdown(heads, rows)


def strength_in_sentences() -> str:
    """Return sentences on the average lead of the policies, the lowest lead, and the strongest
    attacker.
    """
    cards = _cards()
    leads = [card["players"] * card["unknown"]["mean"]["mean"] for card in cards.values()]
    shares = {
        (name, opponent): share["mean"]
        for name, card in cards.items()
        for opponent, share in _all_shares(card).items()
    }
    policy, opponent = min(shares, key=lambda pair: cards[pair[0]]["players"] * shares[pair])
    gains = {
        name: card["players"] * worst_attacker(card)["gain"]["mean"] for name, card in cards.items()
    }
    attacked = max(gains, key=lambda name: gains[name])
    parity = {name: 1 / card["players"] for name, card in cards.items()}
    return (
        "Against opponents that were not used to train or select them, the policies win on average "
        f"{min(leads):.1f} to {max(leads):.1f} times as many games as equal players would. "
        f"In the closest comparison, {policy} wins {shares[policy, opponent]:.0%} of the games "
        f"against copies of `{opponent}` (equal players: {parity[policy]:.0%}). "
        f"The strongest attacker, made to exploit {attacked}, wins "
        f"{(1 + gains[attacked]) * parity[attacked]:.0%} of the games against copies of it (equal "
        f"players: {parity[attacked]:.0%})."
    ).replace("%", " %")


def _all_shares(card: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return a policy's share among copies of each opponent, by name."""
    worst = card["unknown"]["worst"]
    alone = {opponent: result["share"] for opponent, result in card["shares"]["alone"].items()}
    return {worst["name"]: worst, **alone}


def baselines(game: str) -> str:
    """Return the table of a game's scripted players, which benchmarks/baselines.py measured."""
    measurements = _results("baselines")
    by_players = measurements["shares"][game]
    pairs = next(iter(by_players.values()))
    rows = [
        [*pair.split(" v "), *(f"{shares[pair]:.3f}" for shares in by_players.values())]
        for pair in pairs
    ]
    head = [f"{players} players (parity {1 / int(players):.3f})" for players in by_players]
    title = (
        f"Win shares of one player among copies of another, {measurements['games']:,} games each:"
    )
    return f"{title}\n\n{markdown(['player', 'among copies of', *head], rows)}"


def ablation() -> str:
    """Return the tables of the effects of recipe changes, which benchmarks/ablation.py measured."""
    parts = []
    for name, table in _results("ablation").items():
        seeds_by_change = {row["what"]: row["seeds"] for row in table["rows"] if row["seeds"]}
        if not seeds_by_change or name.endswith(SHORT):
            continue
        number = min(map(len, seeds_by_change.values()))
        every_seed = [seed for seeds in seeds_by_change.values() for seed in seeds]
        heads = [head for head in every_seed[0] if all(head in seed for seed in every_seed)]
        rows = [
            [change, *(_range([seed[head] for seed in seeds[:number]]) for head in heads)]
            for change, seeds in seeds_by_change.items()
        ]
        parts.append(
            f"{name}: {table['steps']:,} agent-steps on 1 thread, {table['games']:,} games each, "
            f"average and range of {number} seeds.\n\n"
            + markdown(["change", *map(_title, heads)], rows)
        )
    return "\n\n".join(parts)


def imitation() -> str:
    """Return the table of short trainings with their imitation, from benchmarks/ablation.py."""
    heads = ["v heuristic", "v validation opponents"]
    rows = []
    for name, table in _results("ablation").items():
        for row in table["rows"] if name.endswith(SHORT) else ():
            share = row["recipe"]["imitation_share"]
            imitated = max(row["recipe"]["imitation_steps"], round(share * table["steps"]))
            shares = [_range([seed[head] for seed in row["seeds"]]) for head in heads]
            steps = [f"{table['steps']:,}", f"{imitated:,}"]
            rows.append([name, *steps, *shares, str(len(row["seeds"]))])
    titles = map(_title, heads)
    return markdown(["run", "agent-steps", "of them imitation", *titles, "seeds"], rows)


def _title(head: str) -> str:
    """Return the title of a column of the ablation, from its name in ``ablation.json``."""
    title = re.sub(
        r"^a best response of (.*) steps gains$", r"best response gains (\1 steps)", head
    )
    return title.removeprefix("v ").replace("minutes of a core", "core minutes")


def library_curves() -> str:
    """Return the table of how fast libraries learn, which benchmarks/libraries.py measured."""
    rows = []
    for name, row in _results("library_curves").items():
        rows.append([
            name,
            row["learner"],
            *(_seconds([_reached(curve, share) for curve in row["seeds"]]) for share in TARGETS),
            _seconds([curve["last"]["core_seconds"] for curve in row["seeds"]]),
            *_last_shares(row),
        ])  # fmt: skip
    targets = [f"core-seconds to {share:.2f} against heuristic" for share in TARGETS]
    return markdown(["run", "learner", *targets, "all core-seconds", *LAST_HEADS], rows)


def equal_steps() -> str:
    """Return the table of MaskablePPO and train.py at equal agent-steps, from
    benchmarks/libraries.py.
    """
    curves = _results("library_curves")
    rows = []
    for suffix, steps in EQUAL_STEPS.items():
        for name in ("stable-baselines3", "train.py"):
            row = curves.get(name + suffix)
            if row:
                seconds = _seconds([curve["last"]["core_seconds"] for curve in row["seeds"]])
                rows.append([f"{steps:,}", row["learner"], seconds, *_last_shares(row)])
    return markdown(["agent-steps", "learner", "core-seconds", *LAST_HEADS], rows)


def _last_shares(row: dict[str, Any]) -> list[str]:
    """Return the shares after the training: mean and range of the seeds."""
    return [_range([curve["last"][share] for curve in row["seeds"]]) for share in LAST_SHARES]


def _reached(curve: dict[str, Any], target: float) -> float | None:
    """Return the core-seconds until a win share against heuristic; None if it was not reached.

    Win shares are interpolated linearly between measurements.
    """
    points = [
        (point["core_seconds"], point["v heuristic"]) for point in (*curve["curve"], curve["last"])
    ]
    for (start, low), (end, high) in pairwise([(0.0, 0.0), *points]):
        if high >= target:
            return float(start + (end - start) * (target - low) / (high - low))
    return None


def _seconds(times: list[float | None]) -> str:
    """Return the mean and range of the seeds, and their number if some are missing."""
    numbers = [time for time in times if time is not None]
    if not numbers:
        return "not reached"
    text = f"{sum(numbers) / len(numbers):.0f} ({min(numbers):.0f}–{max(numbers):.0f})"
    return text if len(numbers) == len(times) else f"{text}, {len(numbers)} of {len(times)}"


def devices() -> str:
    """Return the table of agent-steps/s by device, which benchmarks/devices.py measured."""
    results = _results("devices")
    machine = results["machine"]
    cells = {}
    for row in results["rows"]:
        table = f"{row['game']}-{row['players']}p, {row['width']}"
        column = row["games"] if row["device"] == "cuda" else 0  # 0: the column of the CPU
        cells.setdefault(table, {})[column] = f"{row['steps_per_second'] / 1000:,.0f}"
    games = sorted({column for row in cells.values() for column in row} - {0})
    head = [
        "",
        f"{machine['threads']} core{'s' if machine['threads'] > 1 else ''}",
        *(f"GPU, {number:,} games" for number in games),
    ]
    rows = [
        [table, *(row.get(column, "") for column in (0, *games))] for table, row in cells.items()
    ]
    about = f"{machine['gpu']}, torch {machine['torch']}; cores of an {machine['processor']}"
    return f"{about}:\n\n{markdown(head, rows)}"


def exact() -> str:
    """Return the table of distances from an equilibrium, from benchmarks/exact_truth.py."""
    results = _results("exact")
    solved = results["cfr"][-1]
    rows = [
        ["uniform random", "–", f"{results['uniform']:.4f}", "–", "–", "–"],
        [f"CFR+, {solved['iteration']} iterations", f"{solved['seconds']:.0f}",
         f"{solved['nash_conv']:.4f}", "–", "–", "–"],
        ["CFR+, most probable actions only", "–", f"{results['likeliest']:.4f}", "–", "–", "–"],
        *(
            [f"CFR+, reward with {solution['margin_weight']} × the margin", "–",
             f"{solution['nash_conv']:.4f}", "–", "–", "–"]
            for solution in results["rewarded"]
        ),
    ]  # fmt: skip
    for row in results["rows"]:
        last = [seed["curve"][-1] for seed in row["seeds"]]
        seconds = fmean(point["seconds"] for point in last)
        gained = [
            _range([point["nash_conv"][name] for point in last])
            for name in ("1.0", "0.5", "0.25", "mean")
        ]
        rows.append([row["what"], f"{seconds:.0f}", *gained])
    head = ["", "seconds", "NashConv", "temperature .5", "temperature .25", "average policy"]
    seeds = max(len(row["seeds"]) for row in results["rows"])
    about = (
        f"{results['deals']} deals, {results['information_sets']:,} information sets; runs of "
        f"{results['steps']:,} agent-steps on one thread, average and range of {seeds} seeds."
    )
    return f"{about}\n\n{markdown(head, rows)}"


def search_gains() -> str:
    """Return the table of search against policies, from benchmarks/search_ceilings.py.

    If the card of a policy contains the same search as an attacker, the row shows the card's
    figure.
    """
    cards = _cards()
    rows = []
    for row in sorted(_results("search"), key=lambda row: list(row["cell"].values())):
        cell = row["cell"]
        attack = cards[cell["policy"]]["exploitability"]["search"]
        normal = {"against": cell["policy"], "dealt": "likely", "end": "near"}
        has_card = cell["worlds"] == attack["budget"] and normal.items() <= cell.items()
        result = attack if has_card else cell | row
        rows.append([
            cell["policy"], cell["against"], cell["worlds"], DEALT[cell["dealt"]],
            ENDS[cell["end"]], f"{result['games']:,}", interval(result["share"]),
        ])  # fmt: skip
    head = [
        "policy", "against copies of", "worlds", "hidden cards", "played until", "games",
        "win share",
    ]  # fmt: skip
    return markdown(head, rows)


def specialists() -> str:
    """Return the tables of policies and specialists, which benchmarks/specialists.py measured."""
    results = _results("specialists")
    rows = []
    for policy, (_, players) in policy_tables().items():
        for result in (row for row in results if row["cell"]["policy"] == policy):
            cell = result["cell"]
            shares = [interval(result[name]) for name in ("ours", "specialist")]
            has_ratio = result["ratio"]["mean"] is not None
            ratio = interval(result["ratio"], ".2f") if has_ratio else "unknown"
            numbers = [f"{cell[name]:,}" for name in ("steps", "games")]
            rows.append([policy, cell["against"], f"{1 / players:.3f}", *shares, ratio, *numbers])
    means = []
    for policy in policy_tables():
        # Of several rows of an opponent, that with most steps counts, then that with most games. A
        # specialist that gains nothing has no ratio.
        ratios = {
            row["cell"]["against"]: Estimate(**row["ratio"])
            for row in sorted(results, key=lambda row: (row["cell"]["steps"], row["cell"]["games"]))
            if row["cell"]["policy"] == policy and row["cell"]["is_test_opponent"]
            if row["ratio"]["mean"] is not None
        }
        if ratios:
            mean = mean_of([*ratios.values()])
            means.append([policy, str(len(ratios)), interval(mean.to_json(), ".2f")])
    summary = markdown(["policy", "held-out opponents", "average ratio"], means)
    head = ["policy", "opponent", "parity", "policy's share", "specialist's share", "ratio",
            "steps", "games"]  # fmt: skip
    return f"{summary}\n\n{markdown(head, rows)}"


def leaderboard() -> str:
    """Return the tables of the agents in ``docs/leaderboard``, by game and number of players."""
    entries = [read_entry(path) for path in sorted(LEADERBOARD.glob("*.json"))]
    entries.sort(key=lambda entry: -entry["figures"]["mean"]["mean"])
    sections = []
    for game, players in policy_tables().values():
        rows = [
            board_row(entry)
            for entry in entries
            if (entry["protocol"]["game"], entry["protocol"]["players"]) == (game, players)
        ]
        table = markdown([*rows[0]], [[*row.values()] for row in rows])
        title = f"## {game}, {players} players"
        sections.append(f"{title}\n\nParity is {1 / players:.3f}.\n\n{table}")
    return "\n\n".join(sections)


def board_row(entry: dict[str, Any]) -> dict[str, str]:
    """Return an entry's row of the leaderboard."""
    file = entry["agent"]["file"]
    name = entry["agent"]["name"]
    opponents = {opponent: won for opponent, won in entry["won"].items() if opponent != name}
    hardest = benchmark_figures({**entry, "won": opponents})["worst"]
    return {
        "agent": f"[{name}]({entry['source']})" if entry["source"] else name,
        "average": interval(entry["figures"]["mean"]),
        "hardest": interval(hardest),
        "hardest opponent": hardest["name"],
        "ms/decision": f"{entry['milliseconds']:.2g}",
        "kB": f"{file['bytes'] / 1000:,.0f}" if file else "–",
        "run": "quick" if entry["protocol"]["quick"] else "full",
    }


def speed_in_words(figures: dict[str, float]) -> str:
    """Return sentences with three figures of speed."""
    core = speed_page.whole(figures, "core/kododo/4096")
    assert core is not None
    prefix = "one-game/parallel_env"
    kododo, rps = (figures[f"{prefix}/{name}/played"] for name in ("kododo", "rps_v2"))
    return (
        f"On one core, a batch of 4,096 Kododo games runs {1e3 / core:.0f} million agent-steps per "
        f"second, including observations. One game as a PettingZoo environment runs {kododo:,.0f} "
        f"agent-steps per second, {kododo / rps:.1f} times as many as PettingZoo's rps_v2. A "
        f"policy decides one position in {figures['decision/kododo-4p/1/decision']:.0f} µs."
    )


def ray_measured() -> str:
    """Return the table of benchmarks/bench_ray.py."""
    results = _results("ray")
    whole = results["training"]["one process"]["update"]
    games = results["evaluation"]["one process"]
    rows = [
        [
            f"--workers {name}" if name.isdecimal() else name,
            f"{speeds['update']:,} ({speeds['update'] / whole:.2f})",
            f"{speeds['playing']:,}",
            f"{speeds['learning']:,}",
            f"{results['evaluation'][name]:,} ({results['evaluation'][name] / games:.2f})",
        ]
        for name, speeds in results["training"].items()
    ]
    head = ["", "training, agent-steps/s", "playing alone", "learning alone", "evaluation, games/s"]
    return markdown(head, rows)


def libraries() -> str:
    """Return the table of tested versions of libraries, win shares and checks of the files."""
    rows = [
        [
            name,
            f"[{client['example']}](examples/{client['example']})",
            ", ".join(f"{lib} {at}" for lib, at in client["versions"].items() if lib != "Python"),
            " to ".join(f"{share:.3f}" for share in client.get("shares", ())) or "–",
            ", ".join(FILE_CHECKS[check] for check in client.get("file", ())) or "–",
        ]
        for name, client in _results("libraries").items()
    ]
    return markdown(["library", "example", "tested with", "win share", "file works in"], rows)


def javascript(client: str) -> str:
    """Return a sentence on the differences between a JavaScript runtime and Python."""
    difference = _results("libraries")[client]["largest_difference"]
    if not difference:
        return "All actions and outputs are the same."
    return f"All actions are the same; logits and values differ by at most {difference:.0e}."


def one_network() -> str:
    """Return the table of one network for all numbers of players and the shipped policies."""
    seeds = [_results(f"all_players/{seed}")["rows"] for seed in range(3)]
    heads = {
        "v heuristic": "against heuristic",
        "v random": "against random",
        "v specialist": "against the shipped policy",
    }
    rows = []
    for results in zip(*seeds, strict=True):
        shares = [_range([result[name] for result in results]) for name in heads]
        specialist = f"{results[0]['specialist v heuristic']:.3f}"
        rows.append(
            [str(results[0]["players"]), f"{results[0]['parity']:.3f}", *shares, specialist]
        )
    head = ["players", "parity", *heads.values(), "shipped policy against heuristic"]
    return markdown(head, rows)


def markdown(head: list[str], rows: list[list[str]]) -> str:
    """Return a Markdown table."""
    return tabulate(rows, head, tablefmt="github", disable_numparse=True)


def _range(numbers: list[float]) -> str:
    return f"{fmean(numbers):.3f} ({min(numbers):.3f}–{max(numbers):.3f})"


if __name__ == "__main__":
    for path, marker, table in tables():
        if path.exists():
            path.write_text(updated(path.read_text(), marker, table()))
        else:
            print(f"{path} is missing")
    ask_again()
