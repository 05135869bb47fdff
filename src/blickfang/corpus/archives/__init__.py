"""Archives read into parts: which ones, how workers get them, what each says."""
