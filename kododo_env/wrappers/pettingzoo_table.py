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

from kododo_env.core.agent import Agent, joint_action
from kododo_env.core.arrays import Array, Int64
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.rewards import Reward, RewardName, reward_function
from kododo_env.records.folder import EpisodeRecords
from kododo_env.wrappers.choices import Choices, OnIllegal
from kododo_env.wrappers.opponent_pool import Lineup
from kododo_env.wrappers.opponents import Opponents, Player, learners, reseat, seated
from kododo_env.wrappers.render_modes import RenderMode, check_render_mode, draw, drawing_metadata
from kododo_env.wrappers.reset_options import check_single, deal, step_limit
from kododo_env.wrappers.spaces import MaskPlace, ObservationFormat, action_space


class PettingZooTable:
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
        check_render_mode(render_mode)
        self.max_cycles = step_limit(max_cycles, "max_cycles")
        self.game = game
        self.render_mode = render_mode
        self.metadata: dict[str, Any] = {
            "name": f"{game.name}_v{game.version}",
            **drawing_metadata(),
            # PettingZoo's conversion needs all agents in each cycle; AECGame skips some.
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
        # Dictionaries, so that each call returns the same object and the spaces can be pickled.
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
            self._records = EpisodeRecords(record, self.possible_agents)  # names change at reset

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.game!r}>"

    @property
    def opponents(self) -> tuple[Player | None, ...]:
        """The agent or pool in each seat, None for a learner.

        Opponents can be changed, in the forms of the constructor; the new ones play from the next
        step on. A single opponent takes all seats without a learner.

        Raises:
            ValueError: The opponents are invalid, or a recorded game is in progress.
        """
        return self._lineup.places

    @opponents.setter
    def opponents(self, opponents: Opponents) -> None:
        if self._records is not None and self.agents:
            raise ValueError("cannot change opponents during a recorded game, only after its end")
        lineup = Lineup(reseat(opponents, self.game, self.seats), self.game)
        lineup.draw(self._choices.rng)
        self._lineup = lineup

    @property
    def lineup(self) -> tuple[Agent | None, ...]:
        """The agent in each seat of this game, None for a learner.

        Pools that have not drawn since the deal draw first.
        """
        self._lineup.draw(self._choices.rng)
        return tuple(self._lineup.of_game(0))

    def _names(self) -> list[str]:
        """Return the names of all players, for a record."""
        return [
            f"player_{seat}" if agent is None else agent.name
            for seat, agent in enumerate(self.lineup)
        ]

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
        deal(self.game, seed, options)
        self._choices.seed(seed)
        self.agents = []  # no game is running if a pool fails to draw
        self._lineup.deal(self._choices.rng)
        self._lineup.draw(self._choices.rng)  # raises errors now rather than in step()
        self.agents = list(self.possible_agents)
        self._dealt = True
        if self._records is not None:
            self._records.players = self._names()
            self._records.begin(self.game)
        if self.render_mode == "human":
            self.render()

    def _play(self, chosen: Sequence[int] | Int64) -> None:
        """Play the agents' and the opponents' choices; must be called within ``unless_refused``."""
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
        """Return whether the game is over, and whether ``max_cycles`` truncates it."""
        terminated: bool = self.game.terminated.item()
        if terminated or self.max_cycles is None:
            return terminated, False
        return False, self.game.steps_played >= self.max_cycles

    def _not_running(self) -> RuntimeError:
        when = "is over" if self._dealt else "has not begun"
        return RuntimeError(f"this game of {self.game.name} {when}; call reset()")
