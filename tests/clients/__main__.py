"""Test the examples of docs/libraries.md: ``python -m tests.clients [NAME ...]``.

The results and the versions are written to docs/libraries.json. A library that cannot be installed
is skipped, and its earlier results are kept.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from kododo_env.system.files import write_json
from tests.clients.javascript import try_browser, try_node
from tests.clients.libraries import CLIENTS
from tests.clients.python_clients import ROOT, Skipped, try_client

PAGE = ROOT / "docs" / "libraries.json"
TRIALS: dict[str, Callable[[Path], dict[str, Any]]] = {
    **{client.name: partial(try_client, client) for client in CLIENTS},
    "ONNX in node": try_node,
    "ONNX in a browser": try_browser,
}


def main(names: Sequence[str], page: Path = PAGE) -> int:
    """Try some libraries, by default all; 1 if an example fails, 2 if there is no such library."""
    unknown = [name for name in names if name not in TRIALS]
    if unknown:
        print(f"no such library: {unknown[0]}; give some of {', '.join(TRIALS)}", file=sys.stderr)
        return 2
    tried = json.loads(page.read_text()) if page.exists() else {}
    failed = skipped = 0
    for name in names or TRIALS:
        with tempfile.TemporaryDirectory() as folder:
            try:
                tried[name] = TRIALS[name](Path(folder))
                print(f"{name}: {tried[name]['versions']}", flush=True)
            except Skipped as why:
                skipped += 1
                print(f"{name}: skipped, {why}", flush=True)
            except ValueError as error:
                failed += 1
                print(f"{name}: FAILED, {error}", flush=True)
        write_json(page, {name: tried[name] for name in TRIALS if name in tried})
    passed = len(names or TRIALS) - failed - skipped
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
