"""A table in the browser: seats by links, and no loss when people disconnect."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from threading import Event, Thread
from typing import Any
from urllib.parse import quote

import pytest

pytest.importorskip("starlette", reason="starlette is not installed")
pytest.importorskip("uvicorn", reason="uvicorn is not installed")
pytest.importorskip("websockets", reason="websockets is not installed")

import uvicorn
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from kododo_env import registry
from kododo_env.core.view import View
from kododo_env.play import server
from kododo_env.play.addresses import qr_code
from kododo_env.play.table_file import FORMAT
from kododo_env.rendering.svg_cards import Blank, card_document
from kododo_env.review import replay
from kododo_env.table import table as table_module
from kododo_env.table.factory import make_table
from kododo_env.table.table import Table
from tests.command_line import kododo
from tests.game_tables import GAMES
from tests.play.test_table import Broken
from tests.records.games import recorded

TOKENS = {"one": 0, "two": 1}


class Served:
    """A table that is being served, as its clients reach it."""

    def __init__(self, table: Table, port: int = 0) -> None:
        self.table = table
        self._listening = socket.create_server(("127.0.0.1", port))
        self.address = f"127.0.0.1:{self._listening.getsockname()[1]}"
        app = server.make_app(table, dict(zip(TOKENS, table.people, strict=False)))
        self._server = uvicorn.Server(server.settings(app))
        self._thread = Thread(target=self._server.run, args=([self._listening],))

    def __enter__(self) -> Served:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.should_exit = True
        self._thread.join()
        self._listening.close()

    @contextmanager
    def sit(self, token: str) -> Iterator[Tab]:
        address = f"ws://{self.address}/play?seat={quote(token)}"
        with connect(address, max_size=None) as connection:
            yield Tab(connection)

    def get(self, path: str) -> tuple[int, dict[str, str], str]:
        """Return status, headers and text of a page."""
        browser = HTTPConnection(self.address, timeout=60)
        browser.request("GET", path)
        answer = browser.getresponse()
        headers = {name.lower(): value for name, value in answer.getheaders()}
        text = answer.read().decode()
        browser.close()
        return answer.status, headers, text


class Tab:
    """One tab of a browser."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection

    def send(self, message: object) -> None:
        text = message if isinstance(message, str | bytes) else json.dumps(message)
        self._connection.send(text)

    def ping(self) -> None:
        """Wait until the server has answered a WebSocket ping."""
        assert self._connection.ping().wait(60)

    def receive(self) -> dict[str, Any]:
        message: dict[str, Any] = json.loads(self._connection.recv(timeout=60))
        return message


@pytest.fixture
def served() -> Iterator[Served]:
    """A table of two people and agents."""
    table = make_table("kododo", opponents=["random"], people=2, hints="heuristic", seed=1)
    with Served(table) as host:
        yield host


def position(tab: Tab, step: int | None = None) -> dict[str, Any]:
    """Return the next position that a tab receives, or the first one of a step."""
    while True:
        message = tab.receive()
        if message["type"] == "position" and step in (None, message["step"]):
            return dict(message)


def act(tab: Tab, message: dict[str, Any]) -> None:
    if message["actions"]:
        action = message["actions"][0]["action"]
        tab.send({"type": "act", "step": message["step"], "action": action})


def test_the_page_and_its_files(served: Served) -> None:
    status, headers, text = served.get("/")
    assert status == 200
    assert "default-src 'self'" in headers["content-security-policy"]
    files = re.findall(r'(?:src|href)="([^"#]+)"', text)
    assert files
    for name in files:
        status, headers, _ = served.get(f"/{name}")
        assert status == 200, name
        assert ("javascript" in headers["content-type"]) == name.endswith(".js")
    for missing in ("/table.py", "/../table.py", "/%2e%2e/table.py", "/web/index.html"):
        assert served.get(missing)[0] == 404


def test_the_page_asks_no_other_host_and_knows_no_game() -> None:
    for file in [*(server.HERE / "web").iterdir(), *(server.HERE / "served").iterdir()]:
        text = file.read_text().replace("http://www.w3.org/2000/svg", "")  # an identifier
        assert not re.search(r"(?:https?|wss?)://(?!\$\{location\.host\})", text), file
        assert [game for game in GAMES if game in text.lower()] == [], file


