"""The base of both PettingZoo dialects: one game, its players' names, spaces and pictures."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from pettingzoo import ParallelEnv

from kododo_env.core.agent import Agent, joint_action
from kododo_env.core.arrays import Array, Int64
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.rewards import Reward, RewardName, reward_function
from kododo_env.records.folder import EpisodeRecords
from kododo_env.wrappers.choices import Choices, OnIllegal
from kododo_env.wrappers.dealing import check_single, deal, step_limit
from kododo_env.wrappers.drawing import RenderMode, check_render_mode, draw, drawing_metadata
from kododo_env.wrappers.opponent_pool import Lineup
from kododo_env.wrappers.opponents import Opponents, Player, learners, reseat, seated
from kododo_env.wrappers.spaces import MaskPlace, ObservationFormat, action_space


class PettingZooTable:
    """One game with the names and spaces that PettingZoo asks for.

    Args:
        game: A batch of one game.
        **options: All others are those of the doors; see ``kododo_env.doors.TableOptions``.

    Attributes:
        game: The batch of one game that is played.
        opponents: The agent in each seat, or a pool of them, None for a learner; others can be
            set.
        possible_agents: ``"player_0"`` and so on, in seat order, without the opponents.
        max_cycles: The most joint steps of an episode, or None.
        metadata: PettingZoo's; the name is that of the door, such as ``"kododo_v0"``.
        state_space: The space of ``state()``.

    Raises:
        ValueError: The batch is not of one game, or an option is unknown.
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
        check_render_mode(render_mode)
        self.max_cycles = step_limit(max_cycles, "max_cycles")
        self.game = game
        self.render_mode = render_mode
        self.metadata: dict[str, Any] = {
            "name": f"{game.name}_v{game.version}",
            **drawing_metadata(),
            # PettingZoo's conversion asks all agents in a cycle, and AECGame not all.
            "is_parallelizable": isinstance(self, ParallelEnv),
        }
        places = seated(opponents, game)
        self._lineup = Lineup(places, game)
        self.seats = learners(places)
        self.possible_agents = [f"player_{seat}" for seat in self.seats]
        self.agents: list[str] = []
        self._player_of = dict(zip(self.possible_agents, self.seats, strict=True))
        self._reward = reward_function(reward)
        self._format = ObservationFormat(
            game, observation_dtype, normalize, action_mask, canonical, padded
        )
        has_opponents = len(self.seats) < game.num_players
        self._choices = Choices(game, illegal_action, has_opponents, self._format)
        # A dictionary rather than a cache: always the same objects, and it can be pickled.
        self.observation_spaces = {
            name: copy.deepcopy(self._format.space) for name in self.possible_agents
        }
        self.action_spaces = {name: action_space(self._format) for name in self.possible_agents}
        low, high = (
            np.tile(bound, game.num_players)
            for bound in (self._format.box.low, self._format.box.high)
        )
        self.state_space = spaces.Box(low, high, dtype=self._format.dtype.type)
        self._dealt = False
        self._records: EpisodeRecords | None = None
        if record is not None:
            self._records = EpisodeRecords(record, self.possible_agents)  # until a game begins

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.game!r}>"

    @property
    def opponents(self) -> tuple[Player | None, ...]:
        """The agent in each seat, or a pool of them, None for a learner.

        Others can be set, as when it was made. They play from the next step on. One alone has all
        seats that do not learn.

        Raises:
            ValueError: They cannot be the opponents, or the record of the game that is being
                played names others.
        """
        return self._lineup.places

    @opponents.setter
    def opponents(self, opponents: Opponents) -> None:
        if self._records is not None and self.agents:
            raise ValueError("this game is recorded: set other opponents when it is over")
        lineup = Lineup(reseat(opponents, self.game, self.seats), self.game)
        lineup.draw(self._choices.rng)
        self._lineup = lineup

    @property
    def lineup(self) -> tuple[Agent | None, ...]:
        """The agent in each seat of this game, None for a learner; pools have drawn them."""
        self._lineup.draw(self._choices.rng)
        return tuple(self._lineup.of_game(0))

    def _names(self) -> list[str]:
        """The names of all players, for a record."""
        return [
            f"player_{seat}" if agent is None else agent.name
            for seat, agent in enumerate(self.lineup)
        ]

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The space of an agent's observations, always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """The space of an agent's actions, always the same object."""
        return self.action_spaces[agent]

    def state(self) -> Array:
        """The knowledge of all players together, for a centralised critic: their observations'
        numbers in seat order, shape (P * F,). Only things that nobody has seen, such as the
        order of the draw pile, are not in it.
        """
        if not self._dealt:
            raise self._not_running()
        return self._format.numbers(self.game).reshape(-1)

    def render(self) -> str | Array | None:
        """The table with all hands, by ``render_mode``: text, or uint8 pixels (H, W, 3).

        ``"human"`` prints the text by itself, after the deal and after each turn.
        """
        return draw(self.game, self.render_mode)

    def close(self) -> None:
        """Nothing is held that would have to be let go."""

    def _deal(self, seed: int | None, options: dict[str, Any] | None) -> None:
        deal(self.game, seed, options)
        self._choices.seed(seed)
        self.agents = []  # if a pool fails to draw, no game is running
        self._lineup.deal(self._choices.rng)
        self._lineup.draw(self._choices.rng)  # an error now, rather than in the first step
        self.agents = list(self.possible_agents)
        self._dealt = True
        if self._records is not None:
            self._records.players = self._names()
            self._records.begin(self.game)
        if self.render_mode == "human":
            self.render()

    def _play(self, chosen: Sequence[int] | Int64) -> None:
        """Play the agents' choices, and those of the opponents; within ``unless_refused``."""
        if len(self.seats) == self.game.num_players:
            actions = np.array((chosen,))
        else:
            actions = joint_action(self._lineup.of_game(0), self.game, self._choices.rng)
            actions[0, self.seats] = chosen
        self.game.step(actions)
        if self._records is not None:
            self._records.step(self.game, actions[0])
        if self.render_mode == "human":
            self.render()

    def _ended(self) -> tuple[bool, bool]:
        """Whether the game is over, and whether ``max_cycles`` ends the episode before that."""
        terminated: bool = self.game.terminated.item()
        if terminated or self.max_cycles is None:
            return terminated, False
        return False, self.game.steps_played >= self.max_cycles

    def _not_running(self) -> RuntimeError:
        when = "is over" if self._dealt else "has not begun"
        return RuntimeError(f"this game of {self.game.name} {when}; call reset()")
