"""How the demo web is put together: hosts, markup, links, copies, traps, and the truth of it."""
