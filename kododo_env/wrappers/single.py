"""Gymnasium environments in which the learner plays one seat, and agents play the other seats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from kododo_env.arrays.dtypes import Array, Bool, Int64
from kododo_env.arrays.rows import all_true, any_true
from kododo_env.checks.numbers import whole_seed
from kododo_env.core.agent import Agent
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.rewards import Reward, RewardName
from kododo_env.wrappers.argument_checks import (
    OnIllegal,
    OuterWrappers,
    check_single,
    checked,
    deck_of,
    warn_of_unknown,
)
from kododo_env.wrappers.base import GameEnv, RenderMode, draw
from kododo_env.wrappers.opponents import Opponents, Player, learner_and_opponents, seat_of
from kododo_env.wrappers.spaces import MaskPlace, Observation, action_space


class OneLearner(GameEnv):
    """N games with one learner in each: what one environment and a vector of them have in common.

    Args:
        game: The batch. It is not copied.
        seat: The learner's seat, ``"random"``, or None; see ``SingleSeatEnv``.
        opponents: See ``SingleSeatEnv``.
        batch: As for ``GameEnv``.
        *options: The further options of ``GameEnv``.
    """

    def __init__(
        self,
        game: BatchGame,
        seat: int | str | None,
        opponents: Opponents,
        batch: bool,
        *options: Any,
    ) -> None:
        learner, places = learner_and_opponents(seat, opponents, game)
        super().__init__(game, places, learner, batch, *options)
        self._outer = OuterWrappers(self._format)
        self._gained = np.zeros(game.num_envs)  # by the learner since the last step
        self._running = False

    @property
    def seats(self) -> Int64:  # type: ignore[override]
        """The learner's seat in each game, (N,)."""
        return self._lineup.first

    def _places(self, opponents: Opponents) -> Sequence[Player]:
        seat = "random" if self._lineup.moves else int(self.seats[0])
        return learner_and_opponents(seat, opponents, self.game)[1]

    def _over(self) -> Bool:
        """Return which episodes have ended, (N,)."""
        return self.game.terminated

    def _deciding(self) -> Bool:
        """Return in which games the learner has something to decide, (N,)."""
        return self.game.deciding()[self._lineup.at_first]

    def _begin(self, dealt: Bool) -> None:
        """Play games that were dealt, (N,) bool, to the learner's first decision."""
        self._running = False  # an opponent that fails ends the episode
        self._lineup.deal(self._choices.rng, dealt)
        self._gained = np.zeros(self.game.num_envs)
        self._show()
        self._play_on()
        self._running = True

    def _play_on(self) -> None:
        """Play until the learner has something to decide in a game, or all games are over."""
        while True:
            self._decides = self._deciding()
            if any_true(self._decides) or all_true(self._over()):
                return
            self._play()

    def _play(self, chosen: Any = None) -> None:
        """Play one step of all games.

        Args:
            chosen: The learner's actions, (N,); None for its first legal ones.
        """
        actions = self._lineup.actions(self._choices.rng)
        if chosen is not None:
            plain = self._format.plain_actions(self.game, chosen, self.seats)
            actions[self._lineup.at_first] = plain
        self._step(actions)
        self._gained = self._gained + self._reward(self.game)[self._lineup.at_first]

    def _numbers(self) -> Array:
        """Return the learner's observations, (N, F)."""
        if self._lineup.moves or self.game.num_envs == 1:  # one game is faster for all seats
            # A copy, since the whole array has all players' observations.
            return np.array(self._format.numbers(self.game)[self._lineup.at_first])
        return self._format.numbers(self.game, [int(self.seats[0])])[:, 0]


