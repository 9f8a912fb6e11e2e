"""Play episodes of any PettingZoo ParallelEnv with seeded random actions."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from kododo_env.testing.games.subject import stir
from kododo_env.testing.report import Fault

LONGEST_EPISODE = 10_000

Actions = dict[Any, Any]
Make = Callable[[], Any]
Reset = dict[str, Any]


class RunningEpisode:
    """An episode in progress.

    Args:
        env: The environment, which is reset.
        reset: The keyword arguments of ``reset``.
        seed: The seed of the random actions.

    Attributes:
        env: The environment.
        returns: The tuples that ``reset`` and each ``step`` have returned.
    """

    def __init__(self, env: Any, reset: Reset, seed: int = 0) -> None:
        self.env = env
        self.returns: list[tuple[Any, ...]] = [env.reset(**reset)]
        self._rng = np.random.default_rng(seed)
        # The spaces are copied, so that those of the environment are not seeded.
        self._spaces = {name: copy.deepcopy(env.action_space(name)) for name in env.possible_agents}
        for space in self._spaces.values():
            space.seed(seed)

    def turns(self) -> Iterator[Actions]:
        """Yield random legal actions of all agents until the end; call ``step`` after each.

        Raises:
            Fault: The episode does not end, or a mask allows no action.
        """
        for _ in range(LONGEST_EPISODE):
            if not self.env.agents:
                return
            yield {name: self._choose(name) for name in self.env.agents}
        raise Fault(f"the episode has not ended after {LONGEST_EPISODE} steps of random play")

    def step(self, actions: Actions, context: str = "") -> None:
        """Step the environment with legal actions, and add the result to ``returns``.

        Args:
            actions: The actions of all agents.
            context: The beginning of the message of a Fault; by default the step.

        Raises:
            Fault: The environment raises an error.
        """
        try:
            self.returns.append(self.env.step(actions))
        except Exception as error:
            when = context or f"after step {len(self.returns) - 1}"
            message = f"{when} step() rejects legal actions: {type(error).__name__}: {error}"
            raise Fault(message) from error

    def play(self) -> list[Actions]:
        """Play at random to the end and return the actions of each step."""
        played = []
        for actions in self.turns():
            stir(len(self.returns))
            self.step(actions)
            played.append(actions)
        return played

    def masks(self, name: Any) -> list[Any]:
        """Return an agent's current masks, from its observation and its info, if there are any."""
        sources = (self.returns[-1][0].get(name), self.returns[-1][-1].get(name))
        return [
            source["action_mask"]
            for source in sources
            if isinstance(source, dict) and "action_mask" in source
        ]

    def truncated(self) -> list[Any]:
        """Return the agents that the last step truncated but did not terminate."""
        _, _, terminations, truncations, _ = self.returns[-1]
        return [name for name, cut in truncations.items() if cut and not terminations[name]]

    def _choose(self, name: Any) -> Any:
        masks = self.masks(name)
        if not masks:
            return self._spaces[name].sample()
        if not np.any(masks[0]):
            raise Fault(f"after step {len(self.returns) - 1} the mask of {name} allows no action")
        return int(self._rng.choice(np.flatnonzero(masks[0])))


def in_words(reset: Reset) -> str:
    """Return a call of ``reset`` as text, for messages."""
    arguments = [f"{name}={' '.join(repr(reset[name]).split())}" for name in reset]
    text = ", ".join(arguments)
    return f"reset({text if len(text) <= 60 else f'{text[:60]}…'})"
