"""OpenSpiel's policies and bots as agents, and the states in which they choose.

Such a state is consistent with one player's knowledge; the hidden cards in it are sampled.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np
import pyspiel

from kododo_env.arrays.dtypes import Int64
from kododo_env.checks.numbers import quote, whole_seed
from kododo_env.core.agent import Agent
from kododo_env.core.view import View
from kododo_env.wrappers.open_spiel.game import SHORT_NAME, SpielGame, as_text
from kododo_env.wrappers.open_spiel.position import Log, Position, ResampledPosition, shown_by

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


class SpielAgent(Agent):
    """An agent that chooses its actions with a policy or bots of OpenSpiel.

    In each game the policy or bot receives an OpenSpiel state that is consistent with the player's
    knowledge: hidden cards are sampled from the possible deals, and the information state contains
    all that the player has seen and done, of which the agent keeps a log. The games of a batch are
    decided one by one, which is slow.

    A log begins at the agent's first call after a deal, and is complete only if the agent is called
    in every step. Therefore only bots that do not use information states can play games in which
    players skip steps, such as KADO.

    Args:
        plays: A policy, such as ``solver.average_policy()``, or a function ``make_bot(player)``
            that creates a bot for a seat. Only the bots' ``step`` is called: they are not informed
            of other players' moves, and not restarted between games.
        turn_based: Whether the policy or bot is for the turn-based form of the game.
        name: The name in tables of results.

    Raises:
        ValueError: ``plays`` is not a policy or a function.
    """

    def __init__(self, plays: Any, turn_based: bool = True, name: str = "open_spiel") -> None:
        if not (callable(plays) or hasattr(plays, "action_probabilities")):
            raise ValueError(
                f"expected a policy with action_probabilities or a function that creates a bot "
                f"for a seat, got {quote(plays)}"
            )
        self.name = name
        self._plays = plays
        self._turn_based = turn_based
        self._games: dict[tuple[str, Any], StateResampler] = {}
        self._bots: dict[int, pyspiel.Bot] = {}
        self._diaries: dict[int, _Diary] = {}

    def act(self, view: View, rng: np.random.Generator) -> Int64:
        """Return an action for each game, int64, shape (N,).

        Raises:
            ValueError: The policy does not know an information state, or there is no information
                state because the agent was not called in every step.
        """
        diary = self._diaries.setdefault(view.player, _Diary())
        logs = diary.at(view)
        worlds = view.determinize(rng, 1)
        imagined = self._imagined(view)
        mask = view.legal_action_mask
        chosen: Int64 = mask.argmax(axis=1)
        for game in np.flatnonzero(mask.sum(axis=1) > 1):
            world = worlds.take(np.array([game]))
            position = ResampledPosition(world, view.player, logs[game])
            state = imagined.state(position, view.player, rng)
            chosen[game] = self._choice(state, view.player, rng)
        diary.played = chosen.tolist()
        return chosen

    def _imagined(self, view: View) -> StateResampler:
        key = (view.game_name, view.rules)
        if key not in self._games:
            rules = {rule.name: getattr(view.rules, rule.name) for rule in fields(view.rules)}
            game = SpielGame({"game": view.game_name, "rules": as_text(rules)})
            self._games[key] = StateResampler(game, self._turn_based)
        return self._games[key]

    def _choice(self, state: pyspiel.State, player: int, rng: np.random.Generator) -> int:
        if hasattr(self._plays, "action_probabilities"):
            return self._drawn(state, player, rng)
        if player not in self._bots:
            self._bots[player] = self._plays(player)
        return int(self._bots[player].step(state))

    def _drawn(self, state: pyspiel.State, player: int, rng: np.random.Generator) -> int:
        try:
            chances = self._chances(state, player)
        except KeyError:
            chances = {}
        if not chances:
            raise ValueError(
                f"{self.name} does not know this information state; expected a policy for the same "
                "game, rules and form (turn-based or simultaneous)"
            )
        weights = np.array(list(chances.values()), np.float64)
        return int(rng.choice(list(chances), p=weights / weights.sum()))

    def _chances(self, state: pyspiel.State, player: int) -> dict[int, float]:
        """Return the actions' probabilities; empty if a C++ policy does not know the state."""
        if not isinstance(self._plays, pyspiel.Policy):
            return self._plays.action_probabilities(state, player)
        # A C++ policy reads the player from a turn-based state.
        query = state if self._turn_based else state.information_state_string(player)
        return self._plays.action_probabilities(query)


class _Diary:
    """The logs of one seat, one for each game of a batch."""

    def __init__(self) -> None:
        self.played: list[int] = []
        self._logs: list[Log | None] = []
        self._step = 0

    def at(self, view: View) -> list[Log | None]:
        """Return the logs up to the current position; None where a step was missed."""
        knowledge = list(shown_by(view))
        if view.steps_played == 0:
            self._logs = [Log.start(view.player, pieces) for pieces in knowledge]
        elif view.steps_played == self._step and knowledge == [
            log and log.last for log in self._logs
        ]:
            pass  # called again in the same position, as after a rejected step
        elif view.steps_played == self._step + 1 and len(knowledge) == len(self._logs):
            before = zip(self._logs, self.played, knowledge, strict=True)
            self._logs = [log and log.with_step(action, pieces) for log, action, pieces in before]
        else:
            self._logs = [None] * len(knowledge)
        self._step = view.steps_played
        return self._logs
