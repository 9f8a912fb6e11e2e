"""The Gymnasium spaces of a player's observations and actions, and observations in their format."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from kododo_env.all_tables import padding_of
from kododo_env.arrays.dtypes import Array, Bool, Int64, Integer
from kododo_env.checks.numbers import quote
from kododo_env.checks.options import check_choice, check_switch
from kododo_env.core.batch_game import BatchGame
from kododo_env.layouts.actions import ActionLayout
from kododo_env.layouts.canonical import CanonicalForm, CanonicalRows
from kododo_env.layouts.observation import ObservationLayout

MaskPlace = Literal["observation", "info", "both", "rllib"]

Observation = Any
"""A dictionary of ``"observation"`` (F,) and ``"action_mask"`` (A,) int8, or an array (F,).

For RLlib, a dictionary of ``"observations"`` (F,) and ``"action_mask"`` (A,) float32.
"""


class GameLayouts(NamedTuple):
    """The layouts stored in an observation space, from which networks can be built.

    Attributes:
        observation: The layout of the observations.
        actions: The layout of the actions.
        canonical: Whether observations and actions are in canonical form.
    """

    observation: ObservationLayout
    actions: ActionLayout
    canonical: bool


def layouts_of(space: spaces.Space[Any]) -> GameLayouts:
    """Return the layouts of the game that an observation space belongs to.

    Raises:
        ValueError: The space is not from an environment of this package, or its observations are
            normalised.
    """
    box = space["observation"] if isinstance(space, spaces.Dict) else space
    layouts = getattr(box, "layouts", None)
    if layouts is None:
        raise ValueError(
            "this observation space has no game layouts; expected the space of a kododo_env "
            "environment, which no wrapper has replaced"
        )
    if not np.array_equal(box.high, layouts.observation.maxima):  # type: ignore[attr-defined]
        raise ValueError("expected normalize=False, because the network normalises observations")
    return layouts


class ObservationFormat:
    """The format of observations, masks and actions in an environment.

    Args:
        game: The batch, or another batch with the same layouts.
        observation_dtype: A dtype that can hold every number of an observation; None for
            ``layout.dtype``, or float32 with ``normalize``.
        normalize: Whether each number is divided by its maximum.
        action_mask: Where the mask is: ``"observation"``, ``"info"``, ``"both"`` or ``"rllib"``.
            Without the mask an observation is an array, else a dictionary.
        canonical: Whether observations, masks and actions have canonical form (see
            ``kododo_env.layouts.canonical``).
        padded: Whether they have the size of the game's largest table (see
            ``kododo_env.layouts.padding``); padding is applied before the canonical form.

    Attributes:
        dtype: The dtype of observations.
        maxima: The maxima of an observation's numbers, in that dtype, (F,).
        normalize: Whether numbers are divided by ``maxima``.
        box: The space of an observation's numbers, (F,).
        space: The space of an observation: a Dict with the mask, or ``box`` without it.
        in_observation: Whether observations contain the mask.
        key: The key of the numbers in a dictionary with the mask.
        mask_dtype: The dtype of the mask in an observation.
        in_info: Whether the info contains the mask.
        layouts: The layouts, and whether they are in canonical form.
        num_actions: A, the number of actions in a mask.
        has_own_numbers: Whether action numbers are the game's own.

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
        check_choice(action_mask, "action_mask", get_args(MaskPlace))
        switches = {"normalize": normalize, "canonical": canonical, "padded": padded}
        for name, switch in switches.items():
            check_switch(switch, name)
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
        # The mask is int8, as ``Discrete.sample`` expects.
        rllib = action_mask == "rllib"
        self.key = "observations" if rllib else "observation"
        self.mask_dtype: np.dtype[Any] = np.dtype(np.float32 if rllib else np.int8)
        self.maxima = layout.maxima.astype(self.dtype)
        self.normalize = normalize
        high = np.ones_like(self.maxima) if normalize else self.maxima
        self.box = spaces.Box(np.zeros_like(high), high, dtype=self.dtype.type)
        self.layouts = GameLayouts(layout, actions, canonical)
        self.box.layouts = self.layouts  # type: ignore[attr-defined]
        self._canonical = CanonicalForm(layout, actions) if canonical else None
        self._canonical_rows: tuple[Bool, CanonicalRows] | None = None  # a turn's mask, its rows
        self.space: spaces.Space[Any] = self.box
        if self.in_observation:
            mask = spaces.Box(0, 1, (actions.size,), self.mask_dtype.type)
            self.space = spaces.Dict({self.key: self.box, "action_mask": mask})

    def numbers(self, game: BatchGame, seats: Sequence[int] | None = None) -> Array:
        """Return the observations of S seats as a new contiguous array (N, S, F).

        Args:
            game: The batch of N games.
            seats: The seats; None for all.
        """
        if self._canonical is not None:
            rows = self._rows(game).observations
            chosen = rows if seats is None else rows[:, seats]
            return self._scaled(np.array(chosen, self.dtype, order="C"))
        if self._padding is not None:
            rows = self._padding.observations(game.observe(seats=seats))
        else:
            places = game.num_players if seats is None else len(seats)
            shape = game.num_envs, places, game.layout.size
            # Without an array to fill, only the observations of one game are contiguous.
            out = None if game.num_envs == 1 else np.empty(shape, self.dtype)
            rows = game.observe(out, seats)
        return self._scaled(rows.astype(self.dtype, copy=False))

    def masks(self, game: BatchGame) -> Bool:
        """Return the legal actions of all seats, bool, (N, P, A); may be the game's own array."""
        if self._canonical is not None:
            return self._rows(game).masks
        if self._padding is not None:
            return self._padding.masks(game.legal_action_mask())
        return game.legal_action_mask()

    def plain_actions(
        self, game: BatchGame, actions: Any, seats: Sequence[int] | Integer
    ) -> Int64 | Any:
        """Convert actions to the game's own numbers.

        Args:
            game: The batch, in the position in which the actions were chosen.
            actions: Legal actions, shape (N, S), or (N,) for one seat of each game.
            seats: The seats that choose: shape (S,) for actions (N, S), else (N,).

        Returns:
            The game's own action numbers, in the shape of ``actions``.
        """
        if self._canonical is not None:
            chosen = np.asarray(actions)
            games = np.arange(game.num_envs).reshape(-1, *[1] * (chosen.ndim - 1))
            numbers = self._rows(game).actions
            actions = numbers[games, np.asarray(seats), chosen].astype(np.int64)
        return actions if self._padding is None else self._padding.own_actions(actions)

    def _rows(self, game: BatchGame) -> CanonicalRows:
        """Return the canonical rows of all seats, arrays (N, P, ...), computed once per turn."""
        assert self._canonical is not None
        mask = game.legal_action_mask()  # the same object for the whole turn
        if self._canonical_rows is None or self._canonical_rows[0] is not mask:
            shape = game.num_envs, game.num_players, game.layout.size
            rows = game.observe(np.empty(shape, game.layout.dtype))
            masks = np.array(mask, order="C")
            if self._padding is not None:
                rows = self._padding.observations(rows)
                masks = self._padding.masks(masks)
            flat = self._canonical(
                rows.reshape(-1, rows.shape[2]), masks.reshape(-1, masks.shape[2])
            )
            by_seat = CanonicalRows(*(part.reshape(*shape[:2], -1) for part in flat))
            self._canonical_rows = mask, by_seat
        return self._canonical_rows[1]

    def no_op(self, game: BatchGame) -> int:
        """Return the number of the no-op in a mask."""
        return game.no_op if self._padding is None else int(self._padding.numbers[game.no_op])

    def of_rows(self, rows: Array) -> Array:
        """Convert a game's observations, shape (..., F), to the dtype and scale of this format.

        Raises:
            ValueError: The last axis does not have length F.
        """
        if rows.shape[-1:] != self.maxima.shape:
            raise ValueError(
                f"observations must have {len(self.maxima)} numbers, not shape {rows.shape}"
            )
        return self._scaled(rows.astype(self.dtype))

    def _scaled(self, rows: Array) -> Array:
        if self.normalize:
            rows /= self.maxima
        return rows

    def observation(self, numbers: Array, mask: Array) -> Observation:
        """Return one or several observations, given their numbers (..., F) and masks (..., A)."""
        if not self.in_observation:
            return numbers
        return {self.key: numbers, "action_mask": mask.astype(self.mask_dtype, copy=False)}

    def info(self, mask: Array) -> dict[str, Any]:
        """Return the info: ``{"action_mask": mask}`` if ``in_info``, else an empty dictionary."""
        return {"action_mask": mask} if self.in_info else {}


def row_of(observations: Observation, index: int) -> Observation:
    """Return one observation of a batch, by its index."""
    if isinstance(observations, dict):
        return {name: rows[index] for name, rows in observations.items()}
    return observations[index]


def _number_type(
    requested: npt.DTypeLike | None, layout_dtype: np.dtype[Any], normalize: bool
) -> np.dtype[Any]:
    """Return the requested dtype, by default the layout's own."""
    if requested is None:
        return np.dtype(np.float32) if normalize else layout_dtype
    try:
        dtype = np.dtype(requested).newbyteorder("=")
    except TypeError:
        raise ValueError(
            f"observation_dtype must be a dtype such as 'float32', not {quote(requested)}"
        ) from None
    if dtype.kind not in "uif" or not np.can_cast(layout_dtype, dtype):
        raise ValueError(
            f"observation_dtype must be able to hold all numbers of {layout_dtype}, not {dtype}"
        )
    if normalize and dtype.kind != "f":
        raise ValueError(f"normalize=True needs a float dtype such as 'float32', not {dtype}")
    return dtype


def action_space(game: BatchGame | ObservationFormat) -> spaces.Discrete:
    """Return the Discrete space of action numbers, 0 to A - 1."""
    return spaces.Discrete(game.num_actions)
