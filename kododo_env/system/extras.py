"""Libraries that an extra of the package installs."""

from __future__ import annotations

from importlib.util import find_spec


def needs(feature: str, extra: str, *modules: str) -> None:
    """Check, without importing them, that the modules of an extra are installed.

    Raises:
        ImportError: A module is missing; the message has the feature and the command that installs
            the extra, or the package itself if the extra is "".
    """
    for module in modules:
        if find_spec(module) is None:
            raise ImportError(missing_extra(feature, module, extra))


def missing_extra(feature: str, module: str | None, extra: str) -> str:
    """Return a message with the missing module and the command that installs it."""
    package = f"'kododo-env[{extra}]'" if extra else "kododo-env"
    return f"{feature} needs {module}: pip install {package}"
