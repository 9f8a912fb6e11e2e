"""The part that the doors of all games share: the options of a PettingZoo environment."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict

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


class TableOptions(TypedDict, total=False):
    """The options of ``parallel_env`` and ``env``, beside the rules of the game.

    Each is a keyword argument of ``kododo_env.wrappers.pettingzoo_table.PettingZooTable``.

    Args:
        reward: ``"score"``, ``"margin"``, ``"win"``, or a function of the game to an array
            (1, P); see ``kododo_env.core.rewards``.
        render_mode: None, ``"human"``, ``"ansi"`` or ``"rgb_array"``.
        illegal_action: ``"raise"``, or ``"random"`` to play a legal one instead.
        observation_dtype: None for small integers, or another such as ``"float32"``.
        normalize: Whether each number is divided by its maximum, so that it is 0 to 1.
        action_mask: Where the mask is: ``"observation"``, ``"info"`` or ``"both"``; with
            ``"rllib"`` in the observation, under RLlib's names.
        opponents: Agents or their names, such as ``"heuristic"``, that have some of the seats:
            for each seat one or None; one alone has all seats but the first.
        record: A folder into which the record of each episode is written.
    """

    reward: RewardName | Reward
    render_mode: RenderMode | None
    illegal_action: OnIllegal
    observation_dtype: npt.DTypeLike | None
    normalize: bool
    action_mask: MaskPlace
    opponents: Opponent | Sequence[Opponent | None] | None
    record: str | Path | None


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
