"""Carries work to where it is done, and knows nothing of it."""

from blickfang.engine.carrying import each, group
from blickfang.engine.local import LostTask
from blickfang.engine.options import EngineOptions
from blickfang.engine.ray import connect

__all__ = ["EngineOptions", "LostTask", "connect", "each", "group"]
