"""Figures that a program has drawn, as PNG images; the web process checks them and decodes none."""

import struct
from dataclasses import dataclass
from typing import ClassVar, Self

from playground.sandbox import schema
from playground.sandbox.schema import JsonObject
from playground.units import KIBIBYTE

SIGNATURE = b"\x89PNG\r\n\x1a\n"
CHUNK = struct.Struct(">I4s")
HEADER = struct.Struct(">IIBBBBB")  # of a chunk IHDR: width, height, depth, colours, three methods
CHECKSUM_BYTES = 4
EIGHT_BITS = 8
COLOURS = (2, 6)  # RGB, RGBA
KINDS = frozenset({b"IHDR", b"pHYs", b"IDAT", b"IEND"})
MAX_CHUNKS = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Caption:
    """Metadata that a child sends with the image of a figure.

    Attributes:
        number: The figure; a later image of the same number replaces an earlier one.
        line: The line of the program that showed it; None at the end of the program.
        title: Of the figure or of its first axes; may be empty.
        labels: Of axes and of what they show.
        scale: Pixels of the image for one of the page.
    """

    number: int
    line: int | None = None
    title: str = ""
    labels: tuple[str, ...] = ()
    scale: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A figure to show. All of it is untrusted: an image for ``<img>``, and plain text.

    Attributes:
        png: The image.
        width: On the page, in pixels of CSS.
        height: Likewise.
        caption: What its program says of it.

    Raises:
        ValueError: It is no PNG image, or a larger one than is shown.
    """

    MAX_PICTURES: ClassVar[int] = 12  # of one run
    MAX_BYTES: ClassVar[int] = 600 * KIBIBYTE  # of one image
    MAX_SIDE: ClassVar[int] = 2_000  # pixels
    MAX_LABELS: ClassVar[int] = 12
    MAX_CHARACTERS: ClassVar[int] = 120  # of a title or label

    png: bytes
    width: int
    height: int
    caption: Caption

    @classmethod
    def read(cls, png: bytes, caption: JsonObject) -> Self:
        """Check what a child has sent."""
        said = schema.read(Caption, caption)
        width, height = cls.size_of(png)
        texts = (said.title, *said.labels)
        if (
            len(png) > cls.MAX_BYTES
            or max(width, height) > cls.MAX_SIDE
            or len(said.labels) > cls.MAX_LABELS
            or max(map(len, texts)) > cls.MAX_CHARACTERS
            or not 0.01 <= said.scale <= 10.0
        ):
            raise ValueError("more than is shown of a figure")
        return cls(
            png=png,
            width=max(1, round(width / said.scale)),
            height=max(1, round(height / said.scale)),
            caption=said,
        )

    @staticmethod
    def size_of(png: bytes) -> tuple[int, int]:
        """Return the width and height of a PNG image of the kind that matplotlib writes.

        Raises:
            ValueError: It is something else.

        >>> Picture.size_of(b"GIF89a")
        Traceback (most recent call last):
        ValueError: not a PNG image
        """
        if not png.startswith(SIGNATURE):
            raise ValueError("not a PNG image")
        at = len(SIGNATURE)
        kinds: list[bytes] = []
        while at < len(png) and len(kinds) < MAX_CHUNKS:
            if len(png) < at + CHUNK.size:
                raise ValueError("a chunk is cut off")
            length, kind = CHUNK.unpack_from(png, at)
            kinds.append(kind)
            at += CHUNK.size + length + CHECKSUM_BYTES
        is_whole = at == len(png) and kinds[:1] == [b"IHDR"] and kinds[-1:] == [b"IEND"]
        if not is_whole or not KINDS.issuperset(kinds):
            raise ValueError("not the chunks of a plain image")
        first = CHUNK.unpack_from(png, len(SIGNATURE))[0]
        if first != HEADER.size or kinds.count(b"IHDR") != 1:
            raise ValueError("not the header of an image")
        width, height, depth, colours, *methods = HEADER.unpack_from(
            png, len(SIGNATURE) + CHUNK.size
        )
        if not width or not height or depth != EIGHT_BITS or colours not in COLOURS or any(methods):
            raise ValueError("not an image of eight bits a colour")
        return width, height
