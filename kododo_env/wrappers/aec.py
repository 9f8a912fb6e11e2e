"""A game as a PettingZoo AECEnv: one player after the other, without showing their choices."""

from __future__ import annotations

from typing import Any

import numpy as np
from pettingzoo import AECEnv

from kododo_env.wrappers.pettingzoo_table import PettingZooTable
from kododo_env.wrappers.spaces import Observation


class AECGame(PettingZooTable, AECEnv):
    """One game in which those who have something to decide are asked in seat order.

    Choices are held back until the last of them has chosen; then they are played at once,
    so that nobody sees what another one is about to do. Players with only one legal action
    are not asked. For the arguments and observations see ``PettingZooTable`` and
    ``ParallelGame``; the same seed deals the same game in both.
    """

    agent_selection: str
    _waiting: list[str]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new game; see ``ParallelGame.reset``."""
        self._deal(seed, options)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.truncations = dict.fromkeys(self.agents, False)
        self._skip_agent_selection = None  # where PettingZoo's removal of agents keeps its place
        self._replaced: set[str] = set()  # those whose last choice was illegal
        self._gained = np.zeros(self.game.num_players)  # since rewards were told
        self.agent_selection = self.agents[0]  # if an opponent fails, a step goes on
        self.terminations = dict.fromkeys(self.agents, False)
        self._ask()
        try:
            self._play_on()
        except Exception:
            self._tell()  # until a step goes on
            raise

    def step(self, action: Any) -> None:
        """Take the choice of ``agent_selection``; None, and only None, once the game is over.

        Raises:
            ValueError: The action is illegal; nothing is changed.
            RuntimeError: The game has not begun, or all agents have left.
        """
        if not self.agents:
            raise self._not_running()
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._lineup.draw(self._choices.rng)
        if not self._waiting:  # this choice was played, and then an opponent failed
            self._play_on()
            return
        player = self._player_of[agent]
        last = len(self._waiting) == 1
        with self._choices.unless_refused():
            chosen, replaced = self._choices.settle(action, self._masks[player], agent)
            self._chosen[player] = self._format.plain_actions(self.game, [[chosen]], [player])[0][0]
            if last:
                self._play_turn()  # an opponent may fail: then nothing is changed
        self._replaced.discard(agent)
        if replaced:
            self._replaced.add(agent)
        self._cumulative_rewards[agent] = 0.0
        if last:
            self._play_on()
        else:
            self._waiting.pop(0)
            self._clear_rewards()
            self.agent_selection = self._waiting[0]

    def observe(self, agent: str) -> Observation:
        """The observation of an agent now; see ``ParallelGame``."""
        if not self._dealt:
            raise self._not_running()
        player = self._player_of[agent]
        return self._format.observation(self._numbers[player].copy(), self._masks[player].copy())

    def last(
        self, observe: bool = True
    ) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        """Observation, reward since its last choice, terminated, truncated and info, of the
        agent whose turn it is; the observation is None if not wanted.
        """  # fmt: skip
        if not self.agents:
            raise self._not_running()
        last_step: tuple[Observation | None, float, bool, bool, dict[str, Any]] = super().last(
            observe
        )
        return last_step

    def _play_on(self) -> None:
        """Play forced steps until a player has something to decide or the episode ends.

        The first such player is next.

        If an opponent fails, the next ``step`` goes on here.
        """
        while not (self._waiting or any(self._ended())):
            with self._choices.unless_refused():
                self._play_turn()
        self._tell()

    def _tell(self) -> None:
        """Tell rewards, ends, observations and infos, and whose turn it is."""
        points = self._gained.tolist()
        self._gained = np.zeros(self.game.num_players)
        self.rewards = {name: points[player] for name, player in self._player_of.items()}
        self._accumulate_rewards()
        terminated, truncated = self._ended()
        self.terminations = dict.fromkeys(self.possible_agents, terminated)
        self.truncations = dict.fromkeys(self.possible_agents, truncated)
        if truncated:
            self._waiting.clear()  # nobody is asked any more
        self._numbers = self._format.numbers(self.game)[0]
        self.infos: dict[str, dict[str, Any]] = {
            name: self._format.info(self._masks[player].copy())
            for name, player in self._player_of.items()
        }
        for name in self._replaced:
            self.infos[name]["illegal_action"] = True
        self.agent_selection = (self._waiting or self.possible_agents)[0]

    def _play_turn(self) -> None:
        """Play the choices."""
        self._play(self._own_choices())
        self._gained = self._gained + self._reward(self.game)[0]
        self._ask()

    def _ask(self) -> None:
        """See what may be done, and whose choices are awaited."""
        self._masks = self._format.masks(self.game)[0].view(np.int8)
        # Players who are not asked keep this, the only thing that they can do.
        self._chosen: list[int] = self.game.legal_action_mask()[0].argmax(axis=1).tolist()
        choices = np.add.reduce(self._masks, axis=1).tolist()
        self._waiting = [name for name, player in self._player_of.items() if choices[player] > 1]

    def _own_choices(self) -> list[int]:
        """The agents' actions, without the opponents'."""
        return [self._chosen[seat] for seat in self.seats]
