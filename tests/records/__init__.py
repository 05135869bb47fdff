"""Tests of the room `records`."""
