"""Odd zips: bombs, tricks and damage."""

import io
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator

from playground.checkpoints.inspect import Verdict
from tests.checkpoints import handmade as by_hand
from tests.checkpoints.handmade import Record

Made = Callable[[], bytes]

GOOD = by_hand.checkpoint(by_hand.dict_of((by_hand.text("w"), by_hand.tensor())))


def zip_files() -> Iterator[tuple[str, Verdict, Made]]:
    bombs: dict[str, Made] = {
        "1 GB of zeros": zeros_bomb,
        "300 MB string": pickle_bomb,
        "deflated again": lambda: repacked(compression=zipfile.ZIP_DEFLATED),
        "bzip2": lambda: repacked(compression=zipfile.ZIP_BZIP2),
        "stored, of two sizes": lambda: by_hand.checkpoint(
            b"N", None, [Record("archive/data/1", b"ab", size=3)]
        ),
    }
    for title, made in bombs.items():
        yield title, Verdict.COMPRESSED, made
    many = [Record(f"archive/data/{number}", b"") for number in range(1, 3000)]
    yield "3 000 entries", Verdict.TOO_MANY_ENTRIES, lambda: by_hand.checkpoint(b"N", None, many)

    def extra(name: str, **options: int) -> Made:
        more = [Record(name, b"hello", **options)]
        return lambda: by_hand.checkpoint(by_hand.tensor(), None, more)

    for name in ("../evil", "archive/../evil", "/etc/evil", "archive\\evil", "archive/\0"):
        yield f"entry {name!r}", Verdict.BAD_NAMES, extra(name)
    yield "a long name", Verdict.BAD_NAMES, extra("archive/" + "x" * 600)
    yield "two roots", Verdict.BAD_NAMES, extra("other/data/1")
    yield "an entry beside the folder", Verdict.BAD_NAMES, extra("hello.txt")
    yield "duplicate name", Verdict.DUP_NAMES, extra("archive/data/0")
    yield "same name in capitals", Verdict.DUP_NAMES, extra("archive/DATA.pkl")
    for name in ("hello.txt", "data/", "data/x", "data/0/1", "data/٣", "data.pkl/x", ""):
        yield f"entry archive/{name}", Verdict.UNEXPECTED_ENTRY, extra(f"archive/{name}")
    yield "encrypted", Verdict.ENCRYPTED, extra("archive/data/1", flags=1)
    yield (
        "encrypted pickle",
        Verdict.ENCRYPTED,
        lambda: by_hand.zipped([Record("archive/data.pkl", by_hand.pickled(b"N"), flags=1)]),
    )
    wrong = Record("archive/data/1", b"hello", crc=7)
    yield "checksum", Verdict.CRC, lambda: by_hand.checkpoint(b"N", None, [wrong])
    yield (
        "big endian",
        Verdict.BYTE_ORDER,
        lambda: by_hand.zipped(
            [Record("a/data.pkl", by_hand.pickled(b"N")), Record("a/byteorder", b"big")]
        ),
    )
    for title, version in {"no": None, "an unknown": b"11", "an odd": b"three"}.items():
        entries = [Record("a/data.pkl", by_hand.pickled(b"N"))]
        entries += [] if version is None else [Record("a/version", version)]
        yield f"{title} version", Verdict.NOT_A_CHECKPOINT, lambda e=entries: by_hand.zipped(e)


def damaged_files() -> Iterator[tuple[str, Verdict, Made]]:
    end = by_hand.END_BYTES
    damaged: dict[str, Made] = {
        "cut to a half": lambda: GOOD[: len(GOOD) // 2],
        "cut to 10 bytes": lambda: GOOD[:10],
        "last byte missing": lambda: GOOD[:-1],
        "bytes before": lambda: b"hello" + GOOD,
        "bytes after": lambda: GOOD + b"hello",
        "a zip after": lambda: GOOD + GOOD,
        "comment": lambda: by_hand.zipped(by_hand.records(by_hand.pickled(b"N")), b"hello"),
        "a byte before the directory": lambda: shifted(b"x"),
        "two names for an entry": lambda: by_hand.checkpoint(
            b"N", None, [Record("archive/data/1", b"", own_name="archive/data/2")]
        ),
        "an entry marked as a folder": lambda: by_hand.checkpoint(
            b"N", None, [Record("archive/data/1", b"hello", attributes=0x10)]
        ),
        "an unheard-of flag": lambda: by_hand.checkpoint(
            b"N", None, [Record("archive/data/1", b"hello", flags=0x20)]
        ),
        "an unheard-of flag of the local header alone": lambda: by_hand.checkpoint(
            b"N", None, [Record("archive/data/1", b"hello", own_flags=0x20)]
        ),
        "a name that is no UTF-8": lambda: GOOD.replace(b"byteorder", b"byteorde\xff"),
        "directory beyond the end": lambda: GOOD[:-end] + by_hand.end_record(4, 10**9, 0),
        "more entries than there are": lambda: GOOD[:-14] + b"\x09\0\x09\0" + GOOD[-10:],
        "second disk": lambda: GOOD[:-18] + b"\x01\x00" + GOOD[-16:],
        "only an end": lambda: b"PK\x03\x04" + by_hand.end_record(0, 0, 0),
        "an end that is elsewhere": lambda: GOOD[:-end] + end64(7) + GOOD[-end:],
    }
    for title, made in damaged.items():
        yield title, Verdict.BAD_ZIP, made
    flipped = GOOD.replace(by_hand.FLOATS, bytes([by_hand.FLOATS[0] ^ 1]) + by_hand.FLOATS[1:])
    yield "one flipped data byte", Verdict.CRC, lambda: flipped


def repacked(**options: int) -> bytes:
    """A checkpoint packed again by Python's own zip."""
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(GOOD)) as old, zipfile.ZipFile(target, "w", **options) as new:
        for entry in old.namelist():
            new.writestr(entry, old.read(entry))
    return target.getvalue()


def deflated(data: bytes, size: int | None = None) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


def zeros_bomb() -> bytes:
    """16 MB of zeros in some kB, which claim to be a gigabyte."""
    packed = deflated(bytes(2**24))
    entry = Record("archive/data/0", packed, method=8, crc=0, size=10**9)
    body = by_hand.pickled(by_hand.tensor())
    return by_hand.zipped([Record("archive/data.pkl", body), entry])


def pickle_bomb() -> bytes:
    packed = deflated(b"\x80\x02" + by_hand.text("x" * 2**22) + b".")
    return by_hand.zipped(
        [
            Record("archive/data.pkl", packed, method=8, size=3 * 10**8),
            Record("archive/version", b"3"),
        ]
    )


def shifted(between: bytes) -> bytes:
    """The good file with something between the entries and the directory."""
    start = struct.unpack("<I", GOOD[-6:-2])[0]
    moved = struct.pack("<I", start + len(between))
    return GOOD[:start] + between + GOOD[start:-6] + moved + GOOD[-2:]


def end64(start: int) -> bytes:
    said = struct.pack("<4sQ2H2I4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, 4, 4, 10, start)
    return said + struct.pack("<4sIQI", b"PK\x06\x07", 0, len(GOOD) - by_hand.END_BYTES, 1)
