"""Carries work to where it is done, and knows nothing of it."""

from blickfang.engine.local import Lost, each

__all__ = ["Lost", "each"]
