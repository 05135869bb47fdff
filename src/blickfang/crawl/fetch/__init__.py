"""One request within limits: resolved, asked, unpacked, ended early where that is enough."""
