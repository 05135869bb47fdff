"""Bytes of a page in, its text out."""

from blickfang.page.text import read_body_text

__all__ = ["read_body_text"]
