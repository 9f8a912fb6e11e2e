"""The page of a contest: one HTML file that needs no other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory

from kododo_env.arena.plots import draw_report
from kododo_env.arena.report import Report

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
body {{ font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto }}
table {{ border-collapse: collapse; margin: 1rem 0 }}
th, td {{ padding: .3rem .7rem; text-align: right; border-bottom: 1px solid #ccc }}
th:first-child, td:first-child {{ text-align: left }}
svg {{ max-width: 100%; height: auto }}
</style>
</head>
<body>
<h1>{title}</h1>
<p>{heading}</p>
{parts}
</body>
</html>
"""
HOW = (
    "Bots whose intervals overlap may be equals. A rating is higher by 400 if the odds are ten to "
    "one. A fault is a turn in which a bot was late (more than {seconds:g} s a "
    "decision), illegal or gone, or raised an error: it was played at random."
)


def contest_page(
    report: Report, seconds: float, faults: Mapping[str, Sequence[str]], left_out: Mapping[str, str]
) -> str:
    """What a contest showed as HTML: standings, a picture, faults, the bots that did not play.

    Args:
        report: Of the tournament.
        seconds: The time for a decision.
        faults: Of each agent.
        left_out: The bots that could not play, and why.
    """
    rows: list[Sequence[object]] = [
        ["bot", "win share", "95 %", "points", "rating", "95 %", "faults"]
    ]
    for each in report.standings:
        texts = *each.share.texts(".3f"), f"{each.points.mean:.2f}", *each.rating.texts("+z.0f")
        rows.append([each.agent, *texts, len(faults[each.agent])])
    parts = [_table(rows), f"<p>{escape(HOW.format(seconds=seconds))}</p>", _picture(report)]
    first = [(bot, len(each), each[0]) for bot, each in faults.items() if each]
    if first:
        parts += ["<h2>Faults</h2>", _table([["bot", "faults", "the first"], *first])]
    if left_out:
        parts += ["<h2>Did not play</h2>", _table([["bot", "why"], *left_out.items()])]
    title = f"Contest: {report.tournament.game}"
    return PAGE.format(title=escape(title), heading=escape(report.heading), parts="\n".join(parts))


def _table(rows: Iterable[Sequence[object]]) -> str:
    """Rows, of which the first is the heading."""
    first, *others = ([escape(str(cell)) for cell in row] for row in rows)
    head = "".join(f"<th>{cell}</th>" for cell in first)
    body = ["".join(f"<td>{cell}</td>" for cell in row) for row in others]
    return "\n".join(["<table>", *(f"<tr>{row}</tr>" for row in [head, *body]), "</table>"])


def _picture(report: Report) -> str:
    """Win shares and ratings with their intervals, as SVG."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "report.svg"
        draw_report(report, path)
        text = path.read_text("utf-8")
    return text[text.index("<svg") :]
