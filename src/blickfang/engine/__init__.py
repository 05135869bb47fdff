"""Carries work to where it is done, and knows nothing of it."""

from blickfang.engine.carrying import each, group
from blickfang.engine.local import Lost
from blickfang.engine.options import Options
from blickfang.engine.ray import connect

__all__ = ["Lost", "Options", "connect", "each", "group"]
