"""Ways to write a machine that must not be asked, and a few that may; the names that lead to them.

The matrices of docs/reliability.md have a row for each of these groups.
"""

from typing import NamedTuple

PUBLIC = "93.184.216.34"
PUBLIC_6 = "2606:2800:220:1::1"
REFUSED, NO_ADDRESS, ASKED = "refused", "no address", "asked"


class Form(NamedTuple):
    """Some spellings of hosts that must all come to the same."""

    name: str
    hosts: tuple[str, ...]
    outcome: str = REFUSED


def _form(name: str, hosts: str, outcome: str = REFUSED) -> Form:
    return Form(name, tuple(hosts.split()), outcome)


FORMS = (
    _form("this network, 0/8", "0.0.0.0 0.1.2.3 0"),
    _form("private, RFC 1918", "10.0.0.1 172.16.0.1 172.31.255.254 192.168.1.1"),
    _form("shared, CGNAT", "100.64.0.1 100.127.255.254 100.100.100.200"),
    _form("loopback", "127.0.0.1 127.255.255.254 localhost a.localhost LocalHost."),
    _form("link-local, metadata", "169.254.169.254 169.254.0.1 168.63.129.16"),
    _form("protocol assignments", "192.0.0.1 192.0.0.170 192.0.0.192"),
    _form("documentation", "192.0.2.1 198.51.100.1 203.0.113.1"),
    _form("6to4 relay, benchmarks", "192.88.99.1 198.18.0.1 198.19.255.254"),
    _form("multicast, reserved", "224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255"),
    _form("one number, decimal", "2130706433 2852039166 017700000001 0x7f000001"),
    _form("octal, hex, short", "0177.0.0.1 0x7f.0.0.1 127.1 127.0.1 0x7f.1 0300.0250.1.1"),
    _form("trailing dots", "127.0.0.1. 2130706433. 0x7f.1."),
    _form("full-width and circled digits", "１２７.0.0.1 ①②⑦.0.0.1 127。0。0。1 ⓛocalhost"),
    _form("escaped host", "%31%32%37.0.0.1 127%2e0%2e0%2e1 loc%61lhost"),
    _form("user and password", "93.184.216.34@127.0.0.1 a:b@10.0.0.1 public.test:80@127.0.0.1"),
    _form("password for a public host", "me:secret@public.test"),
    _form("backslash, tab, newline", "127.0.0.1\\@public.test 127.0&#9;.0.1 127.0.0&#10;.1"),
    _form("IPv6 loopback, unspecified", "[::1] [::] [0:0:0:0:0:0:0:1]"),
    _form("IPv6 local, multicast", "[fe80::1] [fec0::1] [fc00::1] [fd00:ec2::254] [ff02::1]"),
    _form("IPv6 special", "[100::1] [2001:db8::1] [2001:10::1] [3fff::1] [5f00::1] [2001:2::1]"),
    _form("IPv4-mapped, compatible", "[::ffff:127.0.0.1] [::ffff:7f00:1] [::127.0.0.1] [::a00:1]"),
    _form("NAT64", "[64:ff9b::10.0.0.1] [64:ff9b::a9fe:a9fe] [64:ff9b:1::1]"),
    _form("6to4, Teredo, ISATAP", "[2002:7f00:1::] [2001:0:a00:1::f6f6:f6f6] [2a00::5efe:a00:1]"),
    _form("zone ids", "[fe80::1%25eth0] [fe80::1%eth0] [::1%lo] [2606::1%25lo]", NO_ADDRESS),
    _form("other schemes by host", "127.0.0.1:0x50 [::1 127.0.0.1]", NO_ADDRESS),
    _form("ports of other protocols", "public.test:22 public.test:25 public.test:6667"),
    _form("name → private", "ten.test metadata.test zero.test cgnat.test"),
    _form("name → private IPv6", "six.test mapped.test nat64.test scoped.test"),
    _form("name → public and private", "mixed.test", ASKED),
    _form("name → public", "public.test 93.184.216.34 0x5db8d822 [2606:2800:220:1::1]", ASKED),
)
NAMES: dict[str, tuple[str, ...]] = {
    "public.test": (PUBLIC,),
    "ten.test": ("10.0.0.1",),
    "metadata.test": ("169.254.169.254",),
    "zero.test": ("0.0.0.0",),  # noqa: S104
    "cgnat.test": ("100.64.9.9",),
    "six.test": ("fd00::1", "::1"),
    "mapped.test": ("::ffff:127.0.0.1",),
    "nat64.test": ("64:ff9b::7f00:1",),
    "scoped.test": ("fe80::1%lo",),
    "mixed.test": ("127.0.0.1", PUBLIC, "10.0.0.1", "::1"),
}
