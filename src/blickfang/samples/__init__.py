"""Sightings of images and pictures become samples: joined, filtered, merged, ranked."""

from blickfang.samples.options import BuildOptions

__all__ = ["BuildOptions"]
