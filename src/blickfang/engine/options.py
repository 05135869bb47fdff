"""Settings of the engine: where work is done."""

from dataclasses import dataclass
from typing import Annotated

from blickfang.errors import SettingsError

LOCAL, RAY = "local", "ray"


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """Where work is done."""

    name: Annotated[
        str, "where work is done: local (all cores of this machine) or ray (a cluster)"
    ] = LOCAL
    address: Annotated[
        str,
        "of the head of a Ray cluster, as 10.0.0.1:6379; empty: RAY_ADDRESS, or an own one here",
    ] = ""

    def __post_init__(self) -> None:
        if self.name not in (LOCAL, RAY):
            raise SettingsError(f'there is no engine "{self.name}"; choose local or ray')
        if self.address and self.name != RAY:
            raise SettingsError("an address is for the engine ray; choose it, too")
