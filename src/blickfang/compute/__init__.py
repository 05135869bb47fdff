"""Carries work to where it is done, and knows nothing of it."""

from blickfang.compute.engine import EngineOptions, each, group
from blickfang.compute.local_pool import LostTask
from blickfang.compute.ray_pool import connect

__all__ = ["EngineOptions", "LostTask", "connect", "each", "group"]
