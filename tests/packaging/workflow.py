"""The workflow of continuous integration on GitHub, from the sessions of nox.

It runs ``.ci/run`` on Linux, and each session of ``make test-matrix`` on Linux, macOS and Windows.
``python -m tests.packaging.workflow`` writes it.
"""

from __future__ import annotations

from nox import registry

from tests.packaging import matrix

FILE = matrix.ROOT / ".github" / "workflows" / "tests.yml"
SYSTEMS = ("ubuntu-latest", "macos-latest", "windows-latest")
HEAD = """\
# Written by python -m tests.packaging.workflow
name: tests
on: [push, pull_request]
permissions:
  contents: read
jobs:
  checks:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: "{python}"
      - run: .ci/run
  sessions:
    strategy:
      fail-fast: false
      matrix:
        system: [{systems}]
        session:
"""
TAIL = """\
    runs-on: ${{ matrix.system }}
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: ${{ matrix.session.python }}
      - run: python -m pip install --constraint constraints.txt nox
      - run: >-
          python -m nox --noxfile tests/packaging/matrix.py --error-on-missing-interpreters
          --sessions ${{ matrix.session.name }}
"""


def sessions() -> list[tuple[str, str]]:
    """Each session as nox names it, and its Python."""
    named_pythons = []
    for session in registry.get().values():
        if session.__module__ == matrix.__name__:
            several = not isinstance(session.python, str)
            pythons = session.python if several else [session.python]
            named_pythons += [
                (f"{session.name}-{python}" if several else session.name, python)
                for python in pythons
            ]
    return named_pythons


def text() -> str:
    """The workflow as it should be."""
    rows = [f'          - {{name: {name}, python: "{python}"}}\n' for name, python in sessions()]
    head = HEAD.format(python=matrix.PYTHONS[0], systems=", ".join(SYSTEMS))
    return head + "".join(rows) + TAIL


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8", newline="\n")
