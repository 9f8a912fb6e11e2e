"""The page in a real browser: whole games, several people, small screens."""

from __future__ import annotations

import re
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("starlette", reason="starlette is not installed")
pytest.importorskip("uvicorn", reason="uvicorn is not installed")
pytest.importorskip("websockets", reason="websockets is not installed")

from kododo_env.records import parse_record, replay
from kododo_env.table.factory import make_table
from tests.game_tables import GAMES
from tests.play.browser.person import (
    AT_ONCE,
    AXE_SCREENS,
    FIRST_VISIT,
    Person,
    assert_axe_finds_nothing,
    sits,
)
from tests.play.test_server import Served

PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
FEWEST = {"kododo": 2, "combi_combo": 4, "kado": 2}


def serving(game: str, people: int = 1, **options: Any) -> Served:
    settings = {"opponents": ["random"], "hints": "heuristic", "seed": 3} | options
    return Served(make_table(game, people=people, **settings))


def scores(person: Person, selector: str = "#scene") -> list[int]:
    """The points at the seats, by seat."""
    points = person.page.evaluate(
        """(selector) => [...document.querySelectorAll(`${selector} .seat`)]
            .sort((first, second) => first.dataset.seat - second.dataset.seat)
            .map((seat) => seat.querySelector(".points").textContent)""",
        selector,
    )
    return [int(number.replace("−", "-")) for number in points]


# --- whole games --------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_a_whole_game_by_clicks_its_record_and_its_replay(
    browser: Any, game: str, tmp_path: Path
) -> None:
    with serving(game) as served, sits(browser, served.address) as person:
        person.play()
        assert served.table.stage.over
        assert person.see("#status").startswith("The game is over: ")
        assert scores(person) == served.table.game.batch.scores[0].tolist()
        with person.page.expect_download() as coming:
            person.page.locator("#record").click()
        # Two games of a day are saved in two files.
        name = rf"{game}-\d{{4}}-\d\d-\d\d-\d{{6}}\.jsonl"
        assert re.fullmatch(name, coming.value.suggested_filename)
        coming.value.save_as(tmp_path / "record.jsonl")
        record = parse_record((tmp_path / "record.jsonl").read_text())
        *_, end = replay(record)
        assert end.scores[0].tolist() == scores(person)

        person.page.locator("#open-file").set_input_files(tmp_path / "record.jsonl")
        person.page.locator("#replay-slider").wait_for()
        person.page.locator("#replay-slider").press("End")
        assert person.see("#replay-step") == f"step {len(record.lines)} of {len(record.lines)}"
        assert scores(person, "#replay-scene") == end.scores[0].tolist()
        assert "the game is over: " in person.see("#replay-story")
        person.page.locator("#replay-story .why").last.click()
        person.page.locator("#rules-text h3:focus").wait_for()
        person.page.keyboard.press("Escape")
        person.page.locator("#replay-slider").press("Home")
        assert set(scores(person, "#replay-scene")) <= {0}
        person.page.locator("#replay-close").click()
        assert person.over


def test_a_game_that_is_played_is_not_thrown_away_by_enter(browser: Any) -> None:
    with serving("kododo") as served, sits(browser, served.address) as person:
        person.play(1)
        person.page.keyboard.press("n")
        person.page.locator("#new-dialog").wait_for()
        assert not person.page.locator("#new-note").is_visible()  # it is about other people
        person.page.keyboard.press("Enter")
        person.page.locator("#new-dialog").wait_for(state="hidden")
        person.play(1)
        assert served.table.step == len(served.table.game.past) == 2


def test_cards_are_reached_by_tab_and_played_from_where_one_is(browser: Any) -> None:
    with serving("kododo") as served, sits(browser, served.address) as person:
        person.wait()
        focused = "document.activeElement.getAttribute('aria-label')"
        hand = [card["words"] for card in served.table._position(0)["hand"]]
        person.page.keyboard.press("Tab")
        person.page.keyboard.press("Enter")  # the skip link does not change the address
        assert person.page.evaluate("[document.activeElement.id, location.hash]") == [
            "choose",
            "#one",
        ]
        for _ in range(30):
            person.page.keyboard.press("Tab")
            if person.page.evaluate(focused) == hand[0]:
                break
        person.page.keyboard.press("Space")
        person.page.keyboard.press("Tab")
        person.page.keyboard.press("Space")
        assert person.see("#play-words") == f"lay {hand[0]} and {hand[1]}"
        person.page.keyboard.press("Enter")
        person.page.locator("#story li").first.wait_for()
        assert f"Guest (you) lays {hand[0]} and {hand[1]}" in person.see("#story")


