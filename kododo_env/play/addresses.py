"""The addresses at which a table is served and reached from other machines."""

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
        port: None takes ``USUAL_PORT``, or one after it if that is taken; 0 takes any free port.
            With both, ``before`` is tried first.
        before: The port at which the table was served before; 0 for none.

    Raises:
        OSError: There is no such host, or the port is taken.
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
    """Return a host name for URLs by which other machines reach a server that listens at ``host``.

    For a server that listens everywhere it is this machine's own network address, since few
    machines can resolve its name.
    """
    if host in ANY_HOST:
        host = _own_address(ANY_HOST[host])
    return f"[{host}]" if ":" in host else host


def _own_address(family: socket.AddressFamily) -> str:
    """Return this machine's address on the route to other machines, or its name without one."""
    with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
        probe.connect((ELSEWHERE[family], 9))
        return str(probe.getsockname()[0])
    return socket.gethostname()


def is_loopback(host: str) -> bool:
    """Return whether a host can be reached from this machine only."""
    with suppress(ValueError):
        return ip_address(host).is_loopback
    return host == "localhost"


def qr_code(address: str) -> str:
    """Return a URL as a QR code for a terminal; empty if segno is not installed.

    It is white on black regardless of the terminal's colours, so that every phone reads it.
    """
    try:
        import segno
    except ImportError:
        return ""
    buffer = io.StringIO()
    segno.make_qr(address).terminal(buffer, border=2, compact=True)
    lines = buffer.getvalue().splitlines()
    return "".join(f"{WHITE_ON_BLACK}{line}{PLAIN}\n" for line in lines)
