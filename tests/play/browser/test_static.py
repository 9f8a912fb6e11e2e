"""The static page in a real browser."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from docs.static_page.build import DISTRIBUTION, build, name_build
from kododo_env import registry
from kododo_env.records import parse_record, replay
from tests.clients.serving import serving
from tests.play.browser.person import FIRST_VISIT, Person, assert_axe_finds_nothing, visits
from tests.policy_exports import from_elsewhere

PATIENCE_MS = 120_000  # Python must be loaded first
FEWEST = {"kododo": 2, "combi_combo": 4, "kado": 2}
# A person at the start page, where a table is chosen.
chooses = partial(visits, path="", patience=PATIENCE_MS)


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """The URL at which the folder is served."""
    with serving(site) as host:
        yield host


def sit_down(person: Person, game: str, opponents: str, button: str = "Play") -> None:
    """Choose a table with as few players as possible."""
    form = person.page.locator(f"form:has(input[value={game}])")
    form.locator("[name=players]").select_option(str(FEWEST[game]))
    form.locator("[name=opponents]").select_option(opponents)
    form.locator("button", has_text=button).click()
    # The progress bar is hidden once there is something to play.
    person.page.wait_for_function("document.querySelector('#loading')?.value > 0.3")
    person.wait()
    assert not person.page.locator("#loading").count()


def test_a_game_goes_on_when_there_is_no_server_any_more(browser: Any, site: Path) -> None:
    """With a reload and a hint; ``test_in_node`` compares whole games."""
    with ExitStack() as server, chooses(browser, server.enter_context(serving(site))) as person:
        assert "in your own browser" in person.see("footer")
        sit_down(person, "kado", "level-1")
        assert any("/policies/" in url for url in person.requests)  # includes the worker's requests
        person.play(steps=3)
        texts = person.see("#scene"), person.see("#hand"), person.page.title()
        server.close()
        person.page.reload()
        person.wait()
        assert (person.see("#scene"), person.see("#hand"), person.page.title()) == texts
        assert "in your own browser" in person.see("footer >> nth=-1")
        person.page.locator("#hint").click()
        person.page.locator("#hint-bars li").first.wait_for()
        person.play(steps=3)
        person.page.goto(person.page.url.split("table.html")[0])
        assert "Choose a table" in person.see("header")
        person.wrong.clear()  # the browser logs the rejected load


def test_a_page_belongs_to_one_build_until_it_is_reloaded(
    browser: Any, site: Path, tmp_path: Path
) -> None:
    """A deploy while a page is open changes nothing there; files of another build are rejected."""
    folder = tmp_path / "site"
    shutil.copytree(site, folder)
    table = "table.html?game=kado&players=2&opponents=level-1"
    names = "caches.keys().then((names) => names.map((name) => name.split(' ').at(-1)))"
    with serving(folder) as host, chooses(browser, host, path=table) as person:
        person.wait()
        first = person.page.evaluate(names)
        deploy(folder)
        assert "Another build" not in person.page.evaluate(
            "fetch('start.css').then((response) => response.text())"
        )
        person.page.reload()
        person.wait()
        person.page.reload()
        person.page.wait_for_function(f"{names}.then(([name, ...others]) => !others.length)")
        (second,) = person.page.evaluate(names)
        assert [second] != first
        assert "Another build" in person.page.evaluate(
            "fetch('start.css').then((response) => response.text())"
        )
        person.wrong.clear()


def deploy(folder: Path) -> None:
    """Change a file of the site as another build would."""
    (folder / "start.css").write_text((folder / "start.css").read_text() + "/* Another build */")
    name_build(folder)


def test_a_game_that_was_never_loaded_says_so_without_a_network(browser: Any, address: str) -> None:
    with chooses(browser, address, path="table.html?game=kado&players=2") as person:
        person.wait()
        person.page.context.set_offline(True)
        person.page.goto(f"http://{address}/table.html?game=kododo&players=3")
        person.page.get_by_text("has not been loaded on this device").wait_for()
        person.wrong.clear()  # the browser logs the failed load


def test_the_first_visit_offers_a_lesson_and_opponents_of_medium_strength(
    browser: Any, address: str
) -> None:
    with chooses(browser, address) as person:
        offer = person.page.locator("#welcome")
        assert not offer.is_visible()
        person.page.evaluate(FIRST_VISIT)
        person.page.reload()
        assert "New here?" in offer.inner_text()
        form = person.page.locator("form:has(input[value=kododo])")
        assert form.locator("[name=opponents]").input_value() == "level-2"
        names = form.locator("[name=opponents] option:not([hidden])").all_inner_texts()
        assert len(names) == 5
        assert "heuristic" not in "".join(names)
        assert_axe_finds_nothing(person)
        offer.locator("button").click()
        person.page.reload()
        person.page.locator("h1").wait_for()
        assert not offer.is_visible()


def test_a_table_speaks_the_language_that_is_chosen(browser: Any, address: str) -> None:
    """Python gets the page's translations on demand; English needs none."""
    path = "table.html?game=kado&players=2&opponents=random"
    with visits(browser, address, path, PATIENCE_MS, locale="de-AT") as person:
        person.page.locator("#moment", has_text="Zug 1 von 12").wait_for()
        person.wait()
        person.page.locator("#typed-line").press("Enter")
        person.page.locator("#typed-answer", has_text="Du kannst ").wait_for()
        person.set("language", "en")
        person.page.locator("#moment", has_text="turn 1 of 12").wait_for()


