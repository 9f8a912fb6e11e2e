"""The metadata of an exported policy."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any

from kododo_env.checks.numbers import is_whole, quote
from kododo_env.core.batch_game import BatchGame
from kododo_env.policy.plain_text import plain
from kododo_env.policy.policy_schema import checked
from kododo_env.system.json_text import parse_json

FORMAT = 1
KEY = "kododo_env"  # the key in the metadata of the ONNX file
MOST_CHARACTERS = 1 << 18  # of the metadata; shipped policies have some thousands


@dataclass(frozen=True)
class PolicyMetadata:
    """The metadata of a policy file.

    Attributes:
        game: The game's name.
        version: The game's version.
        num_players: The number of players.
        rules: All fields of the game's rules.
        layout: Fingerprint of the observation layout.
        pieces: The pieces of the layout, each as name, shape and maximum.
        actions: The description of each action.
        network: The arguments of ``kododo_env.networks.network.GameNetwork`` apart from the
            layouts, by name. Training cannot continue from a file where it is empty.
        temperature: The playing temperature; 0 chooses the action with the highest logit.
        training: How the policy was trained.
        results: How the policy was evaluated, by opponent.
        format: Version of this metadata.
    """

    game: str
    version: int
    num_players: int
    rules: dict[str, Any]
    layout: str
    pieces: list[list[Any]]
    actions: list[str]
    network: dict[str, Any] = field(default_factory=dict)
    temperature: float = 0.0
    training: dict[str, Any] = field(default_factory=dict)
    results: dict[str, Any] = field(default_factory=dict)
    format: int = FORMAT

    def to_json(self) -> str:
        """Serialize the metadata as JSON.

        Raises:
            ValueError: A field is not JSON-serializable, or ``from_json`` would reject it.
        """
        try:
            text = json.dumps(asdict(self), sort_keys=True)
        except TypeError as error:  # for example a numpy scalar
            raise ValueError(
                f"the metadata are not JSON ({plain(error, 80)}): use strings, lists, dictionaries "
                "with string keys, and Python numbers"
            ) from error
        PolicyMetadata.from_json(text)
        return text

    @staticmethod
    def from_json(text: str) -> PolicyMetadata:
        """Read metadata from JSON.

        Raises:
            ValueError: The text is not valid metadata, or has another format.
        """
        if len(text) > MOST_CHARACTERS:
            raise ValueError(f"the metadata have more than {MOST_CHARACTERS:,} characters")
        try:
            content = parse_json(text)
        except ValueError as error:
            raise ValueError(f"the metadata cannot be read ({plain(error, 80)})") from error
        if not isinstance(content, dict) or "format" not in content:
            raise ValueError("the metadata lack the field format")
        file_format = content.pop("format")
        if not is_whole(file_format) or file_format != FORMAT:
            raise ValueError(f"expected metadata format {FORMAT}, got {quote(file_format)}")
        return PolicyMetadata(**checked(content))


def describe(game: BatchGame) -> PolicyMetadata:
    """Return the part of the metadata that describes a game."""
    return PolicyMetadata(
        game=game.name,
        version=game.version,
        num_players=game.num_players,
        rules=json.loads(json.dumps(asdict(game.rules), default=list)),
        layout=game.layout.fingerprint(),
        pieces=[[piece.name, list(piece.shape), piece.maximum] for piece in game.layout.pieces],
        actions=[game.actions.describe(action) for action in range(game.num_actions)],
    )


def differences(policy: PolicyMetadata, game: PolicyMetadata) -> list[str]:
    """Return a message for each difference between a policy's game and the game to play."""
    named = (
        ("game {}", policy.game, game.game),
        ("version {}", policy.version, game.version),
        ("{} players", policy.num_players, game.num_players),
    )
    messages = [
        f"{form.format(plain(policy_fact, 60))}, not {game_fact}"
        for form, policy_fact, game_fact in named
        if policy_fact != game_fact
    ]
    if messages:
        return messages
    for name in sorted({*policy.rules, *game.rules}):
        policy_fact = policy.rules.get(name)
        game_fact = game.rules.get(name)
        if policy_fact != game_fact:
            messages.append(
                f"rule {plain(name, 60)} {plain(policy_fact, 60)}, not {plain(game_fact, 60)}"
            )
    if not messages and policy.layout != game.layout:
        messages.append(f"observation layout {plain(policy.layout, 60)}, not {game.layout}")
    return messages
