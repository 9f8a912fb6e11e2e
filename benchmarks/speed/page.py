"""The tables of the figures: what ``make bench`` prints and docs/evidence/speed.md shows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from tabulate import tabulate

from benchmarks.speed.doors import FORMATS
from benchmarks.speed.figures import number
from benchmarks.speed.one_game import KINDS

Figures = dict[str, float]
TITLES = {
    "step": "`step`",
    "mask": "`legal_action_mask`",
    "rows": "`observe` into rows (N, P, F)",
    "reset": "`reset`, divided by the length of a game",
    "observe": "`observe`, games last",
}
WORKS = "step", "mask", "rows", "reset"  # of a whole, observations written as rows
AGENTS = {
    "scripted": "four scripted players",
    "nine": "seven scripted players and two policies",
}
FLAT = 4096  # games, with which other numbers of games are compared


def core(figures: Figures) -> str:
    """Nanoseconds an agent-step by number of games, one table a game; C where there is one."""
    return "\n\n".join(_core(figures, game) for game in _names(figures, "core"))


def _core(figures: Figures, game: str) -> str:
    sizes, many = _names(figures, f"core/{game}"), f"million/{game}"
    columns = [*(f"core/{game}/{size}" for size in sizes), many]
    by_hand = [figures.get(f"C/{game}/{size}/whole") for size in (*sizes, "a million")]

    def costs(*works: str) -> list[float | None]:
        found = [[figures.get(f"{column}/{work}") for work in works] for column in columns]
        return [sum(filter(None, each)) if None not in each else None for each in found]

    def ratios(each: list[float | None], to: list[float | None]) -> list[str]:
        return list(map(_ratio, each, to))

    def wholes(title: str, observe: str) -> list[list[str]]:
        whole = costs("step", "mask", observe, "reset")
        flat = [dict(zip(sizes, whole, strict=False)).get(str(FLAT))] * len(columns)
        rows = [[title, *map(_shown, whole)]]
        rows.append([f"{title}, relative to {FLAT:,} games", *ratios(whole, flat)])
        return (
            [*rows, [f"{title}, relative to C", *ratios(whole, by_hand)]] if any(by_hand) else rows
        )

    rows = [[TITLES[work], *map(_shown, costs(work))] for work in WORKS]
    rows += wholes("total", "rows")
    if any(by_hand):
        rows.append(["reference loop in C", *map(_shown, by_hand)])
    rows.append([TITLES["observe"], *map(_shown, costs("observe"))])
    rows += wholes("total, games last", "observe")
    table = _table([game, *(f"{int(size):,}" for size in sizes), "1,000,000"], rows)
    if f"{many}/peak" not in figures:
        return table
    peak, without = (figures[f"{many}/{each}"] for each in ("peak", "peak without observing"))
    return (
        f"{table}\n\nPeak memory of a million games: {peak:.2f} GB, {without:.2f} GB without "
        "observations."
    )


def whole(figures: Figures, column: str) -> float | None:
    """Nanoseconds an agent-step of all that a game does, such as ``core/kododo/4096``.

    None if that was not measured.
    """
    costs = [figures.get(f"{column}/{work}") for work in WORKS]
    return None if None in costs else sum(filter(None, costs))


def doors(figures: Figures) -> str:
    """Decisions/s by interface, game and form of the observations."""
    rows = []
    for door in _names(figures, "doors"):
        for game in _names(figures, f"doors/{door}"):
            speeds = (figures.get(f"doors/{door}/{game}/{form}/decisions") for form in FORMATS)
            rows.append([f"`{door}`", game, *map(_shown, speeds)])
    return _table(["interface", "game", *FORMATS], rows)


def one_game(figures: Figures) -> str:
    """Agent-steps/s by interface and game, and how many times those of somebody else's game."""
    rows = []
    for kind in _names(figures, "one-game"):
        peer = figures.get(f"one-game/{kind}/{KINDS[kind][1]}/played")
        for game in _names(figures, f"one-game/{kind}"):
            played, dealt = (
                figures[f"one-game/{kind}/{game}/{each}"] for each in ("played", "with reset")
            )
            times = figures.get(f"one-game/{kind}/{game}/times")
            ratio = f"{times:.2f}" if times else _ratio(played, peer)
            rows.append([f"`{kind}`", game, _shown(played), ratio, _shown(dealt)])
    return _table(["interface", "game", "agent-steps/s", "×", "`reset` included"], rows)


def decision(figures: Figures) -> str:
    """Microseconds of a decision by agent, for one position and for each of many."""
    rows = []
    for agent in _names(figures, "decision"):
        nums = [num for num in _names(figures, f"decision/{agent}") if num != "1"]
        worlds = figures.get(f"decision/{agent}/1/worlds")
        if worlds is not None:
            rows.append([f"`{agent}`", f"{_shown(worlds)} worlds", "–", "–"])
            continue
        one, *many = (figures.get(f"decision/{agent}/{num}/decision") for num in ("1", *nums))
        each, number_of = (_shown(many[0]), f"{int(nums[0]):,}") if many else ("–", "–")
        rows.append([f"`{agent}`", _shown(one), each, number_of])
    return _table(["agent", "one position, µs", "per position in a batch, µs", "batch"], rows)


def tournament(figures: Figures) -> str:
    """Games/s by who plays and how many processes there are."""
    rows = [
        [
            AGENTS[field],
            *(_shown(figures.get(f"tournament/{field}/{workers}/games")) for workers in (1, 2)),
        ]
        for field in _names(figures, "tournament")
    ]
    return _table(["agents", "games/s on one core", "games/s of two processes"], rows)


def profile(figures: Figures) -> str:
    """Where the time of some works goes, in percent."""
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
    "doors": doors,
    "one-game": one_game,
    "decision": decision,
    "tournament": tournament,
    "profile": profile,
}
"""By the part of the figures that they need."""


def printed(figures: Figures) -> str:
    """All tables for which there are figures."""
    here = _names(figures, "")
    return "\n\n".join(table(figures) for part, table in TABLES.items() if part in here)


def about(results: dict[str, Any]) -> str:
    """What was measured on."""
    machine = results["machine"]
    words = (f"{machine['cores']} cores", *(machine[each] for each in ("system", "python")))
    load = f"a load of {results['load']:g} at the start"
    return ", ".join([machine["processor"], *words, f"numpy {machine['numpy']}", load])


def _names(figures: Iterable[str], path: str) -> list[str]:
    """What there is directly below a path, in order."""
    begin = f"{path}/" if path else ""
    found = [name.removeprefix(begin).split("/")[0] for name in figures if name.startswith(begin)]
    return list(dict.fromkeys(found))


def _shown(value: float | None) -> str:
    return "–" if value is None else number(value)


def _ratio(value: float | None, to: float | None) -> str:
    return f"{value / to:.2f}" if value and to else "–"


def _table(head: list[str], rows: list[list[str]]) -> str:
    return tabulate(rows, head, tablefmt="github", disable_numparse=True)