def test_axe_finds_nothing_on_a_page_of_rules(browser: Any, address: str) -> None:
    with chooses(browser, address, path="rules-kado-de.html") as person:
        assert_axe_finds_nothing(person)


def test_a_table_of_ones_own_for_two_at_one_device(browser: Any, address: str) -> None:
    """With names, two different opponents, a rule, and a seed; the device is handed over."""
    with chooses(browser, address) as person:
        form = person.page.locator("form:has(input[value=kododo])")
        form.locator("summary").click()
        form.locator("[name=rules]").select_option("variant=long")
        assert form.locator("[name=opponents]").input_value() == "heuristic"
        form.locator("[name=rules]").select_option("")
        form.locator("[name=people]").select_option("2")
        form.locator("[name=name]").nth(0).fill("Bo")
        form.locator("[name=name]").nth(1).fill("Cy")
        form.locator(".each").check()
        for place, name in enumerate(("level-5", "random")):
            form.locator(".all select").nth(place).select_option(name)
        form.locator("[name=seed]").fill("7")
        assert_axe_finds_nothing(person)
        form.locator("button", has_text="Play").click()
        hands = set()
        label_script = "(all) => all.map((each) => each.getAttribute('aria-label'))"
        for name in ("Bo", "Cy", "Bo"):
            button = person.page.get_by_role("button", name=f"I am {name}")
            button.wait_for()
            assert_axe_finds_nothing(person)
            for _ in range(2):  # Escape does not uncover the cards
                person.page.keyboard.press("Escape")
            button.click()
            person.wait()
            assert f"{name} (you)" in person.see("#choose .head")
            assert person.page.locator("#scene .name[title=level-5]").count()
            hands.add(str(person.page.locator("#hand > *").evaluate_all(label_script)))
            if len(hands) == 3:
                return
            for _ in range(1 + (name == "Cy")):  # when both have chosen, Cy begins the next step
                person.wait()
                person.choose()
                person.page.locator("#play").click()
            person.page.get_by_role("button", name="Hand over to").click()
            assert not person.page.locator("#hand").is_visible()
        raise AssertionError(f"the same cards for both: {hands}")


def test_a_whole_game_its_record_and_another_one(
    browser: Any, address: str, tmp_path: Path
) -> None:
    """A short game after its lesson, against easy opponents, with a look back and its record."""
    with chooses(browser, address) as person:
        sit_down(person, "combi_combo", "level-4", "Learn")
        for _ in range(2):
            person.learn()
        assert "3 of 3" in person.see("#lesson-step").lower()
        person.page.reload()
        person.wait()
        assert "3 of 3" in person.see("#lesson-step").lower()
        person.learn()
        person.page.locator("#lesson-leave", has_text="Now play a whole game").click()
        person.page.locator("#lesson-box").wait_for(state="hidden")
        person.play()
        with person.page.expect_download() as coming:
            person.page.locator("#record").click()
        coming.value.save_as(tmp_path / "record.jsonl")
        text = (tmp_path / "record.jsonl").read_text()
        *_, end = replay(parse_record(text))
        points = person.page.locator("#scene .points").all_inner_texts()
        assert end.scores[0].tolist() == [int(number) for number in points]
        assert json.loads(text.splitlines()[0])["players"] == ["person", *["level-1"] * 3]
        person.page.locator("#look-back").click()
        person.page.locator("#look-back-found h3").wait_for()
        person.page.keyboard.press("Escape")
        person.page.goto(person.page.url)  # as if a link had led here
        person.page.locator("#lesson-leave").click()  # leave the lesson
        person.page.locator("#lesson-box").wait_for(state="hidden")
        assert not person.over
        assert person.page.locator("#story li").count() == 0


