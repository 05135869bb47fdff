"""The way of the study: patterns from repeats of the token string of a page."""
