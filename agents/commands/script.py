"""Start a script so that Ctrl-C prints one line, even during imports.

This module imports no third-party library, because such imports take seconds.
"""

from __future__ import annotations

import os
import sys

from kododo_env.system.extras import needs
from kododo_env.system.signals import end_at_once_on_stop

LIBRARIES = (
    "torch", "onnx", "onnxscript", "tensorboard", "onnxruntime", "tabulate",
    "tqdm", "filelock", "matplotlib",
)  # fmt: skip


def prepare_script() -> None:
    """Let Ctrl-C end this process at once, and exit with one line if a library is missing."""
    end_at_once_on_stop()
    try:
        needs("agents", "train", *LIBRARIES)
    except ImportError as error:
        print(f"{os.path.basename(sys.argv[0])}: error: {error}", file=sys.stderr)
        sys.exit(2)
