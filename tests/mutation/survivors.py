"""Report surviving mutants: counts by file, and the mutants that survivors.md does not list.

survivors.md lists mutants that no test can distinguish from the code, with the reason.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from mutmut.configuration import reset_config
from mutmut.mutation.data import SourceFileMutationData
from mutmut.mutation.diff_apply import get_diff_for_mutant
from mutmut.stats import status_by_exit_code
from mutmut.utils.file_utils import walk_mutatable_files

from tests.mutation.areas import FOLDER

LIST = Path(__file__).with_name("survivors.md")
ALIVE = ("survived", "no tests", "suspicious")
LISTED = re.compile(r"- `([^`]+)`: ``(.+)``")
COLUMNS = ("mutants", "killed", "listed", "not listed", "not run")


def listed(text: str) -> set[tuple[str, str, str]]:
    """Return the listed mutants, as file, function and inserted lines."""
    mutants = set()
    path = ""
    for line in text.splitlines():
        if line.startswith("## "):
            path = line.removeprefix("## ").strip("`")
        elif entry := LISTED.match(line):
            mutants.add((path, entry[1], entry[2].strip()))
    return mutants


def files(area: str) -> Iterator[tuple[Path, dict[str, str]]]:
    """Yield an area's files with the status of each mutant by name."""
    folder = FOLDER / area
    if not folder.exists():
        return
    os.chdir(folder)
    reset_config()
    for path in sorted(walk_mutatable_files()):
        results = SourceFileMutationData(path=path)
        results.load()
        yield (
            path,
            {name: status_by_exit_code[code] for name, code in results.exit_code_by_key.items()},
        )


def described(name: str, path: Path) -> tuple[str, str, str]:
    """Return the function of a mutant, and its removed and inserted lines, as survivors.md has
    them.
    """
    function = name.rpartition(".")[2].rpartition("__mutmut_")[0]
    function = function.removeprefix("x_").removeprefix("xǁ").replace("ǁ", ".")
    diff = get_diff_for_mutant(name, path=path).splitlines()
    old, new = (
        " ".join(line[1:].strip() for line in diff if line[:1] == sign and line[:3] != sign * 3)
        for sign in "-+"
    )
    return function, old, new


def report(areas: Sequence[str]) -> int:
    """Print the counts of areas and the unlisted survivors; return 1 if there are any."""
    listed_mutants = listed(LIST.read_text())
    total = Counter[str]()
    unlisted: list[str] = []
    print(f"| file | {' | '.join(COLUMNS)} |", "|---" * 6 + "|", sep="\n")
    for area in areas:
        for path, mutants in files(area):
            count = Counter(mutants=len(mutants))
            for name, status in mutants.items():
                if status not in ALIVE:
                    count["not run" if status == "not checked" else "killed"] += 1
                    continue
                function, old, new = described(name, path)
                is_listed = (str(path), function, new) in listed_mutants
                count["listed" if is_listed else "not listed"] += 1
                if not is_listed:
                    unlisted.append(f"{name}: {status}\n    - {old}\n    + {new}")
            print(row(str(path), count))
            total += count
    print(row("all", total), *unlisted, sep="\n")
    return int(bool(unlisted))


def row(name: str, count: Counter[str]) -> str:
    """Format a line of the table."""
    return f"| {name} | {' | '.join(str(count[column]) for column in COLUMNS)} |"
