"""The Gymnasium spaces of a player's observation and action, and observations that fit them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from kododo_env.core.actions import ActionLayout
from kododo_env.core.arrays import Array, Bool, Int64, Integer
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.numbers import shown
from kododo_env.core.observation import ObservationLayout
from kododo_env.core.options import is_one_of
from kododo_env.wrappers.all_tables import padding_of
from kododo_env.wrappers.canonical_seats import CanonicalSeats

MaskPlace = Literal["observation", "info", "both", "rllib"]
ACTION_MASK = get_args(MaskPlace)

Observation = Any
"""A dictionary of ``"observation"``, (F,), and ``"action_mask"``, (A,) int8; or the first alone.

For RLlib ``"observations"`` and a mask of float32, as its masking module wants them.
"""


class GameLayouts(NamedTuple):
    """What an observation space says of its game, for networks that are made from it.

    Attributes:
        observation: The layout of the observations.
        actions: The layout of the actions.
        canonical: Whether both are in canonical form.
    """

    observation: ObservationLayout
    actions: ActionLayout
    canonical: bool


def layouts_of(space: spaces.Space[Any]) -> GameLayouts:
    """The layouts of the game whose observations are in a space.

    Raises:
        ValueError: It is the space of another environment, or its numbers are scaled.
    """
    box = space["observation"] if isinstance(space, spaces.Dict) else space
    layouts = getattr(box, "layouts", None)
    if layouts is None:
        raise ValueError(
            "this observation space does not say which game it is of: take an environment of "
            "kododo_env, and no wrapper that replaces the space"
        )
    if not np.array_equal(box.high, layouts.observation.maxima):  # type: ignore[attr-defined]
        raise ValueError("the network scales observations itself: leave out normalize=True")
    game_layouts: GameLayouts = layouts
    return game_layouts


class ObservationFormat:
    """How observations are given: in which dtype and scale, and where the mask is.

    A dtype can hold every number of an observation; None is the game's own, ``layout.dtype``, or
    float32 if numbers are normalised: divided by their piece's maximum. An observation with the
    mask is a dictionary. With ``canonical`` observations, masks and actions have canonical form
    (see ``kododo_env.core.canonical``). With ``padded`` they have the size of the game's largest
    table (see ``kododo_env.core.padding``), of which the canonical form is then.

    Attributes:
        dtype: That of an observation's numbers.
        maxima: Their maxima in that dtype, (F,).
        normalize: Whether they are divided by these.
        box: The space of an observation's numbers, (F,).
        space: The space of an observation: a Dict with the mask, or ``box`` alone.
        in_observation: Whether the mask is there.
        key: The name of the numbers beside the mask.
        mask_dtype: That of the mask in an observation.
        in_info: Whether it is there.
        layouts: The layouts, and whether they are in canonical form.
        num_actions: A, how many actions a mask has.
        has_own_numbers: Whether an action's number is that of the game.

    Raises:
        ValueError: An option is unknown, or the dtype cannot hold the numbers.
    """

    def __init__(
        self,
        game: BatchGame,
        observation_dtype: npt.DTypeLike | None = None,
        normalize: bool = False,
        action_mask: MaskPlace = "both",
        canonical: bool = False,
        padded: bool = False,
    ) -> None:
        if not is_one_of(action_mask, ACTION_MASK):
            choices = ", ".join(map(repr, ACTION_MASK))
            raise ValueError(f"action_mask must be one of {choices}, not {shown(action_mask)}")
        if not isinstance(normalize, bool):
            raise ValueError(f"normalize must be True or False, not {shown(normalize)}")
        if not isinstance(canonical, bool):
            raise ValueError(f"canonical must be True or False, not {shown(canonical)}")
        if not isinstance(padded, bool):
            raise ValueError(f"padded must be True or False, not {shown(padded)}")
        self._padding = padding_of(game) if padded else None
        layout = game.layout
        actions = game.actions
        if self._padding is not None:
            layout = self._padding.layout
            actions = self._padding.actions
        self.num_actions = actions.size
        self.has_own_numbers = not (canonical or padded)
        self.dtype = _number_type(observation_dtype, layout.dtype, normalize)
        self.in_observation = action_mask != "info"
        self.in_info = action_mask in ("info", "both")
        # The mask is int8, which is what ``Discrete.sample`` takes.
        rllib = action_mask == "rllib"
        self.key = "observations" if rllib else "observation"
        self.mask_dtype: np.dtype[Any] = np.dtype(np.float32 if rllib else np.int8)
        self.maxima = layout.maxima.astype(self.dtype)
        self.normalize = normalize
        high = np.ones_like(self.maxima) if normalize else self.maxima
        self.box = spaces.Box(np.zeros_like(high), high, dtype=self.dtype.type)
        self.layouts = GameLayouts(layout, actions, canonical)
        self.box.layouts = self.layouts  # type: ignore[attr-defined]
        self._canonical = CanonicalSeats(game, self._padding) if canonical else None
        self.space: spaces.Space[Any] = self.box
        if self.in_observation:
            mask = spaces.Box(0, 1, (actions.size,), self.mask_dtype.type)
            self.space = spaces.Dict({self.key: self.box, "action_mask": mask})

    def numbers(self, game: BatchGame, seats: Sequence[int] | None = None) -> Array:
        """The observations of these S seats, by default all: a fresh contiguous array (N, S, F)."""
        if self._canonical is not None:
            rows = self._canonical.rows(game).observations
            chosen = rows if seats is None else rows[:, seats]
            return self._scaled(np.array(chosen, self.dtype, order="C"))
        if self._padding is not None:
            table_observations = game.observe() if seats is None else game.observe(seats=seats)
            return self._scaled(
                self._padding.observations(table_observations).astype(self.dtype, copy=False)
            )
        if game.num_envs == 1 and seats is None:  # nothing to turn around: 1.1 times as fast
            return self._scaled(game.observe().astype(self.dtype, copy=False))
        places = game.num_players if seats is None else len(seats)
        rows = np.empty((game.num_envs, places, game.layout.size), self.dtype)
        return self._scaled(game.observe(rows, seats))

    def masks(self, game: BatchGame) -> Bool:
        """The legal actions of all seats, (N, P, A), perhaps the game's own array."""
        if self._canonical is not None:
            masks: Bool = self._canonical.rows(game).masks
            return masks
        if self._padding is not None:
            return self._padding.masks(game.legal_action_mask())
        return game.legal_action_mask()

    def plain_actions(
        self, game: BatchGame, actions: Any, seats: Sequence[int] | Integer
    ) -> Int64 | Any:
        """The game's actions for those that were chosen; see ``CanonicalSeats.plain_actions``."""
        if self._canonical is not None:
            return self._canonical.plain_actions(game, actions, seats)
        if self._padding is not None:
            return self._padding.own_actions(actions)
        return actions

    def no_op(self, game: BatchGame) -> int:
        """The number in a mask of the action of those who have nothing to decide."""
        return game.no_op if self._padding is None else int(self._padding.numbers[game.no_op])

    def of_rows(self, rows: Array) -> Array:
        """The numbers of an observation that a game has told, of one or several rows (..., F).

        Raises:
            ValueError: They are rows of another length.
        """
        if rows.shape[-1:] != self.maxima.shape:
            raise ValueError(f"rows must be of {len(self.maxima)} numbers, not {rows.shape[-1:]}")
        return self._scaled(rows.astype(self.dtype))

    def _scaled(self, rows: Array) -> Array:
        if self.normalize:
            rows /= self.maxima
        return rows

    def observation(self, numbers: Array, mask: Array) -> Observation:
        """An observation, or several at once, from its numbers and its mask (int8)."""
        if not self.in_observation:
            return numbers
        return {self.key: numbers, "action_mask": mask.astype(self.mask_dtype, copy=False)}

    def info(self, mask: Array) -> dict[str, Any]:
        """The part of the info that is the mask."""
        return {"action_mask": mask} if self.in_info else {}


def row_of(observations: Observation, index: int) -> Observation:
    """One of several observations."""
    if isinstance(observations, dict):
        return {name: rows[index] for name, rows in observations.items()}
    return observations[index]


def _number_type(
    requested: npt.DTypeLike | None, layout_dtype: np.dtype[Any], normalize: bool
) -> np.dtype[Any]:
    """The dtype that is asked for, by default the layout's own."""
    if requested is None:
        return np.dtype(np.float32) if normalize else layout_dtype
    try:
        dtype = np.dtype(requested).newbyteorder("=")
    except TypeError:
        raise ValueError(
            f"observation_dtype must be a dtype such as 'float32', not {shown(requested)}"
        ) from None
    if dtype.kind not in "uif" or not np.can_cast(layout_dtype, dtype):
        raise ValueError(
            f"observation_dtype must hold all numbers of {layout_dtype}, not be {dtype}"
        )
    if normalize and dtype.kind != "f":
        raise ValueError(f"normalize=True needs floats such as 'float32', not {dtype}")
    return dtype


def action_space(game: BatchGame | ObservationFormat) -> spaces.Discrete:
    """The action numbers, 0 to A - 1."""
    return spaces.Discrete(game.num_actions)
