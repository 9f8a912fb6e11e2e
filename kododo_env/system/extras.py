"""Libraries that only an extra of the package brings, asked for in a line."""

from __future__ import annotations

from importlib.util import find_spec


def needs(feature: str, extra: str, *modules: str) -> None:
    """Check, without importing them, that the modules of an extra are installed.

    Raises:
        ImportError: One is missing; the message says for what, and which extra brings it, or with
            the extra "" that the package itself asks for it.
    """
    for module in modules:
        if find_spec(module) is None:
            raise ImportError(missing_extra(feature, module, extra))


def missing_extra(feature: str, module: str | None, extra: str) -> str:
    """The line that says what is missing, and how to get it."""
    package = f"'kododo-env[{extra}]'" if extra else "kododo-env"
    return f"{feature} needs {module}: pip install {package}"
