"""A batch of games as a stable-baselines3 VecEnv: every learner's seat of every game is a slot."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from kododo_env.core.agent import Agent, joint_action, joint_action_by_game
from kododo_env.core.arrays import Array, Bool, Float32
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.numbers import shown, whole_indices, whole_seed
from kododo_env.core.rewards import Reward, RewardName, reward_function
from kododo_env.system.extras import missing_extra
from kododo_env.wrappers.choices import Choices, OnIllegal
from kododo_env.wrappers.dealing import OPTIONS, check_batch, checked
from kododo_env.wrappers.drawing import PictureMode, check_render_mode, drawing_metadata
from kododo_env.wrappers.opponent_pool import Lineup
from kododo_env.wrappers.opponents import Opponents, Player, learners, reseat, seated
from kododo_env.wrappers.outer_wrappers import OuterWrappers
from kododo_env.wrappers.slot import Slot, check_unused
from kododo_env.wrappers.spaces import (
    MaskPlace,
    Observation,
    ObservationFormat,
    action_space,
    row_of,
)

try:
    from stable_baselines3.common.vec_env import VecEnv
except ModuleNotFoundError as missing:
    raise ImportError(missing_extra("BatchVecEnv", missing.name, "sb3")) from None

DRAWN = 16  # slots in a picture: thousands would take minutes and be specks
Indices = int | Iterable[int] | None
Step = tuple[Observation, Float32, Bool, list[dict[str, Any]]]


class BatchVecEnv(VecEnv):
    """All learners' seats of a batch as the environments of a VecEnv.

    With L learners' seats, slot ``game * L + k`` is the k-th of them in that game; without
    opponents slot ``game * P + player``. sb3-contrib's MaskablePPO finds the masks by
    itself. Finished games are dealt again in the same step, as stable-baselines3 wants it:
    the observation is the new game's first, the old one's last is
    ``infos[slot]["terminal_observation"]``. A game that has to wait for that waits with only
    the no-op, without reward and without being done again.

    Args:
        game: The batch. It is used as it is, not copied.
        action_mask: ``"info"``: observations are rows (slots, F), and the masks are asked for
            by ``env_method("action_masks")``, as sb3-contrib does; ``"observation"`` and
            ``"both"``: dictionaries of these and the masks, (slots, A) int8.
        **options: All others are those of the doors (``kododo_env.doors.TableOptions``); a
            reward is an array (N, P), and ``infos[slot]["illegal_action"] = True`` tells that a
            legal action was played instead.

    Attributes:
        game: The batch that is played.
        seats: The learners' seats.
        opponents: The agent in each seat, or a pool of them, None for a learner. Others can be
            set, by ``set_attr`` too, and play from the next step on.

    Raises:
        ValueError: It is no batch, an option is unknown, or the opponents are not one for each
            seat, not agents, or leave no learner.
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
        check_render_mode(render_mode, batch=True)
        self.game = game
        places = seated(opponents, game)
        self._lineup = Lineup(places, game)
        self.seats = learners(places)
        self._reward = reward_function(reward)
        self._format = ObservationFormat(
            game, observation_dtype, normalize, action_mask, canonical, padded
        )
        has_opponents = len(self.seats) < game.num_players
        self._choices = Choices(game, illegal_action, has_opponents, self._format)
        self._outer = OuterWrappers(self._format)
        self._noted: list[Any] = []  # the actions of step_async, which may be anything, None too
        num_slots = game.num_envs * len(self.seats)
        space = self._format.space
        actions = action_space(self._format)
        metadata = drawing_metadata(batch=True)
        # VecEnv asks them for their render_mode.
        self._environments = [
            Slot(self, slot, space, actions, render_mode, metadata) for slot in range(num_slots)
        ]
        super().__init__(num_slots, space, actions)
        self.metadata = metadata

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.game!r}>"

    @property
    def opponents(self) -> tuple[Player | None, ...]:
        """The agent in each seat, or a pool of them, None for a learner."""
        return self._lineup.places

    @opponents.setter
    def opponents(self, opponents: Opponents) -> None:
        lineup = Lineup(reseat(opponents, self.game, self.seats), self.game)
        lineup.draw(self._choices.rng)
        self._lineup = lineup

    # --- playing ----------------------------------------------------------------------

    def reset(self) -> Observation:
        """Deal every game again, by the seed that ``seed()`` has set; observations (slots, F).

        Raises:
            ValueError: ``set_options`` has given a deck, which is given by ``game.reset`` here.
        """
        for options in self._options:
            if {*OPTIONS} & {*checked(options)}:
                raise ValueError(f"reset takes no {' or '.join(OPTIONS)}, as in {shown(options)}")
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
        """Note the slots' actions, shape (slots,), for ``step_wait``."""
        self._noted = [actions]

    def step_wait(self) -> Step:
        """Play the actions.

        Returns:
            Observations (slots, F), a fresh contiguous array; rewards
            (slots,) float32; dones (slots,) bool; one dictionary for each slot.

        Raises:
            ValueError: An action is illegal, or an opponent's is; nothing is changed.
            RuntimeError: ``step_async`` has not been called.
        """
        if not self._noted:
            raise RuntimeError("step_wait() needs step_async(actions) first")
        game = self.game
        actions = self._noted.pop()
        self._lineup.draw(self._choices.rng)
        with self._choices.unless_refused():
            chosen, replaced = self._settled(actions)
            game.step(self._everybodys(chosen))
        # Copies, all of them: dealing again changes what the game shows of itself.
        rewards = self._slots(np.asarray(self._reward(game), np.float32))
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
        """The legal actions of the slots asked for, by default all: shape (slots, A)."""
        masks = self._slots(self._format.masks(self.game))
        return masks if indices is None else masks[self._get_indices(indices)]

    def _settled(self, actions: Any) -> tuple[Array, Bool]:
        """The slots' actions that are played, and which of them replace illegal ones."""
        numbers = self._choices.numbers(actions, "slot", self.num_envs)
        if not self._choices.replaces:
            return numbers, np.zeros(0, np.bool_)
        numbers = numbers.astype(np.int64)  # the caller's own stays
        return numbers, self._choices.settle_all(numbers, self.action_masks())

    def _everybodys(self, actions: Array) -> Array:
        """The actions of all seats, (N, P), from those of the slots."""
        game = self.game
        learner_actions = self._format.plain_actions(
            game, actions.reshape(game.num_envs, -1), self.seats
        )
        if len(self.seats) == game.num_players:
            return learner_actions
        lineup = self._lineup
        rng = self._choices.rng
        if lineup.draws:
            chosen = joint_action_by_game(lineup.agents, lineup.numbers, game, rng)
        else:
            chosen = joint_action(lineup.of_game(0), game, rng)
        chosen[:, self.seats] = learner_actions
        return chosen

    def _observations(self) -> Observation:
        numbers = self._format.numbers(self.game, self.seats)
        numbers = numbers.reshape(self.num_envs, *numbers.shape[2:])
        if not self._format.in_observation:
            return numbers
        return self._format.observation(numbers, self.action_masks().view(np.int8))

    def _slots(self, by_game: Array) -> Array:
        """From (N, P, ...) to (slots, ...), a contiguous copy."""
        if len(self.seats) != self.game.num_players:
            by_game = by_game[:, self.seats]
        slots: Array = np.array(by_game, order="C").reshape(self.num_envs, *by_game.shape[2:])
        return slots

    def get_images(self) -> list[Any]:
        """The learners' views, as pixels (H, W, 3), for ``render``: of the first 16 slots."""
        return [slot.render() for slot in self._environments[:DRAWN]]

    # --- what stable-baselines3 asks of a VecEnv ----------------------------------------

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Set the seed of the next ``reset``; stable-baselines3 counts on from it by slot."""
        return super().seed(whole_seed(seed))

    def place(self, slot: int) -> tuple[int, int]:
        """Which game a slot is of, and which seat."""
        index, place = divmod(slot, len(self.seats))
        return index, self.seats[place]

    def lineup_of(self, index: int) -> tuple[Agent | None, ...]:
        """The agent in each seat of a game, None for a learner; pools have drawn them."""
        self._lineup.draw(self._choices.rng)
        return tuple(self._lineup.of_game(index))

    def _get_indices(self, indices: Indices) -> list[int]:
        """The slots that are meant: all, one, or several."""
        if indices is None:
            return list(range(self.num_envs))
        try:
            several: list[Any] = list(indices)  # type: ignore[arg-type]
        except TypeError:
            several = [indices]
        slots: list[int] = whole_indices(several, "indices", self.num_envs).tolist()
        return slots

    def close(self) -> None:
        """Nothing is held that would have to be let go."""

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """An attribute of each slot; AttributeError if it has none of that name."""
        return [getattr(self._environments[slot], attr_name) for slot in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        """Set the opponents of all games, or store an attribute, which ``get_attr`` will find.

        Args:
            attr_name: ``"opponents"``, or a name that the environment does not use itself.
            value: Of opponents: one for all seats that do not learn, or one for each seat, None
                where a learner sits.
            indices: The slots; those of all games for opponents.

        Raises:
            ValueError: These cannot be the opponents, or are given to some slots only.
            AttributeError: The attribute is fixed when the environment is made.
        """
        slots = self._get_indices(indices)
        if attr_name == "opponents":
            if {*slots} != {*range(self.num_envs)}:
                raise ValueError("opponents are those of all games: set them without indices")
            self.opponents = value
            return
        check_unused(self, attr_name)
        for slot in slots:
            setattr(self._environments[slot], attr_name, value)

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