def test_the_keyboard_stays_among_the_places_of_the_table(browser: Any) -> None:
    with serving("kado", players=2) as served, sits(browser, served.address) as person:
        spot = person.page.locator("#scene .spot[data-action]").first
        while not spot.count():
            person.play(1)
        spot.focus()
        person.page.keyboard.press("Enter")
        person.page.keyboard.press("Enter")
        person.page.locator("#play[aria-disabled=true]").wait_for()
        person.wait()
        focused = "document.activeElement.closest('#scene') !== null"
        person.page.wait_for_function(focused)


# --- the reveal and the end ---------------------------------------------------------------

ALL_HAVE_ONE_POINT = """async () => {
  const { change, state } = await import("./state.js");
  const players = state.position.players.map((each) => ({ ...each, score: 1 }));
  change({ position: { ...state.position, players } });
  return document.getElementById("share-text").value;
}"""


@pytest.mark.parametrize("game", GAMES)
def test_the_end_has_its_points_in_the_games_own_terms_and_a_tag_for_winners(
    browser: Any, game: str
) -> None:
    with serving(game, players=FEWEST[game]) as served, sits(browser, served.address) as person:
        person.play()
        assert " for " in person.see("#story")
        won = served.table.game.batch.outcome()[0] > 0
        assert person.page.locator("#scene .tag").count() == won.sum()
        assert "I scored 1 point and came" in person.page.evaluate(ALL_HAVE_ONE_POINT)


def test_a_person_in_another_seat_and_everybody_by_name(browser: Any) -> None:
    """The page shows no player_0; oneself sits below, and the next player clockwise."""
    options: dict[str, Any] = {"players": 3, "seat": 2, "names": ["Maximiliane"], "rotate": True}
    telling = "document.getElementById('game').innerText + document.title"
    with serving("kado", **options) as served, sits(browser, served.address) as person:
        person.play()
        assert "player_" not in person.page.evaluate(telling)
        assert "Maximiliane (you)" in person.see("#choose .head")
        assert person.page.locator("#scene .name[title=random]").count() == 2
        tops = {
            seat: person.page.locator(f"#scene .seat[data-seat='{seat}']").bounding_box()["y"]
            for seat in range(3)
        }
        assert tops[2] > max(tops[0], tops[1])
        person.page.locator("#over .deck-other").click()
        person.page.locator("#play").wait_for()
        assert person.page.locator("#choose").get_attribute("data-seat") == "0"


# --- the first lesson ---------------------------------------------------------------------


def test_a_lesson_from_help_to_its_end_and_the_game_that_waited(browser: Any) -> None:
    with serving("kododo") as served, sits(browser, served.address) as person:
        person.play(1)
        texts = [person.see(selector) for selector in ("#moment", "#scene", "#story")]
        person.page.locator("#help").click()
        person.page.locator("#lesson").click()
        person.page.locator("#game .wanted:visible").first.wait_for()
        for card in person.page.locator("#hand button:not(.wanted)").all()[:2]:
            card.click()
        person.page.locator("#play").click()
        person.page.locator("#lesson-wrong", has_text="in this lesson, please lay").wait_for()
        assert person.page.locator("#hand [aria-pressed=true]").count() == 0
        while "9 of 9" not in person.see("#lesson-step").lower():
            person.learn()
        person.learn()
        assert "exactly the number" in person.see("#lesson-shown")
        person.page.locator("#lesson-leave", has_text="Now play a whole game").click()
        person.page.locator("#lesson-box").wait_for(state="hidden")
        assert [person.see(selector) for selector in ("#moment", "#scene", "#story")] == texts
        person.play(1)


def test_a_first_visit_to_a_table_offers_the_lesson_until_something_is_played(
    browser: Any,
) -> None:
    for way in ("learn", "play", "close"):
        with serving("kododo") as served, sits(browser, served.address) as person:
            offer = person.page.locator("#welcome")
            person.page.evaluate(FIRST_VISIT)
            person.page.reload()
            offer.wait_for()
            if way == "learn":
                assert_axe_finds_nothing(person)
                offer.locator("button", has_text="New here?").click()
                person.page.locator("#lesson-box").wait_for()
            elif way == "play":
                person.play(1)
            else:
                offer.locator("button").last.click()
            offer.wait_for(state="hidden")
            person.page.reload()
            person.page.locator("#play").wait_for()
            assert not offer.is_visible()


