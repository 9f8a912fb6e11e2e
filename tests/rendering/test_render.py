"""Tables as text and pictures: visible and hidden content, and pixels."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from kododo_env.games.kododo import KododoGame, Rules
from kododo_env.registry import picture_of
from kododo_env.rendering import pixels as pixels_module
from kododo_env.rendering.languages import say, speaking
from kododo_env.rendering.pixels import RenderingUnavailable, pixels, png
from kododo_env.rendering.svg import GOLD, PAPER, label, picture
from kododo_env.rendering.svg_cards import PALETTE, Card, Suit, card, suits
from kododo_env.rendering.svg_table import seats
from kododo_env.table.rules_page import sections
from tests.game_tables import GAMES
from tests.games.kododo.written_deals import TURNS, Round, cards, lay, play_round, start
from tests.helpers import play_random

PLAYERS = (2, 3, 4, 5)

FIRST: Round = ["B2 B3 G1 V4", "B4 O1 Y2 V2"]
SECOND: Round = ["Y1 Y3 V1 O3", "G1 Y2 B1 B3"]

MIDDLE_OF_A_ROUND = """\
Kododo: round 2 of 11, turn 3 of 3, 66 to draw
on the table: blue 1, green 1, yellow 3, orange 0, violet 1; out at 5
Kododo cards (*): 4; exactly 4 score
would score now: Kododo cards

          points  won  hand                laid
player_0       5    2  B1* B1* B1* B2  O3  Y1* Y3  V1* --
player_1       4    1  B1* B2  B2  B2  B3  G1* Y2  B1* --
"""

SECRETIVE = """\
Kododo: round 2 of 11, turn 1 of 3, 72 to draw
previous round: blue 3, green 1, yellow 1, orange 1, violet 2; out at 5
Kododo cards (*): 2; exactly 4 score
scored: blue

          points  won  hand                previous round
