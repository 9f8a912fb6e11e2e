"""A learned player from one exported file; needs onnxruntime, not torch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.policy_metadata import KEY, PolicyMetadata, describe, differences
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.view import View


class OnnxAgent:
    """Plays what an exported policy says.

    The file is read as ONNX and as nothing else; no code comes with it.

    Args:
        path: The ``.onnx`` file.
        temperature: 0 plays the likeliest action, 1 draws from the policy's own
            distribution; None is what the file declares.
        threads: Threads of the runtime.

    Attributes:
        name: The file's name without its ending.
        metadata: What the file says of itself.
        game: The game's name.
        num_players: For how many players the policy is.

    Raises:
        ValueError: There is no such file, or it is no policy of this project.
    """

    def __init__(
        self, path: str | Path, temperature: float | None = None, threads: int = 1
    ) -> None:
        self.path = Path(path)
        self.name = self.path.stem
        self._session = _session(self.path, threads)
        self.metadata = _metadata(self.path, self._session)
        self.game = self.metadata.game
        self.num_players = self.metadata.num_players
        self.temperature = self.metadata.temperature if temperature is None else temperature
        if not 0 <= self.temperature < float("inf"):
            raise ValueError(f"temperature must be 0 or more, not {self.temperature}")
        self._inputs = {each.name: each.type for each in self._session.get_inputs()}
        self._fits: set[int] = set()

    def check(self, game: BatchGame) -> None:
        """Raise ValueError, saying what differs, unless the policy is for this game."""
        found = differences(self.metadata, describe(game))
        if found:
            raise ValueError(f"{self.path} cannot play this game: it is for {'; '.join(found)}")

    def act(self, view: View, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        """Choose actions, shape (N,).

        Raises:
            ValueError: The view is of another game than the policy is for.
        """
        if id(view.layout) not in self._fits:
            self.check(view.fresh(1, 0))
            self._fits = {id(view.layout)}
        logits, _ = self.evaluate(view.observation, view.legal_action_mask)
        if self.temperature == 0:
            return np.asarray(logits.argmax(axis=1))
        # The largest of logit plus Gumbel noise is a draw from the softmax of the logits.
        noise = rng.gumbel(size=logits.shape) * self.temperature
        return np.asarray((logits + noise).argmax(axis=1))

    def value(self, view: View) -> npt.NDArray[np.float32]:
        """What the rest of the game may be expected to bring the player, (N,).

        In units of the reward by which the policy was trained.
        """
        return self.evaluate(view.observation, view.legal_action_mask)[1]

    def probabilities(self, view: View) -> npt.NDArray[np.float32]:
        """The policy's own distribution, that of temperature 1, (N, A)."""
        from scipy.special import softmax  # who only plays does without scipy

        logits, _ = self.evaluate(view.observation, view.legal_action_mask)
        chances: npt.NDArray[np.float32] = softmax(logits, axis=1)
        return chances

    def evaluate(
        self, observation: npt.NDArray[Any], action_mask: npt.NDArray[Any]
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Masked logits (N, A) and values (N,) of observations (N, F) and masks (N, A)."""
        dtype = np.uint16 if "uint16" in self._inputs["observation"] else np.uint8
        logits, values = self._session.run(
            ["logits", "value"],
            {
                "observation": np.ascontiguousarray(observation, dtype),
                "action_mask": np.ascontiguousarray(action_mask, np.int8),
            },
        )
        return logits, values


def _session(path: Path, threads: int) -> Any:
    try:
        import onnxruntime
    except ImportError as error:
        raise ImportError(
            "policy files need onnxruntime: pip install onnxruntime (or 'kododo-env[train]')"
        ) from error
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ValueError(f"cannot read policy file {path}: {error.strerror}") from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    try:
        # From bytes, so that a file cannot make the runtime open others beside it.
        return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # the runtime has no common class for what a bad file raises
        raise ValueError(f"{path} is not an ONNX file, or it is damaged") from error


def _metadata(path: Path, session: Any) -> PolicyMetadata:
    """What the file says of itself, checked against the inputs and outputs that it has."""
    found = session.get_modelmeta().custom_metadata_map
    if KEY not in found:
        raise ValueError(f"{path} is an ONNX file, but not a policy exported by this project")
    try:
        metadata = PolicyMetadata.from_json(found[KEY])
    except ValueError as error:
        raise ValueError(f"{path} is not a policy that can be played: {error}") from error
    inputs = sorted(each.name for each in session.get_inputs())
    outputs = sorted(each.name for each in session.get_outputs())
    if inputs != ["action_mask", "observation"] or outputs != ["logits", "value"]:
        raise ValueError(f"{path} has other inputs or outputs than a policy: {inputs}, {outputs}")
    return metadata
