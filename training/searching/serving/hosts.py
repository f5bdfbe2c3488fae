"""By which names a server is reached, so that no page of another site can talk to it."""

import re
import socket
from dataclasses import dataclass
from ipaddress import ip_address

LOOPBACK = "127.0.0.1"

_LOOPBACK_NAMES = frozenset({"localhost", LOOPBACK, "::1"})
_HOST = re.compile(r"(?:\[(?P<address>[0-9A-Fa-f:.]+)\]|(?P<name>[^\s:\[\]/@]+))(?::(?P<port>\d{1,5}))?")
_PORT_OF_HTTP = 80


def is_loopback(host: str) -> bool:
    """Tell whether only programs of this machine reach an address."""
    return host == "localhost" or (_is_address(host) and ip_address(host).is_loopback)


def url_of(host: str, port: int) -> str:
    """Write where a browser on this machine finds the page."""
    if _is_address(host) and ip_address(host).is_unspecified:
        host = LOOPBACK
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


@dataclass(frozen=True, slots=True)
class Names:
    """The names of a server.

    A page of another site can have its own name resolved to this machine, and then ask us in that name. Hence
    names that are not ours are refused. Addresses are no names, and cannot be resolved to anything else.

    Attributes:
        host: The name or address that it listens at.
        port: That too.
    """

    host: str
    port: int

    def has(self, header: str) -> bool:
        """Tell whether a `Host` header means this server."""
        match = _HOST.fullmatch(header)
        if match is None or int(match["port"] or _PORT_OF_HTTP) != self.port:
            return False
        name = (match["address"] or match["name"]).lower().rstrip(".")
        if name in _LOOPBACK_NAMES or name == self.host.lower():
            return True
        own = socket.gethostname().lower()
        return not is_loopback(self.host) and (_is_address(name) or name in (own, f"{own}.local"))


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
