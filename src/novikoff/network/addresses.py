"""Where a server listens: addresses of this machine, who reaches them, and their names."""

import errno
import ipaddress
import socket

from novikoff.errors import ParameterError

LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})
REASONS = {
    errno.EADDRINUSE: "something is there already; choose another --port, or 0 for any",
    errno.EACCES: "that is not allowed; choose a --port of 1024 or more",
    errno.EADDRNOTAVAIL: "this machine has no such address; choose another --host",
}


def bind(host: str, port: int) -> socket.socket:
    """A socket that listens; a ParameterError says why there is none."""
    is_loopback(host)  # a name that nobody knows is refused with its own words
    found = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    family, kind, protocol, _, address = found[0]
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(2048)
    except OSError as error:
        listener.close()
        raise no_listener(host, port, error) from None
    return listener


def no_listener(host: str, port: int, error: OSError) -> ParameterError:
    """Why there is no listening at an address."""
    why = REASONS.get(error.errno or 0, error.strerror or str(error))
    return ParameterError(f"cannot serve at {host} port {port}: {why}")


def hosts(host: str) -> frozenset[str] | None:
    """What requests may call a server at this address; None: anything, since others can reach it.

    Bound to loopback, only this machine's own names: else a page from elsewhere, whose name is made
    to point here, could ask and read what is answered.
    """
    return LOOPBACK | {bracketed(host)} if is_loopback(host) else None


def is_loopback(host: str) -> bool:
    """Whether nobody but this machine can reach a server there."""
    try:
        found = socket.getaddrinfo(host or None, None, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError):
        raise ParameterError(
            f"--host {host}: there is no such name or address; this machine alone is 127.0.0.1"
        ) from None
    return all(ipaddress.ip_address(each[4][0]).is_loopback for each in found)


def url(host: str, port: int, scheme: str = "http") -> str:
    """Where a browser on this machine finds the page."""
    everywhere = host in ("", "0.0.0.0", "::")
    return f"{scheme}://{'127.0.0.1' if everywhere else bracketed(host)}:{port}/"


def bracketed(host: str) -> str:
    """A host as it stands in a URL."""
    return f"[{host}]" if ":" in host else host.lower()
