"""Odd safetensors files: headers, layouts, and what the library lets pass."""

import json
from collections.abc import Callable, Iterator

from playground.checkpoints.inspect import Verdict
from tests.checkpoints import handmade as by_hand

Made = Callable[[], bytes]

ROW = {"dtype": "F32", "shape": [4], "data_offsets": [0, 16]}


def safetensors_files() -> Iterator[tuple[str, Verdict, Made]]:
    raw, floats = by_hand.safetensors, by_hand.FLOATS
    bad: dict[str, Made] = {
        "length 10¹²": lambda: raw(b"{}", length=10**12),
        "length 100 000 001": lambda: raw(b"{}", length=100_000_001),
        "length 2⁶⁴-1": lambda: raw(b"{}", length=2**64 - 1),
        "length of the file": lambda: raw(b"{}", length=10),
        "length 0": lambda: raw(b"{}", length=0),
        "header over 1 MB": lambda: raw(b"{" + b" " * 2**20 + b"}"),
        "bad JSON": lambda: raw(b'{"w": }'),
        "cut JSON": lambda: raw(b'{"w": {"dtype"'),
        "bad UTF-8": lambda: raw(b'{"\xff": 1}'),
        "a lone surrogate": lambda: raw(b'{"\\ud800": {}}'),
        "NaN": lambda: raw(b'{"w": NaN}'),
        "100 000 nested lists": lambda: raw(b'{"w":' + b"[" * 100_000 + b"]" * 100_000 + b"}"),
        "a number of 100 000 digits": lambda: raw(b'{"w":' + b"9" * 100_000 + b"}"),
        "metadata of numbers": lambda: header({"__metadata__": {"k": 1}}, b""),
        "metadata in a list": lambda: header({"__metadata__": []}, b""),
        "10 001 tensors": lambda: header(
            {str(n): {"dtype": "U8", "shape": [0], "data_offsets": [0, 0]} for n in range(10_001)},
            b"",
        ),
        "100 000 small objects": lambda: raw(b'{"w":[' + b'{"":0},' * 140_000 + b"0]}"),
        "200 000 empty tensors": lambda: raw(
            b"{" + b'"w":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},' * 200_000 + b"}"
        ),
        "250 000 empty lists": lambda: raw(b'{"w":[' + b"[]," * 250_000 + b"[]]}"),
        "60 000 empty texts": lambda: header(
            {"__metadata__": dict.fromkeys(map(str, range(60_000)), "")}, b""
        ),
        "a tensor that is a list": lambda: header({"w": []}),
        "a field too many": lambda: header(row(stride=[1])),
        "a field too few": lambda: header({"w": {"dtype": "F32", "shape": [4]}}),
    }
    for title, made in bad.items():
        yield f"safetensors: {title}", Verdict.BAD_HEADER, made
    two = {"a": {**ROW, "shape": [2], "data_offsets": [0, 8]}}
    layouts: dict[str, Made] = {
        "overlap": lambda: header({**two, "b": {**ROW, "shape": [3], "data_offsets": [4, 16]}}),
        "hole": lambda: header({**two, "b": {**ROW, "shape": [1], "data_offsets": [12, 16]}}),
        "a hole first": lambda: header({"b": {**ROW, "shape": [3], "data_offsets": [4, 16]}}),
        "trailing bytes": lambda: header(row(), floats + b"x"),
        "short data": lambda: header(row(), floats[:-1]),
        "shape ≠ bytes": lambda: header(row(shape=[5])),
        "2⁸⁰ elements": lambda: header(row(shape=[2**40, 2**40])),
        "negative dim": lambda: header(row(shape=[-4])),
        "two negative dims": lambda: header(row(shape=[-2, -2])),
        "minus zero": lambda: raw(b'{"w":{"dtype":"F32","shape":[-0],"data_offsets":[0,0]}}'),
        "a float as a dim": lambda: header(row(shape=[4.0])),
        "True as a dim": lambda: header(row(shape=[4, True])),
        "a shape that is a number": lambda: header(row(shape=4)),
        "offsets backwards": lambda: header(row(data_offsets=[16, 0])),
        "three offsets": lambda: header(row(data_offsets=[0, 8, 16])),
        "dtype OBJECT": lambda: header(row(dtype="OBJECT")),
        "dtype in a list": lambda: header(row(dtype=["F32"])),
        "shape [0, 2⁶²]": lambda: header(row(shape=[0, 2**62], data_offsets=[0, 0]), b""),
        "65 dims": lambda: header(row(shape=[1] * 64 + [4])),
    }
    for title, made in layouts.items():
        yield f"safetensors: {title}", Verdict.BAD_LAYOUT, made
    twice = b'{"w":' + json.dumps(ROW).encode() + b',"w":' + json.dumps(ROW).encode() + b"}"
    yield "safetensors: duplicate keys", Verdict.DUP_KEYS, lambda: raw(twice, floats)
    long = header({"w" * 1001: ROW})
    yield "safetensors: a name of 1 001 letters", Verdict.BAD_KEYS, lambda: long
    for dtype in ("F4", "F8_E4M3", "U16", "U64"):
        yield f"safetensors: {dtype}", Verdict.BAD_DTYPE, lambda d=dtype: header(row(dtype=d))
    large = {"w": {"dtype": "U8", "shape": [2 * 10**7], "data_offsets": [0, 2 * 10**7]}}
    many = "safetensors: 2⋅10⁷ elements"
    yield many, Verdict.TOO_MANY_ELEMENTS, lambda: header(large, bytes(2 * 10**7))


def header(tables: object, data: bytes = by_hand.FLOATS) -> bytes:
    return by_hand.safetensors(json.dumps(tables).encode(), data)


def row(**changes: object) -> dict[str, object]:
    return {"w": {**ROW, **changes}}
