"""Sightings of images and pictures become samples: joined, filtered, merged, ranked."""

from blickfang.corpus.build_options import BuildOptions

__all__ = ["BuildOptions"]
