"""The entry point of the command ``kododo``.

Libraries are imported in functions, so that Ctrl-C prints one line even during an import.
"""

from __future__ import annotations

import sys
from pkgutil import resolve_name
from typing import NoReturn

from kododo_env import __version__
from kododo_env.system.signals import end_at_once_on_stop

COMMANDS = {
    "evaluate": ("tournament:TournamentConfig", "let agents play each other"),
    "contest": ("contest:ContestConfig", "let all bots of a folder play, and write a page"),
    "benchmark": ("benchmark:BenchmarkConfig", "measure one agent with a fixed protocol"),
    "play": ("play:PlayConfig", "play against agents: in the browser, the terminal, over stdin"),
    "dataset": ("dataset:DatasetConfig", "write a data set for offline learning"),
    "replay": ("replay:ReplayConfig", "show the record of a game, or draw it as an animation"),
    "analyse": (
        "analyse:AnalyseConfig",
        "find the costliest choices of a recorded game",
    ),
    "puzzles": ("puzzles:PuzzlesConfig", "make puzzles from the records of games"),
    "rules": ("rules:RulesConfig", "print the rules of a game"),
    "adopt": ("adopt:AdoptConfig", "make a policy file from an ONNX file of any exporter"),
    "bench": ("bench:BenchConfig", "measure the speed of the games on this machine"),
}
"""By command, ``module:dataclass`` and the help; the module's function has the command's name."""


def main() -> NoReturn:
    """Run the command that the process's arguments name, and exit the process."""
    end_at_once_on_stop()
    from kododo_env.commands.cli import BAD_INPUT, fail, run_cli, written_out
    from kododo_env.core.numbers import quote

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
    module, _, config = COMMANDS[name][0].partition(":")
    module_name = f"kododo_env.commands.{module}"
    sys.argv[:2] = [f"kododo {name}"]
    try:
        config_class = resolve_name(f"{module_name}:{config}")
        function = resolve_name(f"{module_name}:{name}")
    except ImportError as error:  # an extra is not installed
        fail(str(error))
    run_cli(config_class, function)
    raise AssertionError("run_cli exits the process")


def _print_help(name: str | None) -> None:
    """Print the version or the list of commands."""
    if name == "--version":
        print(f"kododo-env {__version__}")
        return
    lines = (f"  {command:9} {summary}" for command, (_, summary) in COMMANDS.items())
    print("\n".join(["usage: kododo COMMAND [--help], or kododo --version", "", *lines]))
    print("\nTo train, run train.py in a checkout of the project.")
