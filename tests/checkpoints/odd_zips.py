import io
import struct
import zipfile
import zlib
from functools import partial

from playground.checkpoints.inspect import Verdict
from tests.checkpoints.handmade import (
    END_BYTES,
    FLOATS,
    Record,
    checkpoint,
    dict_of,
    end_record,
    pickled,
    read_records,
    records,
    tensor,
    text,
    zipped,
)

GOOD = checkpoint(dict_of((text("w"), tensor())))
NONE = pickled(b"N")
FOREIGN = ("hello.txt", "data/", "data/x", "data/0/1", "data/٣", "data.pkl/x", "")
UNSAFE = ("../evil", "archive/../evil", "/etc/evil", "archive\\evil", "archive/\0")


def repacked(compression: int) -> bytes:
    """A checkpoint packed again by Python's own zip."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", compression) as new:
        for each in read_records(GOOD):
            new.writestr(each.name, each.data)
    return target.getvalue()


def deflated(data: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


def zeros_bomb() -> bytes:
    """16 MB of zeros in some kB, which claim to be a gigabyte."""
    entry = Record("archive/data/0", deflated(bytes(2**24)), method=8, crc=0, size=10**9)
    return zipped([Record("archive/data.pkl", pickled(tensor())), entry])


def pickle_bomb() -> bytes:
    packed = deflated(pickled(text("x" * 2**22)))
    entry = Record("archive/data.pkl", packed, method=8, size=3 * 10**8)
    return zipped([entry, Record("archive/version", b"3")])


def shifted(between: bytes) -> bytes:
    """The good file with something between the entries and the directory."""
    start = struct.unpack("<I", GOOD[-6:-2])[0]
    moved = struct.pack("<I", start + len(between))
    return GOOD[:start] + between + GOOD[start:-6] + moved + GOOD[-2:]


def end64(start: int) -> bytes:
    said = struct.pack("<4sQ2H2I4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, 4, 4, 10, start)
    return said + struct.pack("<4sIQI", b"PK\x06\x07", 0, len(GOOD) - END_BYTES, 1)


def with_entry(
    name: str = "archive/data/1", data: bytes = b"hello", body: bytes = b"N", **claims: object
) -> bytes:
    """A checkpoint with one entry more."""
    return checkpoint(body, None, [Record(name, data, **claims)])


def foreign(name: str) -> bytes:
    return with_entry(name, body=tensor())


def small(*more: Record, **claims: int) -> bytes:
    return zipped([Record("archive/data.pkl", NONE, **claims), *more])


ZIPS = {
    Verdict.COMPRESSED: {
        "1 GB of zeros": zeros_bomb,
        "300 MB string": pickle_bomb,
        "deflated again": lambda: repacked(zipfile.ZIP_DEFLATED),
        "bzip2": lambda: repacked(zipfile.ZIP_BZIP2),
        "stored, of two sizes": lambda: with_entry(data=b"ab", size=3),
    },
    Verdict.TOO_MANY_ENTRIES: {
        "3 000 entries": lambda: checkpoint(
            b"N", None, [Record(f"archive/data/{number}", b"") for number in range(1, 3000)]
        )
    },
    Verdict.BAD_NAMES: {
        **{f"entry {name!r}": partial(foreign, name) for name in UNSAFE},
        "a long name": lambda: foreign("archive/" + "x" * 600),
        "two roots": lambda: foreign("other/data/1"),
        "an entry beside the folder": lambda: foreign("hello.txt"),
    },
    Verdict.DUP_NAMES: {
        "duplicate name": lambda: foreign("archive/data/0"),
        "same name in capitals": lambda: foreign("archive/DATA.pkl"),
    },
    Verdict.UNEXPECTED_ENTRY: {
        f"entry archive/{name}": partial(foreign, f"archive/{name}") for name in FOREIGN
    },
    Verdict.ENCRYPTED: {
        "encrypted": lambda: with_entry(body=tensor(), flags=1),
        "encrypted pickle": lambda: small(flags=1),
    },
    Verdict.CRC: {
        "checksum": lambda: with_entry(crc=7),
        "one flipped data byte": lambda: GOOD.replace(FLOATS, bytes([FLOATS[0] ^ 1]) + FLOATS[1:]),
    },
    Verdict.BYTE_ORDER: {"big endian": lambda: small(Record("archive/byteorder", b"big"))},
    Verdict.NOT_A_CHECKPOINT: {
        "no version": small,
        "an unknown version": lambda: small(Record("archive/version", b"11")),
        "an odd version": lambda: small(Record("archive/version", b"three")),
    },
    Verdict.BAD_ZIP: {
        "cut to a half": lambda: GOOD[: len(GOOD) // 2],
        "cut to 10 bytes": lambda: GOOD[:10],
        "last byte missing": lambda: GOOD[:-1],
        "bytes before": lambda: b"hello" + GOOD,
        "bytes after": lambda: GOOD + b"hello",
        "a zip after": lambda: GOOD + GOOD,
        "comment": lambda: zipped(records(NONE), b"hello"),
        "a byte before the directory": lambda: shifted(b"x"),
        "two names for an entry": lambda: with_entry(data=b"", own_name="archive/data/2"),
        "an entry marked as a folder": lambda: with_entry(attributes=0x10),
        "an unheard-of flag": lambda: with_entry(flags=0x20),
        "an unheard-of flag of the local header alone": lambda: with_entry(own_flags=0x20),
        "a name that is no UTF-8": lambda: GOOD.replace(b"byteorder", b"byteorde\xff"),
        "directory beyond the end": lambda: GOOD[:-END_BYTES] + end_record(4, 10**9, 0),
        "more entries than there are": lambda: GOOD[:-14] + b"\x09\0\x09\0" + GOOD[-10:],
        "second disk": lambda: GOOD[:-18] + b"\x01\x00" + GOOD[-16:],
        "only an end": lambda: b"PK\x03\x04" + end_record(0, 0, 0),
        "an end that is elsewhere": lambda: GOOD[:-END_BYTES] + end64(7) + GOOD[-END_BYTES:],
    },
}
