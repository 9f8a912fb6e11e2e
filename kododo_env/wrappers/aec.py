"""A game as a PettingZoo AECEnv: players choose one after another, without seeing earlier choices.

The choices of a turn are played simultaneously, as in ``ParallelGame``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from pettingzoo import AECEnv

from kododo_env.wrappers.pettingzoo_table import PettingZooTable
from kododo_env.wrappers.spaces import Observation


class AECGame(PettingZooTable, AECEnv):
    """One game in which the players who have several legal actions choose in seat order.

    The choices of a turn are stored until all players have chosen, and then played at once, so that
    nobody sees another player's choice in advance. Players with only one legal action are skipped.
    For the arguments see ``PettingZooTable``, for the observations ``ParallelGame``; the same seed
    deals the same cards in both interfaces.
    """

    agent_selection: str
    _waiting: list[str]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new game; see ``ParallelGame.reset``."""
        self._deal(seed, options)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self._skip_agent_selection = None  # used by PettingZoo when agents are removed
        self._replaced: set[str] = set()  # agents whose last choice was illegal
        self._ask()
        self._play_on()

    def step(self, action: Any) -> None:
        """Store the choice of ``agent_selection``, and play the turn if it is the last choice.

        Args:
            action: An action number; None for an agent that is terminated or truncated.

        Raises:
            ValueError: The action is illegal, or not None after the end; nothing is changed. Or an
                opponent's action is illegal.
            RuntimeError: The game has not begun, or all agents have left.
        """
        if not self.agents:
            raise self._not_running()
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        player = self._player_of[agent]
        chosen, replaced = self._choices.settle(action, self._masks[player], agent)
        self._chosen[player] = self._format.plain_actions(self.game, [[chosen]], [player])[0][0]
        self._replaced.discard(agent)
        if replaced:
            self._replaced.add(agent)
        self._cumulative_rewards[agent] = 0.0
        self._waiting.pop(0)
        if self._waiting:
            self._clear_rewards()
            self.agent_selection = self._waiting[0]
        else:
            self._play_on()

    def observe(self, agent: str) -> Observation:
        """Return the current observation of an agent; see ``ParallelGame``."""
        if not self._dealt:
            raise self._not_running()
        player = self._player_of[agent]
        return self._format.observation(self._numbers[player].copy(), self._masks[player].copy())

    def last(
        self, observe: bool = True
    ) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        """Return observation, reward, termination, truncation and info of the current agent.

        The reward is the sum since the agent's previous choice. The observation is None if
        ``observe`` is False.

        Raises:
            RuntimeError: The game has not begun, or all agents have left.
        """
        if not self.agents:
            raise self._not_running()
        return super().last(observe)

    def _play_on(self) -> None:
        """Play until a player has something to decide or the episode ends.

        Then update rewards, terminations, truncations, observations, infos and whose turn it is.
        """
        gained = np.zeros(self.game.num_players)
        while not (self._waiting or any(self._ended())):
            self._play([self._chosen[seat] for seat in self.seats])
            gained += self._reward(self.game)[0]
            self._ask()
        self.agents = list(self.possible_agents)
        points = gained.tolist()
        self.rewards = {name: points[player] for name, player in self._player_of.items()}
        self._accumulate_rewards()
        terminated, truncated = self._ended()
        self.terminations = dict.fromkeys(self.possible_agents, terminated)
        self.truncations = dict.fromkeys(self.possible_agents, truncated)
        if truncated:
            self._waiting.clear()  # nobody chooses any more
        self._numbers = self._format.numbers(self.game)[0]
        self.infos: dict[str, dict[str, Any]] = {
            name: self._format.info(self._masks[player].copy())
            for name, player in self._player_of.items()
        }
        for name in self._replaced:
            self.infos[name]["illegal_action"] = True
        self.agent_selection = (self._waiting or self.possible_agents)[0]

    def _ask(self) -> None:
        """Update the masks, and whose choices are awaited."""
        self._masks = self._format.masks(self.game)[0].view(np.int8)
        # Players who do not choose keep this, their only legal action.
        self._chosen: list[int] = self.game.legal_action_mask()[0].argmax(axis=1).tolist()
        choices = np.add.reduce(self._masks, axis=1).tolist()
        self._waiting = [name for name, player in self._player_of.items() if choices[player] > 1]
