"""States of OpenSpiel as one player imagines them: what the player cannot see is drawn again."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyspiel

from kododo_env.core.numbers import shown, whole_seed
from kododo_env.wrappers.open_spiel.game import SHORT_NAME, SpielGame
from kododo_env.wrappers.open_spiel.position import Position, SeenPosition

Resampler = Callable[[pyspiel.State, int], pyspiel.State]
"""A state and a player to a state that the player cannot tell from it."""


class Imagined:
    """Makes states of OpenSpiel from positions, without the chance nodes before them.

    Args:
        game: The game. It is this object's own: where its states begin changes for a moment.
        turn_based: Whether the states are those of the turn-based form.
    """

    def __init__(self, game: SpielGame, turn_based: bool) -> None:
        self._game = game
        self._turn_based = pyspiel.convert_to_turn_based(game) if turn_based else None

    def state(self, position: Position, player: int, rng: np.random.Generator) -> pyspiel.State:
        """The state in which the player is to choose.

        In the turn-based form the players before this one have chosen already, and nobody has
        seen it: each has some legal action, at random.
        """
        self._game.root = position
        try:
            if self._turn_based is None:
                return self._game.new_initial_state()
            state = self._turn_based.new_initial_state()
        finally:
            self._game.root = None
        for before in range(player):
            state.apply_action(int(rng.choice(position.legal[before])))
        return state


def resampler(game: pyspiel.Game, seed: int | None = None) -> Resampler:
    """What OpenSpiel's ISMCTS takes: ``bot.set_resampler(resampler(game))``.

    The function that it gives takes a state and the player who is to choose in it. It gives a
    state in which all that this player cannot know is drawn again: hidden cards by the game's own
    ``determinize``, uniformly among the possible deals, and the choices of players who have
    chosen before in the turn-based form. Both states have the player's information state. Of two
    states that the player cannot tell apart it makes the same one.

    Args:
        game: What ``load_game`` gave, in either form.
        seed: The same seed and states give the same states again; None goes on at random.

    Raises:
        ValueError: The game is none of this package, the seed is no whole number from 0, or a
            state is of another game or form, or before the deal.
    """
    if not isinstance(game, pyspiel.Game):
        raise ValueError(f"a game is wanted, as load_game gives it, not {shown(game)}")
    full_parameters = parameters = game.get_parameters()
    turn_based = isinstance(parameters.get("game"), dict)
    parameters = parameters["game"] if turn_based else parameters
    if parameters.get("name", game.get_type().short_name) != SHORT_NAME:
        raise ValueError(f"{game} is no game of {SHORT_NAME}; load one by load_game")
    rng = np.random.default_rng(whole_seed(seed))
    imagined = Imagined(SpielGame(parameters), turn_based)

    def resample(state: pyspiel.State, player: int) -> pyspiel.State:
        if (state_parameters := state.get_game().get_parameters()) != full_parameters:
            raise ValueError(
                f"a state of {shown(full_parameters)} is wanted, not of {shown(state_parameters)}"
            )
        real = (state.simultaneous_game_state() if turn_based else state).position
        world = real.game.view(player).determinize(rng, 1)
        return imagined.state(SeenPosition(world, player, real.log(player)), player, rng)

    return resample
