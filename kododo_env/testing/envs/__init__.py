"""What any PettingZoo ParallelEnv owes."""

from __future__ import annotations
