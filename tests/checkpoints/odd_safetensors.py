import json
from functools import partial

from playground.checkpoints.inspect import Verdict
from tests.checkpoints.handmade import FLOATS
from tests.checkpoints.handmade import safetensors as raw

ROW = {"dtype": "F32", "shape": [4], "data_offsets": [0, 16]}
EMPTY = {"dtype": "U8", "shape": [0], "data_offsets": [0, 0]}
TWO = {"a": {**ROW, "shape": [2], "data_offsets": [0, 8]}}
LARGE = {"dtype": "U8", "shape": [2 * 10**7], "data_offsets": [0, 2 * 10**7]}


def header(tables: object, data: bytes = FLOATS) -> bytes:
    return raw(json.dumps(tables).encode(), data)


def row(data: bytes = FLOATS, **changes: object) -> bytes:
    return header({"w": {**ROW, **changes}}, data)


def after_two(size: int, begin: int) -> bytes:
    """A second tensor of so many floats, that begins somewhere."""
    return header({**TWO, "b": {**ROW, "shape": [size], "data_offsets": [begin, 16]}})


def twice() -> bytes:
    written = json.dumps(ROW).encode()
    return raw(b'{"w":' + written + b',"w":' + written + b"}", FLOATS)


SAFETENSORS = {
    Verdict.BAD_HEADER: {
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
        "10 001 tensors": lambda: header({str(n): EMPTY for n in range(10_001)}, b""),
        "100 000 small objects": lambda: raw(b'{"w":[' + b'{"":0},' * 140_000 + b"0]}"),
        "200 000 empty tensors": lambda: raw(
            b"{" + b'"w":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},' * 200_000 + b"}"
        ),
        "250 000 empty lists": lambda: raw(b'{"w":[' + b"[]," * 250_000 + b"[]]}"),
        "60 000 empty texts": lambda: header({"__metadata__": dict.fromkeys(range(60_000), "")}),
        "a tensor that is a list": lambda: header({"w": []}),
        "a field too many": lambda: row(stride=[1]),
        "a field too few": lambda: header({"w": {"dtype": "F32", "shape": [4]}}),
    },
    Verdict.BAD_LAYOUT: {
        "overlap": lambda: after_two(3, 4),
        "hole": lambda: after_two(1, 12),
        "a hole first": lambda: header({"b": {**ROW, "shape": [3], "data_offsets": [4, 16]}}),
        "trailing bytes": lambda: row(FLOATS + b"x"),
        "short data": lambda: row(FLOATS[:-1]),
        "shape ≠ bytes": lambda: row(shape=[5]),
        "2⁸⁰ elements": lambda: row(shape=[2**40, 2**40]),
        "negative dim": lambda: row(shape=[-4]),
        "two negative dims": lambda: row(shape=[-2, -2]),
        "minus zero": lambda: raw(b'{"w":{"dtype":"F32","shape":[-0],"data_offsets":[0,0]}}'),
        "a float as a dim": lambda: row(shape=[4.0]),
        "True as a dim": lambda: row(shape=[4, True]),
        "a shape that is a number": lambda: row(shape=4),
        "offsets backwards": lambda: row(data_offsets=[16, 0]),
        "three offsets": lambda: row(data_offsets=[0, 8, 16]),
        "dtype OBJECT": lambda: row(dtype="OBJECT"),
        "dtype in a list": lambda: row(dtype=["F32"]),
        "shape [0, 2⁶²]": lambda: row(b"", shape=[0, 2**62], data_offsets=[0, 0]),
        "65 dims": lambda: row(shape=[1] * 64 + [4]),
    },
    Verdict.DUP_KEYS: {"duplicate keys": twice},
    Verdict.BAD_DTYPE: {
        dtype: partial(row, dtype=dtype) for dtype in ("F4", "F8_E4M3", "U16", "U64")
    },
    Verdict.TOO_MANY_ELEMENTS: {"2⋅10⁷ elements": lambda: header({"w": LARGE}, bytes(2 * 10**7))},
}
