"""The options of a PettingZoo environment, which all environment modules share."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from inspect import Parameter
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar

from kododo_env.checks.options import check_options

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

    from kododo_env.core.batch_game import BatchGame
    from kododo_env.core.rewards import Reward, RewardName
    from kododo_env.wrappers.aec import AECGame
    from kododo_env.wrappers.argument_checks import OnIllegal
    from kododo_env.wrappers.base import RenderMode
    from kododo_env.wrappers.opponents import Opponent
    from kododo_env.wrappers.parallel import ParallelGame
    from kododo_env.wrappers.spaces import MaskPlace


Function = TypeVar("Function", bound=Callable[..., Any])
ARGUMENT = re.compile(r"^    (\w+): .*(?:\n {8}.*)*", re.MULTILINE)
FURTHER_ARGUMENTS = re.compile(r"^    \*\*\w+: .*(?:\n {8}.*)*", re.MULTILINE)


class TableOptions(TypedDict, total=False):
    """The options of ``parallel_env`` and ``env``, in addition to the rules of the game.

    Each is a keyword argument of ``kododo_env.wrappers.pettingzoo_table.PettingZooTable``.

    Args:
        reward: ``"score"``, ``"margin"``, ``"win"``, ``"margin+win"``, or a function of the game
            to an array (1, P); see ``kododo_env.core.rewards``.
        render_mode: None, ``"human"``, ``"ansi"`` or ``"rgb_array"``.
        illegal_action: ``"raise"``, or ``"random"`` to play a random legal action instead.
        observation_dtype: A dtype such as ``"float32"``; None for the smallest unsigned integers
            that hold all numbers.
        normalize: Whether to divide each number by its maximum, so that it is 0 to 1.
        action_mask: The place of the action mask: ``"observation"``, ``"info"`` or ``"both"``;
            ``"rllib"`` puts it into the observation, with RLlib's key names.
        opponents: The agents, or their names such as ``"heuristic"``, in some of the seats. A
            sequence has an agent or None for each seat; a single agent takes all seats but the
            first. An ``OpponentPool`` in place of an agent draws an opponent for each game.
        record: A folder for the records of all episodes that are played to their end.
        max_cycles: The number of joint steps after which an episode is truncated; None or -1 is
            no limit.
        canonical: Whether observations, masks and actions are in canonical form, which is the
            same for all positions that are equivalent by the game's symmetry.
        padded: Whether observations, masks and actions have the size needed for the largest
            number of players, so that one policy can play with any number.
    """

    reward: RewardName | Reward
    render_mode: RenderMode | None
    illegal_action: OnIllegal
    observation_dtype: npt.DTypeLike | None
    normalize: bool
    action_mask: MaskPlace
    opponents: Opponent | Sequence[Opponent | None] | None
    record: str | Path | None
    max_cycles: int | None
    canonical: bool
    padded: bool


TABLE_DEFAULTS: dict[str, Any] = {
    **dict.fromkeys(TableOptions.__annotations__),
    "reward": "score",
    "illegal_action": "raise",
    "normalize": False,
    "action_mask": "both",
    "canonical": False,
    "padded": False,
}
"""The defaults of ``PettingZooTable``, repeated here so that PettingZoo is not imported."""


def show_options(options: type[Any], rules: type[Any]) -> Callable[[Function], Function]:
    """Return a decorator that makes ``help`` list the options that a function accepts by ``**``.

    It adds their types and defaults to the signature, and their descriptions to the docstring.

    Args:
        options: The ``TypedDict`` of the options.
        rules: The game's ``Rules``.
    """
    defaults = TABLE_DEFAULTS | {field.name: field.default for field in fields(rules)}
    meanings = _meanings(rules) | _meanings(TableOptions)

    def decorate(function: Function) -> Function:
        signature = inspect.signature(function)
        *parameters, _ = signature.parameters.values()
        further = [name for name in options.__annotations__ if name not in signature.parameters]
        for name in further:
            annotation = options.__annotations__[name].__forward_arg__
            parameters.append(
                Parameter(
                    name, Parameter.KEYWORD_ONLY, default=defaults[name], annotation=annotation
                )
            )
        function.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        if function.__doc__:  # python -OO removes docstrings
            listed = "\n".join(meanings[name] for name in further if name in meanings)
            text = inspect.cleandoc(function.__doc__)
            function.__doc__ = FURTHER_ARGUMENTS.sub(lambda _: listed, text)
        return function

    return decorate


def _meanings(documented: type[Any]) -> dict[str, str]:
    """Return the lines that describe each argument in a docstring."""
    _, _, section = inspect.cleandoc(documented.__doc__ or "").partition("\nArgs:\n")
    entries = ARGUMENT.finditer(section.partition("\n\n")[0])
    return {entry[1]: entry[0] for entry in entries}


def parallel_game(
    batch_game: Callable[..., BatchGame], rules: type[Any], options: Mapping[str, Any]
) -> ParallelGame:
    """Create a ParallelEnv from a game's ``batch_game``, its ``Rules`` and all options."""
    from kododo_env.wrappers.parallel import ParallelGame  # not needed by batch games

    table_options, rule_options = _split_options(rules, options)
    return ParallelGame(batch_game(1, **rule_options), **table_options)


def aec_game(
    batch_game: Callable[..., BatchGame], rules: type[Any], options: Mapping[str, Any]
) -> AECGame:
    """Create an AECEnv from a game's ``batch_game``, its ``Rules`` and all options."""
    from kododo_env.wrappers.aec import AECGame  # as above

    table_options, rule_options = _split_options(rules, options)
    return AECGame(batch_game(1, **rule_options), **table_options)


def _split_options(
    rules: type[Any], options: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Split options into those of the wrapper and the fields of the rules."""
    check_options(options, rules, TableOptions)
    names = TableOptions.__annotations__
    table_options = {name: options[name] for name in options if name in names}
    rule_options = {name: options[name] for name in options if name not in names}
    return table_options, rule_options
