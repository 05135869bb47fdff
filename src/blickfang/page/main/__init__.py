"""The main text of a page: what is left without menus, adverts and the like."""

from blickfang.page.main.model import MainText, find_main_text

__all__ = ["MainText", "find_main_text"]
