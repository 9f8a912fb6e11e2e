"""How the policies that ship are chosen among their candidates, and measured."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from statistics import fmean
from typing import Any

from agents.release.config import PolicyJob
from agents.training.measure import results
from agents.training.run_folder import POLICY
from kododo_env.agent_registry import baselines, make_agent, scripted
from kododo_env.arena.match import Match, MatchResult
from kododo_env.core.agent import Agent
from kododo_env.policy.onnx_agent import OnnxAgent

TEMPERATURES = (0.0, 0.1, 0.25, 0.5, 1.0)
# Other deals for each purpose; train.py measures on those of its seed + 1 and + 2.
CHOICE_DEALS, STRENGTH_DEALS, RESPONSE_SEED = 1001, 1002, 1004


def choose(job: PolicyJob) -> dict[str, Any]:
    """The seed and the temperature with the highest mean win share against the baselines.

    Returns:
        As JSON; the first of equals.
    """
    names = baselines(job.game)
    candidates: list[dict[str, Any]] = []
    for (seed, run), temperature in product(enumerate(job.runs()), TEMPERATURES):
        agent = OnnxAgent(run / POLICY, temperature)
        duels = against(agent, job, names, job.games_to_choose, CHOICE_DEALS)
        share = fmean(each.share.mean for each in duels.values())
        candidates.append({"seed": seed, "temperature": temperature, "share": share})
    return max(candidates, key=lambda each: each["share"])


def strength(job: PolicyJob) -> dict[str, Any]:
    """The win shares of the chosen policy, as JSON.

    Returns:
        ``alone``: against P - 1 copies of each baseline. ``strongest_alone``: the strongest
        baseline against P - 1 copies of the policy. ``held_out``: against the scripted players
        that are no baselines, by which nothing is chosen. ``seeds``: the shares of each seed's
        policy against each baseline, at the chosen temperature.
    """
    policy, games, names = OnnxAgent(job.chosen), job.config.games, baselines(job.game)
    strongest = make_agent(names[-1], job.game)
    back = Match(strongest, policy, job.game, job.players, games, STRENGTH_DEALS).play()
    held_out = [name for name in scripted(job.game) if name not in names]
    of_seeds = [
        against(OnnxAgent(run / POLICY, policy.temperature), job, names, games, STRENGTH_DEALS)
        for run in job.runs()
    ]
    return {
        "games": games,
        "alone": results(against(policy, job, names, games, STRENGTH_DEALS)),
        "strongest_alone": {"agent": names[-1], "share": back.share.to_json()},
        "held_out": results(against(policy, job, held_out, games, STRENGTH_DEALS)),
        "seeds": {name: [duels[name].share.mean for duels in of_seeds] for name in names},
    }


def exploit(job: PolicyJob) -> dict[str, Any]:
    """What a best response and search gain against the chosen policy, as JSON."""
    from agents.commands.best_response import exploitability
    from agents.commands.evaluate import BestResponseConfig

    asked, steps, games = job.config, job.config.response_steps, job.config.search_games
    config = BestResponseConfig(
        str(job.chosen), steps=steps, search=asked.search, search_games=games
    )
    measured = exploitability(config, asked.games, RESPONSE_SEED).to_json()
    return {attacker: measured[attacker] for attacker in ("best_response", "search")}


def against(
    agent: Agent, job: PolicyJob, names: Sequence[str], games: int, seed: int
) -> dict[str, MatchResult]:
    """One agent against P - 1 copies of each of some scripted players, by their names."""
    return {
        name: Match(agent, make_agent(name, job.game), job.game, job.players, games, seed).play()
        for name in names
    }
