"""The odd files of the safety sheet, row by row, each with the verdict that it must get.

Here are the zips and the files of other kinds.
"""

import gzip
import io
import pickle
import struct
import tarfile
import zipfile
import zlib
from functools import partial

from playground.checkpoints.inspect import Verdict
from tests.checkpoints.handmade import (
    END_BYTES,
    FLOATS,
    STORED,
    Record,
    checkpoint,
    dict_of,
    end_record,
    number,
    pickled,
    read_records,
    records,
    safetensors,
    tensor,
    text,
    zipped,
)
from tests.checkpoints.odd_pickles import PICKLES, TENSORS
from tests.checkpoints.odd_safetensors import SAFETENSORS

GOOD = checkpoint(dict_of((text("w"), tensor())))
MAGIC = 0x1950A86A20F9469CFC6C  # of torch's old container
NONE = pickled(b"N")
FOREIGN = ("hello.txt", "data/", "data/x", "data/0/1", "data/٣", "data.pkl/x", "")
UNSAFE = ("../evil", "archive/../evil", "/etc/evil", "archive\\evil", "archive/\0")


def packed(*names: str) -> bytes:
    """A zip as any program writes it, folders as entries included."""
    return written({name: b"" if name.endswith("/") else bytes(100) for name in names})


def repacked(compression: int) -> bytes:
    """A checkpoint packed again by Python's own zip."""
    return written({each.name: each.data for each in read_records(GOOD)}, compression)


def written(files: dict[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", compression) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return target.getvalue()


def tar_file(name: str = "storages") -> bytes:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        tar.addfile(tarfile.TarInfo(name))
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
    return checkpoint(body, STORED, Record(name, data, **claims))


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
        "3 000 entries": lambda: checkpoint(b"N", {str(number): b"" for number in range(3000)})
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
OTHERS = {
    Verdict.TORCHSCRIPT: {
        "constants.pkl": lambda: packed("a/data.pkl", "a/constants.pkl"),
        "code/, compressed": lambda: packed("a/data.pkl", "a/code/x.py"),
    },
    Verdict.PT2: {"torch.export": lambda: packed("a/archive_format", "a/models/model.json")},
    Verdict.NOT_A_CHECKPOINT: {
        "plain zip": lambda: packed("hello.txt"),
        "npz": lambda: packed("w.npy"),
        "a zip with nothing in it": lambda: zipped([]),
        "photos in a folder": lambda: packed("photos/", "photos/a.jpg"),
        "names in GBK": lambda: packed("??1").replace(b"??1", "一1".encode("gbk")),
        "document": lambda: packed("[Content_Types].xml", "word/document.xml"),
    },
    Verdict.TAR: {"tar": tar_file},
    Verdict.LEGACY: {
        "legacy torch": lambda: pickled(number(MAGIC)) + pickled(b"M\xe9\x03") + pickled(b"}"),
        "legacy torch, protocol 4": lambda: pickle.dumps(MAGIC, 4),
    },
    Verdict.EMPTY: {"empty": lambda: b""},
    Verdict.TOO_BIG: {"over 20 MiB": lambda: bytes(20 * 2**20 + 1)},
    Verdict.HTML: {
        "HTML": lambda: b"\n<!DOCTYPE html><html></html>",
        "HTML in small letters": lambda: b"<html><body>404</body></html>",
    },
    Verdict.LFS_POINTER: {
        "LFS pointer": lambda: b"version https://git-lfs.github.com/spec/v1\nsize 12345\n"
    },
    Verdict.PNG: {"PNG": lambda: b"\x89PNG\r\n\x1a\n" + bytes(50)},
    Verdict.NPY: {"npy": lambda: b"\x93NUMPY\x01\x00v\x00{'descr': '<f4'}"},
    Verdict.SEVEN_ZIP: {"7z": lambda: b"7z\xbc\xaf\x27\x1c\x00\x04" + bytes(40)},
    Verdict.UNKNOWN: {
        "hello": lambda: b"hello",
        "7 bytes": lambda: bytes(7),
        "64 zero bytes": lambda: bytes(64),
        "a list for a header": lambda: safetensors(b"[1,2]"),
        "random": lambda: bytes(range(200, 256)) * 20,
        "one full stop": lambda: b".",
        "a sentence": lambda: b"The weights are in the other folder.",
        "a text whose letters are opcodes": lambda: b"hello.",
        "a text that begins with a constant": lambda: b"N.B. the weights are in the other folder.",
        "a text that begins with a mark": lambda: b"(The weights are in the other folder).",
        "a text that begins with a number": lambda: b"I.\nThe weights are in the other folder.",
        "a text that begins with a name": lambda: b"chapter one\nchapter two\nThe end.",
        "many lines of one letter": lambda: b"Identity\n" * 5_000,
        "HDF5": lambda: b"\x89HDF\r\n\x1a\n" + bytes(40),
        "GGUF": lambda: b"GGUF\x03\x00\x00\x00" + bytes(40),
        "gzip": lambda: gzip.compress(bytes(100)),
        "PDF": lambda: b"%PDF-1.7\n%\xe2\xe3\xcf\xd3",
    },
}
ODD_FILES = tuple(
    (title, verdict, made)
    for group in (PICKLES, TENSORS, ZIPS, OTHERS, SAFETENSORS)
    for verdict, files in group.items()
    for title, made in files.items()
)
