"""Starting a script, which answers Ctrl-C in a line from its first moment on.

Nothing but the standard library is imported here, not even ``kododo_env``: libraries take seconds.
"""

from __future__ import annotations

import os
import signal
import sys
from pkgutil import resolve_name
from types import FrameType
from typing import NoReturn

LIBRARIES = (
    "torch", "stable_baselines3", "sb3_contrib", "onnx", "onnxscript", "tyro", "tensorboard",
    "scipy", "onnxruntime", "tabulate", "tqdm", "filelock", "matplotlib",
)  # fmt: skip


def run_script(config_class: str, main: str, defaults: str | None = None) -> NoReturn:
    """Import what a script needs, and run it as ``kododo_env.commands.cli.run_cli`` does.

    Args:
        config_class: Its command line's dataclass, as ``module:name``.
        main: Its function, likewise.
        defaults: What makes its defaults, likewise, if they depend on the arguments.
    """
    # To the end of the process: while it leaves, it has done its work.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _end_at_once)
    try:
        resolve_name("kododo_env.system.extras:needs")("agents", "train", *LIBRARIES)
    except ImportError as error:
        print(f"{os.path.basename(sys.argv[0])}: error: {error}", file=sys.stderr)
        sys.exit(2)
    run_cli = resolve_name("kododo_env.commands.cli:run_cli")
    makes = resolve_name(defaults) if defaults else None
    run_cli(resolve_name(config_class), resolve_name(main), defaults=makes)
    raise AssertionError("run_cli leaves the process")


def _end_at_once(number: int, frame: FrameType | None) -> None:
    """Nothing is begun; an exception would be the library's traceback, or be swallowed by it."""
    os.write(2, b"\nstopped\n")
    os._exit(128 + number)
