"""Formats of files: recognises those of other programs, and reads the header of safetensors.

Other files are recognised by their first bytes, so that a refusal can name them. The header of a
safetensors file is checked against the data that it describes, more strictly than by the library:
no key twice, no dimension beyond what a tensor may have, no more tensors than a page can list.

Source: https://huggingface.co/docs/safetensors, "Format".
"""

import codecs
import json
import math
import re
from typing import Any

from playground.checkpoints.inspect.allow_list import (
    MAX_ELEMENTS,
    MAX_HEADER_BYTES,
    MAX_HEADER_PARTS,
    MAX_KEY_CHARACTERS,
    MAX_RANK,
    MAX_TENSORS,
    RefusedError,
    format_limit,
)
from playground.checkpoints.inspect.archive import END_BYTES, END_MAGIC
from playground.checkpoints.inspect.disassembly import announces_pickle, is_old_pickle
from playground.checkpoints.inspect.results import (
    ITEM_BYTES,
    Entry,
    Format,
    Tensor,
    Verdict,
    display_text,
)

_LEGACY_MAGIC = bytes.fromhex("6cfc9c46f9206aa85019")  # torch.serialization.MAGIC_NUMBER
_OTHER_FORMATS = (  # first bytes, their offset, format, verdict
    (b"version https://git-lfs", 0, Format.LFS_POINTER, Verdict.LFS_POINTER),
    (b"\x89PNG\r\n\x1a\n", 0, Format.PNG, Verdict.PNG),
    (b"ustar", 257, Format.TAR, Verdict.TAR),
    (b"7z\xbc\xaf\x27\x1c", 0, Format.SEVEN_ZIP, Verdict.SEVEN_ZIP),
    (b"\x93NUMPY", 0, Format.NPY, Verdict.NPY),
)
# Named in the sentence; no verdict of their own.
_NAMED = (
    (b"\x89HDF\r\n\x1a\n", "HDF5"),
    (b"GGUF", "GGUF"),
    (b"%PDF-", "PDF"),
    (b"\xff\xd8\xff", "JPEG"),
    (b"GIF8", "GIF"),
    (b"\x7fELF", "ELF"),
    (b"MZ", "EXE"),
    (b"SQLite format 3\x00", "SQLite"),
    (b"RIFF", "RIFF (WebP, WAV)"),
    (b"II*\x00", "TIFF"),
    (b"MM\x00*", "TIFF"),
    (b"PAR1", "Parquet"),
    (b"ARROW1", "Arrow"),
    (b"lmgg", "GGML"),
    (b"tjgg", "GGML"),
)
_NAMED_AT_4 = ((b"TFL3", "TFLite"), (b"ET12", "ExecuTorch"), (b"ftyp", "MP4"))  # after 4 bytes
_PACKED = (
    (b"\x1f\x8b", "gzip"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"\x04\x22\x4d\x18", "LZ4"),
    (b"Rar!\x1a\x07", "RAR"),
)
# As torch, TensorFlow and others write it: the version of the format, then who wrote the file.
_ONNX = re.compile(rb"\x08[\x01-\x20](\x12[\x01-\x7f][A-Za-z]|(\x12\x00)?:)", re.DOTALL)
# At any level of compression; its first bytes alone could be a text such as "x^2".
_ZLIB = re.compile(rb"x[\x01\x5e\x9c\xda].{0,30}?[^\t\n\r\x20-\x7e]", re.DOTALL)
_TAR_NAME_BYTES = 100
_OF_TORCH = frozenset({b"sys_info", b"pickle", b"tensors", b"storages"})
_HTML = (b"<!doctype html", b"<html", b"<head", b"<!--", b"<?xml", b"<body")
_BLANKS = b"\xef\xbb\xbf \t\r\n"
_LENGTH_BYTES = 8  # of a safetensors file: how long its header is
_TEXT_BYTES = re.compile(rb"[\t\n\r\x20-\x7e]+")

_SAFETENSORS_DTYPES = {
    "F64": "float64",
    "F32": "float32",
    "F16": "float16",
    "BF16": "bfloat16",
    "I64": "int64",
    "I32": "int32",
    "I16": "int16",
    "I8": "int8",
    "U8": "uint8",
    "BOOL": "bool",
    "C64": "complex64",
}
# fmt: off
_REFUSED_DTYPES = frozenset({  # the library has them, this lab has not
    "U16", "U32", "U64", "F8_E4M3", "F8_E5M2", "F8_E8M0", "F8_E4M3FNUZ", "F8_E5M2FNUZ",
    "F6_E2M3", "F6_E3M2", "F4",
})
# fmt: on