# --- coming back, and several people ------------------------------------------------------


def visible_texts(person: Person) -> list[str]:
    return [person.see(selector) for selector in ("#moment", "#scene", "#story")]


def test_a_reload_a_second_tab_and_a_lost_connection_go_on_with_the_same_game(browser: Any) -> None:
    table = make_table("kododo", opponents=["random"], seed=1)
    with ExitStack() as stack:
        first = stack.enter_context(Served(table))
        person = stack.enter_context(sits(browser, first.address))
        person.play(4)
        texts = visible_texts(person)
        person.page.reload()
        person.wait()
        assert visible_texts(person) == texts
        with sits(browser, first.address) as second_tab:
            second_tab.wait()
            assert visible_texts(second_tab) == texts
            second_tab.play(1)
            assert table.step == 5
            person.page.locator("#moment", has_text=second_tab.see("#moment")).wait_for()
            assert person.see("#story") == second_tab.see("#story")
        texts = visible_texts(person)
        first.__exit__()
        person.page.locator("#status", has_text="The connection was lost").wait_for()
        assert person.page.locator("#play[aria-disabled=true]").count() == 1
        person.page.locator("#help").click()
        person.page.locator("#rules").click()
        with Served(table, int(first.address.split(":")[1])):
            person.page.locator("#status.turn").wait_for()
            person.page.locator("#rules-text h3").first.wait_for()  # requested while disconnected
            person.page.keyboard.press("Escape")
            assert visible_texts(person) == texts
            person.play(1)
            assert table.step == 6
            # The browser logs every failed attempt.
            person.wrong = [line for line in person.wrong if "WebSocket connection" not in line]


def test_a_players_seat_gives_to_that_player(browser: Any) -> None:
    """Regression: for a dealer not in the first seat, the card went to somebody else."""
    labels = """() => [...document.querySelectorAll("#scene .seat[data-action]")]
      .map(({ dataset: { seat, action } }) =>
        [seat, document.querySelector(`#options [data-action="${action}"]`).title])"""
    with (
        serving("kado", people=2, players=2, opponents=[]) as served,
        sits(browser, served.address, "one") as first,
        sits(browser, served.address, "two") as second,
    ):
        givers = set()
        while len(givers) < 2:
            for seat in np.flatnonzero(served.table.game.batch.deciding()[0]).tolist():
                person = (first, second)[seat]
                person.wait()
                for part, words in person.page.evaluate(labels):
                    givers.add(seat)
                    assert int(part) == seat or words.endswith(f" to Guest {int(part) + 1}")
                step = served.table.step
                person.choose()
                person.page.locator("#play").click()
                while served.table.step == step:  # the choice is delayed for a moment
                    person.page.wait_for_timeout(50)


def test_two_people_choose_face_down_until_both_have(browser: Any) -> None:
    with (
        serving("kododo", people=2) as served,
        sits(browser, served.address, "one") as first,
        sits(browser, served.address, "two") as second,
    ):
        for _ in range(4):
            first.wait()
            second.wait()
            first.choose()
            words = first.see("#play-words")
            first.page.locator("#play").click()
            assert first.see("#status").startswith(f"You have chosen: {words}.")
            assert first.page.locator("#hand .down").count() in (1, 2)
            assert "is choosing" in first.see("#scene")
            second.page.locator("#scene").filter(has_not_text="is choosing").wait_for()
            second.play(1)
            first.wait()
            assert f"Guest 1 {words.replace('lay', 'lays', 1)}" in second.see("#story")
            assert first.see("#moment") == second.see("#moment")
        first.page.locator("#new").click()
        assert first.page.locator("#new-note").is_visible()
        first.page.locator("#new-dialog .deck-other").click()
        second.page.locator("#scene", has_text="asks for a new game").wait_for()
        second.page.locator("#new").click()
        second.page.locator("#new-dialog .deck-other").click()
        first.page.locator("#moment", has_text="round 1 of 6, turn 1 of 3").wait_for()


