"""JAX: PPO with a flax network on canonical observations, by self-play.

    pip install '.[play,export]' jax flax optax jax2onnx
    python docs/examples/jax_ppo.py

All seats of every game learn. jax2onnx exports the network to ONNX, which is converted to a policy
file with plain observations, jax.onnx. Its win shares are printed.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import onnx
import optax
from jax2onnx import to_onnx

import kododo_env
from kododo_env import kododo_v0
from kododo_env.arena.head_to_head import Match
from kododo_env.core.agent import Agent
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.rewards import reward_function
from kododo_env.core.view import View
from kododo_env.export import export
from kododo_env.layouts.canonical import CanonicalForm

PLAYERS = 4
SEATS = 1024  # of all games together
STEPS = 18  # of a game
EPOCHS = 3
MINIBATCHES = 8
GAE_LAMBDA = 0.7
CLIP = 0.2
ENTROPY = 0.03
VALUE = 0.5


class Network(nn.Module):
    """A network from canonical observations to logits and values."""

    actions: int

    @nn.compact
    def __call__(self, observations: jax.Array) -> tuple[jax.Array, jax.Array]:
        hidden = observations
        for _ in range(2):
            hidden = nn.relu(nn.Dense(256)(hidden))
        logits = nn.Dense(self.actions, kernel_init=nn.initializers.orthogonal(0.01))(hidden)
        return logits, nn.Dense(1)(hidden)


class Batch(NamedTuple):
    """A batch of B decisions."""

    observations: Any
    masks: Any
    actions: Any
    log_probs: Any
    advantages: Any
    returns: Any


game = kododo_v0.batch_game(SEATS // PLAYERS, num_players=PLAYERS)
network = Network(game.num_actions)


class JaxAgent(Agent):
    """An agent that plays the likeliest action of a flax network."""

    name = "jax"

    def __init__(self, params: Any) -> None:
        self.params = params
        self.form = CanonicalForm(game.layout, game.actions)

    def act(self, view: View, rng: np.random.Generator) -> np.ndarray:
        """Return actions, (N,)."""
        rows = self.form(np.array(view.observation), np.array(view.legal_action_mask))
        logits, _ = evaluate(self.params, numbers_of(rows.observations))
        best = np.where(rows.masks, logits, -np.inf).argmax(axis=1)
        return np.take_along_axis(rows.actions, best[:, None], axis=1)[:, 0]


def numbers_of(observations: np.ndarray) -> np.ndarray:
    """Return observations scaled to 0 to 1, as with normalize=True."""
    return (observations / game.layout.maxima).astype(np.float32)


@jax.jit
def evaluate(params: Any, numbers: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Return logits (B, A) and values (B,)."""
    logits, values = network.apply(params, numbers)
    return logits, values[:, 0]


@jax.jit
def choose(params: Any, numbers: jax.Array, masks: jax.Array, key: jax.Array) -> tuple:
    """Draw actions; return them, their log-probabilities and the values, (B,) each."""
    logits, values = evaluate(params, numbers)
    log_probs = jax.nn.log_softmax(jnp.where(masks, logits, -1e9))
    actions = jax.random.categorical(key, log_probs)
    return actions, jnp.take_along_axis(log_probs, actions[:, None], axis=1)[:, 0], values


def loss(params: Any, batch: Batch) -> jax.Array:
    """Return PPO's clipped loss."""
    logits, values = evaluate(params, batch.observations)
    log_probs = jax.nn.log_softmax(jnp.where(batch.masks, logits, -1e9))
    new_log_probs = jnp.take_along_axis(log_probs, batch.actions[:, None], axis=1)[:, 0]
    ratio = jnp.exp(new_log_probs - batch.log_probs)
    advantages = batch.advantages - batch.advantages.mean()
    advantages = advantages / (advantages.std() + 1e-8)
    clipped = jnp.clip(ratio, 1 - CLIP, 1 + CLIP)
    policy_loss = -jnp.minimum(ratio * advantages, clipped * advantages).mean()
    entropy = -(jnp.exp(log_probs) * jnp.where(batch.masks, log_probs, 0)).sum(axis=1).mean()
    return policy_loss + VALUE * ((batch.returns - values) ** 2).mean() - ENTROPY * entropy


