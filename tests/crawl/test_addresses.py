"""Which machines may be asked."""

import asyncio
import socket
import threading
from collections.abc import Callable, Coroutine
from ipaddress import IPv4Address, IPv6Address
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blickfang.crawl.fetch import resolver as addresses
from blickfang.crawl.fetch.resolver import (
    NO_CONTACT,
    PORT,
    PRIVATE,
    RefusedAddressError,
    Resolver,
    is_public,
    refuse,
)
from blickfang.io import urls

PUBLIC = """1.1.1.1 9.9.9.9 93.184.216.34 99.255.255.255 100.128.0.0 172.32.0.0 192.169.0.1
198.17.255.255 223.255.255.255 2606:4700:4700::1111 2a00:1450:4001:830::200e ::ffff:9.9.9.9
64:ff9b::9.9.9.9 2002:909:909::1 2001:200::1"""
NOT_PUBLIC = """0.0.0.0 0.1.2.3 10.1.2.3 100.64.0.1 100.100.100.200 100.127.255.255 127.0.0.1
127.9.9.9
168.63.129.16 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.192 192.0.2.1 192.88.99.1
192.168.1.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.1.1.1 240.0.0.1
255.255.255.255 :: ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:169.254.169.254 ::ffff:7f00:1
64:ff9b::10.0.0.1 64:ff9b:1::9.9.9.9 100::1 2001::1 2001:db8::1 2001:10::1 2002:7f00:1::
2002:a9fe:a9fe::1 3fff::1 5f00::1 fc00::1 fd00:ec2::254 fe80::1 fe80::1%eth0 fec0::1 ff02::1
2001:0:a00:1:0:0:f6f6:f6f6 2001:0:909:909:0:0:80ff:fffe 2a00::5efe:10.0.0.1
::ffff:0:127.0.0.1 localhost 127.1 2130706433 0x7f.1 127.0.0.1. 1.1.1 [::1] """


@pytest.mark.parametrize("address", PUBLIC.split())
def test_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize("address", ["", *NOT_PUBLIC.split()])
def test_not_public(address: str) -> None:
    assert not is_public(address)


@given(st.ip_addresses(v=4))
def test_what_python_calls_private_is_not_public(address: IPv4Address) -> None:
    if address.is_private or address.is_multicast or address.is_reserved or address.is_link_local:
        assert not is_public(str(address))


@given(st.ip_addresses(v=4))
def test_wrapped_addresses_are_judged_as_plain_ones(address: IPv4Address) -> None:
    number = int(address)
    for wrapped in (
        number,
        0xFFFF << 32 | number,
        0x64FF9B << 96 | number,
        0x2002 << 112 | number << 80 | 1,
    ):
        assert is_public(str(IPv6Address(wrapped))) == is_public(str(address))


@given(st.ip_addresses(v=6))
def test_ipv6_is_never_more_public_than_python_says(address: IPv6Address) -> None:
    if address.is_private or address.is_multicast or address.is_link_local:
        assert not is_public(str(address)) or address.ipv4_mapped or address.sixtofour


def test_only_canonical_public_literals_pass() -> None:
    hosts = "127.0.0.1 2130706433 0x7f.1 0177.1 127.1 127.0.0.1. localhost a.localhost LOCALHOST."
    for host in (*hosts.split(), "::1", "::ffff:127.0.0.1", "999.1.1.1"):
        assert refuse(host, None, allow_private=False) == PRIVATE, host
        assert refuse(host, None, allow_private=True) == ""
    for host in ("9.9.9.9", "2606:4700::1111", "host1", "a.1b", "1.example", "localhost.org"):
        assert refuse(host, 8080, allow_private=False) == "", host
    assert refuse("example.org", 25, allow_private=True) == PORT


def test_without_a_contact_only_own_hosts_are_asked() -> None:
    for host in ("9.9.9.9", "2606:4700::1111"):
        assert refuse(host, None, allow_private=True, allow_public=False) == NO_CONTACT, host
    for host in ("127.0.0.1", "::1", "localhost", "host1"):
        assert refuse(host, None, allow_private=True, allow_public=False) == "", host


def test_names_of_others_are_not_asked_without_a_contact(asked: list[str]) -> None:
    async def inside() -> None:
        resolver = Resolver(allow_private=True, allow_public=False)
        try:
            assert await resolver.addresses("mixed.test") == ("127.0.0.1", "::ffff:10.0.0.1")
            with pytest.raises(RefusedAddressError, match=NO_CONTACT):
                await resolver.addresses("many.test")
        finally:
            await resolver.close()

    asyncio.run(inside())
    assert asked == ["mixed.test", "many.test"]