def test_the_back_of_a_card_is_the_one_of_the_pictures() -> None:
    assert (server.HERE / "web" / "back.svg").read_text() == card_document(Blank.BACK) + "\n"


def test_two_people_play_a_whole_game(served: Served) -> None:
    with served.sit("one") as tab_one, served.sit("two") as tab_two:
        tabs = (tab_one, tab_two)
        positions = [newest(tab, -1) for tab in tabs]
        while not positions[0]["over"]:
            assert [message["you"] for message in positions] == [0, 1]
            for tab, last in zip(tabs, positions, strict=True):
                act(tab, last)
            positions = [newest(tab, positions[0]["step"]) for tab in tabs]
        tab_one.send({"type": "record"})
        assert answer(tab_one)["record"].startswith('{"format": ')


def newest(tab: Tab, step: int) -> dict[str, Any]:
    """Return the first position after a step in which somebody must choose, or the end."""
    while True:
        message = position(tab)
        if message["step"] > step and (message["over"] or message["waiting_for"]):
            return message


def answer(tab: Tab) -> dict[str, Any]:
    """Return the next message that is not a position."""
    while (message := tab.receive())["type"] == "position":
        pass
    return dict(message)


def act_unasked(tab: Tab) -> None:
    tab.send({"type": "act", "step": 0, "action": 5})
    tab.receive()


@pytest.mark.parametrize("token", ["", "x", "three", "ONE", "one "])
def test_a_stranger_is_told_nothing(served: Served, token: str) -> None:
    with served.sit(token) as tab, pytest.raises(ConnectionClosed) as closed:
        act_unasked(tab)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == server.UNKNOWN_SEAT
    with served.sit("one") as tab:
        assert position(tab)["chosen"] is None


def test_a_second_tab_and_a_reload_see_what_the_first_has_chosen(served: Served) -> None:
    with served.sit("one") as first, served.sit("one") as second:
        before = position(second)
        act(first, position(first))
        while (after := position(second))["chosen"] is None:
            pass
        assert after["actions"] == []
        act(second, before)
        assert "you have chosen already" in answer(second)["error"]
    with served.sit("one") as tab:
        assert position(tab) == after
        with served.sit("two") as other_tab:
            act(other_tab, position(other_tab))
            assert position(other_tab, step=1)["log"]
        assert position(tab, step=1)["log"]


def test_an_answer_goes_to_the_tab_that_asked(served: Served) -> None:
    with served.sit("one") as first, served.sit("one") as second, served.sit("two") as other_tab:
        second.send({"type": "hint", "step": 0})
        assert answer(second)["type"] == "hint"
        for tab in (first, other_tab):
            for wrong in ("?", b"\xff"):
                tab.send(wrong)
                assert answer(tab)["type"] == "error"  # instead of a hint
        other_tab.send(b'{"type": "look"}')
        assert position(other_tab)["step"] == 0


def test_an_agent_that_fails_is_told_of_and_the_game_stands() -> None:
    agents = [None, None, Broken(), Broken()]
    table = Table(registry.batch_game("kododo", 1), agents, seed=0)
    with (
        Served(table) as served,
        served.sit("one") as tab_one,
        served.sit("two") as tab_two,
    ):
        act(tab_one, position(tab_one))
        act(tab_two, position(tab_two))
        assert "illegal action in kododo" in answer(tab_one)["error"]
        assert "illegal action in kododo" in answer(tab_two)["error"]
        tab_two.send({"type": "look"})
        assert position(tab_two)["chosen"] is not None


def test_a_tab_that_does_not_read_misses_old_messages_and_never_the_newest() -> None:
    tab = server.Connection(None)  # type: ignore[arg-type]
    for step in range(3 * server.WAITING):
        tab.enqueue(f"step {step}")
    waiting = [tab._waiting.get_nowait() for _ in range(server.WAITING)]
    assert waiting == [f"step {step}" for step in range(2 * server.WAITING, 3 * server.WAITING)]


