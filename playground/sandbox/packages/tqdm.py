"""``tqdm``: the progress of a loop, as a bar of the run."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Generic, Self, TypeVar, cast

from playground.sandbox.live import BARS

T = TypeVar("T")


class tqdm(Generic[T]):  # noqa: N801 - its name in the package
    """A loop with a progress bar.

    Args:
        iterable: Of the loop; without one, ``update`` moves the bar.
        desc: In front of the bar.
        total: The number of steps; by default the length of the iterable.
    """

    def __init__(
        self,
        iterable: Iterable[T] | None = None,
        desc: str | None = None,
        total: float | None = None,
        *_: object,
        initial: int = 0,
        **__: object,
    ) -> None:
        self.iterable, self.desc = iterable, desc or ""
        self.n: float = initial
        if total is None and hasattr(iterable, "__len__"):
            total = len(cast("Sequence[T]", iterable))
        self.total = total
        self.postfix = ""
        self._number = BARS.add(self.desc, total)

    def __iter__(self) -> Iterator[T]:
        assert self.iterable is not None, "tqdm() was made without an iterable"
        for each in self.iterable:
            yield each
            self.update()

    def __len__(self) -> int:
        return int(self.total or 0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def update(self, n: float = 1) -> None:
        """Move the bar by some steps."""
        self.n += n
        self.refresh()

    def refresh(self) -> None:
        """Show the bar as it is."""
        label = f"{self.desc} {self.postfix}".strip()
        BARS.move(self._number, self.n, total=self.total, label=label)

    def set_description(self, desc: str | None = None, refresh: bool = True) -> None:
        """Set the text in front of the bar."""
        del refresh
        self.desc = desc or ""
        self.refresh()

    def set_postfix(self, ordered_dict: Any = None, refresh: bool = True, **words: Any) -> None:
        """Set values beside the text: ``set_postfix(loss=0.5)``."""
        del refresh
        values = {**(ordered_dict or {}), **words}
        self.postfix = ", ".join(
            f"{name}={value:.3g}" if isinstance(value, float) else f"{name}={value}"
            for name, value in values.items()
        )
        self.refresh()

    def close(self) -> None:
        """Leave the bar as it is."""

    @staticmethod
    def write(s: object, *_: object, **__: object) -> None:
        """Print a text."""
        print(s)  # noqa: T201 - what the program prints


def trange(*args: int, **words: Any) -> "tqdm[int]":
    """``tqdm(range(…))``."""
    return tqdm(range(*args), **words)


for _each in (tqdm, trange):
    _each.__module__ = "tqdm"