class SingleSeatEnv(OneLearner, gymnasium.Env[Any, Any]):
    """A Gymnasium environment in which the learner plays one seat of a game.

    A step plays the game until the learner has several legal actions again, or until the end. The
    reward is the sum over that time. The observation is ``{"observation": (F,), "action_mask": (A,)
    int8}``; the mask is also in ``info["action_mask"]``, and ``action_masks()`` returns it as bool.

    Many Gymnasium loops sample actions without the mask. Therefore an illegal action is replaced by
    a random legal one, and ``info["illegal_action"]`` is then True; ``illegal_action="raise"``
    raises an error instead.

    Args:
        game: A batch of one game.
        seat: The learner's seat, 0 to P - 1, or ``"random"`` to draw a seat for each game. None
            selects the seat in which ``opponents`` has None, or seat 0.
        opponents: The agents in the other seats: None for random legal play, one agent for all
            these seats, a list of P - 1 agents in turn order after the learner, or a list of P with
            None in the learner's seat. Agents may be given by name, such as ``"heuristic"``,
            ``"kododo-4p"`` or ``"search:heuristic:64"``. An ``OpponentPool`` in place of an agent
            draws an agent for each game.
        reward: ``"score"``, ``"margin"``, ``"win"``, ``"margin+win"``, or a function of the game
            that returns an array (1, P).
        render_mode: None, ``"human"``, ``"ansi"`` or ``"rgb_array"``. Only the learner's knowledge
            is shown. ``"human"`` prints automatically, after the deal and after each turn.
        illegal_action: ``"random"`` or ``"raise"``.
        observation_dtype: The dtype of observations, such as ``"float32"``; None for
            ``layout.dtype``, or float32 with ``normalize``.
        normalize: Whether each number is divided by its maximum, so that it is between 0 and 1.
        action_mask: Where the mask is: ``"observation"``, ``"info"``, ``"both"``, or ``"rllib"``:
            in an observation with the keys ``"observations"`` and ``"action_mask"`` (float32), as
            RLlib's masking module expects.
        canonical: Whether observations, masks and actions have canonical form: positions that
            differ only by a symmetry of the game, such as a swap of colours, look the same.
        padded: Whether observations, masks and actions have the size of the game's largest table,
            so that one policy can play with any number of players.

    Attributes:
        game: The batch of one game that is played.
        seat: The learner's seat. It can be changed, also to ``"random"``.
        opponents: The P - 1 agents or pools in the other seats, in turn order after the learner.
            They can be changed, in the forms of the constructor, and play from the next step on.

    Raises:
        ValueError: ``game`` is not a batch of one game, an option is invalid, an opponent is not an
            agent, or the number of opponents is not P - 1, or P with None in exactly one seat.
    """

    def __init__(
        self,
        game: BatchGame,
        seat: int | str | None = None,
        opponents: Opponents = None,
        reward: RewardName | Reward = "score",
        render_mode: RenderMode | None = None,
        illegal_action: OnIllegal = "random",
        observation_dtype: npt.DTypeLike | None = None,
        normalize: bool = False,
        action_mask: MaskPlace = "both",
        canonical: bool = False,
        padded: bool = False,
    ) -> None:
        check_single(game)
        super().__init__(
            game, seat, opponents, False, reward, render_mode, illegal_action, observation_dtype,
            normalize, action_mask, canonical, padded,
        )  # fmt: skip
        self.observation_space = self._format.space
        self.action_space = action_space(self._format)

    @property
    def seat(self) -> int:
        """The learner's seat."""
        return int(self._lineup.first[0])

    @seat.setter
    def seat(self, seat: int | str) -> None:
        learner = seat_of(seat, self.game)
        self._lineup.moves = learner is None
        if learner is not None:
            self._lineup.move(learner)

    @property
    def lineup(self) -> tuple[Agent | None, ...]:
        """The agent in each seat of this game, None for the learner."""
        return tuple(self._lineup.of_game(0))

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Deal a new game and play it to the learner's first decision.

        Args:
            seed: The same seed and actions give the same game, provided that the opponents use only
                the generator that is passed to them; None continues the random stream.
            options: ``{"deck": ...}`` sets the order of the cards, shape (D,). Other keys are
                ignored, with a warning.

        Returns:
            Observation and info.

        Raises:
            ValueError: The seed is not a non-negative integer, or the deck does not have the game's
                cards; nothing is changed.
        """
        self._outer.check()
        seed = whole_seed(seed)
        warn_of_unknown(checked(options), "deck")
        self.game.reset(seed, deck_of(self.game, options))  # on error nothing is changed
        super().reset(seed=seed)
        self._choices.seed(seed)
        self._begin(np.ones(1, np.bool_))
        return self._see()

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Play the learner's choice, then play until its next decision or the end of the game.

        Args:
            action: An action number.

        Returns:
            Observation, reward, terminated, truncated and info. Episodes are never truncated here;
            ``max_episode_steps=`` of ``gymnasium.make`` adds Gymnasium's own wrapper.

        Raises:
            ValueError: The action is out of range, or it is illegal and ``illegal_action`` is
                ``"raise"``; nothing is changed. Or an opponent's action is illegal.
            RuntimeError: The game has not begun or is over.
        """
        if not self._running:
            raise RuntimeError(f"no game of {self.game.name} is running; call reset()")
        mask = self._format.masks(self.game)[0, self.seat]
        chosen, replaced = self._choices.settle(action, mask, f"player {self.seat}")
        self._running = False  # an opponent that fails ends the episode
        self._play([chosen])
        self._play_on()
        terminated: bool = self.game.terminated.item()
        self._running = not terminated
        reward = float(self._gained[0])
        self._gained = np.zeros(1)
        observation, info = self._see()
        if replaced:
            info["illegal_action"] = True
        return observation, reward, terminated, False, info

    def action_masks(self) -> Bool:
        """Return the learner's legal actions, bool, shape (A,), as sb3-contrib expects."""
        return np.array(self._format.masks(self.game)[0, self.seat])

    def render(self) -> Any:
        """Render the table as the learner sees it: text, or uint8 pixels (H, W, 3)."""
        return draw(self.game, self.render_mode, player=self.seat)

    def _see(self) -> tuple[Observation, dict[str, Any]]:
        mask = self.action_masks().view(np.int8)
        return self._format.observation(self._numbers()[0], mask), self._format.info(mask)
