"""Playing any PettingZoo ParallelEnv at random, so that all follows from one seed."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from kododo_env.testing.games.playing import stir
from kododo_env.testing.report import Fault

LONGEST_EPISODE = 10_000

Actions = dict[Any, Any]
Make = Callable[[], Any]
Reset = dict[str, Any]


class Run:
    """An environment in the middle of an episode; the seed is of the actions.

    Attributes:
        seen: All that ``reset`` and every ``step`` have returned.
    """

    def __init__(self, env: Any, reset: Reset, seed: int = 0) -> None:
        self.env = env
        self.seen: list[tuple[Any, ...]] = [env.reset(**reset)]
        self._rng = np.random.default_rng(seed)
        # Copies, so that the environment's own spaces are not touched.
        self._spaces = {name: copy.deepcopy(env.action_space(name)) for name in env.possible_agents}
        for space in self._spaces.values():
            space.seed(seed)

    def turns(self) -> Iterator[Actions]:
        """Legal actions of all agents for every step until the end; the caller steps."""
        for _ in range(LONGEST_EPISODE):
            if not self.env.agents:
                return
            yield {name: self._choose(name) for name in self.env.agents}
        raise Fault(f"after {LONGEST_EPISODE} steps of random play there are still agents")

    def step(self, actions: Actions, what: str = "") -> None:
        """Play the actions, which are legal.

        Raises:
            Fault: The environment raises; ``what`` says in which circumstances.
        """
        try:
            self.seen.append(self.env.step(actions))
        except Exception as error:
            when = what or f"after step {len(self.seen) - 1}"
            message = f"{when} legal actions are refused: {type(error).__name__}: {error}"
            raise Fault(message) from error

    def play(self) -> list[Actions]:
        """Play on to the end: what was chosen."""
        played = []
        for actions in self.turns():
            stir(len(self.seen))
            self.step(actions)
            played.append(actions)
        return played

    def masks(self, name: Any) -> list[Any]:
        """The masks that an agent was told last: in the observation, in the info, in both."""
        told = (self.seen[-1][0].get(name), self.seen[-1][-1].get(name))
        return [each["action_mask"] for each in told if _has_mask(each)]

    def truncated(self) -> list[Any]:
        """The agents whose episode was truncated in the last step, before its own end."""
        _, _, terminations, truncations, _ = self.seen[-1]
        return [name for name, cut in truncations.items() if cut and not terminations[name]]

    def _choose(self, name: Any) -> Any:
        masks = self.masks(name)
        if not masks:
            return self._spaces[name].sample()
        if not np.any(masks[0]):
            raise Fault(f"after step {len(self.seen) - 1} the mask of {name} allows nothing")
        return int(self._rng.choice(np.flatnonzero(masks[0])))


def _has_mask(told: Any) -> bool:
    return isinstance(told, dict) and "action_mask" in told


def in_words(reset: Reset) -> str:
    """A call of ``reset``, for messages."""
    text = ", ".join(f"{name}={' '.join(repr(value).split())}" for name, value in reset.items())
    return f"reset({text if len(text) <= 60 else f'{text[:60]}…'})"
