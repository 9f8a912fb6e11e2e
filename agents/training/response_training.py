"""Train attackers of a player by PPO, from the weights of a policy.

A best response plays one seat against P - 1 copies of the policy; a specialist plays one seat
against P - 1 copies of another player. A team plays P - 1 seats against one copy of the policy,
shares its weights, and is rewarded when the policy loses. In a symmetric game with more than two
players every policy can be exploited by a team.
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
SELECTION_GAMES = 2_000  # games in which each temperature is tried


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
    """Train an agent to beat P - 1 copies of a policy, or a team to beat one copy.

    The learner, or the policy if a team learns, has one seat in all games of an update, and the
    next seat in the next update, because seats differ in some games.

    Args:
        policy: The policy. Training starts from its weights, and it plays all other seats at its
            temperature. It is not changed.
        minutes: Training time; 5 if neither this nor ``steps`` is given.
        steps: The learner's agent-steps instead of minutes, rounded up to whole updates. The result
            is reproducible for the same steps, seed and threads.
        seed: The seed of everything random.
        threads: CPU threads for learning.
        recipe: The settings of PPO; None: those of ``response_recipe``.
        team: Whether all seats but one learn, as a team.
        against: The player in all other seats; None: the policy.

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

    The result has a smaller entropy bonus, no imitation, a reward for wins only, because only wins
    are measured, and more epochs, because there are few steps. ``num_envs`` counts the games of
    self-play; if only one seat of each game learns, P times as many games are played.
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