def test_tabs_of_one_seat_keep_nobody_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Regression: each of 600 tabs drew the whole position again and delayed everybody."""
    drawn: list[int] = []
    drawing = table_module.position

    def counted(view: View, pictures: bool, names: Any) -> dict[str, Any]:
        drawn.append(view.player)
        return drawing(view, pictures, names=names)

    monkeypatch.setattr(table_module, "position", counted)
    table = make_table("kododo", opponents=["random"], people=2, hints="heuristic", seed=1)
    with Served(table) as served, served.sit("two") as other_tab, ExitStack() as stack:
        message = position(other_tab)
        tabs = [stack.enter_context(served.sit("one")) for _ in range(server.TABS + 3)]
        assert [position(tab)["you"] for tab in tabs] == [0] * len(tabs)
        for tab in tabs[:3]:  # the oldest get an update and are closed
            with pytest.raises(ConnectionClosed) as closed:
                answer(tab)  # possibly after further positions
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == server.CROWDED
            assert closed.value.rcvd.reason == f"this seat is open in {server.TABS} newer tabs"
        act(other_tab, message)
        assert position(other_tab)["chosen"] is not None
        assert sorted(drawn) == [0, 1]  # once per seat and step
        act(tabs[-1], position(tabs[-1]))
        assert position(tabs[3], step=1)["log"]
        assert sorted(drawn) == [0, 0, 1, 1]


def test_while_a_record_is_shown_others_are_heard(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = recorded(registry.batch_game("kado", 1))[0].text()
    drawn = []
    waiting = Event()
    drawing = replay.news

    def counted(*arguments: Any) -> dict[str, Any]:
        drawn.append(arguments)
        assert waiting.wait(60)
        return drawing(*arguments)

    monkeypatch.setattr(replay, "news", counted)
    with served.sit("one") as tab_one, served.sit("two") as tab_two:
        position(tab_one)
        position(tab_two)
        tab_one.send({"type": "replay", "record": record})
        tab_two.send({"type": "look"})
        tab_two.ping()  # its answer shows that the server has processed the messages
        waiting.set()
        assert position(tab_two)["step"] == 0
        assert len(drawn) < len(record.splitlines()) - 1
        assert len(answer(tab_one)["steps"]) == len(record.splitlines()) == len(drawn)


def test_a_tab_that_does_not_read_keeps_no_endless_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "MOST_CHARACTERS", 100)
    tab = server.Connection(None)  # type: ignore[arg-type]
    for message in ("a" * 60, "b" * 50, "c" * 50, "d" * 200):
        tab.enqueue(message)
        assert tab._characters <= max(100, len(message))
    assert tab._waiting.get_nowait() == "d" * 200
    assert tab._waiting.empty()


# --- the command --------------------------------------------------------------------------


class Screen(io.StringIO):
    """A terminal that records its output."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_a_terminal_shows_the_codes_of_addresses_that_others_reach(
    host: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(server.uvicorn.Server, "run", lambda self, sockets: None)
    table = make_table("kododo", opponents=["random"], people=2, hints="heuristic")
    server.serve(table, host, 0, browser=False)
    assert "█" not in capsys.readouterr().out
    for missing in (False, True):
        if missing:
            monkeypatch.setitem(sys.modules, "segno", None)
        screen = Screen()
        monkeypatch.setattr(sys, "stdout", screen)
        server.serve(table, host, 0, browser=False)
        printed = screen.getvalue()
        addresses = re.findall(r"^Guest \d: (http://\S+/#\S{22})$", printed, re.MULTILINE)
        assert len(addresses) == 2
        drawn = [qr_code(address) for address in addresses if host == "0.0.0.0"]
        assert all(code in printed for code in drawn)
        assert ("█" in printed) is (host == "0.0.0.0" and not missing)


def test_a_port_that_is_taken_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    table = make_table("kododo", opponents=["random"], hints="heuristic")
    with (
        socket.create_server(("127.0.0.1", 0)) as listening,
        pytest.raises(OSError, match=r"cannot listen: .*; --port 0 takes") as refused,
    ):
        server.serve(table, "127.0.0.1", listening.getsockname()[1], browser=False)
    assert refused.value.filename.startswith("127.0.0.1:")
    assert capsys.readouterr().out == ""


