"""Train attackers of a player by PPO, from the weights of a policy.

A best response has one seat among P - 1 copies of the policy; a specialist has one among copies of
another player. A team has P - 1 seats against one policy, shares its weights, and is rewarded for
the policy's defeats. In a symmetric game with more than two players no policy is safe from a team.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from itertools import count
from typing import Any

import numpy as np

from agents.export.policy_weights import changed_rules, game_of, network_of
from agents.options import Budget
from agents.ppo.machine import bfloat16_is_fast, prepare_process
from agents.ppo.ppo import PPO
from agents.recipes.recipe import Recipe, recipe_for
from agents.training.training_config import Table
from kododo_env.arena.head_to_head import Match
from kododo_env.arena.progress import budget_bar
from kododo_env.core.agent import Agent
from kododo_env.networks.network_agent import NetworkAgent
from kododo_env.policy.onnx_agent import OnnxAgent

MIN_EPOCHS = 3
TEMPERATURES = (0.0, 0.25, 1.0)
SELECTION_GAMES = 2_000  # for each temperature


@dataclass(frozen=True)
class BestResponse:
    """An agent that was trained against a player.

    Attributes:
        agent: The agent, at the temperature with the highest win share.
        training: How it was trained: the ``recipe``, the ``seed``, ``minutes`` (None if the budget
            was in steps), its ``steps`` and the chosen ``temperature``.
    """

    agent: NetworkAgent
    training: dict[str, Any]


def train_best_response(
    policy: OnnxAgent,
    *,
    minutes: float | None = None,
    steps: int | None = None,
    seed: int = 0,
    threads: int = 1,
    recipe: Recipe | None = None,
    team: bool = False,
    against: Agent | None = None,
) -> BestResponse:
    """Train an agent to beat P - 1 copies of a policy, or a team to beat one policy.

    Each update plays whole games in which the learner, or the policy if a team learns, has one
    seat. It takes the next seat in the next update, since seats differ in some games.

    Args:
        policy: The policy; training starts from its weights, and it plays all other seats at its
            temperature. It is not changed.
        minutes: Training time; 5 if neither this nor ``steps`` is given.
        steps: The learner's steps instead, rounded up to whole updates. With these, the
            same seed and threads the result is the same.
        seed: The seed of everything random.
        threads: CPU threads for learning.
        recipe: Settings of PPO; None takes ``response_recipe``.
        team: Whether all seats but one learn, as a team.
        against: The player in all other seats instead of the policy.

    Raises:
        ValueError: The policy has no weights to start from, or the budget is invalid.
    """
    budget = Budget(minutes, steps)
    prepare_process()
    network_before = network_of(policy.path)
    if recipe is None:
        recipe = response_recipe(recipe_for(policy.game, policy.num_players))
    recipe = replace(recipe, **network_before.settings)
    opponent = against or policy
    tables = _tables(policy, opponent, recipe, team)
    learner = PPO(tables[0][0], recipe, seed, threads=threads, bfloat16=bfloat16_is_fast())
    learner.begin_with(network_before)
    steps_played = _learn(learner, tables, budget, seed, team)
    network = learner.network.eval()
    temperature = _best_temperature(NetworkAgent(network), policy, opponent, seed + 1, team)
    name = "team-against" if team else "best-response"
    agent = NetworkAgent(network, temperature, f"{name}-{opponent.name}")
    facts = {
        "recipe": asdict(replace(recipe, temperature=temperature)),
        "seed": seed,
        "minutes": budget.minutes,
        "steps": steps_played,
        "temperature": temperature,
    }
    return BestResponse(agent, facts)


def response_recipe(recipe: Recipe) -> Recipe:
    """Adapt a game's recipe to training that starts from trained weights.

    It has less entropy, no imitation, a reward for victories only, since these are measured, and
    more passes, since there are few steps. ``num_envs`` counts the games of self-play; if only one
    seat of each learns there are P times as many.
    """
    return replace(
        recipe,
        ent_coef=recipe.final_ent_coef,
        final_ent_coef=0.0,
        margin_weight=0.0,
        magnet=0.0,
        n_epochs=max(recipe.n_epochs, MIN_EPOCHS),
        expert="",
        opponents=(),
    )


def _tables(policy: OnnxAgent, opponent: Agent, recipe: Recipe, team: bool) -> list[Table]:
    """Return, for each seat, the games in which the learner has it, or a team all others."""
    players = policy.num_players
    tables: list[Table] = []
    for seat in range(players):
        game = game_of(policy.metadata, recipe.num_envs * (1 if team else players))
        policy.check(game)
        learns = [(player == seat) != team for player in range(players)]
        tables.append((game, [None if learning else opponent for learning in learns]))
    return tables


def _learn(learner: PPO, tables: list[Table], budget: Budget, seed: int, team: bool) -> int:
    """Learn in one seat after the other until the budget is spent; return the learner's steps."""
    steps = 0
    with budget_bar(title="team" if team else "best response") as show:
        for update in count():
            remaining = budget.remaining(steps)
            show(remaining, f"{steps / 1e6:.1f}M steps", None)
            if update and not remaining:
                return steps
            dealt = int(np.random.SeedSequence([seed, update]).generate_state(1)[0])
            table = tables[update % len(tables)]
            decisions, played = learner.play(*table, dealt, together=team)
            steps += played
            learner.learn(decisions, *learner.recipe.self_play_rates(budget.remaining(steps)))
    raise AssertionError("unreachable: the budget ends the loop")


def _best_temperature(
    agent: NetworkAgent, policy: OnnxAgent, opponent: Agent, seed: int, team: bool
) -> float:
    """Return the temperature at which the agent, or the team, has the highest win share."""
    rules = changed_rules(policy.metadata)

    def share(temperature: float) -> float:
        learned = NetworkAgent(agent.network, temperature)
        games = SELECTION_GAMES
        player, copies = (opponent, learned) if team else (learned, opponent)
        match = Match(player, copies, policy.game, policy.num_players, games, seed, rules)
        won = match.play().share.mean
        return -won if team else won

    return max(TEMPERATURES, key=share)
