"""Select the shipped policies among their candidates, and measure them."""

from __future__ import annotations

from statistics import fmean
from typing import Any

from agents.commands import best_response
from agents.commands.best_response_config import BestResponseConfig
from agents.export.policy_weights import changed_rules
from agents.release.config import CHOICE, PolicyJob
from agents.training.response_training import train_best_response
from kododo_env.agent_registry import baselines, without_searches
from kododo_env.arena.head_to_head import Match, MatchResult
from kododo_env.held_out import TEST, VALIDATION, population
from kododo_env.policy.onnx_agent import OnnxAgent

TEMPERATURES = (0.0, 0.1, 0.25, 0.5, 1.0)
# Seeds of the deals, another one for each purpose. train.py measures on the deals of its seed + 1
# and seed + 2, and best responses are selected on the deals of their seed + 1.
CHOICE_DEALS = 1001
STRENGTH_DEALS = 1002
WORST_DEALS = 1003
RESPONSE_SEED = 1004
CHOICE_RESPONSE_SEED = 1011
# For the selection: the agent-steps of a best response, how many temperatures of each seed it
# attacks, and the games of each attack. A gain has the same weight as the mean of many win shares,
# so it needs more games than each of them.
CHOICE_RESPONSE = {"steps": 500_000, "temperatures": 3, "games": 8000}
# The attackers: the numbers of best responses and teams, their agent-steps, and search's worlds.
ATTACKERS: dict[str, Any] = {"seeds": 2, "teams": 1, "steps": 1_000_000, "search": "64"}


def choose(job: PolicyJob) -> dict[str, Any]:
    """Select the seed and temperature with the highest score; of equals the first.

    The score is the mean win share minus the gain of a best response. Best responses are trained
    only against the temperatures of each seed with the highest win shares.

    Returns:
        For JSON: ``seed`` and ``temperature``; the ``opponents`` of the selection, which are the
        validation half without searches; the ``games`` against each; and all ``candidates``, each
        with its mean win ``share`` and its ``gain``, None if there is no best response.
    """
    names = without_searches(population(job.game, job.players, VALIDATION))
    games = max(job.players, job.config.games // CHOICE // 2)
    candidates: list[dict[str, Any]] = []
    for seed, path in job.candidates.items():
        by_temperature: list[dict[str, Any]] = []
        for temperature in TEMPERATURES:
            policy = OnnxAgent(path, temperature)
            share = fmean(result(policy, name, games, CHOICE_DEALS).share.mean for name in names)
            by_temperature.append(
                {"seed": seed, "temperature": temperature, "share": share, "gain": None}
            )
        by_share = sorted(by_temperature, key=lambda candidate: candidate["share"], reverse=True)
        for entry in by_share[: CHOICE_RESPONSE["temperatures"]]:
            policy = OnnxAgent(path, entry["temperature"])
            entry["gain"] = response_gain(
                policy, CHOICE_RESPONSE["steps"], CHOICE_RESPONSE["games"]
            )
        candidates += by_temperature
    attacked = [candidate for candidate in candidates if candidate["gain"] is not None]
    chosen = max(attacked, key=lambda candidate: candidate["share"] - max(0.0, candidate["gain"]))
    selected = {name: chosen[name] for name in ("seed", "temperature")}
    return selected | {"opponents": names, "games": games, "candidates": candidates}


def response_gain(policy: OnnxAgent, steps: int, games: int) -> float:
    """Return the gain over parity of a best response; it may be negative.

    Args:
        policy: The policy to attack.
        steps: The agent-steps of the best response.
        games: The games in which it is measured.
    """
    response = train_best_response(policy, steps=steps, seed=CHOICE_RESPONSE_SEED)
    players = policy.num_players
    rules = changed_rules(policy.metadata)
    match = Match(response.agent, policy, policy.game, players, games, CHOICE_DEALS, rules)
    return match.play().share.mean - 1 / players


def shares(job: PolicyJob) -> dict[str, Any]:
    """Return the results of the selected policy against P - 1 copies of each baseline, for JSON."""
    policy = OnnxAgent(job.chosen)
    games = job.config.games
    alone = {name: result(policy, name, games).to_json() for name in baselines(job.game)}
    return {"games": games, "alone": alone}


def unknown(job: PolicyJob) -> dict[str, Any]:
    """Measure the selected policy against the test half of the population.

    Returns:
        For JSON: the ``mean`` win share over the members, whose interval is the mean of the
        members' intervals, because all play the same deals; all ``members``, each with its
        ``games``; and the ``worst`` member by ``name``, measured again on other deals, because the
        minimum of noisy estimates is biased.
    """
    policy = OnnxAgent(job.chosen)
    members = {}
    win_shares = []
    for name in population(job.game, job.players, TEST):
        games = job.config.games // CHOICE if without_searches([name]) else _search_games(job)
        win_shares.append(result(policy, name, games).share)
        members[name] = win_shares[-1].to_json() | {"games": games}
    worst = min(members, key=lambda name: members[name]["mean"])
    games = members[worst]["games"]
    repetition = result(policy, worst, games, WORST_DEALS).share.to_json() | {"games": games}
    mean = best_response.mean_of(win_shares).to_json()
    return {"mean": mean, "worst": {"name": worst, **repetition}, "members": members}


def result(policy: OnnxAgent, name: str, games: int, deals: int = STRENGTH_DEALS) -> MatchResult:
    """Play a policy against P - 1 copies of a player in this process.

    Args:
        policy: The policy.
        name: The name of the player.
        games: The number of games.
        deals: The seed of the deals.
    """
    chunks = 1 if without_searches([name]) else best_response.CHUNKS
    players = policy.num_players
    return Match(policy, name, policy.game, players, games, deals, least_chunks=chunks).play()


def exploitability(job: PolicyJob) -> dict[str, Any]:
    """Return the gains of best responses, search and a team against the policy, for JSON."""
    config = BestResponseConfig(str(job.chosen), search_games=_search_games(job), **ATTACKERS)
    measured = best_response.exploitability(config, job.config.games, RESPONSE_SEED).to_json()
    return {attacker: measured[attacker] for attacker in ("best_response", "search", "teams")}


def _search_games(job: PolicyJob) -> int:
    return max(job.players, job.config.search_games)