def test_a_deal_is_sent_and_compared(browser: Any, address: str) -> None:
    """With the sender's result and a bot's; the statistics count the deal once."""
    deal = "table.html?game=combi_combo&players=4&opponents=first&seed=20260517"
    with chooses(browser, address, path=f"{deal}#result=12,2") as person:
        see = person.see
        page = person.page
        person.wait()
        assert "Somebody sent you this deal" in see("#notice")
        hand = see("#hand")
        person.play()
        page.locator("#share").click()
        page.locator("#share-par").click()
        rows = page.locator("#share-results tr")
        rows.nth(2).wait_for()
        assert "combi_combo-4p in your seat" in rows.nth(1).inner_text()
        assert rows.nth(2).inner_text().split()[-3:] == ["12", "place", "2"]
        text = page.locator("#share-text").input_value()
        points = page.locator("#choose .points").inner_text()
        assert f"I scored {points} points" in text
        assert f"http://{address}/{deal}#result={points}," in text
        page.locator("#share-dialog .primary").click()
        for _ in range(2):
            page.locator("#settings").click()
            page.locator("#statistics").click()
            assert "4 players, against first" in see("#statistics-rows")
            assert see("#statistics-rows td >> nth=0") == "1"
            page.locator("#statistics-dialog .primary").click()
            page.reload()
            person.wait()
        page.locator("#over .deck-same").click()
        page.locator("#play").wait_for()
        assert see("#hand") == hand


def test_a_closed_tab_goes_on_and_the_page_can_be_installed(browser: Any, address: str) -> None:
    with chooses(browser, address) as person:
        session = person.page.context.new_cdp_session(person.page)
        assert session.send("Page.getAppManifest")["errors"] == []
        wrong = session.send("Page.getInstallabilityErrors")["installabilityErrors"]
        assert [error["errorId"] for error in wrong] == ["in-incognito"]  # as in these tests
        daily = person.page.locator("form:has(input[value=kado]) a.daily")
        assert re.search(r"seed=20\d{6}$", daily.get_attribute("href"))
        daily.click()
        person.wait()
        table = person.page.url
        person.play(steps=1)
        texts = person.see("#scene"), person.page.title()
        beside = Person(person.page.context.new_page())
        person.page.close()
        beside.page.goto(table)
        beside.wait()
        assert (beside.see("#scene"), beside.page.title()) == texts


def test_a_file_of_ones_own_beside_the_policies(browser: Any, site: Path, tmp_path: Path) -> None:
    """A torch network without a value; a missing file is an error of one line."""
    folder = tmp_path / "site"
    shutil.copytree(site, folder)
    game = registry.batch_game("combi_combo", 1, num_players=4)
    from_elsewhere(game, folder / "policies" / "mine.onnx")
    table = "table.html?game=combi_combo&players=4&opponents="
    with serving(folder) as host:
        with chooses(browser, host, path=f"{table}mine.onnx") as person:
            person.wait()
            person.play()
            assert person.page.locator("#scene .name[title=mine]").count()
        with chooses(browser, host, path=f"{table}none.onnx") as person:
            person.page.get_by_text("cannot load policies/none.onnx (status 404)").first.wait_for()
            person.wrong.clear()  # the browser logs the error


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("game=kododo&opponents=nobody", "unknown agent 'nobody'"),
        ("game=foo", "unknown game 'foo'"),
        ("game=kado&players=9", "kado needs 2 to 4 players, not 9"),
        ("game=kado&players=two", "num_players must be an integer, not 'two'"),
    ],
)
def test_a_table_that_there_is_not(browser: Any, address: str, query: str, why: str) -> None:
    with chooses(browser, address, path=f"table.html?{query}") as person:
        person.page.get_by_text(f"This table cannot be played at: {why}").wait_for()


def test_numpy_that_cannot_be_had_or_is_another_one(
    browser: Any, site: Path, tmp_path: Path
) -> None:
    """A page without numpy requests it from Pyodide's distribution, and nothing else."""
    shutil.copytree(site, tmp_path / "site")
    (wheel,) = (tmp_path / "site").glob("pyodide/*.whl")
    wheel.write_bytes(wheel.read_bytes()[:-1] + b"?")
    build(tmp_path / "without")
    for folder, hosts in (("site", set()), ("without", {DISTRIBUTION.split("/")[2]})):
        with serving(tmp_path / folder) as host:
            context = browser.new_context()
            urls: list[str] = []
            context.on("request", lambda request, urls=urls: urls.append(request.url))
            context.route("https://**", lambda route: route.abort())
            page = context.new_page()
            page.goto(f"http://{host}/table.html?game=kado&players=2")
            page.get_by_text("reload the page").wait_for(timeout=PATIENCE_MS)
            assert "error" not in page.locator("#status").inner_text()
            contacted = {url.split("/")[2] for url in urls if url.startswith("http")}
            assert contacted == {host} | hosts
            context.close()
