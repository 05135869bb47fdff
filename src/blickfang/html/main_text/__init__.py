"""The main text of a page: what is left without menus, adverts and the like."""

from blickfang.html.main_text.block_model import NO_MAIN_TEXT, MainText, find_main_text

__all__ = ["NO_MAIN_TEXT", "MainText", "find_main_text"]
