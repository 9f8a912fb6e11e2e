"""Our games in OpenSpiel: one game there, ``kododo_env``, with ours and its rules as parameters."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import pyspiel

from kododo_env import registry
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.json_text import read_json
from kododo_env.core.numbers import shown
from kododo_env.core.options import is_one_of
from kododo_env.core.rewards import MARGIN_WEIGHT
from kododo_env.rules_arguments import hashable
from kododo_env.wrappers.open_spiel.dealing import dealer
from kododo_env.wrappers.open_spiel.position import Position
from kododo_env.wrappers.open_spiel.state import SpielObserver, SpielState

SHORT_NAME = "kododo_env"
PARAMETERS = {"game": "", "rules": "{}", "reward": "win"}
MOST_STEPS = 10_000  # of any game; how long one takes is not known before
MOST_POINTS = float(1 << 16)  # scores are of int16


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


# As in core.rewards, but since the deal, and so exactly that they add up to 0.
RETURNS = {"score": _score, "margin": _margin, "win": _win, "margin+win": _margin_and_win}


class SpielGame(pyspiel.Game):
    """Our game as OpenSpiel knows games; all its states come from it.

    Args:
        params: ``game``, our name of it; ``rules``, further rules as text (``as_text``);
            ``reward``, ``"win"``, ``"margin"``, ``"score"`` or ``"margin+win"``.

    Attributes:
        batch: A batch of one, which is never stepped.
        dealer: The dealer, for chance.
        root: Where new states begin; None for the chance nodes.
        deal: The position after the outcomes of all chance nodes.
        play: The position after a step from another one. Both remember what they have given.

    Raises:
        ValueError: There is no such game or reward, or the rules cannot be played.
    """

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        parameters = {**PARAMETERS, **(params or {})}
        reward = parameters["reward"]
        if not is_one_of(reward, RETURNS):
            raise ValueError(f"unknown reward {shown(reward)}; choose one of {', '.join(RETURNS)}")
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
        """The gains of each player so far; before the deal nothing."""
        if position is None:
            return [0.0] * self.batch.num_players
        returns: list[float] = self._returns(position.game).tolist()
        return [float(number) for number in returns]

    def max_chance_nodes_in_history(self) -> int:
        """Chance nodes of a game, all of them at its beginning."""
        return self.dealer.nodes

    def new_initial_state(self, text: str | None = None) -> SpielState:
        """A state before the deal."""
        return SpielState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> SpielObserver:
        """An observer of all that a player sees, public and private together.

        Raises:
            ValueError: Something else was asked for.
        """
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        whole = kind.public_info and kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        if params or not whole:
            raise ValueError(f"{SHORT_NAME} shows all that one player sees, and nothing else")
        return SpielObserver(kind.perfect_recall, self.batch)


def load_game(
    game: str, reward: str = "win", turn_based: bool = False, **rules: Any
) -> pyspiel.Game:
    """One of our games for OpenSpiel.

    Args:
        game: Its name in the registry.
        reward: The aim of players: ``"win"``, at the end the share of the victory minus
            1 / P; ``"margin"``, points minus the mean of the others'; ``"score"``, points;
            ``"margin+win"``, .05 of the margin and the first. All but points are of sum zero.
        turn_based: Whether players choose one after the other without seeing it, by
            OpenSpiel's own transform, as most of its algorithms need it; else at once.
        **rules: The fields of the game's ``Rules``.

    Raises:
        ValueError: There is no such game, rule or reward, or the rules cannot be played.
    """
    if not isinstance(turn_based, bool):
        raise ValueError(f"turn_based must be True or False, not {shown(turn_based)}")
    all_rules = registry.batch_game(game, 1, 0, **rules).rules
    text = as_text({name: getattr(all_rules, name) for name in rules})
    spiel_game = pyspiel.load_game(SHORT_NAME, {"game": game, "rules": text, "reward": reward})
    return pyspiel.convert_to_turn_based(spiel_game) if turn_based else spiel_game


def as_text(rules: Mapping[str, Any]) -> str:
    """Rules as a parameter of OpenSpiel: JSON, with ; for its comma, which ends a parameter."""
    return json.dumps(rules, separators=(";", ":"))


def from_text(text: str) -> dict[str, Any]:
    """The rules again.

    Raises:
        ValueError: They are not of this form.
    """
    try:
        rules = read_json(text.replace(";", ","))
    except ValueError as error:
        raise ValueError(f'rules must be like {{"num_players":2}}, not {shown(text)}') from error
    if not isinstance(rules, dict):
        raise ValueError(f'rules must be like {{"num_players":2}}, not {shown(text)}')
    return {name: hashable(value) for name, value in rules.items()}


def _type(players: int | None, reward: str) -> pyspiel.GameType:
    """The kind of game; None stands for all numbers of players."""
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
