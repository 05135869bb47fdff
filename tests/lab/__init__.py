"""Tests of replays and experiments."""
