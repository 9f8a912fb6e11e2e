"""A batch of games as a Gymnasium VectorEnv: one seat of each game learns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from kododo_env.arrays.dtypes import Bool, Float64, Int64, Integer
from kododo_env.checks.numbers import quote, whole_seed
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.rewards import Reward, RewardName
from kododo_env.wrappers.argument_checks import (
    OPTIONS,
    OnIllegal,
    check_batch,
    checked,
    step_limit,
    warn_of_unknown,
)
from kododo_env.wrappers.base import PictureMode
from kododo_env.wrappers.opponents import Opponents
from kododo_env.wrappers.single import OneLearner
from kododo_env.wrappers.slot import SlotEnvs
from kododo_env.wrappers.spaces import MaskPlace, Observation, action_space, row_of

AutoresetName = Literal["NextStep", "SameStep", "Disabled"]
Seeds = list[int | None]
Step = tuple[Observation, Float64, Bool, Bool, dict[str, Any]]


class BatchVectorEnv(OneLearner, SlotEnvs, VectorEnv[Any, Any, Any]):
    """A VectorEnv of N games in which the learner plays one seat of each game.

    Observations are ``{"observation": (N, F), "action_mask": (N, A) int8}``; the masks are also in
    ``info["action_mask"]``. All games are at the same turn. A step plays until the learner has
    several legal actions in at least one game. In the other games its only legal action is the
    no-op or a forced action. The reward is the sum since the last step.

    If games end at different times, as in Kododo's long variant, a finished game has only the no-op
    and no reward while it waits: in the mode ``NEXT_STEP`` until all games are over, in
    ``SAME_STEP`` until the unfinished games deal again.

    Args:
        game: The batch. It is not copied.
        autoreset_mode: Gymnasium's ``AutoresetMode`` or its value: ``"NextStep"``: the step after
            the end deals again and ignores the actions; ``"SameStep"``: the step that ends a game
            deals again, and ``info["final_obs"]`` has the last observations; ``"Disabled"``:
            ``reset(options={"reset_mask": over})`` deals again.
        max_episode_steps: The maximum number of the learner's decisions in an episode. At the next
            decision the episode is truncated; then the game waits as if it were over. None or -1
            is no limit.
        **options: The other options of ``SingleSeatEnv``; a reward function returns an array (N,
            P), and ``info["illegal_action"]`` is an array (N,) bool: whether a random legal action
            was played instead. With ``action_mask="info"`` observations are arrays (N, F).

    Attributes:
        game: The batch that is played.
        seats: The learner's seat in each game, (N,).
        opponents: The P - 1 agents, or pools of them, in the other seats, in turn order after the
            learner. They can be changed, also by ``set_attr``, and play from the next step on.
        autoreset_mode: The ``AutoresetMode``, which is also in ``metadata``.
        max_episode_steps: The maximum number of decisions in an episode, or None.

    Raises:
        ValueError: ``game`` is not a batch, an option is unknown, an opponent is not an agent, or
            the number of opponents is not P - 1, or P with None in exactly one seat.
    """

    def __init__(
        self,
        game: BatchGame,
        seat: int | str | None = None,
        opponents: Opponents = None,
        reward: RewardName | Reward = "score",
        render_mode: PictureMode | None = None,
        illegal_action: OnIllegal = "random",
        autoreset_mode: AutoresetMode | AutoresetName = AutoresetMode.NEXT_STEP,
        observation_dtype: npt.DTypeLike | None = None,
        normalize: bool = False,
        action_mask: MaskPlace = "both",
        max_episode_steps: int | None = None,
        canonical: bool = False,
        padded: bool = False,
    ) -> None:
        check_batch(game)
        super().__init__(
            game, seat, opponents, True, reward, render_mode, illegal_action, observation_dtype,
            normalize, action_mask, canonical, padded,
        )  # fmt: skip
        self.num_envs = game.num_envs
        self.autoreset_mode = _autoreset_mode(autoreset_mode)
        self.metadata["autoreset_mode"] = self.autoreset_mode
        self.single_observation_space = self._format.space
        self.single_action_space = action_space(self._format)
        self.observation_space = batch_space(self._format.space, game.num_envs)
        self.action_space = batch_space(self.single_action_space, game.num_envs)
        self.max_episode_steps = step_limit(max_episode_steps, "max_episode_steps")
        self._limit = self.max_episode_steps or np.inf
        self._decisions = np.zeros(game.num_envs, np.int64)  # of the learner, since the deal
        # Truncated episodes. Their games continue without the learner, since all games of a batch
        # are at the same turn.
        self._truncated = np.zeros(game.num_envs, np.bool_)
        self._waiting = np.zeros(game.num_envs, np.bool_)  # games that were over before this step
        self._dealt = False

    # --- playing ----------------------------------------------------------------------

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | Integer | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> tuple[Observation, dict[str, Any]]:
        """Deal games and play them to the learner's first decision.

        Args:
            seed: The same seed and actions give the same games; None continues the random stream.
                With a sequence of N seeds, each game has the cards of a single game with its seed.
                Games whose seed is None continue the random stream, and so does all other
                randomness if a seed is None.
            options: ``{"reset_mask": (N,) bool}`` deals only these games, which must be those that
                are over; ``{"deck": (N, D)}`` sets the order of the cards. Other keys are ignored,
                with a warning.

        Returns:
            Observations and info.

        Raises:
            ValueError: A seed is not a non-negative integer, a deck does not have the game's cards,
                or ``reset_mask`` selects some games that cannot be dealt now; nothing is changed.
        """
        self._outer.check()
        reset_options = checked(options)
        game_seeds, seed = self._seeds(seed)
        warn_of_unknown(reset_options, *OPTIONS)
        dealt = _games(reset_options.get("reset_mask"), self.num_envs)
        if dealt.all():
            self.game.reset(seed, self._decks(game_seeds, reset_options.get("deck")))
        else:
            if reset_options.get("deck") is not None:
                raise ValueError("deck cannot be combined with reset_mask: it applies to all games")
            self._deal_again(dealt, seed if game_seeds is None else game_seeds)
        super().reset(seed=seed)
        self._choices.seed(seed)
        self._dealt = True
        self._begin(dealt)
        return self._see()

    def step(self, actions: Any) -> Step:
        """Play the learner's choices, then play until its next decision or the end of all games.

        Args:
            actions: Action numbers, shape (N,); those of games that are over are ignored.

        Returns:
            Observations, rewards (N,), terminations (N,), truncations (N,) by
            ``max_episode_steps``, and info.

        Raises:
            ValueError: An action is out of range; it is illegal and ``illegal_action`` is
                ``"raise"``; or an opponent's action is illegal.
            RuntimeError: The games have not begun, or all are over and ``autoreset_mode`` is
                ``DISABLED``.
        """
        over = self._over()
        if not self._running or (over.all() and self.autoreset_mode == AutoresetMode.DISABLED):
            when = "are over" if self._dealt else "have not begun"
            raise RuntimeError(f"the games of {self.game.name} {when}; call reset()")
        if over.all() and self.autoreset_mode == AutoresetMode.NEXT_STEP:
            self._begin(self._restart())
            no_games = np.zeros(self.num_envs, np.bool_)
            return self._result(np.zeros(self.num_envs), no_games, no_games.copy(), {})
        chosen, replaced = self._settled(actions)
        self._running = False  # an opponent that fails ends the episodes
        self._waiting = over
        self._decisions = self._decisions + self._decides
        self._play(chosen)
        self._play_on()
        self._running = True
        terminated = self.game.terminated & ~self._waiting
        truncated = self._decides & (self._decisions >= self._limit)
        self._truncated = self._truncated | truncated
        self._decides = self._decides & ~truncated
        rewards = np.where(self._waiting, 0, self._gained)
        self._gained = np.zeros(self.num_envs)
        info = _marked("illegal_action", replaced.copy(), replaced) if replaced.any() else {}
        if self.autoreset_mode == AutoresetMode.SAME_STEP and self._over().any():
            info |= self._final(terminated | truncated)
            dealt = self._restart()
            if dealt.any():
                self._begin(dealt)
            self._waiting = self._over()  # the observations are of the next episodes
        return self._result(rewards, terminated, truncated, info)

    def action_masks(self) -> Bool:
        """Return the learner's legal actions, bool, shape (N, A)."""
        masks = np.array(self._masks(), order="C")
        waiting = self._truncated & self._waiting  # a truncating step keeps its true mask
        masks[waiting] = np.arange(masks.shape[1]) == self._format.no_op(self.game)
        return masks

    def _masks(self) -> Bool:
        """Return the learner's legal actions in the games, (N, A), perhaps the game's own array."""
        return self._format.masks(self.game)[self._lineup.at_first]

    def _over(self) -> Bool:
        """Return which episodes have ended or were truncated, (N,)."""
        return self.game.terminated | self._truncated

    def _deciding(self) -> Bool:
        return super()._deciding() & ~self._truncated

    def render(self) -> tuple[Any, ...]:
        """Render each game as its learner sees it: text, or uint8 pixels (H, W, 3)."""
        return self.call("render")

    # --- single games, with the methods of SyncVectorEnv --------------------------------

    def place(self, slot: int) -> tuple[int, int]:
        """Return the index of a slot's game, and the learner's seat in that game."""
        return slot, int(self.seats[slot])

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Call a method of each game, such as ``"action_masks"``, or return an attribute.

        Returns:
            A tuple with the result or the attribute of each game.

        Raises:
            AttributeError: A game has no such attribute.
        """
        if name == "action_masks":
            return tuple(self.action_masks())
        attributes = [getattr(slot, name) for slot in self._slots]
        return tuple(
            attribute(*args, **kwargs) if callable(attribute) else attribute
            for attribute in attributes
        )

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """Return an attribute of each game, such as ``"seat"``; see ``call``."""
        return self.call(name)

    def set_attr(self, name: str, values: Any) -> None:
        """Set the opponents of all games, or store an attribute for ``get_attr``.

        Args:
            name: ``"opponents"``, or a name that the environment does not use itself.
            values: A list or tuple with one value for each game, or one value for all games. The
                opponents have the forms of the constructor, and are the same in all games.

        Raises:
            ValueError: The number of values is not N, or the opponents are invalid.
            AttributeError: The attribute cannot be changed.
        """
        if name == "opponents":
            self.opponents = _common_value(values, self.num_envs)
            return
        slot_values = values if isinstance(values, list | tuple) else [values] * self.num_envs
        if len(slot_values) != self.num_envs:
            raise ValueError(
                f"expected {self.num_envs} values, one for each environment, got {len(slot_values)}"
            )
        self._store(name, enumerate(slot_values))

    # --- dealing ----------------------------------------------------------------------

    def _seeds(self, seed: Any) -> tuple[Seeds | None, int | None]:
        """Return the games' own seeds, if several are given, and the seed of the batch."""
        if not isinstance(seed, list | tuple) and np.ndim(seed) != 1:
            return None, whole_seed(seed)
        game_seeds = [whole_seed(game_seed) for game_seed in seed]
        if len(game_seeds) != self.num_envs:
            raise ValueError(
                f"seed must be an integer or a sequence of {self.num_envs} integers, one for each "
                f"game, not of {len(game_seeds)}"
            )
        whole_seeds = [game_seed for game_seed in game_seeds if game_seed is not None]
        if len(whole_seeds) < len(game_seeds):
            return game_seeds, None
        return game_seeds, int(np.random.default_rng(whole_seeds).integers(2**63))

    def _decks(self, game_seeds: Seeds | None, decks: Any) -> Any:
        """Return the given decks, or those of the games' own seeds; None without either."""
        if game_seeds is None or decks is not None:
            return decks
        rngs = [
            self.game.rng if game_seed is None else np.random.default_rng(game_seed)
            for game_seed in game_seeds
        ]
        return np.concatenate([self.game.sample_decks(1, rng) for rng in rngs])

    def _deal_again(self, reset_mask: Bool, seed: int | Seeds | None) -> None:
        """Deal the games that are over, which must be those of the mask."""
        if seed is not None:
            raise ValueError("seed cannot be combined with reset_mask: it applies to all games")
        if not np.array_equal(reset_mask, self._over()):
            raise ValueError(
                "reset_mask must select all games, or exactly the games that are over, since all "
                "games of a batch are at the same turn"
            )
        if not np.array_equal(reset_mask, self.game.terminated):
            raise ValueError("truncated games can be dealt again only when all games are over")
        if not self.game.restart_finished().any():
            raise ValueError(
                "finished games can be dealt again only at the next deal of the unfinished games"
            )

    def _begin(self, dealt: Bool) -> None:
        self._decisions = np.where(dealt, 0, self._decisions)
        self._truncated = self._truncated & ~dealt
        self._waiting = self._waiting & ~dealt
        super()._begin(dealt)

    def _restart(self) -> Bool:
        """Deal finished games again, where the batch allows it now; returns which, (N,)."""
        if not self._truncated.any() or not self._over().all():
            return self.game.restart_finished()
        self.game.reset()
        return np.ones(self.num_envs, np.bool_)

    # --- a step -----------------------------------------------------------------------

    def _settled(self, actions: Any) -> tuple[Int64, Bool]:
        """Return the learner's actions that are played, and which of them replace illegal ones."""
        numbers = self._choices.numbers(actions, "game", self.num_envs)
        masks = self._masks()
        over = self._over()
        numbers[over] = masks[over].argmax(axis=1)
        return numbers, self._choices.settle_all(numbers, masks, self._name)

    # --- results ----------------------------------------------------------------------

    def _see(self) -> tuple[Observation, dict[str, Any]]:
        masks = self.action_masks().view(np.int8)
        info: dict[str, Any] = {}
        for name, column in self._format.info(masks).items():
            info |= _marked(name, column, np.ones(self.num_envs, np.bool_))
        return self._format.observation(self._numbers(), masks), info

    def _result(
        self, rewards: Float64, terminated: Bool, truncated: Bool, info: dict[str, Any]
    ) -> Step:
        """Return the result of a step."""
        observations, observation_info = self._see()
        return observations, rewards, terminated, truncated, observation_info | info

    def _final(self, ended: Bool) -> dict[str, Any]:
        """Return observations and infos of the ended games, before they are dealt again."""
        observations, info = self._see()
        last = np.full(self.num_envs, None, object)
        for index in np.flatnonzero(ended).tolist():
            last[index] = row_of(observations, index)
        info = {name: ended if name.startswith("_") else column for name, column in info.items()}
        return _marked("final_obs", last, ended) | _marked("final_info", info, ended)