def test_canonical_urls_show_what_odd_numbers_mean() -> None:
    for url in ("http://2130706433/", "http://0x7f.1/", "http://0177.0.0.1/", "http://①27.0.0.1/"):
        known = urls.canonical(url)
        assert known is not None
        assert urls.host(known) == "127.0.0.1"


def answer(table: dict[str, list[str]], asked: list[str]) -> Callable[..., object]:
    def getaddrinfo(host: bytes, port: object, **rest: object) -> list[object]:
        del port, rest
        asked.append(host.decode())
        if host.decode() not in table:
            raise socket.gaierror(socket.EAI_NONAME, "unknown")
        return [(0, 0, 0, "", (address, 0)) for address in table[host.decode()]]

    return getaddrinfo


TABLE = {
    "mixed.test": ["127.0.0.1", "9.9.9.9", "::ffff:10.0.0.1", "2606:4700::1111", "9.9.9.9"],
    "inside.test": ["10.0.0.1", "fe80::1%eth0"],
    "many.test": [f"9.9.9.{k}" for k in range(100)],
}


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    names: list[str] = []
    monkeypatch.setattr(socket, "getaddrinfo", answer(TABLE, names))
    return names


def run(work: Callable[[Resolver], Coroutine[Any, Any, None]], allow_private: bool = False) -> None:
    async def inside() -> None:
        resolver = Resolver(allow_private)
        try:
            await work(resolver)
        finally:
            await resolver.close()

    asyncio.run(inside())


def test_only_public_addresses_of_a_name_are_used(asked: list[str]) -> None:
    async def work(resolver: Resolver) -> None:
        assert await resolver.addresses("mixed.test") == ("9.9.9.9", "2606:4700::1111")
        found = await resolver.resolve("mixed.test", 80)
        assert [(f["host"], f["port"], f["family"]) for f in found] == [
            ("9.9.9.9", 80, socket.AF_INET),
            ("2606:4700::1111", 80, socket.AF_INET6),
        ]
        assert len(await resolver.addresses("many.test")) == addresses.MOST_ADDRESSES
        with pytest.raises(RefusedAddressError):
            await resolver.resolve("inside.test", 80)
        with pytest.raises(OSError, match="no address"):
            await resolver.resolve("unknown.test", 80)

    run(work)
    assert asked == ["mixed.test", "many.test", "inside.test", "unknown.test"]


def test_private_addresses_can_be_allowed(asked: list[str]) -> None:
    async def work(resolver: Resolver) -> None:
        assert await resolver.addresses("inside.test") == ("10.0.0.1", "fe80::1%eth0")

    run(work, allow_private=True)
    assert asked == ["inside.test"]


def test_answers_are_kept_for_a_while(asked: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(addresses, "monotonic", lambda: now)
    monkeypatch.setattr(addresses, "MOST_NAMES", 2)

    async def work(resolver: Resolver) -> None:
        async def ask(*names: str) -> int:
            for name in names:
                await asyncio.gather(resolver.addresses(name), return_exceptions=True)
            return len(asked)

        nonlocal now
        assert await ask("mixed.test", "unknown.test", "mixed.test", "unknown.test") == 2
        now += addresses.UNKNOWN_S + 1
        assert await ask("mixed.test", "unknown.test") == 3
        now += addresses.KNOWN_S + 1
        assert await ask("mixed.test") == 4
        assert await ask("many.test", "inside.test", "many.test", "mixed.test") == 7

    run(work)


def test_one_question_for_all_who_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    gate, asked = threading.Event(), list[str]()
    quick = answer(TABLE, asked)

    def slow(host: bytes, port: object, **rest: object) -> object:
        gate.wait(10)
        return quick(host, port, **rest)

    monkeypatch.setattr(socket, "getaddrinfo", slow)

    async def work(resolver: Resolver) -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(resolver.addresses("mixed.test"), 0.05)
        waiting = [asyncio.create_task(resolver.addresses("mixed.test")) for _ in range(5)]
        gate.set()
        assert await asyncio.gather(*waiting) == [("9.9.9.9", "2606:4700::1111")] * 5

    run(work)
    assert asked == ["mixed.test"]


def test_closing_does_not_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    gate = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: gate.wait(10) and [])

    async def work(resolver: Resolver) -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(resolver.addresses("mixed.test"), 0.05)

    run(work)
    gate.set()
