"""Who does the work of train.py and evaluate.py: this machine's processes, or a Ray cluster."""

from __future__ import annotations

from typing import Any, Literal

from kododo_env.core.bounds import flag

Engine = Literal["local", "ray"]
RAY: Engine = "ray"


def check_engine(config: Any, *ray_only: str) -> None:
    """Raise ValueError if an option is given that only goes with ``--engine ray``."""
    for name in ray_only:
        if config.engine != RAY and getattr(config, name) is not None:
            raise ValueError(f"{flag(name)} goes with --engine ray only")