def recognise(data: memoryview) -> tuple[Format, RefusedError]:
    """Name the kind of a file that is neither safetensors nor a zip."""
    head = bytes(data[:512])
    for magic, at, found, verdict in _OTHER_FORMATS:
        if head.startswith(magic, at):
            reason = "tar_other" if found is Format.TAR and not _is_of_torch(head) else ""
            return found, RefusedError(verdict, reason)
    if head.lstrip(_BLANKS).lower().startswith(_HTML):
        return Format.HTML, RefusedError(Verdict.HTML)
    if head.startswith(b"\x80") and _LEGACY_MAGIC in head[:32]:
        return Format.LEGACY, RefusedError(Verdict.LEGACY)
    if announces_pickle(data) or is_old_pickle(data):
        return Format.PICKLE, RefusedError(Verdict.PICKLE_NOT_TORCH)
    if head.startswith(END_MAGIC) and len(data) == END_BYTES:
        return Format.ZIP, RefusedError(Verdict.NOT_A_CHECKPOINT)  # a zip with nothing in it
    if bytes(data[-END_BYTES : 4 - END_BYTES]) == END_MAGIC:
        return Format.ZIP, RefusedError(Verdict.BAD_ZIP)
    return Format.UNKNOWN, _named_refusal(data, head)


def _is_of_torch(head: bytes) -> bool:
    return head[:_TAR_NAME_BYTES].rstrip(b"\0").rpartition(b"/")[2] in _OF_TORCH


def _named_refusal(data: memoryview, head: bytes) -> RefusedError:
    """Return the refusal of a format that has no verdict of its own."""
    for magic, name in _PACKED:
        if head.startswith(magic):
            return RefusedError(Verdict.UNKNOWN, "unknown_packed", name=name)
    if _ZLIB.match(head):
        return RefusedError(Verdict.UNKNOWN, "unknown_packed", name="zlib")
    for magic, name in _NAMED:
        if head.startswith(magic):
            return RefusedError(Verdict.UNKNOWN, "unknown_named", name=name)
    for magic, name in _NAMED_AT_4:
        if head.startswith(magic, 4):
            return RefusedError(Verdict.UNKNOWN, "unknown_named", name=name)
    if _ONNX.match(head):
        return RefusedError(Verdict.UNKNOWN, "unknown_named", name="ONNX")
    ends = head.lstrip(_BLANKS)[:1] + bytes(data[-64:]).rstrip(_BLANKS)[-1:]
    if ends in (b"{}", b"[]"):
        return RefusedError(Verdict.UNKNOWN, "unknown_named", name="JSON")
    return _text_refusal(head)


def _text_refusal(head: bytes) -> RefusedError:
    """Return the refusal that quotes the first line if the bytes are a text."""
    try:
        text, _ = codecs.utf_8_decode(head)  # built in: nothing is imported; cuts at a whole letter
    except UnicodeDecodeError:
        return RefusedError(Verdict.UNKNOWN)
    lines = [each.strip() for each in text.lstrip("\ufeff").splitlines() if each.strip()]
    if not lines or not all(each.replace("\t", " ").isprintable() for each in lines):
        return RefusedError(Verdict.UNKNOWN)
    return RefusedError(Verdict.UNKNOWN, "unknown_text", line=display_text(lines[0]))


def looks_like_safetensors(data: memoryview) -> bool:
    """Return whether the ninth byte opens a JSON object, as it does in every safetensors file."""
    return len(data) > _LENGTH_BYTES and data[_LENGTH_BYTES] == ord("{")


def read_header(
    data: memoryview,
) -> tuple[tuple[Tensor, ...], tuple[Entry, ...], tuple[tuple[str, str], ...]]:
    """Read the tensors, the two parts of the file, and what it says of itself.

    Raises:
        RefusedError: BAD_HEADER, DUP_KEYS, BAD_DTYPE, BAD_LAYOUT, TOO_MANY_ELEMENTS or
            TOO_MANY_BYTES.
    """
    length = int.from_bytes(data[:_LENGTH_BYTES], "little")
    if length >= len(data) or _LENGTH_BYTES + length > len(data) or length > MAX_HEADER_BYTES:
        is_text = _TEXT_BYTES.fullmatch(data[:_LENGTH_BYTES])
        reason = "bad_header_text" if is_text else "bad_header_length"
        raise RefusedError(Verdict.BAD_HEADER, reason, most=format_limit(MAX_HEADER_BYTES))
    start = _LENGTH_BYTES + length
    header = _parse_header(bytes(data[_LENGTH_BYTES:start]))
    metadata = _read_metadata(header.pop("__metadata__", {}))
    if len(header) > MAX_TENSORS:
        raise RefusedError(
            Verdict.BAD_HEADER, "bad_header_tensors", count=len(header), most=MAX_TENSORS
        )
    tensors = _read_tensors(header, len(data) - start)
    entries = Entry("header", length), Entry("data", len(data) - start)
    return tensors, entries, metadata


