"""The images of a page, with every clue about them."""
