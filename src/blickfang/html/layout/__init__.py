"""Where things stand on a page: estimated from its arrays, or measured in a real browser."""
