"""Bytes of a page in; its text, links and images, and the text that belongs to each image, out."""

from blickfang.html.contexts.registry import METHODS
from blickfang.html.page import glance, read, read_body_text, read_page, read_titled_text

__all__ = ["METHODS", "glance", "read", "read_body_text", "read_page", "read_titled_text"]
