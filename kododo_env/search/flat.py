"""Flat Monte Carlo: try every action in the same worlds, and play each game to the end.

This is the simplest search (B. Brügmann, "Monte Carlo Go", 1993; with hidden cards dealt again:
M. Ginsberg, "GIB: imperfect information in a computationally challenging game", 2001). Unlike
``SearchAgent`` it treats all possible worlds as equally likely, tries all actions in every world,
needs no outcome model, and plays the action with the highest mean even if the gain is uncertain.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from kododo_env.arrays.dtypes import Float64
from kododo_env.core.agent import Agent, joint_action
from kododo_env.core.view import View
from kododo_env.search.search import Pace, PolicySearch, parts


class FlatMonteCarlo(PolicySearch):
    """A search that plays the action with the highest mean win share over some worlds.

    For the arguments see ``PolicySearch``.
    """

    kind = "flat"

    def act(self, view: View, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        """Choose actions, shape (N,); ties are broken at random."""
        mask = view.legal_action_mask
        deciding = mask.sum(axis=1) > 1
        candidates = mask & deciding[:, None]
        shares = np.where(mask, 0.0, -np.inf)
        if deciding.any():
            games, actions = np.nonzero(candidates)
            shares[candidates] = self._shares(view, games, actions, rng)
            shares += 1e-9 * rng.random(shares.shape)
        return np.asarray(shares.argmax(axis=1))

    def _shares(
        self,
        view: View,
        games: npt.NDArray[np.intp],
        actions: npt.NDArray[np.intp],
        rng: np.random.Generator,
    ) -> Float64:
        """Return the summed win share after each action, over the same worlds, (M,)."""
        total = np.zeros(len(games))
        budget = self.budget
        if budget.milliseconds is None:
            for samples in parts(budget.worlds, len(games)):
                total += self._of_new_worlds(view, games, actions, samples, rng)
            return total
        pace = Pace(self.clock)
        seconds = budget.milliseconds * view.num_envs / 1000
        while samples := pace.worlds(len(games), seconds):
            total += self._of_new_worlds(view, games, actions, samples, rng)
        return total

    def _of_new_worlds(
        self,
        view: View,
        games: npt.NDArray[np.intp],
        actions: npt.NDArray[np.intp],
        samples: int,
        rng: np.random.Generator,
    ) -> Float64:
        """Deal worlds for each game of the view, and play out each action in all of them."""
        agents: list[Agent | None] = [self.policy] * view.num_players
        opponents = [None if seat == view.player else agent for seat, agent in enumerate(agents)]
        dealt = view.determinize(rng, samples)
        index = (games[:, None] * samples + np.arange(samples)).ravel()
        chosen = joint_action(opponents, dealt, rng)[index]
        chosen[:, view.player] = np.repeat(actions, samples)
        game = dealt.take(index)
        game.step(chosen)
        while not game.terminated.all():
            game.step(joint_action(agents, game, rng))
        shares = game.outcome()[:, view.player].reshape(len(games), samples)
        return np.asarray(shares.sum(axis=1))
