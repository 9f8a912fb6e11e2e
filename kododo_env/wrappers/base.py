"""What the environments of all libraries have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy.typing as npt

from kododo_env.arrays.dtypes import Array
from kododo_env.core.batch_game import BatchGame, IllegalAction
from kododo_env.core.rewards import Reward, RewardName, reward_function
from kododo_env.wrappers.choices import HINT, Choices, OnIllegal
from kododo_env.wrappers.opponent_pool import Lineup
from kododo_env.wrappers.opponents import Opponents, Player, reseat
from kododo_env.wrappers.render_modes import RenderMode, check_render_mode, drawing_metadata
from kododo_env.wrappers.spaces import MaskPlace, ObservationFormat


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
