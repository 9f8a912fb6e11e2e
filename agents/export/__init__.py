"""From a network to a policy file, and back to its weights."""

from __future__ import annotations
