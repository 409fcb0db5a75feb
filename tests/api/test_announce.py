"""A table is found on the network by name."""

from __future__ import annotations

import asyncio

from zeroconf import ServiceStateChange, Zeroconf
from zeroconf.asyncio import AsyncServiceBrowser, AsyncZeroconf

from api.announce import SERVICE, announced, service_info


def test_an_announced_table_is_found_with_its_port_and_kind() -> None:
    async def scenario() -> str:
        found: asyncio.Future[str] = asyncio.get_running_loop().create_future()

        def heard(zeroconf: Zeroconf, service_type: str, name: str, state_change: ServiceStateChange) -> None:
            if name.startswith("table-9") and not found.done():
                found.set_result(name)

        async with announced("table-9", "127.0.0.1", 8080, 8081, True) as taken:
            assert taken
            listening = AsyncZeroconf(interfaces=["127.0.0.1"])
            browser = AsyncServiceBrowser(listening.zeroconf, SERVICE, handlers=[heard])
            name = await asyncio.wait_for(found, 10)
            await browser.async_cancel()
            await listening.async_close()
        return name

    assert asyncio.run(scenario()) == f"table-9.{SERVICE}"


def test_the_announcement_says_what_is_where() -> None:
    info = service_info("table-1", "192.168.1.5", 8080, 8081, False)
    assert info.port == 8080
    assert info.parsed_addresses() == ["192.168.1.5"]
    assert info.properties[b"desk"] == b"8081"
    assert info.properties[b"simulated"] == b"false"


def test_a_network_that_refuses_is_no_reason_not_to_play() -> None:
    async def scenario() -> bool:
        async with announced("table-1", "203.0.113.9", 8080, 8081, True) as taken:
            return taken

    assert asyncio.run(scenario()) is False
