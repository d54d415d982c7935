"""Pickles and zips made by hand, so that they can lie as no library would let them."""

import io
import struct
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass

END_BYTES = 22
Files = dict[str, Callable[[], bytes]]  # by their titles
FLOATS = struct.pack("<4f", 1, 2, 3, 4)
STORED = {"0": FLOATS}


def text(value: str) -> bytes:
    encoded = value.encode()
    return b"X" + struct.pack("<I", len(encoded)) + encoded


def number(value: int) -> bytes:
    if 0 <= value < 256:
        return b"K" + bytes([value])
    if -(2**31) <= value < 2**31:
        return b"J" + struct.pack("<i", value)
    encoded = value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True)
    return b"\x8a" + bytes([len(encoded)]) + encoded


def name(full: str) -> bytes:
    module, _, attribute = full.rpartition(".")
    return b"c" + f"{module}\n{attribute}\n".encode()


def tuple_of(*items: bytes) -> bytes:
    return b"(" + b"".join(items) + b"t"


def numbers(values: tuple[int, ...]) -> bytes:
    return tuple_of(*map(number, values))


def call(full: str, *arguments: bytes) -> bytes:
    return name(full) + tuple_of(*arguments) + b"R"


def list_of(*items: bytes) -> bytes:
    return b"](" + b"".join(items) + b"e"


def dict_of(*pairs: tuple[bytes, bytes]) -> bytes:
    return b"}(" + b"".join(key + value for key, value in pairs) + b"u"


def ordered(*pairs: tuple[bytes, bytes]) -> bytes:
    return call("collections.OrderedDict") + b"(" + b"".join(k + v for k, v in pairs) + b"u"


def storage(
    key: str = "0", count: int = 4, kind: str = "torch.FloatStorage", device: str = "cpu"
) -> bytes:
    return tuple_of(text("storage"), name(kind), text(key), text(device), number(count)) + b"Q"


HOOKS = call("collections.OrderedDict")


def tensor(
    size: tuple[int, ...] = (4,),
    stride: tuple[int, ...] = (1,),
    offset: int = 0,
    stored: bytes | None = None,
    grad: bytes = b"\x89",
    hooks: bytes = HOOKS,
) -> bytes:
    """Four floats of the record ``data/0``, unless it says something else."""
    said = (storage() if stored is None else stored), number(offset), numbers(size)
    return call("torch._utils._rebuild_tensor_v2", *said, numbers(stride), grad, hooks)


def pickled(body: bytes) -> bytes:
    return b"\x80\x02" + body + b"."


@dataclass(frozen=True)
class Record:
    """An entry of a zip; None means the true value."""

    name: str
    data: bytes
    method: int = 0
    flags: int = 0
    crc: int | None = None
    size: int | None = None  # when unpacked
    own_name: str | None = None  # in the local header
    own_flags: int | None = None  # there too
    attributes: int = 0  # as DOS has them


def zipped(records: list[Record], comment: bytes = b"") -> bytes:
    """A zip without zip64 records."""
    body, directory = b"", b""
    for each in records:
        crc = zlib.crc32(each.data) if each.crc is None else each.crc
        size = len(each.data) if each.size is None else each.size
        said = each.method, 0, 0, crc, len(each.data), size
        own_flags = each.flags if each.own_flags is None else each.own_flags
        encoded = each.name.encode()
        own = encoded if each.own_name is None else each.own_name.encode()
        listed = 20, 20, each.flags, *said, len(encoded), 0, 0, 0, 0
        directory += struct.pack("<4s6H3I5H", b"PK\x01\x02", *listed)
        directory += struct.pack("<2I", each.attributes, len(body)) + encoded
        local = 20, own_flags, *said, len(own), 0
        body += struct.pack("<4s5H3I2H", b"PK\x03\x04", *local) + own + each.data
    return body + directory + end_record(len(records), len(directory), len(body), comment)


def end_record(count: int, size: int, start: int, comment: bytes = b"") -> bytes:
    said = 0, 0, count, count, size, start, len(comment)
    return struct.pack("<4s4H2IH", b"PK\x05\x06", *said) + comment


def checkpoint(body: bytes, data: dict[str, bytes] = STORED, *more: Record) -> bytes:
    """Return the archive that torch.save would write around a pickle with this body."""
    return around(pickled(body), data, *more)


def around(pickle: bytes, data: dict[str, bytes] = STORED, *more: Record) -> bytes:
    """Return the archive that torch.save would write around a whole pickle."""
    return zipped([*records(pickle, data), *more])


def records(pickle: bytes, data: dict[str, bytes] = STORED) -> list[Record]:
    return [
        Record("archive/data.pkl", pickle),
        Record("archive/byteorder", b"little"),
        *(Record(f"archive/data/{key}", each) for key, each in data.items()),
        Record("archive/version", b"3\n"),
    ]


def read_records(file: bytes) -> list[Record]:
    """The entries of an honest zip."""
    with zipfile.ZipFile(io.BytesIO(file)) as opened:
        return [Record(each, opened.read(each)) for each in opened.namelist()]


def with_record(file: bytes, name: str, data: bytes) -> bytes:
    """A file of torch with other content of one record, and checksums that fit."""
    contents = {each.name: each.data for each in read_records(file)} | {f"archive/{name}": data}
    return zipped([Record(*each) for each in contents.items()])


def safetensors(header: bytes, data: bytes = b"", length: int | None = None) -> bytes:
    """A safetensors file with any header at all."""
    said = len(header) if length is None else length
    return struct.pack("<Q", said) + header + data
