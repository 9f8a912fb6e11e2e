"""A game as a PettingZoo ParallelEnv: all players choose at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from pettingzoo import ParallelEnv

from kododo_env.checks.numbers import quote
from kododo_env.wrappers.pettingzoo_table import PettingZooTable
from kododo_env.wrappers.spaces import Observation

Infos = dict[str, dict[str, Any]]


class ParallelGame(PettingZooTable, ParallelEnv):
    """One game in which all players act in every step; see ``PettingZooTable``.

    An observation is ``{"observation": (F,), "action_mask": (A,) int8}``; the mask is also
    ``infos[agent]["action_mask"]``, where other libraries look for it. A player with nothing to
    decide has only one legal action, which must be passed to ``step``. If an illegal action was
    replaced, ``infos[agent]["illegal_action"]`` is True.
    """

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], Infos]:
        """Deal a new game.

        Args:
            seed: The same seed and actions give the same game; None continues the random stream.
            options: ``{"deck": ...}`` sets the order of the cards, shape (D,); the game's
                ``batch_game`` describes how the deck is dealt. Other keys are ignored.

        Returns:
            Observations and infos of all agents.

        Raises:
            ValueError: The seed is not a non-negative integer, or the deck does not have the game's
                cards.
        """
        self._deal(seed, options)
        return self._see()

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], Infos]:
        """Play all players' choices at once.

        Args:
            actions: An action number for each agent.

        Returns:
            Observations, rewards, terminations, truncations (by ``max_cycles``) and infos of all
            agents.

        Raises:
            ValueError: Agents are missing or unknown, or an action is illegal; nothing is changed.
            RuntimeError: The game has not begun or is over.
        """
        if not self.agents:
            raise self._not_running()
        game = self.game
        names = self.possible_agents
        chosen, replaced = self._settled(actions)
        self._play(self._format.plain_actions(game, [chosen], self.seats)[0])
        rewards = self._reward(game)[0].tolist()
        observations, infos = self._see()
        for name in replaced:
            infos[name]["illegal_action"] = True
        terminated, truncated = self._ended()
        self.agents = [] if terminated or truncated else list(names)
        return (
            observations,
            {name: rewards[player] for name, player in self._player_of.items()},
            dict.fromkeys(names, terminated),
            dict.fromkeys(names, truncated),
            infos,
        )

    def _see(self) -> tuple[dict[str, Observation], Infos]:
        # The rows are copied, since their base array has all players' observations.
        masks = self._format.masks(self.game)[0].view(np.int8)
        observations = {}
        infos = {}
        form = self._format
        numbers = form.numbers(self.game)[0]
        for name, player in self._player_of.items():
            mask = masks[player].copy()
            observations[name] = form.observation(numbers[player].copy(), mask)
            infos[name] = form.info(mask)
        return observations, infos

    def _settled(self, actions: Any) -> tuple[list[int], list[str]]:
        """Return the actions to be played, and the agents whose own actions were illegal."""
        if not isinstance(actions, Mapping):
            raise ValueError(f"actions must be a dict from agent to action, not {quote(actions)}")
        if actions.keys() != self._player_of.keys():
            raise ValueError(
                f"expected an action of each of {', '.join(self.possible_agents)}, "
                f"got actions of {', '.join(map(str, actions)) or 'nobody'}"
            )
        chosen = [self._choices.number(actions[name], name) for name in self.possible_agents]
        if not self._settles:
            return chosen, []
        masks = self._format.masks(self.game)[0]
        replaced = []
        for place, (name, player) in enumerate(self._player_of.items()):
            chosen[place], instead = self._choices.settle(chosen[place], masks[player], name)
            if instead:
                replaced.append(name)
        return chosen, replaced
