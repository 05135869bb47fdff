"""Files, archives and addresses: everything that is read from and written to disk, store or wire."""
