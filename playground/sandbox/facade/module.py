"""What stands in for a module: an object that holds listed members and nothing else."""

from typing import NoReturn


class VettedModule:
    """A module as a cell sees it; the real one cannot be reached through it.

    >>> VettedModule("torch")
    <module 'torch'>
    >>> VettedModule("torch").os
    Traceback (most recent call last):
    AttributeError: the lab's module 'torch' has no attribute 'os'
    """

    __slots__ = ("__dict__", "_name")

    def __init__(self, name: str) -> None:
        object.__setattr__(self, "_name", name)

    def offer(self, name: str, value: object) -> None:
        """Add a member; only whoever builds the module does."""
        vars(self)[name] = value

    def __getattr__(self, name: str) -> NoReturn:
        """Say what is missing; asked only for what is not there."""
        raise AttributeError(f"the lab's module {self._name!r} has no attribute {name!r}")

    def __setattr__(self, name: str, value: object) -> NoReturn:
        """Modules belong to everyone."""
        raise AttributeError(f"the lab's module {self._name!r} cannot be changed: {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        """Modules belong to everyone."""
        raise AttributeError(f"the lab's module {self._name!r} cannot be changed: {name!r}")

    def __repr__(self) -> str:
        """As Python shows a module, without its path."""
        return f"<module {self._name!r}>"
