"""The icons by which a system shows the page when it has been installed: a card's back on felt."""

from __future__ import annotations

from kododo_env.rendering.pixels import png
from kododo_env.rendering.svg import FELT, Box, at, document, rectangle
from kododo_env.rendering.svg_cards import Blank, card

SIZES = (192, 512)  # pixels: those that browsers ask for
SIDE = 100


def icons() -> dict[str, bytes]:
    """The files by name. A system may cut them round: the card keeps to the middle."""
    inner = at(0, 0, 1, card(Blank.BACK, 30, 22, 40))
    drawn = document([rectangle(Box(0, 0, SIDE, SIDE), 0, FELT), inner], "card games", SIDE, SIDE)
    return {f"icon-{size}.png": png(drawn, size / SIDE) for size in SIZES}
