"""The addresses on which a table listens, and those for other machines."""

from __future__ import annotations

import socket
import sys
from contextlib import ExitStack

import pytest

from kododo_env.play import addresses
from kododo_env.play.addresses import is_loopback, listen, qr_code, reachable_host


@pytest.mark.parametrize(
    ("host", "address", "loopback"),
    [
        ("127.0.0.1", "127.0.0.1", True),
        ("localhost", "localhost", True),
        ("::1", "[::1]", True),
        ("192.168.1.4", "192.168.1.4", False),
        ("fd00::7", "[fd00::7]", False),
    ],
)
def test_a_host_is_shown_as_it_was_given(host: str, address: str, loopback: bool) -> None:
    assert reachable_host(host) == address
    assert is_loopback(host) is loopback


@pytest.mark.parametrize("host", ["0.0.0.0", ""])
def test_a_host_that_listens_everywhere_is_shown_by_an_address(host: str) -> None:
    """Regression: the machine's name was shown, which phones cannot resolve."""
    assert not is_loopback(host)
    with listen(host, 0) as listening:
        port = listening.getsockname()[1]
        with socket.create_connection((reachable_host(host), port), timeout=60) as reached:
            assert reached.getpeername()[1] == port


def test_without_a_network_it_is_shown_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable(*_: object) -> None:
        raise OSError("Network is unreachable")

    monkeypatch.setattr(addresses.socket, "socket", unreachable)
    assert reachable_host("0.0.0.0") == socket.gethostname()


def test_a_port_that_nobody_asked_for_is_the_next_free_one(monkeypatch: pytest.MonkeyPatch) -> None:
    with ExitStack() as stack:
        first = stack.enter_context(listen("127.0.0.1", 0)).getsockname()[1]
        monkeypatch.setattr(addresses, "USUAL_PORT", first)
        second = stack.enter_context(listen("127.0.0.1", None)).getsockname()[1]
        third = stack.enter_context(listen("127.0.0.1", None)).getsockname()[1]
        assert len({first, second, third}) == 3
        assert {second, third} <= set(range(first + 1, first + addresses.NEXT_PORTS))
        with pytest.raises(OSError, match="--port 0 takes a free port"):
            listen("127.0.0.1", first)
        monkeypatch.setattr(addresses, "NEXT_PORTS", 1)
        assert stack.enter_context(listen("127.0.0.1", None)).getsockname()[1] != first


@pytest.mark.parametrize("port", [None, 0])
def test_a_table_that_goes_on_has_its_port_again(port: int | None) -> None:
    with listen("127.0.0.1", 0) as listening:
        before = listening.getsockname()[1]
        with listen("127.0.0.1", port, before) as another:
            assert another.getsockname()[1] != before
    with listen("127.0.0.1", port, before) as second:
        assert second.getsockname()[1] == before


def test_a_code_is_drawn_where_the_library_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    segno = pytest.importorskip("segno", reason="segno is not installed")
    address = f"http://192.168.1.4:8642/#{'a' * 22}"
    lines = qr_code(address).splitlines()
    matrix = [[bool(dark) for dark in row] for row in segno.make_qr(address).matrix]
    assert len(lines) == (len(matrix) + 2 * 2 + 1) // 2  # two rows per line, with a border
    drawn = [
        line.removeprefix(addresses.WHITE_ON_BLACK).removesuffix(addresses.PLAIN) for line in lines
    ]
    rows = [[character in light for character in line] for line in drawn for light in ("█▀", "█▄")]
    inner = [row[2:-2] for row in rows[2 : 2 + len(matrix)]]
    assert inner == [[not dark for dark in row] for row in matrix]
    monkeypatch.setitem(sys.modules, "segno", None)
    assert qr_code(address) == ""
