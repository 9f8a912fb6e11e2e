"""The icons of the installed page: the back of a card on felt."""

from __future__ import annotations

from kododo_env.rendering.pixels import png
from kododo_env.rendering.svg import FELT, Box, at, document, rectangle
from kododo_env.rendering.svg_cards import Blank, card

SIZES = (192, 512)  # pixels, as browsers require
SIDE = 100


def icons() -> dict[str, bytes]:
    """Return the files by name. The card stays in the middle, because systems may crop icons."""
    inner = at(0, 0, 1, card(Blank.BACK, 30, 22, 40))
    drawn = document([rectangle(Box(0, 0, SIDE, SIDE), 0, FELT), inner], "card games", SIDE, SIDE)
    return {f"icon-{size}.png": png(drawn, size / SIDE) for size in SIZES}
