"""Networks for any game, built from its layouts; they need torch.

``GamePolicy`` needs stable-baselines3 and sb3-contrib as well.
"""

from __future__ import annotations

from typing import Any

from kododo_env.networks.canonical_network import CanonicalNetwork
from kododo_env.networks.network import GameNetwork
from kododo_env.networks.network_agent import NetworkAgent
from kododo_env.system.extras import needs

__all__ = ["CanonicalNetwork", "GameNetwork", "GamePolicy", "NetworkAgent"]


def __getattr__(name: str) -> Any:
    """Import ``GamePolicy`` on first use, because it needs stable-baselines3."""
    if name != "GamePolicy":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    needs("GamePolicy", "sb3", "stable_baselines3", "sb3_contrib")
    from kododo_env.networks.sb3_policy import GamePolicy

    return GamePolicy
