"""OpenSpiel states that are consistent with one player's knowledge, with sampled hidden cards."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyspiel

from kododo_env.checks.numbers import quote, whole_seed
from kododo_env.wrappers.open_spiel.game import SHORT_NAME, SpielGame
from kododo_env.wrappers.open_spiel.position import Position, ResampledPosition

Resampler = Callable[[pyspiel.State, int], pyspiel.State]
"""Maps a state and a player to a state that the player cannot distinguish from it."""


class StateResampler:
    """Creates OpenSpiel states from positions, without chance nodes.

    Args:
        game: A game that nothing else uses, since its ``root`` changes temporarily.
        turn_based: Whether to create states of the turn-based form.
    """

    def __init__(self, game: SpielGame, turn_based: bool) -> None:
        self._game = game
        self._turn_based = pyspiel.convert_to_turn_based(game) if turn_based else None

    def state(self, position: Position, player: int, rng: np.random.Generator) -> pyspiel.State:
        """Return a state of the position in which ``player`` chooses next.

        In the turn-based form, each player before ``player`` has chosen a random legal action that
        ``player`` does not see.
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
    """Return a function for OpenSpiel's ISMCTS: ``bot.set_resampler(resampler(game))``.

    The function takes a state and the player who chooses in it. It returns a state in which
    everything that this player cannot know is drawn again: hidden cards by the game's
    ``determinize``, uniformly among the possible deals, and in the turn-based form also earlier
    choices in the same step. The player has the same information state in both states. The result
    depends only on that information state and on the random stream.

    Args:
        game: A game from ``load_game``, turn-based or simultaneous.
        seed: The same seed and states give the same results; None for a random seed.

    Raises:
        ValueError: The game is not of this package, or the seed is not a non-negative integer. The
            function raises it for a state of another game or form, or before the deal.
    """
    if not isinstance(game, pyspiel.Game):
        raise ValueError(f"expected a game returned by load_game(), got {quote(game)}")
    full_parameters = parameters = game.get_parameters()
    turn_based = isinstance(parameters.get("game"), dict)
    parameters = parameters["game"] if turn_based else parameters
    if parameters.get("name", game.get_type().short_name) != SHORT_NAME:
        raise ValueError(f"expected a {SHORT_NAME} game returned by load_game(), got {game}")
    rng = np.random.default_rng(whole_seed(seed))
    imagined = StateResampler(SpielGame(parameters), turn_based)

    def resample(state: pyspiel.State, player: int) -> pyspiel.State:
        if (state_parameters := state.get_game().get_parameters()) != full_parameters:
            raise ValueError(
                f"expected a state of {quote(full_parameters)}, got one of "
                f"{quote(state_parameters)}"
            )
        real = (state.simultaneous_game_state() if turn_based else state).position
        world = real.game.view(player).determinize(rng, 1)
        return imagined.state(ResampledPosition(world, player, real.log(player)), player, rng)

    return resample
