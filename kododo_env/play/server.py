"""A web server for a table: the files of its page, and a WebSocket for each tab."""

from __future__ import annotations

import asyncio
import mimetypes
import os
import sys
import webbrowser
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import asynccontextmanager, suppress
from itertools import chain
from pathlib import Path
from threading import Thread
from typing import Any, TextIO, TypeVar

import uvicorn
from starlette.applications import Starlette
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket, WebSocketDisconnect

from kododo_env.bots.messages import to_json
from kododo_env.play.addresses import is_loopback, listen, qr_code, reachable_host
from kododo_env.play.table_file import kept_file
from kododo_env.rendering.languages import LANGUAGES
from kododo_env.table.saved_game import resume, saved_game
from kododo_env.table.table import Replies, Table

HERE = Path(__file__).parent
TEXTS = HERE.parent / "rendering" / "texts"
HEADERS = {
    # The page cannot load anything from another host.
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Cache-Control": "no-cache",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
# Custom WebSocket close codes, in analogy to HTTP's 403 and 409.
UNKNOWN_SEAT = 4403
CROWDED = 4409
TABS = 8  # tabs per seat; when another one is opened, the oldest is closed
LONGEST_MESSAGE = 1 << 20  # bytes; the longest messages are records to replay
WAITING = 256  # messages queued for a slow client
MOST_CHARACTERS = 1 << 25  # characters queued, except for a single longer message
LONGEST_PIECE = 2  # seconds that a shutdown waits for the table's current work
Result = TypeVar("Result")


class Connection:
    """The queue of messages to one tab.

    If the client is slow, the oldest messages are dropped, since a later position is complete.

    Args:
        websocket: The tab's accepted connection.
    """

    def __init__(self, websocket: WebSocket) -> None:
        self._websocket = websocket
        self._waiting: asyncio.Queue[str] = asyncio.Queue(WAITING)
        self._characters = 0  # in the queue

    def enqueue(self, message: str) -> None:
        """Queue a JSON message for sending."""
        self._characters += len(message)
        while self._waiting.full() or (
            self._characters > MOST_CHARACTERS and not self._waiting.empty()
        ):
            self._characters -= len(self._waiting.get_nowait())
        self._waiting.put_nowait(message)

    async def send_all(self) -> None:
        """Send queued messages until cancelled or until the client disconnects."""
        with suppress(WebSocketDisconnect, RuntimeError):
            while True:
                message = await self._waiting.get()
                self._characters -= len(message)
                await self._websocket.send_text(message)

    async def close(self) -> None:
        """Close the connection because the seat is open in too many tabs."""
        with suppress(WebSocketDisconnect, RuntimeError):
            await self._websocket.close(CROWDED, f"this seat is open in {TABS} newer tabs")


class Host:
    """A host that carries messages between a table and the browser tabs of people.

    The table runs in a thread, so that the server responds while agents think, and handles one
    message at a time. A new tab gets the last position of its seat without a call of the table, so
    that many tabs do not delay other people.

    Args:
        table: The table.
        tokens: The seats of people, by their secret tokens.
    """

    def __init__(self, table: Table, tokens: Mapping[str, int]) -> None:
        self._table = table
        self._tokens = dict(tokens)
        self._lock = asyncio.Lock()
        self._tabs: dict[int, list[Connection]] = {seat: [] for seat in table.people}
        self._askers: dict[int, Connection] = {}  # the tab of each seat that asked last
        self._positions: dict[int, str] = {}  # the last one by seat, as JSON
        self._play_task: asyncio.Task[None] | None = None  # runs ``_play_on``
        self._thread: Thread | None = None  # the last thread that called the table

    async def play(self, websocket: WebSocket) -> None:
        """Serve one tab until it disconnects."""
        await websocket.accept()
        seat = self._tokens.get(websocket.query_params.get("seat", ""))
        if seat is None:
            await websocket.close(UNKNOWN_SEAT, "no seat at this table has this address")
            return
        tab = Connection(websocket)
        tabs = self._tabs[seat]
        tabs.append(tab)
        if len(tabs) > TABS:
            await tabs.pop(0).close()
        send_task = asyncio.create_task(tab.send_all())
        try:
            if seat in self._positions:
                tab.enqueue(self._positions[seat])
            else:
                await self._hear(seat, {"type": "look"}, tab)
            while (event := await websocket.receive())["type"] != "websocket.disconnect":
                text = event.get("text")
                await self._hear(seat, event.get("bytes", b"") if text is None else text, tab)
        finally:
            with suppress(ValueError):  # removed already, since the seat had too many tabs
                tabs.remove(tab)
            send_task.cancel()

    async def _hear(self, seat: int, message: object, tab: Connection) -> None:
        """Respond to a tab, and let the table play on."""
        async with self._lock:
            self._askers[seat] = tab
            self._spread(await self._ask(self._table.hear, seat, message))
        if self._play_task is None or self._play_task.done():
            self._play_task = asyncio.create_task(self._play_on())

    async def _play_on(self) -> None:
        """Play on until there is nothing to do; the table hears messages between steps."""
        while True:
            async with self._lock:
                try:
                    replies = await self._ask(self._table.play_on)
                except ValueError as error:
                    message = {"type": "error", "step": self._table.step, "error": str(error)}
                    for tab in chain(*self._tabs.values()):
                        tab.enqueue(to_json(message))
                    return
                self._spread(replies)
            if not replies:
                return

    @asynccontextmanager
    async def until_stopped(self, app: Starlette) -> AsyncIterator[None]:
        """Serve in the block, and then wait briefly for the table's current work."""
        yield
        if self._thread is not None:
            self._thread.join(LONGEST_PIECE)  # an agent may never return

    async def _ask(self, function: Callable[..., Result], *arguments: object) -> Result:
        """Call a function in a daemon thread, which never delays exit as asyncio's threads do."""
        answer: Future[Result] = Future()
        answer.set_running_or_notify_cancel()

        def call() -> None:
            try:
                answer.set_result(function(*arguments))
            except Exception as error:
                answer.set_exception(error)

        self._thread = Thread(target=call, daemon=True)
        self._thread.start()
        return await asyncio.wrap_future(answer)

    def _spread(self, replies: Replies) -> None:
        """Send positions to all tabs of their seat, others to the tab that asked last."""
        for seat, messages in replies.items():
            for message in messages:
                text = to_json(message)
                tabs = self._tabs[seat]
                if message["type"] == "position":
                    self._positions[seat] = text
                else:
                    tabs = [self._askers[seat]]
                for tab in tabs:
                    tab.enqueue(text)


class _Page(StaticFiles):
    """The page's files: those that all hosts share, and those of this host."""

    def get_directories(self, *_: Any) -> list[Any]:
        return [HERE / "served", HERE / "web", TEXTS]

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        response = super().file_response(*args, **kwargs)
        response.headers.update(HEADERS)
        return response


def make_app(table: Table, tokens: Mapping[str, int]) -> Starlette:
    """Return the ASGI application that serves a table.

    Args:
        table: The table.
        tokens: The seats of people, by their secret tokens.
    """
    mimetypes.add_type("text/javascript", ".js")  # some systems register another type
    host = Host(table, tokens)
    page = Mount("/", _Page(html=True))
    languages = Route("/languages.json", lambda _: JSONResponse(LANGUAGES, headers=HEADERS))
    routes = [WebSocketRoute("/play", host.play), languages, page]
    return Starlette(routes=routes, lifespan=host.until_stopped)


# --- running it ---------------------------------------------------------------------------


def serve(
    table: Table, host: str, port: int | None, browser: bool, keep: Path | None = None
) -> None:
    """Serve a table until stopped, and print the URL of each person's seat.

    Args:
        table: The table.
        host: Where to listen, such as 127.0.0.1.
        port: None takes 8642 or the next free port, and 0 takes any free port. With None or 0, a
            resumed table has its earlier port if that is free.
        browser: Whether to open the first URL in a browser, if there is a screen.
        keep: The file in which the table is saved. If it exists, the table is resumed from it.

    Raises:
        OSError: The host does not exist, or the port is taken.
        ValueError: The file is not a saved game of this table, or cannot be written.
    """
    with kept_file(keep, len(table.people)) as file, listen(host, port, file.port) as listener:
        if file.game is not None:
            try:
                resume(table, file.game)
            except ValueError as error:
                raise ValueError(f"{keep}: {error}") from error
        file.port = listener.getsockname()[1]
        table.on_change = lambda: file.write(saved_game(table))
        table.on_change()
        base = f"http://{reachable_host(host)}:{file.port}/"
        addresses = [f"{base}#{token}" for token in file.tokens]
        _invite(table, host, addresses)
        goes_on = f"stops; the same command resumes the game from {keep}"
        print(f"Ctrl-C {goes_on if keep else 'ends the game'}", flush=True)
        if browser and _has_screen():
            webbrowser.open(addresses[0])
        app = make_app(table, dict(zip(file.tokens, table.people, strict=True)))
        uvicorn.Server(settings(app)).run(sockets=[listener])


def settings(app: Starlette) -> uvicorn.Config:
    """Return the configuration of a server that logs only warnings and shuts down quickly."""
    return uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        ws="websockets-sansio",
        ws_max_size=LONGEST_MESSAGE,
        timeout_graceful_shutdown=1,
    )


def _invite(table: Table, host: str, addresses: Sequence[str]) -> None:
    """Print the URL of each person's seat, for other machines also as a QR code."""
    for seat, address in zip(table.people, addresses, strict=True):
        print(f"{table.game.display_names[table.game.seat_of(seat)]}: {address}", flush=True)
        if not is_loopback(host) and _draws_blocks(sys.stdout):
            print(qr_code(address), end="", flush=True)
    if not is_loopback(host):
        print("anybody who knows an address can take its seat; the connection is not encrypted")


def _draws_blocks(stream: TextIO | None) -> bool:
    """Return whether a stream is a terminal that can show the characters of a QR code."""
    if stream is None or not stream.isatty():
        return False
    try:
        "█▀▄".encode(stream.encoding)
    except UnicodeEncodeError:
        return False
    return True


def _has_screen() -> bool:
    """Return whether a browser would open its own window instead of running in this terminal."""
    variables = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    return sys.platform != "linux" or any(map(os.environ.get, variables))
