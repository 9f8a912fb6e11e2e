"""What the environments of all libraries have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy.typing as npt
from gymnasium import logger

from kododo_env.arrays.dtypes import Array
from kododo_env.checks.numbers import quote
from kododo_env.checks.options import is_one_of
from kododo_env.core.batch_game import BatchGame, IllegalAction
from kododo_env.core.rewards import Reward, RewardName, reward_function
from kododo_env.registry import picture_of
from kododo_env.rendering.pixels import RenderingUnavailable, check_libraries, pixels
from kododo_env.wrappers.argument_checks import (
    HINT,
    Choices,
    OnIllegal,
)
from kododo_env.wrappers.opponent_pool import Lineup
from kododo_env.wrappers.opponents import Opponents, Player, reseat
from kododo_env.wrappers.spaces import MaskPlace, ObservationFormat

PictureMode = Literal["ansi", "rgb_array"]
RenderMode = Literal["human"] | PictureMode


class GameEnv:
    """A batch of games with learners and opponents.

    If an opponent, the function of a pool or the reward function raises an error, the episode ends
    with this error; call ``reset``. An illegal action of a learner changes nothing.

    Args:
        game: The batch. It is not copied.
        places: As for ``Lineup``.
        first: The number of the first seat; None to draw it at each deal.
        batch: Whether the environment has many games, and so no mode ``"human"``.
        **options: The further options of the environments, see ``SingleSeatEnv``.

    Raises:
        ValueError: An option is invalid.
    """

    seats: list[int]

    def __init__(
        self,
        game: BatchGame,
        places: Sequence[Player | None],
        first: int | None,
        batch: bool,
        reward: RewardName | Reward,
        render_mode: RenderMode | None,
        illegal_action: OnIllegal,
        observation_dtype: npt.DTypeLike | None,
        normalize: bool,
        action_mask: MaskPlace,
        canonical: bool,
        padded: bool,
    ) -> None:
        check_render_mode(render_mode, batch)
        self.game = game
        self.render_mode: str | None = render_mode
        self.metadata: dict[str, Any] = drawing_metadata(batch)
        self._reward = reward_function(reward)
        self._format = ObservationFormat(
            game, observation_dtype, normalize, action_mask, canonical, padded
        )
        self._choices = Choices(game, illegal_action, self._format)
        self._lineup = Lineup(places, game, self._choices.rng, first or 0, first is None)
        self._all_learn = all(place is None for place in places)
        # Whether actions are checked before the step; else the game checks them, which is faster.
        is_plain = self._all_learn and self._format.has_own_numbers
        self._settles = self._choices.replaces or not is_plain

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.game!r}>"

    @property
    def opponents(self) -> tuple[Player | None, ...]:
        """The agent or pool in each seat, None for a learner.

        Opponents can be changed, in the forms of the constructor; the new ones play from the next
        step on. A single opponent takes all seats without a learner.

        Raises:
            ValueError: The opponents are invalid.
        """
        return self._lineup.places

    @opponents.setter
    def opponents(self, opponents: Opponents) -> None:
        lineup = self._lineup
        self._lineup = Lineup(
            self._places(opponents), self.game, self._choices.rng, lineup.first, lineup.moves
        )

    def _places(self, opponents: Opponents) -> Sequence[Player | None]:
        """Return the places of other opponents of the same learners."""
        return reseat(opponents, self.game, self.seats)

    def _with_opponents(self, chosen: Array) -> Array:
        """Return the actions of all seats, (N, P), from those of the learners, (N, L)."""
        if self._all_learn:
            return chosen
        actions = self._lineup.actions(self._choices.rng)
        actions[:, self.seats] = chosen
        return actions

    def _step(self, actions: Array) -> None:
        """Play the actions of all seats, (N, P)."""
        try:
            self.game.step(actions)
        except IllegalAction as error:
            if self._all_learn:  # else it is an opponent's, since those of learners were checked
                raise IllegalAction(f"{error} {HINT}") from None
            raise
        self._show()

    def _show(self) -> None:
        """Print the game, if people watch it."""
        if self.render_mode == "human":
            self.render()  # type: ignore[attr-defined]


# --- rendering ---------------------------------------------------------------------------


def drawing_metadata(batch: bool = False) -> dict[str, Any]:
    """Return the rendering part of an environment's metadata, with the modes available here.

    ``"rgb_array"`` needs the libraries of the extra ``[render]``.
    """
    modes = _modes(batch)
    try:
        check_libraries()
    except RenderingUnavailable:
        modes.remove("rgb_array")
    return {"render_modes": modes, "render_fps": 1}


def check_render_mode(render_mode: str | None, batch: bool = False) -> None:
    """Check a render mode.

    Args:
        render_mode: The mode, or None.
        batch: Whether the environment has several games, and so no ``"human"`` mode.

    Raises:
        ValueError: The mode is unknown.
        RenderingUnavailable: Pixels need a library that is not installed.
    """
    if render_mode is not None and not is_one_of(render_mode, _modes(batch)):
        choices = ", ".join(map(repr, _modes(batch)))
        raise ValueError(f"unknown render_mode {quote(render_mode)}; choose from None, {choices}")
    if render_mode == "rgb_array":
        check_libraries()


def _modes(batch: bool) -> list[str]:
    return [*([] if batch else ["human"]), *get_args(PictureMode)]


def draw(
    game: BatchGame, render_mode: str | None, index: int = 0, player: int | None = None
) -> str | Array | None:
    """Render one game of a batch.

    Args:
        game: The batch.
        render_mode: The mode, or None, which warns.
        index: The index of the game in the batch.
        player: The player whose knowledge is shown; None shows all hands.

    Returns:
        Text for ``"ansi"``, uint8 pixels (H, W, 3) for ``"rgb_array"``, else None; ``"human"``
        prints the text.
    """
    if render_mode is None:
        logger.warn("render() has no effect: the environment has no render_mode")
        return None
    if render_mode == "human":
        print(picture_of(game).text(index, player), end="\n\n", flush=True)
        return None
    if render_mode == "ansi":
        return picture_of(game).text(index, player)
    return pixels(picture_of(game).svg(index, player))
