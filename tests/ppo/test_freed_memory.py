"""Memory that a training frees stays with it."""

from __future__ import annotations

import platform
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = """
import resource, torch
from agents.ppo.freed_memory import keep_freed_memory
{first}
torch.set_num_threads(1)
layers = [torch.nn.Linear(256, 256), torch.nn.ReLU(), torch.nn.Linear(256, 9)]
def new_pages():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(20):
        torch.nn.Sequential(*layers)(torch.zeros(4096, 256)).sum().backward()
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
new_pages()  # the first ones are new in any case
print(sum(new_pages() for _ in range(10)))  # one count alone may be 0 without, or 1,024 with
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc has the setting")
def test_freed_memory_is_used_again() -> None:
    found = {
        first: int(
            subprocess.run(
                [sys.executable, "-c", SCRIPT.format(first=first)],
                cwd=ROOT, capture_output=True, text=True, check=True,
            ).stdout
        )
        for first in ("keep_freed_memory()", "")
    }  # fmt: skip
    assert 2 * found["keep_freed_memory()"] < found[""], found
