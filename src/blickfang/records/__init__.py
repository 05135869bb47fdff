"""A page in; the lists on it as tables of records, out."""