def test_a_choice_stays_down_while_the_table_has_not_heard_of_it(browser: Any) -> None:
    """Regression: two people chose at about the same time, and one choice returned to the hand."""
    with (
        serving("kododo", people=2) as served,
        sits(browser, served.address, "one") as first,
        sits(browser, served.address, "two") as second,
    ):
        late: list[tuple[Any, Any]] = []

        def slowly(page_side: Any) -> None:
            table_side = page_side.connect_to_server()

            def send(message: str) -> None:
                if '"act"' in message:
                    late.append((table_side, message))
                else:
                    table_side.send(message)

            page_side.on_message(send)

        first.page.route_web_socket(re.compile("ws"), slowly)
        first.page.reload()
        first.wait()
        first.choose()
        first.page.locator("#play").click()
        assert "is choosing" in first.see("#scene")
        second.wait()
        second.choose()
        second.page.locator("#play").click()
        first.page.locator("#scene").filter(has_not_text="is choosing").wait_for()
        assert first.see("#status").startswith("You have chosen: ")
        assert first.page.locator("#hand .down").count() == 2
        ((table_side, message),) = late
        table_side.send(message)
        first.wait()


def test_a_card_that_is_picked_at_once_stays_picked(browser: Any) -> None:
    """Regression: the response in another language came seconds later and redrew the hand."""
    with serving("kododo") as served, sits(browser, served.address) as person:
        person.page.emulate_media(reduced_motion="no-preference")
        person.page.add_init_script(AT_ONCE.replace("fast", "normal"))
        person.page.reload()
        card = person.page.locator("#hand button").first
        card.click()
        person.page.wait_for_timeout(300)
        assert card.get_attribute("aria-pressed") == "true"


@pytest.mark.parametrize("game", ["kododo", "kado"])
def test_a_choice_that_is_half_made_stays_whatever_others_do(browser: Any, game: str) -> None:
    """Regression: each new position dropped a picked card or axis."""
    half = {"kododo": "#hand button", "kado": ".axes button"}[game]
    with (
        serving(game, people=2, players=2, opponents=[]) as served,
        sits(browser, served.address, "one") as first,
        sits(browser, served.address, "two") as second,
    ):
        while True:
            seat = int(served.table.game.batch.deciding()[0].argmax())
            person, opponent = (first, second) if seat == 0 else (second, first)
            person.wait()
            if person.page.locator(half).count():
                break
            step = served.table.step
            person.choose()
            person.page.locator("#play").click()
            while served.table.step == step:
                person.page.wait_for_timeout(50)
        person.page.locator(half).first.click()
        opponent.page.locator("#new").click()
        opponent.page.locator("#new-dialog .deck-other").click()
        person.page.locator("#scene", has_text="asks for a new game").wait_for()
        assert person.page.locator(half).first.get_attribute("aria-pressed") == "true"
        if game == "kado":  # changing one half of a hinted choice keeps the other
            person.page.locator("#hint").click()
            words = person.page.locator(f"{half} span").first.inner_text()
            bars = person.page.locator("#hint-bars [data-bar]", has_text="guess").filter(
                has_not_text=words
            )
            bars.first.click()
            splits = person.page.locator(".axes [aria-pressed=true]")
            gift = splits.first.inner_text()
            person.page.locator(".axes [aria-pressed=false]").last.click()
            assert (splits.count(), splits.first.inner_text()) == (2, gift)


def test_a_stranger_is_told_so_and_sees_nothing(browser: Any) -> None:
    with serving("kododo") as served, sits(browser, served.address, "nobody") as person:
        person.page.locator("#status", has_text="This address has no seat").wait_for()
        assert person.page.locator("#hand button, #scene svg").count() == 0
        person.page.keyboard.press("n")  # without a dialog, as no game would end
        assert person.page.locator("dialog[open]").count() == 0
        person.page.evaluate("location.hash = 'one'")  # as a link would
        person.wait()


# --- looking --------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_a_phone_scrolls_in_one_direction_only(browser: Any, game: str) -> None:
    with serving(game) as served, sits(browser, served.address, **PHONE) as person:

        def check() -> None:
            assert person.page.evaluate("document.documentElement.scrollWidth") <= 360

        person.wait()
        for _ in range(6):
            check()
            person.play(1, "tap")
        check()
        person.page.locator("#hint").tap()
        person.page.locator("#hint-bars li").first.wait_for()
        check()
        person.play(press="tap")
        check()
        person.page.locator("#replay-this").tap()
        person.page.locator("#replay-slider").wait_for()
        check()
        assert person.page.locator("#replay-scene .seat").count() >= FEWEST[game]


UNCOVERED = """(element) => {
  const { left, top, width, height } = element.getBoundingClientRect();
  const hit = document.elementFromPoint(left + width / 2, top + height / 2);
  return hit?.closest(".spot") === element;
}"""


