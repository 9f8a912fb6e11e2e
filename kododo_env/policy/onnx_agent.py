"""An agent that plays a policy file, with onnxruntime or numpy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from kododo_env.arrays.dtypes import Array, Float32, Float64, Int64
from kododo_env.arrays.underflow import underflow_is_zero
from kododo_env.checks.numbers import finite_number, whole_number
from kododo_env.core.agent import Agent, choice_by_logits
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.view import View, game_of
from kododo_env.policy.metadata import describe, differences
from kododo_env.policy.onnx_validation import answers_of, fed, open_session
from kododo_env.policy.plain_text import plain
from kododo_env.policy.policy_file import read_policy
from kododo_env.policy.policy_schema import HOTTEST
from kododo_env.system.cores import available_cores

ROWS = 512  # positions at a time, so that their computation fits into caches


class OnnxAgent(Agent):
    """An agent that plays an exported policy.

    The file is read as ONNX only and contains no code. ``docs/policy-files.md`` explains how it is
    checked, and the remaining risks of files from others.

    Args:
        path: The ``.onnx`` file.
        temperature: 0 plays the most probable action (ties by ``first_of_best``); 1 samples from
            the policy's distribution; None means the temperature of the file.
        threads: Threads of the runtime; 0 means one per core. numpy uses the threads of its BLAS.

    Attributes:
        name: The file's name without its suffix.
        metadata: The metadata of the file.
        game: The game's name.
        num_players: The number of players.
        outcome_weights: The weights of this policy's ``OutcomeModel``, (S, 3) for S steps. Shipped
            policies have them; None means that they must be fitted.
        by_row: True: the agent can act for several seats at once; see ``RowAgent``.

    If the file has no value output, ``value`` is None and the agent is not a ``ValueAgent``.

    Raises:
        ValueError: The file cannot be read, or is not a policy file of this project.
    """

    by_row = True
    outcome_weights: Float64 | None = None

    def __init__(
        self, path: str | Path, temperature: float | None = None, threads: int = 1
    ) -> None:
        self.path = Path(path)
        threads = whole_number(threads, "threads", 0) or available_cores()
        self.name = plain(self.path.stem)
        file = read_policy(self.path)
        self.metadata = file.metadata
        try:
            self._session = open_session(file.content, self.metadata, threads)
        except ValueError as error:
            raise self._wrong(error) from error
        if len(self._session.outputs) == 1:  # so that ``isinstance(agent, ValueAgent)`` is False
            self.value = None  # type: ignore[assignment, method-assign]
        self.game = self.metadata.game
        self.num_players = self.metadata.num_players
        playing_temperature = self.metadata.temperature if temperature is None else temperature
        self.temperature = finite_number(playing_temperature, "temperature", 0, HOTTEST)
        self._fits: tuple[Any, ...] = ()  # the last game that passed ``check``

    def check(self, game: BatchGame) -> None:
        """Raise ValueError, with the differences, if the policy is for another game."""
        messages = differences(self.metadata, describe(game))
        if messages:
            path = plain(self.path)
            reason = plain("; ".join(messages), 700)
            raise ValueError(f"{path} cannot play this game: it is for {reason}")

    def act(self, view: View, rng: np.random.Generator) -> Int64:
        """Choose actions, int64 of shape (N,).

        Raises:
            ValueError: The view is of another game, or the network outputs NaN or infinity.
        """
        logits, _ = self._of_own_game(view)
        return choice_by_logits(logits, self.temperature, rng)

    def value(self, view: View) -> Float32:
        """Return the player's expected reward in the rest of the game, float32 (N,).

        The unit is that of the rewards in training.
        """
        return self._of_own_game(view)[1]

    @underflow_is_zero
    def probabilities(self, view: View) -> Float32:
        """Return the policy's action probabilities at temperature 1, float32 (N, A)."""
        logits, _ = self._of_own_game(view)
        exponentials = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(exponentials / exponentials.sum(axis=1, keepdims=True))

    def _of_own_game(self, view: View) -> tuple[Float32, Float32]:
        """Return logits and values for a view; raise ValueError if it is of another game."""
        # The objects, not their ids, which may be reused when the objects are gone.
        game = (view.game_name, view.game_version, view.num_players, view.rules, view.layout)
        if game != self._fits:
            self.check(game_of(view))
            self._fits = game
        return self.evaluate(view.observation, view.legal_action_mask)

    def evaluate(self, observation: Array, action_mask: Array) -> tuple[Float32, Float32]:
        """Compute masked logits and values.

        Args:
            observation: Observations of the game, (N, F), of any dtype, not normalised.
            action_mask: Masks of legal actions, (N, A).

        Returns:
            Masked logits (N, A) and values (N,), both float32. Values are NaN if the file has no
            value output.

        Raises:
            ValueError: Observations are normalised, the graph fails, or the network outputs NaN or
                infinity.
        """
        number = len(action_mask)
        if number <= ROWS:
            return self._answers(observation, action_mask)
        blocks = [slice(start, start + ROWS) for start in range(0, number, ROWS)]
        answers = [self._answers(observation[block], action_mask[block]) for block in blocks]
        logits, values = zip(*answers, strict=True)
        return np.concatenate(logits), np.concatenate(values)

    def _answers(self, observation: Array, action_mask: Array) -> tuple[Float32, Float32]:
        """Evaluate at most ``ROWS`` positions."""
        feed = fed(self._session, observation, action_mask)
        try:
            logits, *values = answers_of(self._session, feed)
        except ValueError as error:
            raise self._wrong(error) from error
        return logits, values[0] if values else np.full(len(logits), np.nan, np.float32)

    def _wrong(self, error: ValueError) -> ValueError:
        return ValueError(f"{plain(self.path)} cannot be played: {error}")