def _parse_header(text: bytes) -> dict[str, Any]:
    parts = max(text.count(b":"), text.count(b"[") + text.count(b"{"))
    if parts > MAX_HEADER_PARTS:  # empty ones take twenty times their bytes in memory
        raise RefusedError(Verdict.BAD_HEADER, "bad_header_parts", most=MAX_HEADER_PARTS)
    try:
        header = json.loads(
            text.decode("utf-8"),
            object_pairs_hook=_without_twins,
            parse_int=_parse_int,
            parse_constant=_refuse_constant,
        )
    except (ValueError, RecursionError) as error:
        raise RefusedError(Verdict.BAD_HEADER) from error
    if not isinstance(header, dict):
        raise RefusedError(Verdict.BAD_HEADER)
    return header


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(pairs) > MAX_TENSORS + 1:  # the metadata are one more
        raise RefusedError(
            Verdict.BAD_HEADER, "bad_header_tensors", count=len(pairs), most=MAX_TENSORS
        )
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise RefusedError(Verdict.DUP_KEYS, name=display_text(key))
        if len(key) > MAX_KEY_CHARACTERS:
            raise RefusedError(Verdict.BAD_KEYS, "bad_keys_long", most=MAX_KEY_CHARACTERS)
        key.encode()  # lone surrogates are no text: a UnicodeEncodeError is a ValueError
        found[key] = value
    return found


def _parse_int(digits: str) -> int | None:
    """Read an integer; None for -0, which JSON has and Python's integers do not."""
    return None if digits == "-0" else int(digits)


def _refuse_constant(name: str) -> None:
    raise ValueError(name)  # NaN and Infinity are no JSON


def _read_metadata(metadata: object) -> tuple[tuple[str, str], ...]:
    if not isinstance(metadata, dict):
        raise RefusedError(Verdict.BAD_HEADER, "bad_header_metadata")
    for value in metadata.values():
        if not isinstance(value, str):
            raise RefusedError(Verdict.BAD_HEADER, "bad_header_metadata")
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise RefusedError(Verdict.BAD_HEADER, "bad_header_metadata") from error
    return tuple((display_text(key), display_text(value)) for key, value in metadata.items())


def _read_tensors(header: dict[str, Any], data_bytes: int) -> tuple[Tensor, ...]:
    tensors, spans = [], []
    for number, (name, described) in enumerate(header.items()):
        tensor, span = _read_tensor(name, described, str(number), data_bytes)
        tensors.append(tensor)
        spans.append((*span, name))
    at = 0
    for begin, end, name in sorted(spans):
        if begin != at:
            raise RefusedError(Verdict.BAD_LAYOUT, "bad_layout_order", name=display_text(name))
        at = end
    if at != data_bytes:
        raise RefusedError(Verdict.BAD_LAYOUT, "bad_layout_rest", count=data_bytes - at)
    return tuple(tensors)


def _read_tensor(
    name: str, described: object, storage: str, data_bytes: int
) -> tuple[Tensor, tuple[int, int]]:
    if not isinstance(described, dict) or described.keys() != {"dtype", "shape", "data_offsets"}:
        raise RefusedError(Verdict.BAD_HEADER, "bad_header_fields", name=display_text(name))
    dtype = _read_dtype(described["dtype"], name)
    shape = _whole_numbers(described["shape"], name)
    span = _whole_numbers(described["data_offsets"], name)
    if len(span) != 2 or len(shape) > MAX_RANK or not span[0] <= span[1] <= data_bytes:
        raise RefusedError(Verdict.BAD_LAYOUT, name=display_text(name))
    size_bytes = span[1] - span[0]
    if math.prod(shape) * ITEM_BYTES[dtype] != size_bytes:
        raise RefusedError(
            Verdict.BAD_LAYOUT, "bad_layout_size", name=display_text(name), size=size_bytes
        )
    if (count := math.prod(shape)) > MAX_ELEMENTS:
        raise RefusedError(
            Verdict.TOO_MANY_ELEMENTS,
            name=display_text(name),
            count=count,
            size=size_bytes,
            most=MAX_ELEMENTS,
        )
    if any(size > MAX_ELEMENTS for size in shape):
        raise RefusedError(Verdict.BAD_LAYOUT, name=display_text(name))
    tensor = Tensor(
        path=(name,),
        shape=shape,
        dtype=dtype,
        stride=contiguous_stride(shape),
        storage=storage,
        storage_bytes=size_bytes,
    )
    return tensor, (span[0], span[1])


def _read_dtype(dtype: object, name: str) -> str:
    if isinstance(dtype, str) and dtype in _SAFETENSORS_DTYPES:
        return _SAFETENSORS_DTYPES[dtype]
    if isinstance(dtype, str) and dtype in _REFUSED_DTYPES:
        raise RefusedError(Verdict.BAD_DTYPE, name=display_text(name), dtype=str(dtype))
    raise RefusedError(Verdict.BAD_LAYOUT, "bad_layout_dtype", name=display_text(name))


def _whole_numbers(values: object, name: str) -> tuple[int, ...]:
    if not isinstance(values, list) or any(type(each) is not int or each < 0 for each in values):
        raise RefusedError(Verdict.BAD_LAYOUT, name=display_text(name))
    return tuple(values)


def contiguous_stride(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the strides of a contiguous tensor, as torch counts them.

    >>> contiguous_stride((2, 3, 4)), contiguous_stride((2, 0, 4))
    ((12, 4, 1), (4, 4, 1))
    """
    strides = []
    step = 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))
