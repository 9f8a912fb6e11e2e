"""Make the tables of figures that ``make bench`` prints and docs/evidence/speed.md contains."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from tabulate import tabulate

from benchmarks.speed.figures import number
from benchmarks.speed.interfaces import FORMATS
from benchmarks.speed.one_game import KINDS

Figures = dict[str, float]
TITLES = {
    "step": "`step`",
    "mask": "`legal_action_mask`",
    "rows": "`observe` into rows (N, P, F)",
    "reset": "`reset`, divided by the length of a game",
    "observe": "`observe`, games last",
}
WORKS = ("step", "mask", "rows", "reset")  # the calls that add up to the whole
AGENTS = {
    "scripted": "four scripted players",
    "nine": "seven scripted players and two policies",
}
REFERENCE_GAMES = 4096  # other numbers of games are compared with this one


def core(figures: Figures) -> str:
    """Return a table for each game: nanoseconds per agent-step by number of games, and C if
    measured.
    """
    return "\n\n".join(_core(figures, game) for game in _names(figures, "core"))


def _core(figures: Figures, game: str) -> str:
    sizes = _names(figures, f"core/{game}")
    million = f"million/{game}"
    columns = [*(f"core/{game}/{size}" for size in sizes), million]
    by_hand = [figures.get(f"C/{game}/{size}/whole") for size in (*sizes, "a million")]

    def costs(*works: str) -> list[float | None]:
        parts = [[figures.get(f"{column}/{work}") for work in works] for column in columns]
        return [sum(filter(None, times)) if None not in times else None for times in parts]

    def ratios(times: list[float | None], to: list[float | None]) -> list[str]:
        return list(map(_ratio, times, to))

    def wholes(title: str, observe: str) -> list[list[str]]:
        whole = costs("step", "mask", observe, "reset")
        reference = dict(zip(sizes, whole, strict=False)).get(str(REFERENCE_GAMES))
        rows = [[title, *map(_format, whole)]]
        to_reference = ratios(whole, [reference] * len(columns))
        rows.append([f"{title}, relative to {REFERENCE_GAMES:,} games", *to_reference])
        if any(by_hand):
            rows.append([f"{title}, relative to C", *ratios(whole, by_hand)])
        return rows

    rows = [[TITLES[work], *map(_format, costs(work))] for work in WORKS]
    rows += wholes("total", "rows")
    if any(by_hand):
        rows.append(["reference loop in C", *map(_format, by_hand)])
    rows.append([TITLES["observe"], *map(_format, costs("observe"))])
    rows += wholes("total, games last", "observe")
    table = _table([game, *(f"{int(size):,}" for size in sizes), "1,000,000"], rows)
    if f"{million}/peak" not in figures:
        return table
    peak = figures[f"{million}/peak"]
    without = figures[f"{million}/peak without observing"]
    return (
        f"{table}\n\nPeak memory of a million games: {peak:.2f} GB, {without:.2f} GB without "
        "observations."
    )


def whole(figures: Figures, column: str) -> float | None:
    """Return nanoseconds per agent-step of all calls; None if they were not measured.

    Args:
        figures: The figures.
        column: The path of the figures, such as ``core/kododo/4096``.
    """
    costs = [figures.get(f"{column}/{work}") for work in WORKS]
    return None if None in costs else sum(filter(None, costs))


def interfaces(figures: Figures) -> str:
    """Return the table of decisions/s by interface, game and format of observations."""
    rows = []
    for interface in _names(figures, "interfaces"):
        for game in _names(figures, f"interfaces/{interface}"):
            speeds = (
                figures.get(f"interfaces/{interface}/{game}/{form}/decisions") for form in FORMATS
            )
            rows.append([f"`{interface}`", game, *map(_format, speeds)])
    return _table(["interface", "game", *FORMATS], rows)


def one_game(figures: Figures) -> str:
    """Return the table of agent-steps/s by interface and game, with ratios to other libraries."""
    rows = []
    for kind in _names(figures, "one-game"):
        peer = figures.get(f"one-game/{kind}/{KINDS[kind][1]}/played")
        for game in _names(figures, f"one-game/{kind}"):
            played = figures[f"one-game/{kind}/{game}/played"]
            dealt = figures[f"one-game/{kind}/{game}/with reset"]
            times = figures.get(f"one-game/{kind}/{game}/times")
            ratio = f"{times:.2f}" if times else _ratio(played, peer)
            rows.append([f"`{kind}`", game, _format(played), ratio, _format(dealt)])
    return _table(["interface", "game", "agent-steps/s", "×", "`reset` included"], rows)


def decision(figures: Figures) -> str:
    """Return the table of microseconds per decision by agent, for one position and for many."""
    rows = []
    for agent in _names(figures, "decision"):
        nums = [num for num in _names(figures, f"decision/{agent}") if num != "1"]
        worlds = figures.get(f"decision/{agent}/1/worlds")
        if worlds is not None:
            rows.append([f"`{agent}`", f"{_format(worlds)} worlds", "–", "–"])
            continue
        row = [f"`{agent}`", _format(figures.get(f"decision/{agent}/1/decision"))]
        if nums:
            row.append(_format(figures.get(f"decision/{agent}/{nums[0]}/decision")))
            row.append(f"{int(nums[0]):,}")
        else:
            row += ["–", "–"]
        rows.append(row)
    return _table(["agent", "one position, µs", "per position in a batch, µs", "batch"], rows)


def tournament(figures: Figures) -> str:
    """Return the table of games/s by field of players and number of processes."""
    rows = [
        [
            AGENTS[field],
            *(_format(figures.get(f"tournament/{field}/{workers}/games")) for workers in (1, 2)),
        ]
        for field in _names(figures, "tournament")
    ]
    return _table(["agents", "games/s on one core", "games/s of two processes"], rows)


def profile(figures: Figures) -> str:
    """Return the table of shares of the CPU time, in percent."""
    rows = []
    for work in _names(figures, "profile"):
        shares = {
            place: figures[f"profile/{work}/{place}"]
            for place in _names(figures, f"profile/{work}")
        }
        rows.append([work, ", ".join(f"{place} {share:.0f}" for place, share in shares.items())])
    return _table(["work", "% of the CPU time"], rows)


TABLES: dict[str, Callable[[Figures], str]] = {
    "core": core,
    "interfaces": interfaces,
    "one-game": one_game,
    "decision": decision,
    "tournament": tournament,
    "profile": profile,
}
"""Tables by the part of the figures that they show."""


def printed(figures: Figures) -> str:
    """Return all tables for which there are figures."""
    parts = _names(figures, "")
    return "\n\n".join(table(figures) for part, table in TABLES.items() if part in parts)


def about(results: dict[str, Any]) -> str:
    """Return a description of the machine on which the figures were measured."""
    machine = results["machine"]
    cores = f"{machine['cores']} cores"
    numpy = f"numpy {machine['numpy']}"
    load = f"a load of {results['load']:g} at the start"
    return ", ".join(
        [machine["processor"], cores, machine["system"], machine["python"], numpy, load]
    )


def _names(figures: Iterable[str], path: str) -> list[str]:
    """List the names directly below a path, in order."""
    prefix = f"{path}/" if path else ""
    names = [name.removeprefix(prefix).split("/")[0] for name in figures if name.startswith(prefix)]
    return list(dict.fromkeys(names))


def _format(figure: float | None) -> str:
    return "–" if figure is None else number(figure)


def _ratio(figure: float | None, to: float | None) -> str:
    return f"{figure / to:.2f}" if figure and to else "–"


def _table(head: list[str], rows: list[list[str]]) -> str:
    return tabulate(rows, head, tablefmt="github", disable_numparse=True)
