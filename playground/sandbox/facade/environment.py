"""``os.environ`` of a cell: a dict of its own, of which CUDA's variables reach torch."""

from collections.abc import Iterator, MutableMapping
from typing import Any

SEEN = frozenset({"CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER"})
"""What torch reads when a program asks for its GPUs; nothing else of the server is shown."""


class Environment(MutableMapping[str, str]):
    """Environment variables that begin empty.

    Args:
        outer: The process's environment.

    >>> here = Environment({"HOME": "/root"})
    >>> here["CUDA_VISIBLE_DEVICES"] = "1"
    >>> dict(here)
    {'CUDA_VISIBLE_DEVICES': '1'}
    """

    def __init__(self, outer: MutableMapping[str, str]) -> None:
        self._outer = outer
        self._own: dict[str, str] = {}

    def __getitem__(self, name: str) -> str:
        """A variable that the cell has set."""
        return self._own[name]

    def __setitem__(self, name: Any, value: Any) -> None:
        """Set a variable."""
        if not isinstance(name, str) or not isinstance(value, str):
            given = value if isinstance(name, str) else name
            raise TypeError(f"str expected, not {type(given).__name__}")
        if name in SEEN:
            self._outer[name] = value
        self._own[name] = value

    def __delitem__(self, name: str) -> None:
        """Take a variable back."""
        del self._own[name]
        if name in SEEN:
            self._outer.pop(name, None)

    def __iter__(self) -> Iterator[str]:
        """The names that the cell has set."""
        return iter(self._own)

    def __len__(self) -> int:
        """How many there are."""
        return len(self._own)

    def __repr__(self) -> str:
        """As Python shows it."""
        return f"environ({self._own!r})"
