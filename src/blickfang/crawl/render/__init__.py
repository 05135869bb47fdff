"""Pages that need JavaScript, as a browser makes them."""
