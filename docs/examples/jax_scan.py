"""JAX: whole games of a batch inside jax.lax.scan, by io_callback, and REINFORCE on them.

    pip install '.[play]' jax
    python docs/examples/jax_scan.py

A linear policy plays all seats of 1,024 games. One jitted call plays a game of each from
beginning to end and improves the policy. Its share among random players is told before and after.
"""

from __future__ import annotations

import time

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import io_callback

from kododo_env import kododo_v0
from kododo_env.arena.shares import share

PLAYERS, GAMES, STEPS, UPDATES, RATE = 4, 1024, 18, 100, 0.01  # a game of Kododo has 18 steps
game = kododo_v0.batch_game(GAMES, num_players=PLAYERS, seed=0)


def told():
    """The observations and masks of all players; arrays that the next step does not change."""
    return game.observe(), np.array(game.legal_action_mask())


def turn(actions):
    """Play a step; games that end are dealt again. Give what is told then, and who won."""
    game.step(np.asarray(actions))
    won = np.zeros((GAMES, PLAYERS), np.float32)
    if game.terminated.all():
        won += game.outcome() - 1 / PLAYERS
        game.reset()
    return *told(), won


GIVEN = [jax.ShapeDtypeStruct(each.shape, each.dtype) for each in told()]
GIVEN.append(jax.ShapeDtypeStruct((GAMES, PLAYERS), np.float32))


def logits(weights, observations, mask):
    """Of the legal actions, from numbers of 0 to 1."""
    return jnp.where(mask, observations / game.layout.maxima @ weights, -1e9)


@jax.jit
def update(weights, moments, seen, key):
    """Play a game of each, and take a step of Adam."""

    def step(seen, key):
        actions = jax.random.categorical(key, logits(weights, *seen))
        *then, won = io_callback(turn, GIVEN, actions, ordered=True)
        return tuple(then), (*seen, actions, won)

    def loss(weights):
        chances = jax.nn.log_softmax(logits(weights, observations, mask))
        chosen = jnp.take_along_axis(chances, actions[..., None], axis=-1)[..., 0]
        return -(chosen * won.sum(axis=0)).mean()

    seen, played = jax.lax.scan(step, seen, jax.random.split(key, STEPS))
    observations, mask, actions, won = played
    gradient = jax.grad(loss)(weights)
    mean, square = 0.9 * moments[0] + 0.1 * gradient, 0.99 * moments[1] + 0.01 * gradient**2
    return weights - RATE * mean / (jnp.sqrt(square) + 1e-8), (mean, square), seen


def main() -> None:
    """Train for some updates and measure."""
    weights = jnp.zeros((game.layout.size, game.num_actions))
    moments = jnp.zeros_like(weights), jnp.zeros_like(weights)

    def choose(observations, mask):
        """The likeliest actions."""
        return logits(weights, observations, mask).argmax(axis=1)

    before, seen, key = share(choose, "kododo", PLAYERS), told(), jax.random.key(0)
    weights, moments, seen = update(weights, moments, seen, key)  # compiled
    begun = time.perf_counter()
    for number in range(1, UPDATES):
        weights, moments, seen = update(weights, moments, seen, jax.random.fold_in(key, number))
    weights.block_until_ready()
    rate = (UPDATES - 1) * GAMES * PLAYERS * STEPS / (time.perf_counter() - begun)
    after = share(choose, "kododo", PLAYERS)
    print(f"{rate:,.0f} agent-steps/s, learning included")
    print(f"share among random players: {before.mean:.3f} before, {after.mean:.3f} after")


if __name__ == "__main__":
    main()
