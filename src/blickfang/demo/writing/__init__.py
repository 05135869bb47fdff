"""What the demo web says: a small grammar, and the words of each subject."""