def test_the_browser_is_opened_where_there_is_a_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(server.webbrowser, "open", opened.append)
    monkeypatch.setattr(server.uvicorn.Server, "run", lambda self, sockets: None)
    monkeypatch.setattr(server.sys, "platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    table = make_table("kododo", opponents=["random"], hints="heuristic")
    server.serve(table, "127.0.0.1", 0, browser=True)
    assert opened == []
    monkeypatch.setenv("DISPLAY", ":0")
    server.serve(table, "127.0.0.1", 0, browser=False)
    assert opened == []
    server.serve(table, "127.0.0.1", 0, browser=True)
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/#\S{22}", *opened)


BY_THE_CLOCK = """
import random

def moody(view, rng):  # chooses differently the second time
    return [random.choice(row.nonzero()[0].tolist()) for row in view.legal_action_mask]
"""


@contextmanager
def running(*options: object) -> Iterator[tuple[subprocess.Popen[str], list[str]]]:
    """Run ``kododo play`` in a process, and connect its two people."""
    command = [sys.executable, "-W", "error", "-m", "kododo_env", "play", *map(str, options)]
    with subprocess.Popen(
        [*command, "--people", "2", "--port", "0", "--no-browser"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2],
    ) as process:  # fmt: skip
        try:
            assert process.stdout is not None
            lines = [process.stdout.readline() for _ in range(3)]
            matches = [re.fullmatch(r"Guest \d: http://(\S+)/#(\S+)\n", line) for line in lines[:2]]
            yield process, [f"ws://{match[1]}/play?seat={match[2]}" for match in matches if match]
        finally:
            process.kill()


@pytest.mark.skipif(os.name != "posix", reason="signals are sent as POSIX has them")
def test_a_killed_server_gives_the_game_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """At the same addresses, with the revealed cards and a face-down choice."""
    (tmp_path / "bot.py").write_text(BY_THE_CLOCK)
    keep = tmp_path / "kept.json"
    table = ("kododo", "--players", 4, "--opponents", f"{tmp_path}/bot.py:moody", "--keep", keep)
    with running(*table) as (process, addresses):
        with (
            connect(addresses[0], max_size=None) as first,
            connect(addresses[1], max_size=None) as second,
        ):
            tabs = (Tab(first), Tab(second))
            positions = [position(tab) for tab in tabs]
            for _ in range(4):
                for tab, last in zip(tabs, positions, strict=True):
                    act(tab, last)
                positions = [newest(tab, positions[0]["step"]) for tab in tabs]
            act(tabs[0], positions[0])
            while positions[0]["chosen"] is None or positions[1]["waiting_for"] != [1]:
                positions = [position(tab) for tab in tabs]
        process.kill()
    assert keep.stat().st_mode & 0o777 == 0o600
    with running(*table) as (process, new_addresses):
        assert new_addresses == addresses
        for address, last in zip(new_addresses, positions, strict=True):
            with connect(address, max_size=None) as tab:
                assert position(Tab(tab)) == last
        options = ("--people", "2", "--keep", str(keep), "--no-browser")
        refused = kododo(monkeypatch, capsys, "play", "kododo", *options)
        assert refused == (2, "", f"kododo play: error: another process is using {keep}\n")
    status, out, error = kododo(monkeypatch, capsys, "play", "kado", *options)
    assert (status, out) == (2, "")
    assert f"error: {keep}: the saved game is of another table" in error


ENDLESS = """
import time
from pathlib import Path

def endless(view, rng):
    Path(__file__).with_name("asked").touch()
    while True:
        time.sleep(1)
"""


@pytest.mark.skipif(os.name != "posix", reason="signals are sent as POSIX has them")
def test_a_server_whose_bot_thinks_for_ever_is_stopped(tmp_path: Path) -> None:
    """Regression: Ctrl-C waited for the bot."""
    (tmp_path / "bot.py").write_text(ENDLESS)
    table = ("kododo", "--players", 3, "--opponents", f"{tmp_path}/bot.py:endless")
    with running(*table) as (process, addresses), ExitStack() as stack:
        for address in addresses:
            tab = Tab(stack.enter_context(connect(address, max_size=None)))
            act(tab, position(tab))
        while not (tmp_path / "asked").exists():
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=60)
    assert (process.returncode, error) == (130, "\nstopped\n")


