"""Whether the operator gives the jail up, on a computer that only he uses."""

import os

VARIABLE = "PLAYGROUND_LAB_WITHOUT_JAIL"
CONSENT = "code-can-read-and-change-my-files"


def is_given() -> bool:
    """Whether the environment says, in these words, that code may reach the operator's files."""
    return os.environ.get(VARIABLE) == CONSENT