@pytest.mark.parametrize("size", [(360, 740), (390, 844), (1280, 800)])
def test_the_panel_leaves_ones_own_tableau_in_sight_while_placing(
    browser: Any, size: tuple[int, int]
) -> None:
    view = {"viewport": dict(zip(("width", "height"), size, strict=True))}
    with serving("kado", players=2) as served, sits(browser, served.address, **view) as person:
        person.wait()
        places = person.page.locator("#scene .spot[data-action]")
        own_places = "document.querySelectorAll('[data-seat=\"0\"] .spot').length"
        while person.page.evaluate(own_places) < 4:
            person.play(1)
        if not places.count():
            person.play(1)
        person.page.evaluate("scrollTo(0, 0)")
        assert places.count() > 3
        assert all(spot.evaluate(UNCOVERED) for spot in places.all())
        person.page.keyboard.press("2")
        assert places.nth(1).get_attribute("aria-pressed") == "true"


@pytest.mark.parametrize("game", GAMES)
def test_a_hint_has_a_bar_for_each_action_and_chooses_it(browser: Any, game: str) -> None:
    # With this seed Kododo deals two equal cards, so that two actions look the same.
    with (
        serving(game, hints=None, seed=1155) as served,
        sits(browser, served.address) as person,
    ):
        person.wait()
        person.page.locator("#hint").click()
        person.page.locator("#hint-bars li").first.wait_for()
        hint = served.table.hear(0, {"type": "hint", "step": served.table.step})[0][0]
        probabilities: Counter[str] = Counter()
        for action in hint["actions"]:
            probabilities[by_name(action["words"], served)] += action["probability"]
        bars = person.page.locator("#hint-bars [data-bar]").all_text_contents()
        assert sorted(bars) == sorted(
            f"{words}{percent(probabilities[words])}" for words in probabilities
        )
        reasons = [
            by_name(reason["text"], served)
            for action in hint["actions"]
            for reason in action["reasons"]
        ]
        lines = person.page.locator("#hint-bars p > span").all_text_contents()
        assert lines
        assert {line.replace(" (you)", "") for line in lines} <= set(reasons)
        assert hint["by"] in person.page.locator("#hint-by").inner_text().lower()
        wins = f"You win about {percent(hint['chance'])} of such games if all play on like "
        assert f"{wins}{hint['by']}." in person.see("#hint-value")
        best = person.page.locator("#hint-bars [data-bar]").first
        best.click()
        assert person.see("#play-words") == best.get_attribute("data-bar") in probabilities
        assert best.get_attribute("aria-pressed") == "true"


@pytest.mark.parametrize(
    ("game", "kind", "places", "count"),
    [
        ("kododo", "pair", "#hand .card", 2),
        ("combi_combo", "pass_card", "#hand .card", 1),
        ("kado", "give", "#scene .seat", 1),
        ("kado", "guess", "#options .option", 2),
        ("kado", "place", "#choose .spot", 1),
    ],
)
def test_a_line_of_a_hint_marks_its_place_while_it_is_pointed_at(
    browser: Any, game: str, kind: str, places: str, count: int
) -> None:
    with serving(game) as served, sits(browser, served.address) as person:
        page = person.page
        person.wait()
        while not (actions := legal_of_kind(served, kind)):
            person.play(1)
            person.wait()
        page.locator("#hint").click()
        page.locator("#hint-bars li").first.wait_for()
        if page.locator("#hint-rest").is_visible():
            page.locator("#hint-rest").click()
        for action in actions[:3]:
            words = by_name(action["words"], served)
            bar = page.locator(f'#hint-bars [data-bar="{words}"]')
            for point, leave in (("hover", page.locator("#hint-by").hover), ("focus", bar.blur)):
                getattr(bar, point)()
                marked = page.locator(f"{places}.pointed")
                assert marked.count() == count
                if places == "#hand .card":
                    hand = served.table._position(0)["hand"]
                    labels = [card.get_attribute("aria-label") for card in marked.all()]
                    assert labels == [hand[card]["words"] for card in action["cards"]]
                elif places == "#choose .spot":
                    assert marked.get_attribute("aria-label") == words
                leave()
                assert page.locator(".pointed").count() == 0
        bar.hover()
        page.keyboard.press("h")  # closes the hint
        assert page.locator(".pointed").count() == 0


def legal_of_kind(served: Served, kind: str) -> list[dict[str, Any]]:
    """Return the legal actions of a kind."""
    return [action for action in served.table._position(0)["actions"] if action["kind"] == kind]


