"""The text that belongs to an image: one file a way to find it."""
