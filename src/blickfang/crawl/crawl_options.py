"""What a crawl starts from, where it may go and when it stops: section [crawl] of blickfang.toml.

In: the user's values. Out: `Options`, checked, so that a long crawl does not fail on a typing
error.
"""

from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias
from urllib.parse import urlsplit

from blickfang.errors import SettingsError

MODES = ("unfocused", "focused", "focused+keywords", "focused+images")
PURPOSES = ("search", "research", "train")
RENDERING = ("never", "auto", "always")
LEAST_DELAY_S = 1.0  # on hosts of others
PATIENT_PAUSES = 3  # of a good host, that are waited for
LEAST_PATIENCE_S = 0.5  # where there are no pauses a good host may be busy
LIMITS = (
    "max_pages",
    "max_images",
    "max_mb",
    "max_minutes",
    "max_depth",
    "max_pages_per_host",
    "min_disk_mb",
    "delay_s",
    "max_delay_s",
    "retries",
    "shards",
)

NumberOrAuto: TypeAlias = float | Literal["auto"]


@dataclass(frozen=True, slots=True)
class CrawlOptions:
    """What a crawl starts from, where it may go and when it stops."""

    seeds: Annotated[tuple[str, ...], "addresses to start from"] = ()
    sitemaps: Annotated[bool, "also start from what the sitemaps of the seeds' hosts list"] = False
    mode: Annotated[str, f"how links are chosen: {', '.join(MODES)}"] = "focused+images"
    images: Annotated[bool, "fetch images, too"] = True
    max_pages: Annotated[int, "stop after so many HTML pages answered 200; 0: no limit"] = 1000
    max_images: Annotated[int, "stop fetching images after so many; 0: no limit"] = 0
    max_mb: Annotated[float, "stop after so many megabytes of answers; 0: no limit"] = 0.0
    max_minutes: Annotated[float, "stop after so many minutes; 0: no limit"] = 60.0
    max_depth: Annotated[int, "links from the seeds; 0: no limit"] = 0
    max_pages_per_host: Annotated[int, "requests for pages to one host; 0: no limit"] = 5000
    min_disk_mb: Annotated[float, "stop when the disk has less room left"] = 500.0
    delay_s: Annotated[float, "seconds between two requests to one host; at least 1"] = 1.0
    max_delay_s: Annotated[float, "hosts that ask for longer delays or pauses are left out"] = 60.0
    patience_s: Annotated[
        NumberOrAuto,
        "focused+images with max_pages: seconds to wait for a good host; "
        f'0: faster, poorer; "auto": {PATIENT_PAUSES} times delay_s',
    ] = "auto"
    parallel: Annotated[int, "requests at once, in one shard, to other hosts each; patient: 4"] = 32
    per_address: Annotated[
        int, "requests at once to hosts of one address; in each shard its part, at least 1"
    ] = 2
    retries: Annotated[int, "how often a failed request is tried again"] = 3
    shards: Annotated[int, "processes; 0: as before, else one per core"] = 0
    contact: Annotated[
        str, "mailto: or https: address of who is responsible; required for hosts of others"
    ] = ""
    purpose: Annotated[str, f"what the corpus is for: {', '.join(PURPOSES)}"] = "research"
    robots: Annotated[bool, "obey robots.txt and all other opt-outs"] = True
    render: Annotated[str, f"pages that need JavaScript ([browser]): {', '.join(RENDERING)}"] = (
        "auto"
    )
    proxy: Annotated[str, "HTTP proxy, as http://127.0.0.1:8080"] = ""
    allow_private: Annotated[
        bool, "permit private and loopback addresses; without a contact only those"
    ] = False
    stay_on_seed_hosts: Annotated[bool, "follow no link to a host that has no seed"] = False
    accept: Annotated[tuple[str, ...], "SURT prefixes; if any, pages elsewhere are left out"] = ()
    reject: Annotated[tuple[str, ...], "SURT prefixes never to fetch, as (com,example,"] = ()

    def __post_init__(self) -> None:
        for name, known in (("mode", MODES), ("purpose", PURPOSES), ("render", RENDERING)):
            value = getattr(self, name)
            if value not in known:
                raise SettingsError(f'{name} = "{value}" is unknown; choose {", ".join(known)}')
        for name in LIMITS:
            if getattr(self, name) < 0:
                raise SettingsError(f"{name} must not be negative")
        if self.patience_s != "auto" and self.patience_s < 0:
            raise SettingsError('patience_s must not be negative; "auto" follows delay_s')
        if self.parallel < 1 or self.per_address < 1:
            raise SettingsError("parallel and per_address must be at least 1")
        if self.delay_s < LEAST_DELAY_S and not self.allow_private:
            raise SettingsError(
                f"delay_s below {LEAST_DELAY_S:g} is only allowed with allow_private = true"
            )
        if not self.robots and not self.allow_private:
            raise SettingsError("robots = false is only allowed with allow_private = true")
        self._check_addresses()

    @property
    def patience(self) -> float:
        """Seconds that a host which is worth much less waits for a good one.

        A host is ready again only after its pause: whoever waits for less never waits for it.
        """
        if self.patience_s == "auto":
            return max(LEAST_PATIENCE_S, PATIENT_PAUSES * self.delay_s)
        return self.patience_s

    def _check_addresses(self) -> None:
        if self.contact and not self.contact.startswith(("mailto:", "https://", "http://")):
            raise SettingsError('contact must begin with "mailto:" or "https://"')
        if self.proxy and not is_proxy(self.proxy):
            raise SettingsError('proxy is no address of an HTTP proxy; write "http://host:port"')
        for name in ("accept", "reject"):
            for prefix in getattr(self, name):
                if "(" not in prefix:
                    raise SettingsError(
                        f'{name}: "{prefix}" is no SURT prefix; write "(com,example,"'
                    )


def is_proxy(address: str) -> bool:
    """Whether an address can be that of an HTTP proxy.

    >>> [is_proxy(text) for text in ("http://me:x@[::1]:80", "localhost:80", "socks5://a:1")]
    [True, False, False]
    """
    try:
        parts = urlsplit(address)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port that is no number, brackets that are not closed
        return False