player_0       5    2  ??  ??  ??  ??  ??  B2  B3  G1* V4
player_1       4    1  B1* B1* B3  G1* Y2  B4  O1* Y2  V2
"""


@pytest.mark.parametrize(
    ("language", "last"), [("en", "last"), ("de", "letzte"), ("fr", "dernière")]
)
def test_the_round_before_is_not_called_the_last_round(language: str, last: str) -> None:
    """Regression: the rules call the final round of a game the last round."""
    game = scripted_game(0)
    with speaking(language):
        titles = [section["title"] for section in sections(game, pictures=False)]
        assert any(last in title for title in titles)
        assert last not in picture_of(game).text()


def scripted_game(turns: int) -> KododoGame:
    """Return a game of two in its second round, after this many turns of it."""
    game = start(Rules(num_players=2), [FIRST, SECOND])
    play_round(game, FIRST)
    for turn in TURNS[:turns]:
        lay(game, [cards(names)[turn] for names in SECOND])
    return game


def random_game(num_players: int, steps: int, num_envs: int = 1) -> KododoGame:
    game = KododoGame(num_envs, Rules(num_players=num_players), seed=5)
    play_random(game, np.random.default_rng(5), steps)
    return game


def words_of(svg: str) -> list[str]:
    """Return all text in a picture, which must be well-formed."""
    return [node.text or "" for node in ElementTree.fromstring(svg).iter() if "text" in node.tag]


def gold_cards(svg: str) -> int:
    return len(re.findall(rf'<rect x="-2.5" y="-2.5" [^>]*fill="{GOLD}"', svg))


def gold_tiles(svg: str) -> int:
    return svg.count(f'fill="{PAPER}" stroke="{GOLD}"')


# --- text -----------------------------------------------------------------------------


def test_text_of_a_position() -> None:
    assert picture_of(scripted_game(2)).text() == MIDDLE_OF_A_ROUND


def test_text_after_a_round_shows_what_scored_and_hides_the_other_hand() -> None:
    assert picture_of(scripted_game(0)).text(player=1) == SECRETIVE


def test_text_says_which_colour_is_out() -> None:
    rounds: list[Round] = [["V2 V2 V2 B3", "V2 V2 G2 B3"]]
    game = start(Rules(num_players=2), rounds)
    for turn in TURNS[:2]:
        lay(game, [cards(names)[turn] for names in rounds[0]])
    assert "violet 5 out" in picture_of(game).text()
    assert "would score now: green" in picture_of(game).text()
    assert "limit" in words_of(picture_of(game).svg())


# --- what a picture says ----------------------------------------------------------------


@pytest.mark.parametrize("num_players", PLAYERS)
@pytest.mark.parametrize("steps", [0, 1, 4, 1000])
def test_every_picture_is_well_formed_and_names_everything(num_players: int, steps: int) -> None:
    game = random_game(num_players, steps)
    words = words_of(picture_of(game).svg())
    palette = suits(game.rules.num_colours)
    labels = {f"player_{player}" for player in range(num_players)}
    labels |= {suit.letter for suit in palette} | {say(suit.name) for suit in palette}
    labels |= {"hand", f"out at {game.rules.limit}", f"exactly {game.rules.kododo_number}"}
    if game.terminated[0]:
        labels |= {"game over", "winner" if game.outcome().max() == 1 else "shared win"}
    else:
        labels |= {f"turn {game.turn + 1} of 3", str(game.draw_pile_size), "draw pile"}
    assert labels <= set(words)


# Yellow leads with Y1, Y3 and Y2: these cards have a gold rim, and when it has scored its tile too.
# When the Kododo cards score no colour does. The round before stays until somebody lays.
IN_THE_SECOND_ROUND: tuple[tuple[Any, ...], ...] = (
    (0, (3, 1), {"previous round", "scored", "+5", "+4"}, set()),
    (
        1,
        (3, 0),
        {"5", "4", "2 cards won", "1 card won", "laid"},
        {"previous round", "scored", "+5"},
    ),
    (2, (4, 0), {"laid"}, {"+5"}),
)


@pytest.mark.parametrize(("turns", "golden", "visible", "missing"), IN_THE_SECOND_ROUND)
def test_counts_points_and_what_scores_are_in_the_picture(
    turns: int, golden: tuple[int, int], visible: set[str], missing: set[str]
) -> None:
    svg = picture_of(scripted_game(turns)).svg()
    assert (gold_cards(svg), gold_tiles(svg)) == golden
    assert visible <= set(words_of(svg))
    assert not missing & set(words_of(svg))
    assert sum(map(words_of(svg).count, ("ahead", "exact"))) == (turns > 0)


@pytest.mark.parametrize("second", [None, PALETTE[1]])
@pytest.mark.parametrize("value", range(1, 7))
@pytest.mark.parametrize("suit", PALETTE, ids=lambda suit: suit.name)
def test_a_card_shows_value_letters_and_symbols(suit: Suit, value: int, second: Any) -> None:
    drawn = card(Card(suit, value, second=second), 0, 0, 50)
    letters = [suit.letter, *([second.letter] if second else [])]
    assert words_of(f"<svg>{drawn}</svg>") == [str(value), *letters]
    assert drawn.count(suit.symbol) == 2 + (suit is second)
    assert second is None or second.symbol in drawn


def test_in_other_languages_cards_have_symbols_only_unless_a_palette_repeats_them() -> None:
    blue, *_, second_blue = suits(len(PALETTE) + 1)
    with speaking("de"):
        assert words_of(f"<svg>{card(Card(blue, 3, second=blue), 0, 0, 50)}</svg>") == ["3"]
        assert words_of(f"<svg>{card(Card(second_blue, 3), 0, 0, 50)}</svg>") == ["3", "B'"]


def test_colours_differ_in_letter_symbol_and_fill() -> None:
    for identifiers in ([s.letter for s in suits(26)], [s.name for s in suits(26)]):
        assert len(set(identifiers)) == 26
    assert len({s.symbol for s in PALETTE}) == len({s.fill for s in PALETTE}) == len(PALETTE)


def test_kododo_cards_carry_the_lizard() -> None:
    game = random_game(4, 0)
    held = int((game.hands[0] % game.rules.num_values == 0).sum())
    lizard = "rotate(30)"
    assert picture_of(game).svg().count(lizard) == held + 1  # and one beside the count
    assert held > 0


@pytest.mark.parametrize("num_players", [2, 3, 4, 5, 6])
def test_seats_lie_in_the_picture_and_apart(num_players: int) -> None:
    boxes = seats(num_players, band=126)
    assert len(boxes) == num_players
    for k, box in enumerate(boxes):
        assert box.x >= 0
        assert box.y >= 0
        assert box.x + box.width <= 900
        assert box.y + box.height <= 600
        assert box.y + box.height < 300 - 63 or box.y > 300 + 63
        for neighbour in boxes[:k]:
            beside = box.x + box.width < neighbour.x or neighbour.x + neighbour.width < box.x
            assert beside or abs(box.y - neighbour.y) > box.height


@pytest.mark.parametrize(
    "rules",
    [
        Rules(num_players=2, num_colours=9, removed_cards=26),
        Rules(num_players=2, hand_size=9, plays=(2, 2, 2, 2), removed_cards=2),
    ],
)
def test_other_rules_can_be_drawn(rules: Rules) -> None:
    game = KododoGame(1, rules, seed=1)
    play_random(game, np.random.default_rng(1), 2)
    assert pixels(picture_of(game).svg()).shape == (600, 900, 3)
    assert picture_of(game).text().count("player_") == 2


# --- pixels -----------------------------------------------------------------------------


def test_pixels_have_the_colours_in_order() -> None:
    drawn = pixels(picture(['<rect width="900" height="600" fill="#f08010"/>'], "orange"))
    assert (drawn.shape, drawn.dtype) == ((600, 900, 3), np.uint8)
    assert drawn.flags.writeable
    assert (drawn == [0xF0, 0x80, 0x10]).all()


def test_png_zooms() -> None:
    header = png(picture([], "nothing"), zoom=2)[16:24]
    assert np.frombuffer(header, ">u4").tolist() == [1800, 1200]


@pytest.mark.parametrize("bold", [False, True])
def test_text_shows_in_the_font_that_is_always_there(
    bold: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    blank = pixels(picture([], "nothing"))
    written = picture([label("Kododo", 100, 100, 40, bold=bold)], "a word")
    assert (pixels(written) != blank).any(axis=2).sum() > 500
    # With no font files there is no text, so none of the machine's own fonts is in use.
    monkeypatch.setattr(pixels_module, "font_files", tuple)
    assert np.array_equal(pixels(written), blank)


def test_bold_text_is_bolder() -> None:
    plain, bold = (
        pixels(picture([label("Kododo", 100, 100, 40, "#ffffff", bold=b)], ""))
        for b in (False, True)
    )
    assert (bold == 255).sum() > 1.2 * (plain == 255).sum()


def test_any_words_can_be_a_label() -> None:
    assert words_of(picture([label('<&"', 0, 0)], '"<&')) == ['<&"']


def test_text_that_is_no_svg_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown token"):
        pixels("no picture")


@pytest.mark.parametrize("library", ["resvg_py", "matplotlib", "PIL"])
def test_a_missing_library_is_named_with_the_remedy(
    library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pixels_module.font_files.cache_clear()
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(RenderingUnavailable, match=r"pip install 'kododo-env\[render\]'") as caught:
        pixels(picture([], "nothing"))
    assert isinstance(caught.value, ImportError)
    assert "\n" not in str(caught.value)


def test_a_font_that_was_left_out_is_noticed(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path_factory.mktemp("without_fonts")
    (folder / "matplotlib").mkdir()
    (folder / "matplotlib" / "__init__.py").touch()
    pixels_module.font_files.cache_clear()
    monkeypatch.delitem(sys.modules, "matplotlib", raising=False)
    monkeypatch.syspath_prepend(folder)
    with pytest.raises(RenderingUnavailable, match="the font that comes with matplotlib"):
        pixels_module.font_files()


def test_drawing_imports_no_plotting() -> None:
    code = (
        "import sys; from kododo_env.rendering.pixels import pixels; "
        "from kododo_env.rendering.svg import picture; pixels(picture([], '')); "
        "sys.exit('matplotlib' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("game", GAMES)
def test_the_picture_in_the_documentation_is_the_one_drawn_today(game: str) -> None:
    docs = Path(__file__).parents[2] / "docs"
    images = runpy.run_path(str(docs / "make_images.py"))
    drawn = {"game": images["played"](*images["GAMES"][f"{game}_game"])}
    drawn |= {f"example_{k}": svg for k, svg in enumerate(images["examples"](game), 1)}
    stored = {name: (docs / "images" / f"{game}_{name}.svg").read_text() for name in drawn}
    assert stored == drawn, "run docs/make_images.py"


def test_a_tie_has_a_mark_and_nothing_is_lit_before_the_round_is_scored() -> None:
    """Regression: "scores" was lit during a round, and a tie looked like an empty colour."""
    table = ["Y2 Y3 G2 O3", "Y2 G2 G3 O5", "Y3 Y2 G2 B2", "G3 O2 B2 V2"]
    game = start(Rules(num_players=4), [table])
    lit = f'stroke="{GOLD}" stroke-width="4"'
    lay(game, [cards(names)[TURNS[0]] for names in table])
    assert lit not in picture_of(game).svg()
    finished = start(Rules(num_players=4), [table])
    play_round(finished, table)
    assert (
        picture_of(finished).svg().count(">tie<"),
        picture_of(finished).svg().count(">scored<"),
    ) == (2, 1)
    assert picture_of(finished).svg().count(lit) == 1
