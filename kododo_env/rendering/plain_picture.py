"""The pictures of a game that has none of its own.

The module ``text.picture`` beside a game's class replaces these functions.
"""

from __future__ import annotations

from collections.abc import Sequence

from kododo_env.core.batch_game import BatchGame
from kododo_env.rendering.scene import Scene, SceneSeat
from kododo_env.rendering.svg import label, picture

LINE = 22
"""The distance of two lines of text, in units of the picture."""


def text(game: BatchGame, index: int, player: int | None, names: Sequence[str]) -> str:
    """Return the step, the points, and what the player has observed, or all players."""
    lines = [f"{game.name}: step {game.steps_played}"]
    lines += [f"{name}: {game.scores[index, seat]}" for seat, name in enumerate(names)]
    for seat in range(game.num_players) if player is None else [player]:
        lines += ["", f"{names[seat]} knows"]
        for name, piece in game.view(seat).pieces.items():
            lines.append(f"  {name}: {piece[index].tolist()}")
    return "\n".join(lines) + "\n"


def scene(game: BatchGame, index: int, player: int | None, names: Sequence[str]) -> Scene:
    """Return the seats with their points, without cards."""
    return Scene(
        [
            SceneSeat.of(game, index, seat, player, name, (), gained=game.rewards[index, seat])
            for seat, name in enumerate(names)
        ]
    )


def svg(game: BatchGame, index: int, player: int | None, names: Sequence[str]) -> str:
    """Return the text as a picture."""
    lines = text(game, index, player, names).splitlines()
    pieces = [label(line, 16, LINE * row, 14) for row, line in enumerate(lines, 1)]
    return picture(pieces, lines[0])
