"""A batch of games as a stable-baselines3 VecEnv.

Each learner's seat of each game is one environment of the VecEnv, called a slot.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from kododo_env.arrays.dtypes import Array, Bool, Float32
from kododo_env.checks.numbers import quote, whole_indices, whole_seed
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.rewards import Reward, RewardName
from kododo_env.system.extras import missing_extra
from kododo_env.wrappers.argument_checks import (
    OPTIONS,
    OnIllegal,
    OuterWrappers,
    check_batch,
    checked,
)
from kododo_env.wrappers.base import PictureMode, drawing_metadata
from kododo_env.wrappers.opponents import Opponents, learners, seated
from kododo_env.wrappers.slot import SlotEnvs
from kododo_env.wrappers.spaces import MaskPlace, Observation, action_space, row_of

try:
    from stable_baselines3.common.vec_env import VecEnv
except ModuleNotFoundError as missing:
    raise ImportError(missing_extra("BatchVecEnv", missing.name, "sb3")) from None

DRAWN = 16  # the number of slots in an image; thousands would be slow and illegible
Indices = int | Iterable[int] | None
Step = tuple[Observation, Float32, Bool, list[dict[str, Any]]]


class BatchVecEnv(SlotEnvs, VecEnv):
    """A VecEnv whose environments, the slots, are the learners' seats of all games of a batch.

    If L seats of each game have learners, slot ``game * L + k`` is the k-th of these seats, counted
    from 0; without opponents L is P. sb3-contrib's MaskablePPO finds the masks automatically.
    Finished games are dealt again in the same step, as stable-baselines3 expects: the observation
    is the first of the new game, and the last of the finished game is
    ``infos[slot]["terminal_observation"]``. While a finished game waits for its next deal, its only
    legal action is the no-op, rewards are 0, and done is False.

    Args:
        game: The batch. It is not copied.
        action_mask: ``"info"``: observations are arrays (slots, F), and masks are returned by
            ``env_method("action_masks")``, as for sb3-contrib; ``"observation"`` and ``"both"``:
            dictionaries with the masks, (slots, A) int8.
        **options: The other options of the environment modules
            (``kododo_env.environments.TableOptions``); a reward function returns an array (N, P),
            and ``infos[slot]["illegal_action"]`` is True if a legal action was played instead.

    Attributes:
        game: The batch that is played.
        seats: The learners' seats, the same in all games.
        opponents: The agent or pool in each seat, None for a learner. They can be changed, also by
            ``set_attr``, and play from the next step on.

    Raises:
        ValueError: ``game`` is not a batch, an option is invalid, an opponent is not an agent, or
            the opponents are not one for each seat with None for at least one learner.
    """

    def __init__(
        self,
        game: BatchGame,
        reward: RewardName | Reward = "score",
        opponents: Opponents = None,
        illegal_action: OnIllegal = "raise",
        observation_dtype: npt.DTypeLike | None = None,
        normalize: bool = False,
        action_mask: MaskPlace = "info",
        render_mode: PictureMode | None = None,
        canonical: bool = False,
        padded: bool = False,
    ) -> None:
        check_batch(game)
        super().__init__(
            game, seated(opponents, game), 0, True, reward, render_mode, illegal_action,
            observation_dtype, normalize, action_mask, canonical, padded,
        )  # fmt: skip
        self.seats = learners(self.opponents)
        self._outer = OuterWrappers(self._format)
        self._noted: list[Any] = []  # the actions of step_async; may contain None
        num_slots = game.num_envs * len(self.seats)
        VecEnv.__init__(self, num_slots, self._format.space, action_space(self._format))
        self.metadata = drawing_metadata(batch=True)  # VecEnv replaces it

    # --- playing ----------------------------------------------------------------------

    def reset(self) -> Observation:
        """Deal all games again, with the seed that ``seed()`` has set.

        Returns:
            Observations (slots, F).

        Raises:
            ValueError: ``set_options`` has set a deck or a reset mask, which only ``game.reset``
                supports.
        """
        for options in self._options:
            if {*OPTIONS} & {*checked(options)}:
                raise ValueError(
                    f"reset does not support {' or '.join(OPTIONS)}, got {quote(options)}"
                )
        self._outer.check()
        seed = self._seeds[0]
        self.game.reset(seed)
        self._choices.seed(seed)
        self._lineup.deal(self._choices.rng)
        self._noted = []
        self.reset_infos = [{} for _ in range(self.num_envs)]
        self._reset_seeds()
        self._reset_options()
        return self._observations()

    def step_async(self, actions: Array) -> None:
        """Store the slots' actions, shape (slots,), for ``step_wait``."""
        self._noted = [actions]

    def step_wait(self) -> Step:
        """Play the actions.

        Returns:
            Observations (slots, F), a new contiguous array; rewards (slots,) float32; dones
            (slots,) bool; and a list with an info dictionary for each slot.

        Raises:
            ValueError: An action is illegal; nothing is changed. Or an opponent's action is.
            RuntimeError: ``step_async`` has not been called.
        """
        if not self._noted:
            raise RuntimeError("call step_async(actions) before step_wait()")
        game = self.game
        chosen = self._choices.numbers(self._noted.pop(), "slot", self.num_envs)
        replaced = np.zeros(0, np.bool_)
        if self._settles:
            replaced = self._choices.settle_all(chosen, self.action_masks(), self._name)
        by_game = chosen.reshape(game.num_envs, -1)
        plain = self._format.plain_actions(game, by_game, self.seats)
        self._step(self._with_opponents(plain))
        # Rewards and dones are copies, since dealing again changes the game's arrays.
        rewards = self._by_slot(np.asarray(self._reward(game), np.float32))
        dones = np.repeat(game.just_terminated, len(self.seats))
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for slot in np.flatnonzero(replaced).tolist():
            infos[slot]["illegal_action"] = True
        if dones.any():
            last = self._observations()
            for slot in np.flatnonzero(dones).tolist():
                infos[slot]["terminal_observation"] = row_of(last, slot)
        if game.terminated.any():
            self._lineup.deal(self._choices.rng, game.restart_finished())
        return self._observations(), rewards, dones, infos

    def action_masks(self, indices: Indices = None) -> Bool:
        """Return the legal actions of some slots, by default all; bool, shape (slots, A)."""
        masks = self._by_slot(self._format.masks(self.game))
        return masks if indices is None else masks[self._get_indices(indices)]

    def _observations(self) -> Observation:
        numbers = self._format.numbers(self.game, self.seats)
        numbers = numbers.reshape(self.num_envs, *numbers.shape[2:])
        if not self._format.in_observation:
            return numbers
        return self._format.observation(numbers, self.action_masks().view(np.int8))

    def _by_slot(self, by_game: Array) -> Array:
        """Convert (N, P, ...) to (slots, ...), a contiguous copy."""
        if len(self.seats) != self.game.num_players:
            by_game = by_game[:, self.seats]
        return np.array(by_game, order="C").reshape(self.num_envs, *by_game.shape[2:])

    def get_images(self) -> list[Any]:
        """Return images of the first 16 slots for ``render``, uint8 (H, W, 3), as learners see."""
        return [slot.render() for slot in self._slots[:DRAWN]]

    # --- the VecEnv interface -----------------------------------------------------------

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Set the seed of the next ``reset``; return one seed per slot, as VecEnv requires."""
        return super().seed(whole_seed(seed))

    def place(self, slot: int) -> tuple[int, int]:
        """Return the index of a slot's game, and the learner's seat in that game."""
        index, place = divmod(slot, len(self.seats))
        return index, self.seats[place]

    def _get_indices(self, indices: Indices) -> list[int]:
        """Return the selected slots: all, one, or several."""
        if indices is None:
            return list(range(self.num_envs))
        try:
            several: list[Any] = list(indices)  # type: ignore[arg-type]
        except TypeError:
            several = [indices]
        return whole_indices(several, "indices", self.num_envs).tolist()

    def close(self) -> None:
        """Do nothing: there are no resources to release."""

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """Return an attribute of each slot.

        Raises:
            AttributeError: A slot has no such attribute.
        """
        return [getattr(self._slots[slot], attr_name) for slot in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        """Set the opponents of all games, or store an attribute for ``get_attr``.

        Args:
            attr_name: ``"opponents"``, or a name that the environment does not use itself.
            value: The value for each selected slot. For ``"opponents"``: one opponent for all seats
                without a learner, or a list with one for each seat and None for a learner.
            indices: The slots, by default all; ``"opponents"`` can be set only for all.

        Raises:
            ValueError: The opponents are invalid, or ``indices`` does not select all slots.
            AttributeError: The attribute cannot be changed.
        """
        slots = self._get_indices(indices)
        if attr_name == "opponents":
            if {*slots} != {*range(self.num_envs)}:
                raise ValueError("all games have the same opponents: set them without indices")
            self.opponents = value
            return
        self._store(attr_name, ((slot, value) for slot in slots))

    def env_method(
        self, method_name: str, *method_args: Any, indices: Indices = None, **method_kwargs: Any
    ) -> Any:
        """Call a method of each slot; ``"action_masks"`` returns one array (slots, A)."""
        if method_name == "action_masks":
            return self.action_masks(indices)
        methods = self.get_attr(method_name, indices)
        return [method(*method_args, **method_kwargs) for method in methods]

    def env_is_wrapped(
        self, wrapper_class: type[gymnasium.Wrapper[Any, Any, Any, Any]], indices: Indices = None
    ) -> list[bool]:
        """Return False for each selected slot: slots are not environments that can be wrapped."""
        return [False for _ in self._get_indices(indices)]