@partial(jax.jit, static_argnums=0)
def learn(optimizer: Any, params: Any, state: Any, batches: Batch) -> tuple[Any, Any]:
    """Take a gradient step for each minibatch; return the parameters and the state of the
    optimiser.
    """

    def step(carry: tuple, batch: Batch) -> tuple[tuple, None]:
        params, state = carry
        updates, state = optimizer.update(jax.grad(loss)(params, batch), state)
        return (optax.apply_updates(params, updates), state), None

    carry, _ = jax.lax.scan(step, (params, state), batches)
    return carry


def play(game: BatchGame, params: Any, form: CanonicalForm, keys: jax.Array) -> Batch:
    """Play every game once, from the deal to the end."""
    reward_of = reward_function("margin+win")
    game.restart_finished()
    decisions: list[tuple] = []
    rewards: list[np.ndarray] = []
    values: list[np.ndarray] = []
    for key in keys:
        rows = form(
            np.array(game.observe()).reshape(SEATS, -1),
            np.array(game.legal_action_mask()).reshape(SEATS, -1),
        )
        numbers = numbers_of(rows.observations)
        actions, log_probs, value = map(np.asarray, choose(params, numbers, rows.masks, key))
        plain = np.take_along_axis(rows.actions, actions[:, None], axis=1)
        game.step(plain.reshape(-1, PLAYERS))
        decisions.append((numbers, rows.masks, actions, log_probs))
        rewards.append(reward_of(game).reshape(-1))
        values.append(value)
    values.append(np.zeros(SEATS, np.float32))  # the games are over
    advantages = np.zeros((STEPS + 1, SEATS), np.float32)
    for step in reversed(range(STEPS)):
        error = rewards[step] + values[step + 1] - values[step]
        advantages[step] = error + GAE_LAMBDA * advantages[step + 1]
    gains = advantages[:-1].reshape(-1)
    columns = [np.concatenate(column) for column in zip(*decisions, strict=True)]
    return Batch(*columns, gains, gains + np.concatenate(values[:-1]))


def train(
    steps: int = 1_000_000, seed: int = 0, report: Callable[[Agent], None] = lambda agent: None
) -> Any:
    """Train by self-play for so many agent-steps; returns the parameters."""
    key = jax.random.key(seed)
    rng = np.random.default_rng(seed)
    game.reset(seed)
    params = new_params(seed)
    updates = max(1, steps // (SEATS * STEPS))
    schedule = optax.linear_schedule(1e-3, 1e-4, updates * EPOCHS * MINIBATCHES)
    optimizer = optax.chain(optax.clip_by_global_norm(0.5), optax.adam(schedule))
    state = optimizer.init(params)
    agent = JaxAgent(params)
    for update in range(updates):
        keys = jax.random.split(jax.random.fold_in(key, update), STEPS)
        batch = play(game, params, agent.form, keys)
        orders = [rng.permutation(SEATS * STEPS) for _ in range(EPOCHS)]
        indices = np.concatenate(orders).reshape(EPOCHS * MINIBATCHES, -1)
        batches = Batch(*(column[indices] for column in batch))
        params, state = learn(optimizer, params, state, batches)
        agent.params = params
        report(agent)
    return params


def new_params(seed: int) -> Any:
    """Return random parameters."""
    return network.init(jax.random.key(seed), jnp.zeros((1, game.layout.size)))


def export_params(params: Any, path: str | Path) -> None:
    """Write the network as a policy file that takes plain observations."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "network.onnx"
        model = to_onnx(partial(network.apply, params), [("B", game.layout.size)])
        onnx.save_model(model, file)
        export(file, game, path, canonical=True, normalize=True)


def main() -> None:
    """Train, write the policy file, and print its win shares."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=1_000_000, help="agent-steps of all seats")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--games", type=int, default=4000, help="games of each match at the end")
    parser.add_argument("--out", default="jax.onnx")
    options = parser.parse_args()
    before = share(JaxAgent(new_params(options.seed)), "random", options.games)
    export_params(train(options.steps, options.seed), options.out)
    bot = kododo_env.load(options.out)
    after = share(bot, "random", options.games)
    print(f"share among three random: {before:.3f} before, {after:.3f} after")
    print(f"share among three heuristic: {share(bot, 'heuristic', options.games):.3f}")


def share(agent: Agent, opponent: str, games: int) -> float:
    """Return the win share of one agent against three copies of an opponent."""
    return Match(agent, opponent, "kododo", PLAYERS, games).play().share.mean


if __name__ == "__main__":
    main()
