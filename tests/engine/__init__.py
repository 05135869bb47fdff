"""Tests of the room that spreads work over processes."""
