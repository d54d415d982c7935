"""Reads the header of a safetensors file and checks it against the data that it describes.

Stricter than the library where the library is lenient: no key twice, no dimension beyond what a
tensor may have, no more tensors than a page can list.

Source: https://huggingface.co/docs/safetensors, "Format".
"""

import json
import math
import re
from typing import Any

from playground.checkpoints.inspect import limits
from playground.checkpoints.inspect.records import ITEM_BYTES, Entry, Tensor
from playground.checkpoints.inspect.tree import contiguous_stride
from playground.checkpoints.inspect.verdicts import RefusedError, Verdict, display_text

LENGTH_BYTES = 8
_TEXT = re.compile(rb"[\t\n\r\x20-\x7e]+")

_DTYPES = {
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
_OTHER_DTYPES = frozenset({  # the library has them, this lab has not
    "U16", "U32", "U64", "F8_E4M3", "F8_E5M2", "F8_E8M0", "F8_E4M3FNUZ", "F8_E5M2FNUZ",
    "F6_E2M3", "F6_E3M2", "F4",
})
# fmt: on


def looks_like_safetensors(data: memoryview) -> bool:
    """Return whether the ninth byte opens a JSON object, as it does in every safetensors file."""
    return len(data) > LENGTH_BYTES and data[LENGTH_BYTES] == ord("{")


def read_header(
    data: memoryview,
) -> tuple[tuple[Tensor, ...], tuple[Entry, ...], tuple[tuple[str, str], ...]]:
    """Read the tensors, the two parts of the file, and what it says of itself.

    Raises:
        RefusedError: BAD_HEADER, DUP_KEYS, BAD_DTYPE, BAD_LAYOUT, TOO_MANY_ELEMENTS or
            TOO_MANY_BYTES.
    """
    length = int.from_bytes(data[:LENGTH_BYTES], "little")
    if length >= len(data) or LENGTH_BYTES + length > len(data) or length > limits.HEADER_BYTES:
        is_text = _TEXT.fullmatch(data[:LENGTH_BYTES])
        reason = "bad_header_text" if is_text else "bad_header_length"
        raise RefusedError(
            Verdict.BAD_HEADER, reason, most=limits.format_limit(limits.HEADER_BYTES)
        )
    start = LENGTH_BYTES + length
    header = _parse(bytes(data[LENGTH_BYTES:start]))
    metadata = _read_metadata(header.pop("__metadata__", {}))
    if len(header) > limits.TENSORS:
        raise RefusedError(
            Verdict.BAD_HEADER, "bad_header_tensors", count=len(header), most=limits.TENSORS
        )
    tensors = _read_tensors(header, len(data) - start)
    entries = Entry("header", length), Entry("data", len(data) - start)
    return tensors, entries, metadata


def _parse(text: bytes) -> dict[str, Any]:
    parts = max(text.count(b":"), text.count(b"[") + text.count(b"{"))
    if parts > limits.HEADER_PARTS:  # empty ones take twenty times their bytes in memory
        raise RefusedError(Verdict.BAD_HEADER, "bad_header_parts", most=limits.HEADER_PARTS)
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
    if len(pairs) > limits.TENSORS + 1:  # the metadata are one more
        raise RefusedError(
            Verdict.BAD_HEADER, "bad_header_tensors", count=len(pairs), most=limits.TENSORS
        )
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise RefusedError(Verdict.DUP_KEYS, name=display_text(key))
        if len(key) > limits.KEY_CHARACTERS:
            raise RefusedError(Verdict.BAD_KEYS, "bad_keys_long", most=limits.KEY_CHARACTERS)
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
    if len(span) != 2 or len(shape) > limits.RANK or not span[0] <= span[1] <= data_bytes:
        raise RefusedError(Verdict.BAD_LAYOUT, name=display_text(name))
    size_bytes = span[1] - span[0]
    if math.prod(shape) * ITEM_BYTES[dtype] != size_bytes:
        raise RefusedError(
            Verdict.BAD_LAYOUT, "bad_layout_size", name=display_text(name), size=size_bytes
        )
    if (count := math.prod(shape)) > limits.ELEMENTS:
        raise RefusedError(
            Verdict.TOO_MANY_ELEMENTS,
            name=display_text(name),
            count=count,
            size=size_bytes,
            most=limits.ELEMENTS,
        )
    if any(size > limits.ELEMENTS for size in shape):
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
    if isinstance(dtype, str) and dtype in _DTYPES:
        return _DTYPES[dtype]
    if isinstance(dtype, str) and dtype in _OTHER_DTYPES:
        raise RefusedError(Verdict.BAD_DTYPE, name=display_text(name), dtype=str(dtype))
    raise RefusedError(Verdict.BAD_LAYOUT, "bad_layout_dtype", name=display_text(name))


def _whole_numbers(values: object, name: str) -> tuple[int, ...]:
    if not isinstance(values, list) or any(type(each) is not int or each < 0 for each in values):
        raise RefusedError(Verdict.BAD_LAYOUT, name=display_text(name))
    return tuple(values)
