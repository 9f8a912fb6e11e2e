"""The part that the doors of all games share: the options of a PettingZoo environment."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from inspect import Parameter
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar

from kododo_env.core.options import check_options

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

    from kododo_env.core.batch_game import BatchGame
    from kododo_env.core.rewards import Reward, RewardName
    from kododo_env.wrappers.aec import AECGame
    from kododo_env.wrappers.choices import OnIllegal
    from kododo_env.wrappers.drawing import RenderMode
    from kododo_env.wrappers.opponents import Opponent
    from kododo_env.wrappers.parallel import ParallelGame
    from kododo_env.wrappers.spaces import MaskPlace


Function = TypeVar("Function", bound=Callable[..., Any])
ARGUMENT = re.compile(r"^    (\w+): .*(?:\n {8}.*)*", re.MULTILINE)
FURTHER_ARGUMENTS = re.compile(r"^    \*\*\w+: .*(?:\n {8}.*)*", re.MULTILINE)


class TableOptions(TypedDict, total=False):
    """The options of ``parallel_env`` and ``env``, beside the rules of the game.

    Each is a keyword argument of ``kododo_env.wrappers.pettingzoo_table.PettingZooTable``.

    Args:
        reward: ``"score"``, ``"margin"``, ``"win"``, ``"margin+win"``, or a function of the game
            to an array (1, P); see ``kododo_env.core.rewards``.
        render_mode: None, ``"human"``, ``"ansi"`` or ``"rgb_array"``.
        illegal_action: ``"raise"``, or ``"random"`` to play a legal one instead.
        observation_dtype: None for small integers, or another such as ``"float32"``.
        normalize: Whether each number is divided by its maximum, so that it is 0 to 1.
        action_mask: Where the mask is: ``"observation"``, ``"info"`` or ``"both"``; with
            ``"rllib"`` in the observation, under RLlib's names.
        opponents: Agents or their names, such as ``"heuristic"``, that have some of the seats:
            for each seat one or None; one alone has all seats but the first. An ``OpponentPool``
            in place of an agent draws one for each game.
        record: A folder that gets the record of each episode that is played to its end.
        max_cycles: After how many joint steps an episode is truncated; None or -1: never.
        canonical: Whether observations, masks and actions have canonical form: the same for all
            positions that the game's symmetry makes equivalent.
        padded: Whether observations, masks and actions have the size of the game's largest table,
            so that one policy can play with any number of players.
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
"""Those of ``PettingZooTable``, which needs a library that is imported only when it is used."""


def show_options(options: type[Any], rules: type[Any]) -> Callable[[Function], Function]:
    """Let ``help`` list the options that a function takes by ``**``, in place of the two stars.

    The signature gets their types and defaults, and the docstring their meanings.

    Args:
        options: The ``TypedDict`` that names them.
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
        if function.__doc__:  # Python's -OO leaves docstrings out
            listed = "\n".join(meanings[name] for name in further if name in meanings)
            text = inspect.cleandoc(function.__doc__)
            function.__doc__ = FURTHER_ARGUMENTS.sub(lambda _: listed, text)
        return function

    return decorate


def _meanings(documented: type[Any]) -> dict[str, str]:
    """The lines that explain each argument in a docstring."""
    _, _, section = inspect.cleandoc(documented.__doc__ or "").partition("\nArgs:\n")
    entries = ARGUMENT.finditer(section.partition("\n\n")[0])
    return {entry[1]: entry[0] for entry in entries}


def parallel_game(
    batch_game: Callable[..., BatchGame], rules: type[Any], options: Mapping[str, Any]
) -> ParallelGame:
    """The ``parallel_env`` of a door: from its ``batch_game``, ``Rules``, and all options."""
    from kododo_env.wrappers.parallel import ParallelGame  # the batch does without PettingZoo

    table, given = _apart(rules, options)
    return ParallelGame(batch_game(1, **given), **table)


def aec_game(
    batch_game: Callable[..., BatchGame], rules: type[Any], options: Mapping[str, Any]
) -> AECGame:
    """The ``env`` of a door; see ``parallel_game``."""
    from kododo_env.wrappers.aec import AECGame  # as above

    table, given = _apart(rules, options)
    return AECGame(batch_game(1, **given), **table)


def _apart(rules: type[Any], options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The options of the wrapper, and the fields of the rules."""
    check_options(options, rules, TableOptions)
    names = TableOptions.__annotations__
    table = {name: value for name, value in options.items() if name in names}
    return table, {name: value for name, value in options.items() if name not in names}
