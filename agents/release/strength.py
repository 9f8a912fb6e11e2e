"""How the policies that ship are chosen among their candidates, and measured."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from agents.commands.best_response import CHUNKS, exploitability
from agents.commands.best_response_config import BestResponseConfig
from agents.export.policy_weights import changed_rules
from agents.release.config import PolicyJob
from agents.training.measure import against, results
from agents.training.response_training import train_best_response
from kododo_env.agent_registry import baselines, held_out, search_parts
from kododo_env.arena.match import Match
from kododo_env.policy.onnx_agent import OnnxAgent

TEMPERATURES = (0.0, 0.1, 0.25, 0.5, 1.0)
# Other deals for each purpose; train.py measures on those of its seed + 1 and + 2, and a best
# response is chosen on those of its seed + 1, and + 2 for the second.
CHOICE_DEALS, STRENGTH_DEALS, RESPONSE_SEED, CHOICE_RESPONSE_SEED = 1001, 1002, 1004, 1011
# To choose by: the agent-steps of a best response, and to how many of a seed's temperatures.
CHOICE_RESPONSE = {"steps": 500_000, "temperatures": 3}
# What the attackers are given: best responses and their agent-steps, and search's worlds.
ATTACKERS: dict[str, Any] = {"seeds": 2, "steps": 1_000_000, "search": "64"}


def quick(names: Sequence[str]) -> list[str]:
    """Those of some opponents that are no searches."""
    return [name for name in names if not is_search(name)]


def is_search(name: str) -> bool:
    """Whether an agent's name tells what it searches with."""
    return bool(search_parts(name)[0])


# --- choosing -----------------------------------------------------------------------------


def choose(job: PolicyJob) -> dict[str, Any]:
    """The seed and the temperature that are worth most; the first of equals.

    Returns:
        As JSON: ``seed``, ``temperature``, the ``opponents`` by whom they were chosen, and all
        ``candidates``, each with its mean ``share`` against these and what a best response has
        as its ``gain``, None where none was asked for.
    """
    names = quick(held_out(job.game, job.players))
    candidates = [
        each
        for seed, path in enumerate(job.candidates())
        for each in _candidates(job, names, seed, path)
    ]
    known = [each for each in candidates if each["gain"] is not None]
    best = max(known or candidates, key=worth)
    chosen = {name: best[name] for name in ("seed", "temperature")}
    return chosen | {"opponents": names, "candidates": candidates}


def worth(candidate: dict[str, Any]) -> float:
    """The mean share against whom it never met, less what a best response gains."""
    share: float = candidate["share"]
    return share - max(0.0, candidate["gain"] or 0.0)


def _candidates(job: PolicyJob, names: list[str], seed: int, path: Path) -> list[dict[str, Any]]:
    """The temperatures of one seed's policy; the best by share meet a best response as well."""
    found: list[dict[str, Any]] = []
    for temperature in TEMPERATURES:
        agent = OnnxAgent(path, temperature)
        duels = against(agent, job.task, job.games_to_choose, CHOICE_DEALS, names)
        share = fmean(each.share.mean for each in duels.values())
        found.append({"seed": seed, "temperature": temperature, "share": share, "gain": None})
    if job.config.exploitability:
        best = sorted(found, key=lambda each: -each["share"])
        for each in best[: CHOICE_RESPONSE["temperatures"]]:
            policy = OnnxAgent(path, each["temperature"])
            each["gain"] = response_gain(policy, CHOICE_RESPONSE["steps"], job.games_to_choose)
    return found


def response_gain(policy: OnnxAgent, steps: int, games: int) -> float:
    """What one best response of this many steps gains over parity; below 0 if it gains nothing."""
    response = train_best_response(policy, steps=steps, seed=CHOICE_RESPONSE_SEED)
    players, rules = policy.num_players, changed_rules(policy.metadata)
    match = Match(response.agent, policy, policy.game, players, games, CHOICE_DEALS, rules)
    return match.play().share.mean - 1 / players


# --- measuring ----------------------------------------------------------------------------


def strength(job: PolicyJob) -> dict[str, Any]:
    """The win shares of the chosen policy, as JSON.

    Returns:
        ``held_out``: against P - 1 copies of each held-out opponent, with the ``games`` of each.
        ``alone``: the same with the baselines, in ``games``. ``back``: the main held-out
        opponent and the strongest baseline, each alone against P - 1 copies of the policy.
    """
    policy, games = OnnxAgent(job.chosen), job.config.games
    unmet, names = held_out(job.game, job.players), baselines(job.game)
    how = job.game, job.players, games, STRENGTH_DEALS
    back = {name: Match(name, policy, *how).play().share for name in (*unmet[:1], names[-1])}
    return {
        "games": games,
        "held_out": {name: _held_out(policy, name, job) for name in unmet},
        "alone": results(against(policy, job.task, games, STRENGTH_DEALS)),
        "back": {name: share.to_json() for name, share in back.items()},
    }


def _held_out(policy: OnnxAgent, name: str, job: PolicyJob) -> dict[str, Any]:
    games, chunks = job.config.games, 1
    if is_search(name):
        games, chunks = min(games, job.config.search_games), CHUNKS
    how = job.game, job.players, games, STRENGTH_DEALS
    return Match(policy, name, *how, least_chunks=chunks).play().to_json() | {"games": games}


def spread(job: PolicyJob) -> dict[str, list[float]]:
    """The shares of each seed's policy at the chosen temperature, by opponent; no searches."""
    names = [*quick(held_out(job.game, job.players)), *baselines(job.game)]
    how = job.task, job.config.games, STRENGTH_DEALS, names
    temperature = OnnxAgent(job.chosen).temperature
    duels = [against(OnnxAgent(path, temperature), *how) for path in job.candidates()]
    return {name: [each[name].share.mean for each in duels] for name in names}


def exploit(job: PolicyJob) -> dict[str, Any]:
    """What best responses and search gain against the chosen policy, as JSON."""
    # It plays out by the policy itself, which is slower than most searches.
    games = max(job.players, job.config.search_games // 4)
    config = BestResponseConfig(str(job.chosen), search_games=games, **ATTACKERS)
    measured = exploitability(config, job.config.games, RESPONSE_SEED).to_json()
    return {attacker: measured[attacker] for attacker in ("best_response", "search")}
