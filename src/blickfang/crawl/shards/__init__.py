"""A crawl in parts: each owns hosts, a coordinator decides what is global."""
