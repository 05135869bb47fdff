"""One address, from permission to new candidates."""
