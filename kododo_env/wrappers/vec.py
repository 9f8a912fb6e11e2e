"""A batch of games as a stable-baselines3 VecEnv: every learner's seat of every game is a slot."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from stable_baselines3.common.vec_env import VecEnv

from kododo_env.core.agent import Agent, joint_action
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.numbers import whole_indices, whole_numbers, whole_seed
from kododo_env.core.rewards import Reward, reward_function
from kododo_env.wrappers.dealing import own_generator
from kododo_env.wrappers.opponents import seated
from kododo_env.wrappers.spaces import action_space, box

Indices = int | Iterable[int] | None
Step = tuple[npt.NDArray[Any], npt.NDArray[np.float32], npt.NDArray[np.bool_], list[dict[str, Any]]]


class BatchVecEnv(VecEnv):
    """All learners' seats of a batch as the environments of a VecEnv.

    With L learners' seats, slot ``game * L + k`` is the k-th of them in that game; without
    opponents slot ``game * P + player``. sb3-contrib's MaskablePPO finds the masks by
    itself. Finished games are dealt anew in the same step, as stable-baselines3 wants it:
    the observation is the new game's first, the old one's last is
    ``infos[slot]["terminal_observation"]``. A game that has to wait for that waits with only
    the no-op, without reward and without being done again.

    Args:
        game: The batch. It is used as it is, not copied.
        reward: ``"score"``, ``"margin"``, ``"win"``, or a function of the game to an
            array (N, P).
        opponents: For each seat an agent, or None for a learner; None: all seats learn.

    Attributes:
        game: The batch that is played.
        seats: The learners' seats.
        opponents: Who plays in each seat, None for a learner.

    Raises:
        ValueError: The reward is unknown, or the opponents are not one for each seat, not
            agents, or leave no learner.
    """

    def __init__(
        self,
        game: BatchGame,
        reward: str | Reward = "score",
        opponents: Sequence[Agent | None] | None = None,
    ) -> None:
        self.game = game
        self.opponents = seated(opponents, game.num_players)
        self.seats = [seat for seat, agent in enumerate(self.opponents) if agent is None]
        self._reward = reward_function(reward)
        self._rng = own_generator(None)
        self._noted: list[Any] = []  # what step_async was given; that may be anything, None too
        num_slots = game.num_envs * len(self.seats)
        self._each = [Slot(self, slot) for slot in range(num_slots)]  # the next line asks them
        super().__init__(num_slots, box(game), action_space(game))

    # --- playing ----------------------------------------------------------------------

    def reset(self) -> npt.NDArray[Any]:
        """Deal every game anew, by the seed that ``seed()`` has set; observations (slots, F)."""
        seed = self._seeds[0]
        self.game.reset(seed)
        if seed is not None:
            self._rng = own_generator(seed)
        self._noted = []
        self.reset_infos = [{} for _ in range(self.num_envs)]
        self._reset_seeds()
        self._reset_options()
        return self._observations()

    def step_async(self, actions: npt.NDArray[Any]) -> None:
        """Note the slots' actions, shape (slots,), for ``step_wait``."""
        self._noted = [actions]

    def step_wait(self) -> Step:
        """Play the actions.

        Returns:
            Observations (slots, F) in ``layout.dtype``, a fresh contiguous array; rewards
            (slots,) float32; dones (slots,) bool; one dictionary for each slot.

        Raises:
            ValueError: An action is illegal, or an opponent's is; nothing is changed.
            RuntimeError: ``step_async`` has not been called.
        """
        if not self._noted:
            raise RuntimeError("step_wait() needs step_async(actions) first")
        game, actions = self.game, self._noted.pop()
        with self._unless_refused():
            game.step(self._everybodys(actions))
        # Copies, all of them: dealing anew changes what the game shows of itself.
        rewards = self._rewards_now()
        dones = np.repeat(game.just_terminated, len(self.seats))
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        if dones.any():
            last = self._observations()
            for slot in np.flatnonzero(dones).tolist():
                infos[slot]["terminal_observation"] = last[slot]
        if game.terminated.any():
            game.restart_finished()
        return self._observations(), rewards, dones, infos

    @contextmanager
    def _unless_refused(self) -> Iterator[None]:
        """The opponents have drawn nothing from their generator if the step is refused."""
        alone = len(self.seats) == self.game.num_players
        drawn = None if alone else self._rng.bit_generator.state
        try:
            yield
        except ValueError:
            if drawn is not None:
                self._rng.bit_generator.state = drawn
            raise

    def action_masks(self, indices: Indices = None) -> npt.NDArray[np.bool_]:
        """The legal actions of the slots asked for, by default all: shape (slots, A)."""
        masks = self._slots(self.game.legal_action_mask())
        return masks if indices is None else masks[self._get_indices(indices)]

    def _everybodys(self, actions: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The actions of all seats, (N, P), from those of the slots."""
        game, given = self.game, whole_numbers(actions, "actions")
        if given.shape != (self.num_envs,):
            raise ValueError(
                f"actions must be {self.num_envs} integers, one for each slot, not an array of "
                f"the shape {given.shape}"
            )
        given = given.reshape(game.num_envs, -1)
        if len(self.seats) == game.num_players:
            return given
        chosen = joint_action(self.opponents, game, self._rng)
        chosen[:, self.seats] = given
        return chosen

    def _observations(self) -> npt.NDArray[Any]:
        game = self.game
        rows = np.empty((game.num_envs, game.num_players, game.layout.size), game.layout.dtype)
        return self._slots(game.observe(out=rows), fresh=True)

    def _rewards_now(self) -> npt.NDArray[np.float32]:
        rewards = np.asarray(self._reward(self.game), np.float32)
        shape = (self.game.num_envs, self.game.num_players)
        if rewards.shape != shape:
            raise ValueError(f"a reward function gives the shape {shape}, not {rewards.shape}")
        return self._slots(rewards)

    def _slots(self, by_game: npt.NDArray[Any], fresh: bool = False) -> npt.NDArray[Any]:
        """From (N, P, ...) to (slots, ...), contiguous, and a copy unless it is fresh."""
        if len(self.seats) != self.game.num_players:
            by_game, fresh = by_game[:, self.seats], False
        if not fresh:
            by_game = np.array(by_game, order="C")
        slots: npt.NDArray[Any] = by_game.reshape(self.num_envs, *by_game.shape[2:])
        return slots

    # --- what stable-baselines3 asks of a VecEnv ----------------------------------------

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Set the seed of the next ``reset``; stable-baselines3 counts on from it by slot."""
        return super().seed(whole_seed(seed))

    def _get_indices(self, indices: Indices) -> list[int]:
        """The slots that are meant: all, one, or several."""
        if indices is None:
            return list(range(self.num_envs))
        try:
            several: list[Any] = list(indices)  # type: ignore[arg-type]
        except TypeError:
            several = [indices]
        found: list[int] = whole_indices(several, "indices", self.num_envs).tolist()
        return found

    def close(self) -> None:
        """Nothing is held that would have to be let go."""

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """An attribute of each slot; AttributeError if it has none of that name."""
        return [getattr(self._each[slot], attr_name) for slot in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        """Give slots an attribute, which ``get_attr`` will find."""
        for slot in self._get_indices(indices):
            setattr(self._each[slot], attr_name, value)

    def env_method(
        self, method_name: str, *method_args: Any, indices: Indices = None, **method_kwargs: Any
    ) -> Any:
        """Call a method of each slot. ``"action_masks"`` gives one array (slots, A)."""
        if method_name == "action_masks":
            return self.action_masks(indices)
        methods = self.get_attr(method_name, indices)
        return [method(*method_args, **method_kwargs) for method in methods]

    def env_is_wrapped(
        self, wrapper_class: type[gymnasium.Wrapper[Any, Any, Any, Any]], indices: Indices = None
    ) -> list[bool]:
        """False for each slot: there are no single environments to wrap."""
        return [False for _ in self._get_indices(indices)]


class Slot:
    """What one slot shows of itself to ``get_attr`` and ``env_method``.

    Args:
        venv: The VecEnv.
        slot: The slot's number.

    Attributes:
        index: Which game of the batch.
        player: Which seat of that game.
    """

    render_mode = None
    spec = None

    def __init__(self, venv: BatchVecEnv, slot: int) -> None:
        self._venv = venv
        self._slot = slot
        self.index, place = divmod(slot, len(venv.seats))
        self.player = venv.seats[place]

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """The slot's legal actions, shape (A,)."""
        mask: npt.NDArray[np.bool_] = self._venv.action_masks(self._slot)[0]
        return mask
