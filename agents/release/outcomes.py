"""Fit what searches over shipped policies expect: python -m agents.release.outcomes --help."""

from __future__ import annotations

from agents.commands.script import run_script

if __name__ == "__main__":  # first, so that Ctrl-C is one line while all that follows is imported
    run_script("agents.release.outcomes:OutcomesConfig", "agents.release.outcomes:fit_outcomes")

from dataclasses import dataclass
from pathlib import Path

from agents.release.config import policies_of
from agents.release.runs import content_of
from kododo_env.agent_registry import OUTCOMES_FILE, policy_path, policy_tables
from kododo_env.policy.onnx_agent import OnnxAgent
from kododo_env.rules_arguments import make_game
from kododo_env.search.outcome_model import OutcomeModel
from kododo_env.system.files import fingerprint, write_json


@dataclass(frozen=True)
class OutcomesConfig:
    """Fit the outcome models of the policies that ship, as a search would before its first choice.

    A policy that has not changed is not fitted again.
    """

    only: tuple[str, ...] = ()
    """Only those of these policies, such as kododo-4p; if not given of all."""
    out: Path = OUTCOMES_FILE
    """The file for the weights."""

    def __post_init__(self) -> None:
        policies_of(self.only)  # raises if one is unknown


def fit_outcomes(config: OutcomesConfig) -> None:
    """Fit what the file does not have yet."""
    for policy in policies_of(config.only):
        found = fingerprint(policy_path(policy))
        if content_of(config.out).get(policy, {}).get("sha256") == found:
            continue
        game, players = policy_tables()[policy]
        weights = OutcomeModel(
            OnnxAgent(policy_path(policy)), make_game(game, 1, players, {})
        ).weights
        entry = {"sha256": found, "weights": weights.tolist()}
        write_json(config.out, content_of(config.out) | {policy: entry})
        print(f"{policy}: {len(weights)} steps", flush=True)
