"""The network addresses at which a table is served and at which other machines reach it."""

from __future__ import annotations

import errno
import io
import socket
from contextlib import suppress
from ipaddress import ip_address

USUAL_PORT = 8642
NEXT_PORTS = 20
PORT_TAKEN = (errno.EADDRINUSE, errno.EACCES)
ANY_HOST = {"": socket.AF_INET, "0.0.0.0": socket.AF_INET, "::": socket.AF_INET6}
# Documentation addresses (RFC 5737 and 3849): nothing is sent there, only a route is looked up.
ELSEWHERE = {socket.AF_INET: "192.0.2.1", socket.AF_INET6: "2001:db8::1"}
WHITE_ON_BLACK = "\x1b[97;40m"
PLAIN = "\x1b[0m"


def listen(host: str, port: int | None, before: int = 0) -> socket.socket:
    """Return a listening socket.

    Args:
        host: The host, such as 127.0.0.1.
        port: None tries ``USUAL_PORT`` and the ports after it, then takes any free port. 0 takes
            any free port.
        before: A port to try first if ``port`` is None or 0, such as that of an earlier process; 0
            for none.

    Raises:
        OSError: The host does not exist, or the port is taken.
    """
    usual_ports = range(USUAL_PORT, USUAL_PORT + NEXT_PORTS) if port is None else ()
    candidates = [port] if port else [*filter(None, [before]), *usual_ports, 0]
    *preferred, last_resort = candidates
    for candidate in preferred:
        try:
            return _listen(host, candidate)
        except OSError as error:
            if error.errno not in PORT_TAKEN:
                raise
    return _listen(host, last_resort)


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        advice = "; --port 0 takes a free port" if error.errno in PORT_TAKEN else ""
        message = f"cannot listen: {error.strerror}{advice}"
        raise OSError(error.errno, message, f"{host}:{port}") from None


def reachable_host(host: str) -> str:
    """Return the host part of the URLs at which other machines reach a server.

    Args:
        host: Where the server listens. For a wildcard address, such as 0.0.0.0, the result is this
            machine's network address, since few other machines can resolve its name.
    """
    if host in ANY_HOST:
        host = _own_address(ANY_HOST[host])
    return f"[{host}]" if ":" in host else host


def _own_address(family: socket.AddressFamily) -> str:
    """Return this machine's address on the route to others, or its name if it has no route."""
    with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
        probe.connect((ELSEWHERE[family], 9))
        return str(probe.getsockname()[0])
    return socket.gethostname()


def is_loopback(host: str) -> bool:
    """Return whether a host can be reached only from this machine."""
    with suppress(ValueError):
        return ip_address(host).is_loopback
    return host == "localhost"


def qr_code(address: str) -> str:
    """Return a URL as a QR code for a terminal; empty if segno is not installed.

    Its colours do not depend on the terminal's, so that every phone can read it.
    """
    try:
        import segno
    except ImportError:
        return ""
    buffer = io.StringIO()
    segno.make_qr(address).terminal(buffer, border=2, compact=True)
    lines = buffer.getvalue().splitlines()
    return "".join(f"{WHITE_ON_BLACK}{line}{PLAIN}\n" for line in lines)
