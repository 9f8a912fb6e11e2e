"""Libraries that only an extra of the package brings, asked for in a line."""

from __future__ import annotations

from importlib.util import find_spec


def needs(what: str, extra: str, *modules: str) -> None:
    """Check that what an extra brings is installed, without importing it.

    Args:
        what: What is about to be used, for the message.
        extra: The extra of this package; "" if the package itself asks for it.
        *modules: The modules that it brings.

    Raises:
        ImportError: One of them is missing; the message says how to get it.
    """
    for module in modules:
        if find_spec(module) is None:
            raise ImportError(missing_extra(what, module, extra))


def missing_extra(what: str, module: str | None, extra: str) -> str:
    """The line that says what is missing, and how to get it."""
    package = f"'kododo-env[{extra}]'" if extra else "kododo-env"
    return f"{what} needs {module}: pip install {package}"
