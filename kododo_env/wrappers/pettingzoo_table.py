"""The base class of both PettingZoo environments: agents, spaces, rendering, dealing, playing."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from pettingzoo import ParallelEnv

from kododo_env.arrays.dtypes import Array, Int64
from kododo_env.core.agent import Agent
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.rewards import Reward, RewardName
from kododo_env.records.folder import EpisodeRecords
from kododo_env.wrappers.argument_checks import (
    OnIllegal,
    check_single,
    deck_of,
    step_limit,
)
from kododo_env.wrappers.base import GameEnv, RenderMode, draw
from kododo_env.wrappers.opponents import Opponents, Player, learners, seated
from kododo_env.wrappers.spaces import MaskPlace, action_space


class PettingZooTable(GameEnv):
    """One game with PettingZoo's names and spaces.

    Args:
        game: A batch of one game.
        **options: The options of the environment modules; see
            ``kododo_env.environments.TableOptions``.

    Attributes:
        game: The batch of one game that is played.
        seats: The learners' seats.
        opponents: The agent or pool in each seat, None for a learner; can be changed.
        possible_agents: ``"player_0"`` and so on, in seat order, without the opponents.
        max_cycles: The maximum number of joint steps in an episode, or None.
        metadata: The metadata of PettingZoo; ``"name"`` is the environment module's name, such as
            ``"kododo_v0"``.
        state_space: The space of ``state()``.

    Raises:
        ValueError: ``game`` is not a batch of one game, or an option is invalid.
    """

    def __init__(
        self,
        game: BatchGame,
        reward: RewardName | Reward = "score",
        render_mode: RenderMode | None = None,
        illegal_action: OnIllegal = "raise",
        observation_dtype: npt.DTypeLike | None = None,
        normalize: bool = False,
        action_mask: MaskPlace = "both",
        opponents: Opponents = None,
        record: str | Path | None = None,
        max_cycles: int | None = None,
        canonical: bool = False,
        padded: bool = False,
    ) -> None:
        check_single(game)
        super().__init__(
            game, seated(opponents, game), 0, False, reward, render_mode, illegal_action,
            observation_dtype, normalize, action_mask, canonical, padded,
        )  # fmt: skip
        self.seats = learners(self.opponents)
        self.max_cycles = step_limit(max_cycles, "max_cycles")
        self.metadata |= {
            "name": f"{game.name}_v{game.version}",
            # PettingZoo's conversion needs all agents in each cycle; AECGame skips some.
            "is_parallelizable": isinstance(self, ParallelEnv),
        }
        self.possible_agents = [f"player_{seat}" for seat in self.seats]
        self.agents: list[str] = []
        self._player_of = dict(zip(self.possible_agents, self.seats, strict=True))
        # Dictionaries, so that each call returns the same object and the spaces can be pickled.
        self.observation_spaces = {
            name: copy.deepcopy(self._format.space) for name in self.possible_agents
        }
        self.action_spaces = {name: action_space(self._format) for name in self.possible_agents}
        low = np.tile(self._format.box.low, game.num_players)
        high = np.tile(self._format.box.high, game.num_players)
        self.state_space = spaces.Box(low, high, dtype=self._format.dtype.type)
        self._dealt = False
        self._records: EpisodeRecords | None = None
        if record is not None:
            self._records = EpisodeRecords(record, self.possible_agents)  # names change at reset

    def _places(self, opponents: Opponents) -> Sequence[Player | None]:
        if self._records is not None and self.agents:
            raise ValueError("cannot change opponents during a recorded game, only after its end")
        return super()._places(opponents)

    @property
    def lineup(self) -> tuple[Agent | None, ...]:
        """The agent in each seat of this game, None for a learner."""
        return tuple(self._lineup.of_game(0))

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's observations; each call returns the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Return the space of an agent's actions; each call returns the same object."""
        return self.action_spaces[agent]

    def state(self) -> Array:
        """Return the observations of all players, for a centralised critic.

        They are concatenated in seat order, shape (P * F,). The state lacks only information that
        no player has seen, such as the order of the draw pile.

        Raises:
            RuntimeError: The game has not begun.
        """
        if not self._dealt:
            raise self._not_running()
        return self._format.numbers(self.game).reshape(-1)

    def render(self) -> str | Array | None:
        """Render the table with all hands, as ``render_mode`` says: text or uint8 pixels (H, W, 3).

        ``"human"`` prints the text automatically, after the deal and after each turn.
        """
        return draw(self.game, self.render_mode)

    def close(self) -> None:
        """Do nothing: there are no resources to release."""

    def _deal(self, seed: int | None, options: dict[str, Any] | None) -> None:
        self.game.reset(seed, deck_of(self.game, options))  # on error nothing is changed
        self.agents = []  # a pool that fails ends the episode
        self._dealt = True
        self._choices.seed(seed)
        self._lineup.deal(self._choices.rng)
        self.agents = list(self.possible_agents)
        if self._records is not None:
            self._records.players = [
                f"player_{seat}" if agent is None else agent.name
                for seat, agent in enumerate(self.lineup)
            ]
            self._records.begin(self.game)
        self._show()

    def _play(self, chosen: Sequence[int] | Int64) -> None:
        """Play the agents' and the opponents' choices."""
        if not self._all_learn:
            self.agents = []  # an opponent that fails ends the episode
        actions = self._with_opponents(np.array((chosen,)))
        self._step(actions)
        if self._records is not None:
            self._records.step(self.game, actions[0])

    def _ended(self) -> tuple[bool, bool]:
        """Return whether the game is over, and whether ``max_cycles`` truncates it."""
        terminated: bool = self.game.terminated.item()
        if terminated or self.max_cycles is None:
            return terminated, False
        return False, self.game.steps_played >= self.max_cycles

    def _not_running(self) -> RuntimeError:
        when = "is over" if self._dealt else "has not begun"
        return RuntimeError(f"this game of {self.game.name} {when}; call reset()")
