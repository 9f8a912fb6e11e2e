"""The entry point of the command ``kododo``.

Libraries are imported in functions, so that Ctrl-C prints one line even during an import.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import NoReturn, get_type_hints

from kododo_env import __version__
from kododo_env.system.signals import end_at_once_on_stop

COMMANDS = {
    "evaluate": ("tournament", "let agents play each other"),
    "contest": ("contest", "let all bots of a folder play, and write a page"),
    "benchmark": ("benchmark", "measure one agent with a fixed protocol"),
    "play": ("play", "play against agents: in the browser, the terminal, over stdin"),
    "dataset": ("dataset", "write a data set for offline learning"),
    "replay": ("review", "show the record of a game, or draw it as an animation"),
    "analyse": ("review", "find the costliest choices of a recorded game"),
    "puzzles": ("puzzles", "make puzzles from the records of games"),
    "rules": ("play", "print the rules of a game"),
    "adopt": ("adopt", "make a policy file from an ONNX file of any exporter"),
    "bench": ("bench", "measure the speed of the games on this machine"),
}
"""By command, the module of its function, which has the same name, and the help."""


def main() -> NoReturn:
    """Run the command that the process's arguments name, and exit the process."""
    end_at_once_on_stop()
    from kododo_env.checks.numbers import quote
    from kododo_env.commands.cli import BAD_INPUT, fail, run_cli, written_out

    name = sys.argv[1] if len(sys.argv) > 1 else None
    sys.argv[0] = "kododo"  # also for python -m
    if name in (None, "-h", "--help", "--version"):
        try:
            with written_out():
                _print_help(name)
        except OSError as error:
            fail(error.strerror or str(error))
        sys.exit(0 if name else BAD_INPUT)
    if name not in COMMANDS:
        fail(f"unknown command {quote(name)}; choose from {', '.join(COMMANDS)}")
    sys.argv[:2] = [f"kododo {name}"]
    try:
        function = getattr(import_module(f"kododo_env.commands.{COMMANDS[name][0]}"), name)
    except ImportError as error:  # an extra is not installed
        fail(str(error))
    run_cli(get_type_hints(function)["config"], function)


def _print_help(name: str | None) -> None:
    """Print the version or the list of commands."""
    if name == "--version":
        print(f"kododo-env {__version__}")
        return
    lines = (f"  {command:9} {summary}" for command, (_, summary) in COMMANDS.items())
    print("\n".join(["usage: kododo COMMAND [--help], or kododo --version", "", *lines]))
    print("\nTo train, run train.py in a checkout of the project.")
