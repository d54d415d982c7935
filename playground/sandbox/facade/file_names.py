"""Which names a file of a cell may have; knows no torch."""

import re

NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,39}(/[A-Za-z0-9_][A-Za-z0-9_.-]{0,39}){0,2}")


def is_file_name(text: object) -> bool:
    """A plain name, perhaps in a folder: no root, no parent, no hidden file.

    >>> is_file_name("data/x-file"), is_file_name("/etc/passwd"), is_file_name("../x")
    (True, False, False)
    """
    return isinstance(text, str) and NAME.fullmatch(text) is not None
