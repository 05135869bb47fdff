"""Which address next, and what may become one: queues, scope, traps, politeness, backoff."""
