"""Networks for any game, built from its layouts; they need torch.

``GamePolicy`` needs stable-baselines3 and sb3-contrib as well.
"""

from __future__ import annotations

from typing import Any

from kododo_env.networks.canonical_network import CanonicalNetwork
from kododo_env.networks.network import GameNetwork
from kododo_env.networks.network_agent import NetworkAgent
from kododo_env.system.extras import missing_extra

__all__ = ["CanonicalNetwork", "GameNetwork", "GamePolicy", "NetworkAgent"]


def __getattr__(name: str) -> Any:
    """Import ``GamePolicy`` on first use, because it needs stable-baselines3."""
    if name != "GamePolicy":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        from kododo_env.networks.sb3_policy import GamePolicy
    except ModuleNotFoundError as missing:
        raise ImportError(missing_extra("GamePolicy", missing.name, "sb3")) from None
    return GamePolicy
