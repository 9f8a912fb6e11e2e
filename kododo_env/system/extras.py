"""Checks for libraries that the package's extras install."""

from __future__ import annotations

from importlib.util import find_spec


def needs(feature: str, extra: str, *modules: str) -> None:
    """Check that modules are installed, without importing them.

    Args:
        feature: The feature that needs the modules, for the message.
        extra: The extra that installs the modules; "" if the package itself installs them.
        *modules: The names of the modules.

    Raises:
        ImportError: A module is missing; the message contains the command that installs it.
    """
    for module in modules:
        if find_spec(module) is None:
            raise ImportError(missing_extra(feature, module, extra))


def missing_extra(feature: str, module: str | None, extra: str) -> str:
    """Return a message with the missing module and the command that installs the module."""
    package = f"'kododo-env[{extra}]'" if extra else "kododo-env"
    return f"{feature} needs {module}: pip install {package}"
