"""A recurrent bot: ``kododo evaluate --agents docs/examples/bots/recurrent.py:Bot random``."""

from __future__ import annotations

import numpy as np

from kododo_env.core import View

SIZE = 64  # size of the state


class Bot:
    """A recurrent network that keeps a state for each game and seat from turn to turn.

    The weights are random; replace them by those of your trained network.
    """

    def __init__(self) -> None:
        self.states: dict[int, np.ndarray] = {}  # by seat, (N, SIZE); row i belongs to game i

    def begin(self, view: View) -> None:
        """Reset the states of games that have just been dealt; in a match these are all games."""
        states = self.states.get(view.player)
        if states is None or view.just_dealt.all():
            self.states[view.player] = np.zeros((view.num_envs, SIZE))
        else:
            states[view.just_dealt] = 0

    def act(self, view: View, rng: np.random.Generator) -> np.ndarray:
        """Return the likeliest legal action in each game, from its observation and state."""
        if view.player not in self.states:  # the bot has joined in the middle of a game
            self.states[view.player] = np.zeros((view.num_envs, SIZE))
        weights = np.random.default_rng(0)  # replace by trained weights
        observation = view.observation / view.layout.maxima
        input_term = observation @ weights.normal(0, 0.2, (view.layout.size, SIZE))
        state_term = self.states[view.player] @ weights.normal(0, 0.2, (SIZE, SIZE))
        state = np.tanh(input_term + state_term)
        self.states[view.player] = state
        logits = state @ weights.normal(0, 0.2, (SIZE, view.num_actions))
        return np.where(view.legal_action_mask, logits, -np.inf).argmax(axis=1)
