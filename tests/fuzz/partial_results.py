"""Resuming a stopped tournament with a damaged log."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout, suppress
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any

from agents.commands.evaluate import EvaluateConfig, evaluate
from kododo_env.arena.match import ChunkResult
from kododo_env.arena.workers import run as play
from kododo_env.commands import tournament as evaluation
from kododo_env.commands.cli import run_cli
from kododo_env.commands.tournament import log_of
from tests.fuzz.odd_values import byte_edits, edited_bytes, edited_json, json_edits
from tests.fuzz.promises import ACCEPTED, FaultFound
from tests.fuzz.scripts import check_end, contents, replaced, run

ARGS = ("--agents", "random", "greedy", "--players", "2", "--games", "60", "--workers", "1")
LINES = 10  # of the log: the header and the finished chunks


def prepare(base: Path) -> None:
    """Create the log of a stopped tournament, and the table of an undisturbed one."""
    chunks: list[Any] = []

    def stopped(*args: Any) -> Iterator[ChunkResult]:
        for number, result in enumerate(play(*args)):
            chunks.append([result.shares.tolist(), result.points.tolist()])
            if number == LINES - 1:
                raise KeyboardInterrupt
            yield result

    whole = base / "whole.json"
    broken = base / "out.json"
    run_quietly(*ARGS, "--json", str(whole))
    with replaced(evaluation, "run", stopped):
        run_quietly(*ARGS, "--json", str(broken))
    shutil.copy(log_of(broken), base / "log")


def run_quietly(*args: str) -> None:
    """Run evaluate.py without output, ignoring its exit status."""
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()), suppress(SystemExit):
        run_cli(EvaluateConfig, evaluate, args)


def generate(rng: Random) -> dict[str, Any]:
    """Return changes of the log's bytes, of one line's JSON, or of the order of its lines."""
    how = rng.choice(("bytes", "json", "json", "json", "lines"))
    if how == "bytes":
        return {"bytes": byte_edits(rng)}
    if how == "lines":
        order = list(range(LINES))
        for _ in range(rng.randint(1, 3)):
            order_edit = rng.choice("dms")
            place = rng.randrange(len(order))
            if order_edit == "d":
                order.insert(rng.randrange(len(order)), order[place])
            elif order_edit == "m":
                order.insert(rng.randrange(len(order)), order.pop(place))
            elif len(order) > 1:
                del order[place]
        return {"order": order}
    line = rng.choice((0, rng.randrange(LINES)))
    return {"line": line, "json": json_edits(rng)}


def check(case: dict[str, Any], base: Path) -> str:
    """Check that the log is rejected and unchanged, or the table equals the undisturbed one."""
    content = (base / "log").read_bytes()
    lines = content.splitlines(keepends=True)
    if "bytes" in case:
        content = edited_bytes(content, case["bytes"])
    elif "order" in case:
        content = b"".join(lines[place] for place in case["order"])
    else:
        line, _, digest = lines[case["line"]].rpartition(b" ")
        text = edited_json(json.loads(line), case["json"])
        lines[case["line"]] = text.encode() + b" " + digest
        content = b"".join(lines)
    out = Path("out.json")
    log_of(out).write_bytes(content)
    before = contents()
    done = run(EvaluateConfig, evaluate, [*ARGS, "--json", "out.json", "--resume"])
    refused = check_end(done, before)
    if refused:
        return refused
    if out.read_bytes() != (base / "whole.json").read_bytes():
        raise FaultFound("a damaged log was taken, and the table is another one")
    if log_of(out).exists():
        raise FaultFound("the log is left behind")
    return ACCEPTED
