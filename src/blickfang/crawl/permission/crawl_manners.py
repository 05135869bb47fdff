"""When to come back, and under which name.

In: the headers of an answer, what the user set. Out: seconds to wait, and the name under which we
ask, which never carries anything else into a request.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from blickfang.crawl.permission.record_lines import PRODUCT
from blickfang.errors import SettingsError

MAX_RETRY_S = 24 * 3600.0
MAX_DATE = 64  # characters

# Names that are kept for examples and for nobody (RFC 2606, RFC 6761).
EXAMPLES = frozenset({"example.org", "example.com", "example.net", "example.edu"})
NOBODYS = frozenset({"example", "test", "invalid", "localhost"})

CONTACT = re.compile(r"(?:mailto:|https?://)[!#-'*+,./0-9:;=?@A-Z\[\]_a-z~%-]{3,200}")
VERSION = re.compile(r"[0-9A-Za-z.+_-]{1,40}")


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Return the seconds a host asks us to wait, at most a day; None if it does not ask."""
    value = headers.get("retry-after", "").strip()
    if re.fullmatch(r"[0-9]+", value, re.ASCII):
        return min(float(value), MAX_RETRY_S)
    moment = read_date(value)
    return None if moment is None else min(max(moment - now, 0.0), MAX_RETRY_S)


def reaches_somebody(contact: str) -> bool:
    """Whether a contact may be read by somebody; that of a new settings file is an example.

    >>> reaches_somebody("mailto:you@example.org"), reaches_somebody("https://a.org/example.org")
    (False, True)
    """
    place = contact.partition(":")[2].lstrip("/")
    host = re.split("[/?#,]", place, maxsplit=1)[0].rpartition("@")[2].partition(":")[0]
    labels = host.lower().rstrip(".").split(".")
    return bool(host) and labels[-1] not in NOBODYS and ".".join(labels[-2:]) not in EXAMPLES


def user_agent(contact: str, version: str) -> str:
    """Return the name under which we ask, with who is responsible for it.

    >>> user_agent("mailto:me@example.org", "0.1")
    'Blickfang/0.1 (+mailto:me@example.org)'
    """
    if not CONTACT.fullmatch(contact):
        raise SettingsError(
            "contact must be a mailto: or https: address without blanks and brackets, "
            'as "mailto:you@example.org"'
        )
    if not VERSION.fullmatch(version):
        raise ValueError(f"{version!r} is no version")
    return f"{PRODUCT}/{version} (+{contact})"


def read_date(text: str) -> float | None:
    """Return the moment a date names, in seconds since 1970; None if it is none."""
    text = text.strip()
    if not text or len(text) > MAX_DATE:
        return None
    for read in (parsedate_to_datetime, datetime.fromisoformat):
        try:
            moment = read(text.upper())
            return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
        except (ValueError, TypeError, OverflowError, IndexError):
            continue
    return None
