"""Check that names are nouns or verbs and that one statement does one thing.

    python -m tests.plain_names

Stored names (variables, parameters, attributes, functions, classes) must not be a bare pronoun,
participle or adverb, which says nothing about what the name holds, and must not begin with one. An
assignment must not set several unrelated names at once. Exit status 1 if there are findings.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDERS = "kododo_env", "agents", "benchmarks", "docs", "tests"
VAGUE_WORDS = """
alike any answered asked again begun both brought came come due each everything felt few found
given gone got gotten here kept known lacking least left lent less likewise made many meant mine
more most none nothing now one ones other others ours own put rest said same seen sent shown
some something still such taken that theirs then there these this those told wanted what which
who worth yet
"""
WORDS = frozenset(VAGUE_WORDS.split())
PREFIXES = "each_", "found_", "given_", "told_", "seen_", "known_", "wanted_", "said_"


def main() -> int:
    """Print a line for each finding."""
    findings = [
        f"{path.relative_to(ROOT)}:{line}: {message}"
        for folder in FOLDERS
        for path in sorted((ROOT / folder).rglob("*.py"))
        for line, message in check_source(path.read_text(encoding="utf-8"))
    ]
    for finding in findings:
        print(finding)
    return 1 if findings else 0


def check_source(source: str) -> list[tuple[int, str]]:
    """Return the line and message of each finding in a module's source, in order of lines."""
    findings = []
    for node in ast.walk(ast.parse(source)):
        findings += [
            (node.lineno, f"name {name!r} does not say what it holds")
            for name in stored_names(node)
            if is_vague(name)
        ]
        if isinstance(node, ast.Assign) and sets_unrelated_names(node):
            findings.append((node.lineno, "one statement assigns several unrelated values"))
    return sorted(findings)


def stored_names(node: ast.AST) -> Iterator[str]:
    """Yield the names that a node defines or assigns."""
    match node:
        case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
            yield name
        case ast.arg(arg=name):
            yield name
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name.lower()


def is_vague(name: str) -> bool:
    """Whether a name is a pronoun, participle or adverb, or begins with one."""
    name = name.strip("_")
    return name in WORDS or name.startswith(PREFIXES)


def sets_unrelated_names(node: ast.Assign) -> bool:
    """Whether an assignment is ``a, b = x, y`` without being a permutation such as a swap."""
    target = node.targets[0]
    if not (isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple)):
        return False
    targets = sorted(ast.unparse(element) for element in target.elts)
    return targets != sorted(ast.unparse(element) for element in node.value.elts)


if __name__ == "__main__":
    sys.exit(main())
