"""Texts in, a Topic out: what the user is looking for."""