def by_name(words: str, served: Served) -> str:
    """Return a text of the table with the players' names."""
    for seat in range(served.table.game.batch.num_players):
        words = words.replace(f"player_{seat}", served.table.stage.display_names[seat])
    return words


def percent(probability: float) -> str:
    return "< 1%" if 0 < probability < 0.005 else f"{int(100 * probability + 0.5)}%"


def test_news_are_read_aloud_and_everything_has_a_name(browser: Any) -> None:
    nameless = """[...document.querySelectorAll("button, [role=button], input, select, svg[role]")]
        .filter((each) => !each.hidden && !each.getAttribute("aria-label")
            && !each.labels?.length && !each.textContent.trim()).map((each) => each.outerHTML)"""
    for game in GAMES:
        with serving(game) as served, sits(browser, served.address) as person:
            person.play(3)
            assert person.page.evaluate(nameless) == []
            hand = [card["words"] for card in served.table._position(0)["hand"]]
            cards = person.page.locator("#hand > *").all()
            assert [element.get_attribute("aria-label") for element in cards] == hand
            live = person.page.locator("[aria-live=polite]:visible")
            log_lines = served.table._position(0)["log"][-1]["lines"]
            expected = [
                by_name(line.replace("player_0", "player_0 (you)"), served) for line in log_lines
            ]
            lines = live.first.locator("li").all_inner_texts()
            assert [line.removesuffix("\nwhy?") for line in lines] == expected


@pytest.mark.parametrize("game", GAMES)
def test_axe_finds_nothing_on_any_screen(browser: Any, game: str) -> None:
    options = {"players": FEWEST[game], "hints": "heuristic"}
    with serving(game, **options) as served, sits(browser, served.address) as person:
        page = person.page
        person.play(2)
        page.locator("#hint").click()
        page.locator("#hint-bars [data-bar]").first.click()
        assert_axe_finds_nothing(person)
        page.locator("#log-count").click()
        page.locator("#log .again").first.click()
        assert_axe_finds_nothing(person)
        page.keyboard.press("Escape")
        page.locator("#settings").click()
        page.locator("#setting-memory").select_option("on")
        for name in ("settings", "new", "help", "rules"):
            if name != "rules":
                page.keyboard.press("Escape")
            page.locator(f"#{name}").click()
            if name == "rules":
                page.locator("#rules-text figure").first.wait_for()
            assert_axe_finds_nothing(person)
        page.keyboard.press("Escape")
        page.locator("#help").click()
        page.locator("#lesson").click()
        page.locator("#game .wanted:visible").first.wait_for()
        assert_axe_finds_nothing(person)
        page.locator("#lesson-leave").click()
        page.locator("#lesson-box").wait_for(state="hidden")
        person.play()
        page.locator("#share").click()
        page.locator("#share-par").click()
        page.locator("#share-par").wait_for(state="hidden")
        assert_axe_finds_nothing(person)
        page.keyboard.press("Escape")
        page.locator("#settings").click()
        page.locator("#statistics").click()
        page.locator("#statistics-rows tr").first.wait_for()
        assert_axe_finds_nothing(person)
        page.keyboard.press("Escape")
        page.locator("#replay-this").click()
        page.locator("#replay-slider").wait_for()
        assert_axe_finds_nothing(person)


def test_axe_finds_nothing_in_a_reveal(browser: Any) -> None:
    with serving("kododo") as served, sits(browser, served.address) as person:
        person.play(2)
        person.set("speed", "slow")
        person.choose()
        person.page.locator("#play").click()
        person.page.locator("#status", has_text="skip").wait_for()
        assert_axe_finds_nothing(person, AXE_SCREENS[:1])


# --- records that are none ------------------------------------------------------------------


def test_a_file_that_is_no_record_is_refused_with_the_reason(browser: Any, tmp_path: Path) -> None:
    (tmp_path / "none.jsonl").write_text("no record\n")
    (tmp_path / "long.jsonl").write_text("1" * 1_100_000)
    with serving("kododo") as served, sits(browser, served.address) as person:
        person.wait()
        for name, reason in (("none", "Line 1: "), ("long", "too long for a record")):
            person.page.locator("#open-file").set_input_files(tmp_path / f"{name}.jsonl")
            person.page.locator("#notice", has_text=reason).wait_for()
            person.page.locator("#notice-close").click()
        person.play(1)
        assert served.table.step == 1
