"""What a crawl starts from and where it stops: the section [crawl] of blickfang.toml.

In: the user's values. Out: `Options`, checked, so that a long crawl does not fail on a typing
error. The crawler itself is not in this version; its settings are, because a collection keeps them.
"""

from dataclasses import dataclass
from typing import Annotated

from blickfang.errors import SettingsError

MODES = ("unfocused", "focused", "focused+keywords", "focused+images")
PURPOSES = ("search", "research", "train")


@dataclass(frozen=True, slots=True)
class Options:
    """What a crawl starts from, where it may go and when it stops."""

    seeds: Annotated[tuple[str, ...], "addresses to start from"] = ()
    mode: Annotated[str, f"how links are chosen: {', '.join(MODES)}"] = "focused+images"
    max_pages: Annotated[int, "stop after so many pages; 0: no limit"] = 1000
    max_minutes: Annotated[float, "stop after so many minutes; 0: no limit"] = 60.0
    delay_s: Annotated[float, "seconds between two requests to one host"] = 1.0
    shards: Annotated[int, "processes; 0: one per core"] = 0
    contact: Annotated[str, "mailto: or https: address of who is responsible; required"] = ""
    purpose: Annotated[str, f"what the corpus is for: {', '.join(PURPOSES)}"] = "research"
    proxy: Annotated[str, "HTTP proxy, as http://127.0.0.1:8080"] = ""
    allow_private: Annotated[bool, "permit private and loopback addresses"] = False
    reject: Annotated[tuple[str, ...], "SURT prefixes never to fetch, as (com,example,"] = ()

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise SettingsError(f'mode = "{self.mode}" is unknown; choose {", ".join(MODES)}')
        if self.purpose not in PURPOSES:
            raise SettingsError(
                f'purpose = "{self.purpose}" is unknown; choose {", ".join(PURPOSES)}'
            )
        if min(self.max_pages, self.max_minutes, self.delay_s, self.shards) < 0:
            raise SettingsError("max_pages, max_minutes, delay_s and shards must not be negative")
        if self.delay_s == 0 and not self.allow_private:
            raise SettingsError("delay_s = 0 is only allowed with allow_private = true")
        if self.contact and not self.contact.startswith(("mailto:", "https://", "http://")):
            raise SettingsError('contact must begin with "mailto:" or "https://"')
        for prefix in self.reject:
            if "(" not in prefix:
                raise SettingsError(f'reject: "{prefix}" is no SURT prefix; write "(com,example,"')
