"""Start a script so that Ctrl-C prints one line, even during imports.

This module imports no third-party library, because such imports take seconds.
"""

from __future__ import annotations

import os
import sys
from pkgutil import resolve_name
from typing import NoReturn

from kododo_env.system.extras import needs
from kododo_env.system.signals import end_at_once_on_stop

LIBRARIES = (
    "torch", "onnx", "onnxscript", "tensorboard", "onnxruntime", "tabulate",
    "tqdm", "filelock", "matplotlib",
)  # fmt: skip


def run_script(config_class: str, main: str, defaults: str | None = None) -> NoReturn:
    """Run a command line as ``kododo_env.commands.cli.run_cli`` does, and exit.

    Args:
        config_class: The dataclass of the command line, as ``module:name``.
        main: The main function, as ``module:name``.
        defaults: The function that returns the default options, as ``module:name``, if they depend
            on the arguments.
    """
    end_at_once_on_stop()
    try:
        needs("agents", "train", *LIBRARIES)
    except ImportError as error:
        print(f"{os.path.basename(sys.argv[0])}: error: {error}", file=sys.stderr)
        sys.exit(2)
    run_cli = resolve_name("kododo_env.commands.cli:run_cli")
    make_defaults = resolve_name(defaults) if defaults else None
    run_cli(resolve_name(config_class), main, defaults=make_defaults)
    raise AssertionError("run_cli exits")
