"""A game as a Gymnasium environment: the learner plays one seat, agents play the other seats."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from kododo_env.core.agent import Agent, joint_action
from kododo_env.core.arrays import Bool
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.numbers import whole_seed
from kododo_env.core.rewards import Reward, RewardName, reward_function
from kododo_env.wrappers.choices import Choices, OnIllegal
from kododo_env.wrappers.opponent_pool import Lineup
from kododo_env.wrappers.opponents import (
    Opponents,
    Player,
    around,
    learner_and_opponents,
    seat_of,
)
from kododo_env.wrappers.outer_wrappers import OuterWrappers
from kododo_env.wrappers.render_modes import RenderMode, check_render_mode, draw, drawing_metadata
from kododo_env.wrappers.reset_options import check_single, checked, deal, warn_of_unknown
from kododo_env.wrappers.spaces import MaskPlace, Observation, ObservationFormat, action_space


class SingleSeatEnv(gymnasium.Env[Any, Any]):
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
        learner, places = learner_and_opponents(seat, opponents, game)
        self._lineup = Lineup(places, game)
        self._seat_changes = learner is None
        self._seat = learner or 0
        check_render_mode(render_mode)
        self.game = game
        self.render_mode = render_mode
        self.metadata = drawing_metadata()
        self._format = ObservationFormat(
            game, observation_dtype, normalize, action_mask, canonical, padded
        )
        self.observation_space = self._format.space
        self.action_space = action_space(self._format)
        self._outer = OuterWrappers(self._format)
        self._reward = reward_function(reward)
        self._choices = Choices(game, illegal_action, form=self._format)
        self._over = True
        self._goes_on = False  # an opponent failed after the learner's choice was played

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.game!r}>"

    @property
    def seat(self) -> int:
        """The learner's seat."""
        return self._seat

    @seat.setter
    def seat(self, seat: int | str) -> None:
        learner = seat_of(seat, self.game)
        self._seat_changes = learner is None
        self._seat = self._seat if learner is None else learner

    @property
    def opponents(self) -> tuple[Player | None, ...]:
        """The agents, or pools, in the other seats, in turn order after the learner."""
        return self._lineup.places

    @opponents.setter
    def opponents(self, opponents: Opponents) -> None:
        seat = "random" if self._seat_changes else self._seat
        lineup = Lineup(learner_and_opponents(seat, opponents, self.game)[1], self.game)
        lineup.draw(self._choices.rng)
        self._lineup = lineup

    @property
    def lineup(self) -> tuple[Agent | None, ...]:
        """The agent in each seat of this game, None for the learner.

        Pools that have not drawn since the deal draw first.
        """
        self._lineup.draw(self._choices.rng)
        return tuple(around(self._lineup.of_game(0), self._seat))

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
                cards.
        """
        self._outer.check()
        seed = whole_seed(seed)
        warn_of_unknown(checked(options), "deck")
        deal(self.game, seed, options)  # on error nothing is changed
        super().reset(seed=seed)
        self._choices.seed(seed)
        if self._seat_changes:
            self._seat = int(self._choices.rng.integers(self.game.num_players))
        self._lineup.deal(self._choices.rng)
        self._over = False
        self._gained = 0.0
        self._replaced = False
        self._show()
        self._play_on()
        return self._see()

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Play the learner's choice, then play until its next decision or the end of the game.

        If an opponent raises an error after the choice was played, the next call continues from
        there: it ignores its action, and returns all rewards since the last successful step.

        Args:
            action: An action number.

        Returns:
            Observation, reward, terminated, truncated and info. Episodes are never truncated here;
            ``max_episode_steps=`` of ``gymnasium.make`` adds Gymnasium's own wrapper.

        Raises:
            ValueError: The action is out of range; it is illegal and ``illegal_action`` is
                ``"raise"``; or an opponent's action is illegal.
            RuntimeError: The game has not begun or is over.
        """
        if self._over:
            raise RuntimeError(f"no game of {self.game.name} is running; call reset()")
        if not self._goes_on:
            self._replaced = self._play(action)
        self._play_on()
        reward = self._gained
        self._gained = 0.0
        self._over = self.game.terminated.item()
        observation, info = self._see()
        if self._replaced:
            info["illegal_action"] = True
        return observation, reward, self._over, False, info

    def action_masks(self) -> Bool:
        """Return the learner's legal actions, bool, shape (A,), as sb3-contrib expects."""
        return np.array(self._format.masks(self.game)[0, self.seat])

    def render(self) -> Any:
        """Render the table as the learner sees it: text, or uint8 pixels (H, W, 3)."""
        return draw(self.game, self.render_mode, player=self.seat)

    def _play_on(self) -> None:
        """Play until the learner has something to decide or the game is over."""
        self._goes_on = True
        while not (np.count_nonzero(self.action_masks()) > 1 or self.game.terminated.item()):
            self._play(forced=True)
        self._goes_on = False

    def _play(self, action: Any = None, forced: bool = False) -> bool:
        """Play one step of the game; if an opponent fails, nothing is changed.

        Args:
            action: The learner's action.
            forced: Whether to play the learner's first legal action instead.

        Returns:
            Whether the action was illegal and has been replaced.
        """
        game = self.game
        seat = self.seat
        replaced = False
        self._lineup.draw(self._choices.rng)
        with self._choices.unless_refused():
            if not forced:
                mask = self._format.masks(game)[0, seat]
                chosen, replaced = self._choices.settle(action, mask, f"player {seat}")
            agents = around(self._lineup.of_game(0), seat)
            actions = joint_action(agents, game, self._choices.rng, first=seat)
            if not forced:
                actions[:, seat] = self._format.plain_actions(game, [chosen], [seat])
            game.step(actions)
        self._gained += float(self._reward(game)[0, seat])
        self._show()
        return replaced

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def _see(self) -> tuple[Observation, dict[str, Any]]:
        # A copy, since the base array has all players' observations.
        numbers = self._format.numbers(self.game)[0, self.seat].copy()
        mask = self.action_masks().view(np.int8)
        return self._format.observation(numbers, mask), self._format.info(mask)