def test_a_file_that_keeps_no_table_is_refused_and_stays(tmp_path: Path) -> None:
    table = make_table("kododo", opponents=["random"], hints="heuristic")
    path = tmp_path / "kept.json"
    whole = {"format": FORMAT, "tokens": [1], "port": 0, "game": ""}
    for content in ("[1]", "[" * 5000, "{}", json.dumps(whole), json.dumps({"format": FORMAT})):
        path.write_text(content, encoding="utf-8")
        with pytest.raises(ValueError, match=r"kept.json is not a saved table: "):
            server.serve(table, "127.0.0.1", 0, browser=False, keep=path)
        assert path.read_text(encoding="utf-8") == content
        assert [file.name for file in tmp_path.iterdir()] == ["kept.json"]


@pytest.mark.parametrize(
    "token", ["", "a", "a" * 21, "a" * 22 + "\n", "\x1b[2J" + "a" * 22, "é" * 22, "ä" + "a" * 21, 5]
)
def test_a_secret_that_no_table_has_made_is_refused(token: object, tmp_path: Path) -> None:
    """Regression: an empty token seated everybody without one; others were printed unchecked."""
    table = make_table("kododo", opponents=["random"], people=2, hints="heuristic")
    path = tmp_path / "kept.json"
    for tokens in ([token, "a" * 22], ["a" * 22, token]):
        path.write_text(json.dumps({"format": FORMAT, "tokens": tokens, "port": 0, "game": ""}))
        with pytest.raises(ValueError, match=r"not a saved table: tokens") as refused:
            server.serve(table, "127.0.0.1", 0, browser=False, keep=path)
        assert str(refused.value).isprintable()


def test_two_people_do_not_have_one_secret(tmp_path: Path) -> None:
    table = make_table("kododo", opponents=["random"], people=2, hints="heuristic")
    path = tmp_path / "kept.json"
    path.write_text(json.dumps({"format": FORMAT, "tokens": 2 * ["a" * 22], "port": 0, "game": ""}))
    with pytest.raises(ValueError, match=r"not a saved table: tokens"):
        server.serve(table, "127.0.0.1", 0, browser=False, keep=path)


def test_a_table_of_one_person_is_not_kept_for_two(tmp_path: Path) -> None:
    """Regression: the error spoke of "1 people"."""
    path = tmp_path / "kept.json"
    path.write_text(json.dumps({"format": FORMAT, "tokens": ["a" * 22], "port": 0, "game": ""}))
    table = make_table("kododo", opponents=["random"], people=2, hints="heuristic")
    with pytest.raises(ValueError, match=r"kept.json holds a table with --people 1, not 2"):
        server.serve(table, "127.0.0.1", 0, browser=False, keep=path)


def test_a_table_that_cannot_be_served_leaves_no_folder(tmp_path: Path) -> None:
    table = make_table("kododo", opponents=["random"], hints="heuristic")
    keep = tmp_path / "new" / "kept.json"
    with pytest.raises(OSError, match=r"cannot listen: [^;]*$"):  # another port would not help
        server.serve(table, "no-such-host.invalid", 0, browser=False, keep=keep)
    assert not keep.parent.exists()


@pytest.mark.skipif(os.name != "posix", reason="signals are sent as POSIX has them")
def test_the_command_serves_until_it_is_stopped() -> None:
    command = [sys.executable, "-W", "error", "-m", "kododo_env", "play", "kado", "--players", "3"]
    options = ["--opponents", "random", "--people", "2", "--port", "0", "--no-browser"]
    running = subprocess.Popen(
        [*command, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        cwd=Path(__file__).parents[2],
    )  # fmt: skip
    try:
        assert running.stdout is not None
        lines = [running.stdout.readline() for _ in range(3)]
        matches = [re.fullmatch(r"Guest (\d): http://(\S+)/#(\S+)\n", line) for line in lines[:2]]
        for seat, match in enumerate(matches):
            assert match is not None, lines
            address = f"ws://{match[2]}/play?seat={match[3]}"
            with connect(address, max_size=None) as tab:
                assert json.loads(tab.recv())["you"] == seat == int(match[1]) - 1
    finally:
        running.send_signal(signal.SIGINT)
        out, error = running.communicate(timeout=60)
    assert running.returncode == 130, (out, error)
    assert error == "\nstopped\n"
