"""Keeps what a cell prints, up to a limit; the printing beyond it ends the run."""

import io
from collections.abc import Callable


class OutputFullError(BaseException):
    """The cell has printed all it may; no ``except Exception`` of a student's catches it."""


class CappedWriter(io.TextIOBase):
    """A text stream with a limit in bytes of UTF-8.

    Args:
        most: How many bytes are kept.
        tell: Receives each piece that is kept, as it is printed.

    >>> writer = CappedWriter(4)
    >>> writer.write("abc")
    3
    >>> writer.write("defg")
    Traceback (most recent call last):
    playground.sandbox.cell.writer.OutputFullError
    >>> writer.text
    'abcd'
    """

    def __init__(self, most: int, tell: Callable[[str], object] | None = None) -> None:
        self._left = most
        self._pieces: list[str] = []
        self._tell = tell

    @property
    def text(self) -> str:
        """All that was kept."""
        return "".join(self._pieces)

    def writable(self) -> bool:
        """It can be written to."""
        return True

    def write(self, text: str, /) -> int:
        """Keep a piece.

        Raises:
            OutputFullError: It does not fit; its beginning is kept.
        """
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        kept = text[: self._left].encode("utf-8", "replace")
        is_full = len(text) > self._left or len(kept) > self._left
        if is_full:
            kept = kept[: self._left]
        piece = kept.decode("utf-8", "ignore") if is_full else text
        self._left -= len(kept)
        if piece:
            self._pieces.append(piece)
            if self._tell is not None:
                self._tell(piece)
        if is_full:
            self._left = 0
            raise OutputFullError
        return len(text)
