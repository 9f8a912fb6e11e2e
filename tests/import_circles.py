"""Check that no modules import each other in a circle, and that no package is too large.

    python -m tests.import_circles

Imports that only a type checker follows do not count. A package may have thirteen modules;
subpackages and ``__init__`` do not count. Exit status 1 if there are findings.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping, Set

import grimp

PACKAGES = "kododo_env", "agents"
MOST_MODULES = 13


def main() -> int:
    """Print a line for each circle, and for each package with too many modules."""
    graph = grimp.build_graph(*PACKAGES, exclude_type_checking_imports=True, cache_dir=None)
    upstream = {module: graph.find_upstream_modules(module) for module in graph.modules}
    packages = {module.rpartition(".")[0] for module in graph.modules}
    findings = [f"circle: {', '.join(circle)}" for circle in find_circles(upstream)]
    findings += find_large_packages(graph.modules - packages)
    for finding in findings:
        print(finding)
    return 1 if findings else 0


def find_circles(upstream: Mapping[str, Set[str]]) -> list[list[str]]:
    """Return the sorted modules of each circle.

    Args:
        upstream: For each module all modules that it imports, directly or not.
    """
    circles = {
        frozenset(name for name in modules if module in upstream[name]) | {module}
        for module, modules in upstream.items()
    }
    return sorted(sorted(circle) for circle in circles if len(circle) > 1)


def find_large_packages(modules: Set[str]) -> list[str]:
    """Return a message for each package that has more than ``MOST_MODULES`` of the modules."""
    sizes = Counter(module.rpartition(".")[0] for module in modules)
    return [
        f"{package} has {size} modules; move some of them into a package of their own"
        for package, size in sorted(sizes.items())
        if size > MOST_MODULES
    ]


if __name__ == "__main__":
    sys.exit(main())
