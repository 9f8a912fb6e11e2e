"""How the policies that ship are chosen among their candidates, and measured."""

from __future__ import annotations

from itertools import product
from statistics import fmean
from typing import Any

from agents.commands.best_response import exploitability
from agents.commands.best_response_config import BestResponseConfig
from agents.release.config import PolicyJob
from agents.training.measure import against, results
from kododo_env.agent_registry import baselines, held_out
from kododo_env.arena.match import Match
from kododo_env.policy.onnx_agent import OnnxAgent

TEMPERATURES = (0.0, 0.1, 0.25, 0.5, 1.0)
# Other deals for each purpose; train.py measures on those of its seed + 1 and + 2.
CHOICE_DEALS, STRENGTH_DEALS, RESPONSE_SEED = 1001, 1002, 1004
# What the attackers are given: the best response's agent-steps, search's worlds and its games.
ATTACKERS: dict[str, Any] = {"steps": 1_000_000, "search": "64", "search_games": 400}


def choose(job: PolicyJob) -> dict[str, Any]:
    """The seed and the temperature with the highest mean win share against the baselines.

    Returns:
        As JSON; the first of equals.
    """
    candidates: list[dict[str, Any]] = []
    for (seed, path), temperature in product(enumerate(job.candidates()), TEMPERATURES):
        agent = OnnxAgent(path, temperature)
        duels = against(agent, job.task, job.games_to_choose, CHOICE_DEALS)
        share = fmean(each.share.mean for each in duels.values())
        candidates.append({"seed": seed, "temperature": temperature, "share": share})
    return max(candidates, key=lambda each: each["share"])


def strength(job: PolicyJob) -> dict[str, Any]:
    """The win shares of the chosen policy, as JSON.

    Returns:
        ``alone``: against P - 1 copies of each baseline. ``strongest_alone``: the strongest
        baseline against P - 1 copies of the policy. ``held_out``: against each of the held-out
        opponents, by which nothing is chosen. ``seeds``: the shares of each seed's
        policy against each baseline, at the chosen temperature.
    """
    policy, names = OnnxAgent(job.chosen), baselines(job.game)
    how = job.task, job.config.games, STRENGTH_DEALS
    back = Match(names[-1], policy, job.game, job.players, *how[1:]).play()
    of_seeds = [against(OnnxAgent(path, policy.temperature), *how) for path in job.candidates()]
    return {
        "games": job.config.games,
        "alone": results(against(policy, *how)),
        "strongest_alone": {"agent": names[-1], "share": back.share.to_json()},
        "held_out": results(against(policy, *how, held_out(job.game, job.players))),
        "seeds": {name: [duels[name].share.mean for duels in of_seeds] for name in names},
    }


def exploit(job: PolicyJob) -> dict[str, Any]:
    """What a best response and search gain against the chosen policy, as JSON."""
    config = BestResponseConfig(str(job.chosen), **ATTACKERS)
    measured = exploitability(config, job.config.games, RESPONSE_SEED).to_json()
    return {attacker: measured[attacker] for attacker in ("best_response", "search")}
