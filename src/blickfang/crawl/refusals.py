"""What we refuse to ask for, whoever names it: the reasons, as failures give them.

In: nothing. Out: texts. They stand apart from those who refuse, so that whoever reads a reason need
not load the network.
"""

PRIVATE = "private address refused"
PORT = "port refused"
LOGIN = "address with credentials"
NO_CONTACT = "hosts of others need a contact"
REFUSALS = frozenset({PRIVATE, PORT, LOGIN, NO_CONTACT})  # there is nothing to wait for
