"""Telling the network that a table is here, so that phones and the club's hub find it by name."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from zeroconf import Error, ServiceInfo
from zeroconf.asyncio import AsyncZeroconf

SERVICE = "_barpoint._tcp.local."


def service_info(table_id: str, address: str, port: int, desk_port: int, simulated: bool) -> ServiceInfo:
    """Return what is announced: name, address, port, and in the text record what kind of table it is.

    Raises:
        OSError: `address` is no address.
    """
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    return ServiceInfo(
        SERVICE,
        f"{table_id}.{SERVICE}",
        addresses=[socket.inet_pton(family, address)],
        port=port,
        properties={"table": table_id, "path": "/", "desk": str(desk_port), "simulated": str(simulated).lower()},
        server=f"{table_id}.local.",
    )


def _require_own(address: str) -> None:
    """Raise OSError where `address` is none of this computer's."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        probe.bind((address, 0))


@asynccontextmanager
async def announced(
    table_id: str, address: str, port: int, desk_port: int, simulated: bool
) -> AsyncIterator[bool]:
    """Announce the table while the block runs; yields whether the network took it.

    A network that refuses multicast is no reason not to play: then nothing is announced.
    """
    try:
        _require_own(address)
        zeroconf = AsyncZeroconf(interfaces=[address])
    except (OSError, Error):
        yield False
        return
    try:
        try:
            await zeroconf.async_register_service(
                service_info(table_id, address, port, desk_port, simulated), allow_name_change=True
            )
        except (OSError, Error):
            yield False
        else:
            yield True
    finally:
        await zeroconf.async_close()
