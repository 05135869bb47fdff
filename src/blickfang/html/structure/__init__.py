"""What a page is built of: counts over its nodes, and the one engine for repeated structure."""