def _marked(name: str, values: Any, where: Bool) -> dict[str, Any]:
    """Return an entry of a VectorEnv's info, with the mask of games that it applies to."""
    return {name: values, f"_{name}": where}


def _common_value(values: Any, num_envs: int) -> Any:
    """Return the value that a list repeats for each game, else the values themselves.

    A list of equal agents, one for each of P - 1 games, means the same in both ways.
    """
    if not isinstance(values, list | tuple) or len(values) != num_envs:
        return values
    equal = all(value is values[0] or value == values[0] for value in values)
    return values[0] if equal else values


def _games(mask: Any, num_envs: int) -> Bool:
    """Return a mask of games, checked; None selects all."""
    games = np.ones(num_envs, np.bool_) if mask is None else np.asarray(mask)
    if games.shape != (num_envs,) or games.dtype != np.bool_ or not games.any():
        raise ValueError(
            f"reset_mask must be {num_envs} booleans, at least one True, not {quote(mask)}"
        )
    return games


def _autoreset_mode(mode_or_name: Any) -> AutoresetMode:
    try:
        return AutoresetMode(mode_or_name)
    except ValueError:
        choices = ", ".join(repr(mode.value) for mode in AutoresetMode)
        raise ValueError(
            f"autoreset_mode must be one of {choices}, not {quote(mode_or_name)}"
        ) from None
