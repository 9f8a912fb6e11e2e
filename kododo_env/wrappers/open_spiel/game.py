"""The OpenSpiel game ``kododo_env``: its parameters select a game of this package and its rules."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import pyspiel

from kododo_env import registry
from kododo_env.checks.numbers import quote
from kododo_env.checks.options import check_switch, is_one_of
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.rewards import MARGIN_WEIGHT
from kododo_env.rules_arguments import hashable
from kododo_env.system.json_text import parse_json
from kododo_env.wrappers.open_spiel.chance_nodes import dealer
from kododo_env.wrappers.open_spiel.position import Position
from kododo_env.wrappers.open_spiel.state import SpielObserver, SpielState

SHORT_NAME = "kododo_env"
PARAMETERS = {"game": "", "rules": "{}", "reward": "win"}
MOST_STEPS = 10_000  # an upper bound for any game
MOST_POINTS = float(1 << 16)  # scores are int16


def _score(game: BatchGame) -> Any:
    return game.scores[0]


def _margin(game: BatchGame) -> Any:
    points = game.scores[0].astype(np.float64)
    return points - (points.sum() - points) / (game.num_players - 1)


def _win(game: BatchGame) -> Any:
    over = game.terminated[0]
    return game.outcome()[0] - 1 / game.num_players if over else np.zeros(game.num_players)


def _margin_and_win(game: BatchGame) -> Any:
    return MARGIN_WEIGHT * _margin(game) + _win(game)


# As in core.rewards, but totals since the deal, in float64, so that zero-sum returns sum to 0.
RETURNS = {"score": _score, "margin": _margin, "win": _win, "margin+win": _margin_and_win}


class SpielGame(pyspiel.Game):
    """A game of this package as an OpenSpiel game.

    Args:
        params: ``"game"``, the game's name; ``"rules"``, its rules in the text form of ``as_text``;
            ``"reward"``, one of ``"win"``, ``"margin"``, ``"score"`` and ``"margin+win"``.

    Attributes:
        batch: A batch of one game, which is never stepped.
        dealer: The dealer of the chance nodes.
        root: The position in which new states begin; None to begin with the chance nodes.
        deal: A cached function from the outcomes of all chance nodes to the position after the
            deal.
        play: A cached function from a position and the players' actions to the next position.

    Raises:
        ValueError: There is no such game or reward, or the rules are invalid.
    """

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        parameters = {**PARAMETERS, **(params or {})}
        reward = parameters["reward"]
        if not is_one_of(reward, RETURNS):
            raise ValueError(f"unknown reward {quote(reward)}; choose from {', '.join(RETURNS)}")
        batch = registry.batch_game(parameters["game"], 1, 0, **from_text(parameters["rules"]))
        deals = dealer(batch)
        super().__init__(
            _type(batch.num_players, reward), _info(batch, len(deals.outcomes), reward), parameters
        )
        self.batch = batch
        self.dealer = deals
        self.root: Position | None = None
        self.deal = lru_cache(deals.remembered)(lambda dealt: Position(deals.deal(dealt)))
        self.play = lru_cache(deals.remembered)(Position.after)
        self._returns = RETURNS[reward]

    def returns_at(self, position: Position | None) -> list[float]:
        """Return the returns of each player so far; 0 before the deal."""
        if position is None:
            return [0.0] * self.batch.num_players
        return np.asarray(self._returns(position.game), np.float64).tolist()

    def max_chance_nodes_in_history(self) -> int:
        """Return the number of chance nodes, all of them at the beginning."""
        return self.dealer.nodes

    def new_initial_state(self, text: str | None = None) -> SpielState:
        """Return a state before the deal."""
        return SpielState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> SpielObserver:
        """Return an observer of all that a player sees, public and private together.

        Raises:
            ValueError: ``iig_obs_type`` is another kind of observer, or ``params`` is not empty.
        """
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        whole = kind.public_info and kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        if params or not whole:
            raise ValueError(
                f"{SHORT_NAME} supports only observers with public_info=True, "
                "private_info=SINGLE_PLAYER and no params"
            )
        return SpielObserver(kind.perfect_recall, self.batch)


def load_game(
    game: str, reward: str = "win", turn_based: bool = False, **rules: Any
) -> pyspiel.Game:
    """Load a game of this package for OpenSpiel.

    Args:
        game: The game's name in the registry.
        reward: What players maximise: ``"win"``, the win share minus 1 / P; ``"margin"``, points
            minus the mean of the other players' points; ``"score"``, points; ``"margin+win"``, 0.05
            times the margin plus ``"win"``. All but ``"score"`` are zero-sum.
        turn_based: Whether OpenSpiel's own transform lets the players choose one after another,
            without seeing each other's choices, as most of its algorithms require. False for
            simultaneous moves.
        **rules: The fields of the game's ``Rules``.

    Raises:
        ValueError: There is no such game, rule or reward, or the rules are invalid.
    """
    check_switch(turn_based, "turn_based")
    all_rules = registry.batch_game(game, 1, 0, **rules).rules
    text = as_text({name: getattr(all_rules, name) for name in rules})
    spiel_game = pyspiel.load_game(SHORT_NAME, {"game": game, "rules": text, "reward": reward})
    return pyspiel.convert_to_turn_based(spiel_game) if turn_based else spiel_game


def as_text(rules: Mapping[str, Any]) -> str:
    """Return rules as text for an OpenSpiel parameter: JSON with ";" in place of ",".

    A comma would end the parameter.
    """
    return json.dumps(rules, separators=(";", ":"))


def from_text(text: str) -> dict[str, Any]:
    """Parse the text of ``as_text``.

    Raises:
        ValueError: The text is not of this form.
    """
    try:
        rules = parse_json(text.replace(";", ",")).items()
    except (AttributeError, ValueError) as error:  # no object of JSON, or no JSON
        raise ValueError(f'rules must be like {{"num_players":2}}, not {quote(text)}') from error
    return {name: hashable(value) for name, value in rules}


def _type(players: int | None, reward: str) -> pyspiel.GameType:
    """Return the type of a game; None allows all numbers of players."""
    kind = pyspiel.GameType
    by_step = reward != "win"
    return pyspiel.GameType(
        short_name=SHORT_NAME,
        long_name="A card game of kododo-env",
        dynamics=kind.Dynamics.SIMULTANEOUS,
        chance_mode=kind.ChanceMode.EXPLICIT_STOCHASTIC,
        information=kind.Information.IMPERFECT_INFORMATION,
        utility=kind.Utility.GENERAL_SUM if reward == "score" else kind.Utility.ZERO_SUM,
        reward_model=kind.RewardModel.REWARDS if by_step else kind.RewardModel.TERMINAL,
        max_num_players=players or 10,
        min_num_players=players or 2,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=PARAMETERS,
        default_loadable=False,
        provides_factored_observation_string=False,
    )


def _info(batch: BatchGame, outcomes: int, reward: str) -> pyspiel.GameInfo:
    share = 1 / batch.num_players
    return pyspiel.GameInfo(
        num_distinct_actions=batch.num_actions,
        max_chance_outcomes=outcomes,
        num_players=batch.num_players,
        min_utility=-share if reward == "win" else -MOST_POINTS,
        max_utility=1 - share if reward == "win" else MOST_POINTS,
        utility_sum=None if reward == "score" else 0.0,
        max_game_length=MOST_STEPS,
    )


pyspiel.register_game(_type(None, PARAMETERS["reward"]), SpielGame)
