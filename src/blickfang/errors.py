"""What Blickfang raises when it cannot go on. The web's own mistakes are values, not errors.

BlickfangError           something the user can mend; the message says how
├── InputError           a text, page or model file that cannot be used
│   └── MissingError     a task, a sample, a person: nothing has that name
├── UnreachableError     a storage that does not answer; it may later
├── SettingsError        blickfang.toml, an option or a collection that is not as it should be
└── DiskFullError        no room left to write
"""


class BlickfangError(Exception):
    """Something the user can mend; the message says how."""


class InputError(BlickfangError):
    """A text, page or model file that cannot be used."""


class MissingError(InputError):
    """Nothing has the name that was given."""


class UnreachableError(BlickfangError):
    """A storage that does not answer; it may later."""


class SettingsError(BlickfangError):
    """A settings file, option or collection that is not as it should be."""


class DiskFullError(BlickfangError):
    """No room left to write."""
