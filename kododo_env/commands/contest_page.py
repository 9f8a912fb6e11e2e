"""The page of a contest: a single HTML file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory

from kododo_env.arena.plots import draw_report
from kododo_env.arena.report import TournamentReport

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
    "Bots with overlapping intervals may be equally strong. A rating difference of 400 means odds "
    "of ten to one. A fault is a turn in which a bot took more than {seconds:g} s for a decision, "
    "played an illegal action, exited or raised an error; the turn was then played at random."
)


def contest_page(
    report: TournamentReport,
    seconds: float,
    faults: Mapping[str, Sequence[str]],
    left_out: Mapping[str, str],
) -> str:
    """Return the results of a contest as HTML: standings, a plot, faults, bots that did not play.

    Args:
        report: The report of the tournament.
        seconds: The time limit of a decision.
        faults: The messages of each agent's faults, by its name.
        left_out: The error in the trial game, by the name of each bot that did not play.
    """
    rows: list[Sequence[object]] = [
        ["bot", "win share", "95 %", "points", "rating", "95 %", "faults"]
    ]
    for standing in report.standings:
        share = standing.share.texts(".3f")
        rating = standing.rating.texts("+z.0f")
        points = f"{standing.points.mean:.2f}"
        rows.append([standing.agent, *share, points, *rating, len(faults[standing.agent])])
    parts = [_table(rows), f"<p>{escape(HOW.format(seconds=seconds))}</p>", _picture(report)]
    fault_rows = [(bot, len(texts), texts[0]) for bot, texts in faults.items() if texts]
    if fault_rows:
        parts += ["<h2>Faults</h2>", _table([["bot", "faults", "the first"], *fault_rows])]
    if left_out:
        parts += ["<h2>Did not play</h2>", _table([["bot", "why"], *left_out.items()])]
    title = f"Contest: {report.tournament.game}"
    return PAGE.format(title=escape(title), heading=escape(report.heading), parts="\n".join(parts))


def _table(rows: Iterable[Sequence[object]]) -> str:
    """Return an HTML table; the first row is the heading."""
    heading, *body_rows = ([escape(str(cell)) for cell in row] for row in rows)
    head = "".join(f"<th>{cell}</th>" for cell in heading)
    body = ["".join(f"<td>{cell}</td>" for cell in row) for row in body_rows]
    return "\n".join(["<table>", *(f"<tr>{row}</tr>" for row in [head, *body]), "</table>"])


def _picture(report: TournamentReport) -> str:
    """Draw win shares and ratings with their intervals, as SVG."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "report.svg"
        draw_report(report, path)
        text = path.read_text("utf-8")
    return text[text.index("<svg") :]
