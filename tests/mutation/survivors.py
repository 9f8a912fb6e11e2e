"""What `make mutants` has found: counts by file, and mutants that live without an excuse.

    python -m tests.mutation.survivors

Excused are those that survivors.md lists with the reason why no test can tell them from the code.
Exit status 1 if others live.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path

from mutmut.mutation.data import SourceFileMutationData
from mutmut.mutation.diff_apply import get_diff_for_mutant
from mutmut.stats import status_by_exit_code
from mutmut.utils.file_utils import walk_mutatable_files

LIST = Path(__file__).with_name("survivors.md")
ALIVE = ("survived", "no tests", "suspicious")
LISTED = re.compile(r"- `([^`]+)`: ``(.+)``")


def excused(text: str) -> set[tuple[str, str, str]]:
    """The mutants that the list names, as file, function and the lines that were put in."""
    found, path = set(), ""
    for line in text.splitlines():
        if line.startswith("## "):
            path = line.removeprefix("## ").strip("`")
        elif entry := LISTED.match(line):
            found.add((path, entry[1], entry[2].strip()))
    return found


def told(name: str, path: Path) -> tuple[str, str]:
    """A mutant's function, and the lines that were put in, as the list tells them."""
    function = name.rpartition(".")[2].rpartition("__mutmut_")[0]
    function = function.removeprefix("x_").removeprefix("xǁ").replace("ǁ", ".")
    diff = get_diff_for_mutant(name, path=path).splitlines()
    new = [line[1:].strip() for line in diff if line.startswith("+") and line[:3] != "+++"]
    return function, " ".join(new)


def main() -> int:
    """Print the counts and the survivors that are not listed."""
    known = excused(LIST.read_text())
    total: Counter[str] = Counter()
    strangers: list[str] = []
    print("| file | mutants | killed | listed | not listed | not run |")
    print("|---|---|---|---|---|---|")
    for path in sorted(walk_mutatable_files()):
        data = SourceFileMutationData(path=path)
        data.load()
        count: Counter[str] = Counter(mutants=len(data.exit_code_by_key))
        for name, code in data.exit_code_by_key.items():
            status = status_by_exit_code[code]
            if status not in ALIVE:
                count["not run" if status == "not checked" else "killed"] += 1
                continue
            function, new = told(name, path)
            listed = (str(path), function, new) in known
            count["listed" if listed else "not listed"] += 1
            if not listed:
                strangers.append(f"{path}\n- `{function}`: ``{new}``  ({name}, {status})")
        total += count
        if count["mutants"]:
            print(row(str(path), count))
    print(row("all", total))
    print("", *strangers, sep="\n")
    return int(bool(strangers))


def row(name: str, count: Counter[str]) -> str:
    """A line of the table."""
    columns = ("mutants", "killed", "listed", "not listed", "not run")
    return f"| {name} | {' | '.join(str(count[column]) for column in columns)} |"


if __name__ == "__main__":
    sys.exit(main())
