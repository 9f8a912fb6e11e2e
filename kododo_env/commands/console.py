"""The command ``kododo`` of the wheel.

No library is imported at the top, so that Ctrl-C ends with one line at any time.
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
    "benchmark": ("benchmark:BenchmarkConfig", "measure one agent by a fixed protocol"),
    "trainings": ("trainings:TrainingsConfig", "one figure for five trainings that differ by seed"),
    "play": ("play:PlayConfig", "play against agents: in the browser, the terminal, over stdin"),
    "dataset": ("dataset:DatasetConfig", "write decisions of mixed strength, to learn from"),
    "replay": ("replay:ReplayConfig", "show the record of a game, step by step or as a picture"),
    "analyse": (
        "analyse:AnalyseConfig",
        "which choices of a recorded game cost most, by an adviser",
    ),
    "puzzles": ("puzzles:PuzzlesConfig", "positions of recorded games with one best choice"),
    "rules": ("rules:RulesConfig", "the rules of a game, as people read them"),
    "adopt": ("adopt:AdoptConfig", "make a policy file of a model that was trained elsewhere"),
    "bench": ("bench:BenchConfig", "how fast this machine plays, beside PettingZoo's rps_v2"),
}
"""Each command's module and dataclass, and its help; the function has the command's name."""


def main() -> NoReturn:
    """Run the command in the arguments, such as ``kododo evaluate --help``."""
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
    except ImportError as error:  # of an extra that is not installed
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
    print("\nTraining is train.py in a checkout of the project.")
