"""The command line: one command per step; parses, calls, prints; no logic."""

from blickfang.cli.topic_commands import app

__all__ = ["app"]
