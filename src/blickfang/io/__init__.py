"""Files, archives and addresses: what is read from and written to disk, store and wire."""
