"""Checks of new batch games and PettingZoo environments; see ``docs/extending.md``."""

from kododo_env.testing.batch_game import check_batch_game
from kododo_env.testing.parallel import check_parallel_env
from kododo_env.testing.report import CheckFailed, Finding, Report

__all__ = ["CheckFailed", "Finding", "Report", "check_batch_game", "check_parallel_env"]
