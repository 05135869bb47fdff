"""Archives that answer instead of hosts, on a clock that need not wait."""
