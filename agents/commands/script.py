"""Starting a script, which answers Ctrl-C in a line from its first moment on.

Nothing is imported here that imports a library: libraries take seconds.
"""

from __future__ import annotations

import os
import sys
from pkgutil import resolve_name
from typing import NoReturn

from kododo_env.system.extras import needs
from kododo_env.system.stopping import end_at_once_on_stop

LIBRARIES = (
    "torch", "onnx", "onnxscript", "tensorboard", "onnxruntime", "tabulate",
    "tqdm", "filelock", "matplotlib",
)  # fmt: skip


def run_script(config_class: str, main: str, defaults: str | None = None) -> NoReturn:
    """Run a script as ``kododo_env.commands.cli.run_cli`` does.

    Args:
        config_class: Its command line's dataclass, as ``module:name``.
        main: Its function, likewise.
        defaults: The function that makes its defaults, likewise, if they depend on the arguments.
    """
    end_at_once_on_stop()
    try:
        needs("agents", "train", *LIBRARIES)
    except ImportError as error:
        print(f"{os.path.basename(sys.argv[0])}: error: {error}", file=sys.stderr)
        sys.exit(2)
    run_cli = resolve_name("kododo_env.commands.cli:run_cli")
    makes = resolve_name(defaults) if defaults else None
    run_cli(resolve_name(config_class), main, defaults=makes)
    raise AssertionError("run_cli leaves the process")
