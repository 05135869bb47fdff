"""Blickfang: from a handful of seed pages to a clean, searchable image–text corpus."""

__version__ = "0.1.0"
