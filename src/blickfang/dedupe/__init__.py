"""Near-duplicates: texts and pictures that are the same but for little."""
