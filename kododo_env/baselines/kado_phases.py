"""The base class of scripted players of KADO, which value the actions of each phase."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from kododo_env.arrays.dtypes import Float32
from kododo_env.arrays.underflow import underflow_is_zero
from kododo_env.baselines.kado_tableaus import TableauView
from kododo_env.baselines.noise import NoisyAgent
from kododo_env.core.view import View
from kododo_env.games.kado.actions import moves


class KadoAgent(NoisyAgent):
    """A player that values the actions of each phase, in points; higher is better."""

    ties = 1e-3

    @abstractmethod
    def deal(self, situation: TableauView) -> Float32:
        """Return the values of giving the card to each seat or putting it aside, (P + 1, N)."""

    @abstractmethod
    def challenge(self, situation: TableauView) -> Float32:
        """Return the values of the guesses, where passing has the value 0; (G, B, N)."""

    @abstractmethod
    def place(self, situation: TableauView) -> Float32:
        """Return the values of placing the card in each cell, (rows, columns, N)."""

    @underflow_is_zero
    def action_values(self, view: View) -> Float32:
        """Return the values of the phase's actions, 0 for the others; shape (A, N)."""
        every = np.zeros((view.num_actions, view.num_envs), np.float32)
        if view.legal_action_mask[:, moves(view.rules).no_op].all():
            return every
        situation = TableauView(view)
        first = moves(view.rules)
        start = (first.give, first.guess, first.place)[situation.phase]
        decide = (self.deal, self.challenge, self.place)[situation.phase]
        values = decide(situation).reshape(-1, view.num_envs)
        every[start : start + len(values)] = values
        return every


def guess_values(situation: TableauView, gain: Float32, bonus: Float32) -> Float32:
    """Return the value of each guess, (G, B, N): the sum over the kinds of cards that it fits.

    Args:
        situation: The situation of the challenger.
        gain: The value if gift or ribbon of a kind is right, (K, N).
        bonus: The additional value if both are right, (K, N).
    """
    pairs = situation.by_pair(gain)
    right = pairs.sum(axis=1, keepdims=True) + pairs.sum(axis=0, keepdims=True) - pairs
    return np.asarray(right + situation.by_pair(bonus), np.float32)
