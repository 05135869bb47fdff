"""Choosing the engine, and what is said where there is no cluster; Ray itself: tests/cluster."""

import socket
import subprocess
import sys
from contextlib import closing

import pytest

from blickfang.compute import EngineOptions, connect, each
from blickfang.compute.ray_pool import _knock
from blickfang.errors import SettingsError


def test_a_missing_extra_is_said_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(SettingsError, match=r'pip install "blickfang\[ray\]"'):
        connect()
    with pytest.raises(SettingsError, match=r"on every node"):
        list(each(str, [1], where=EngineOptions("ray")))


@pytest.mark.parametrize("address", ["head", "head:", ":6379", "head:port", "head:70000"])
def test_what_is_no_address_is_named(address: str) -> None:
    with pytest.raises(SettingsError, match=f"{address} is no address of a Ray cluster"):
        _knock(address)


def test_the_address_of_a_client_is_named() -> None:
    with pytest.raises(SettingsError, match="on a machine of the cluster"):
        _knock("ray://127.0.0.1:10001")


def test_a_wrong_address_is_known_at_once() -> None:
    with closing(socket.socket()) as nobody:
        nobody.bind(("127.0.0.1", 0))  # taken, and not listened at
        port = nobody.getsockname()[1]
        with pytest.raises(SettingsError, match=f"answers at 127.0.0.1:{port}.*ray start --head"):
            _knock(f"127.0.0.1:{port}")


def test_engines_are_known_by_name() -> None:
    with pytest.raises(SettingsError, match='no engine "spark"; choose local or ray'):
        EngineOptions("spark")
    with pytest.raises(SettingsError, match="an address is for the engine ray"):
        EngineOptions("local", "127.0.0.1:6379")


def test_nothing_heavy_is_loaded_before_it_is_used() -> None:
    code = (
        "import sys, blickfang.compute, blickfang.cli; print({'ray', 'fsspec'} & set(sys.modules))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "set()"
