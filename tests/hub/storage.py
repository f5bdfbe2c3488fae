"""Where large objects are kept: another origin than the Hub's, which knows signed addresses and no tokens."""

import hashlib
import socket
import struct

from .exchange import Handler, Refusal, Request, Response
from .files import ranged
from .state import Hub

PATIENCE = 60.0  # seconds after which a stalled upload goes on by itself


def answer(hub: Hub, request: Request) -> Response:
    oid = request.path.strip("/")
    if "authorization" in request.headers:
        raise Refusal(400, "Only one auth mechanism allowed")
    if request.query.get("signature") != ["put" if request.method == "PUT" else "get"]:
        raise Refusal(403, "Access denied")
    if request.method == "PUT":
        if hashlib.sha256(request.body).hexdigest() != oid:
            raise Refusal(400, "The content does not have the hash that was announced")
        with hub.lock:
            hub.objects[oid] = request.body
            hub.arrived.append(oid)
        return Response(200)
    if oid not in hub.objects:
        raise Refusal(404, "No such object")
    return ranged(request, hub.objects[oid], {"ETag": f'"{oid}"', "Content-Type": "application/octet-stream"})


class StorageHandler(Handler):
    """Sends and receives objects, and breaks off where it is told to."""

    hub: Hub

    def do_PUT(self) -> None:  # noqa: N802 - named by http.server
        faults = self.hub.faults
        with self.hub.lock:
            number = next(self.hub.upload_numbers)
        if not faults.cuts(number) and number != faults.stall_at:
            self.respond()
            return
        type(self).record(self.head())
        self.rfile.read(int(self.headers["Content-Length"]) // 2)
        if number == faults.stall_at:
            faults.stalled.set()
            faults.resume.wait(PATIENCE)
        self._reset()

    def _reset(self) -> None:
        """Close the connection the hard way, so that the client cannot take it for an answer."""
        self.close_connection = True
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.shutdown(socket.SHUT_RD)
        self.connection.close()
