"""The files that cost an inspection most: of everything as much as a small upload may hold."""

import json
import zlib

from playground.checkpoints.inspect import allow_list
from tests.checkpoints import handmade as by_hand

TENSORS = 9_900  # a file may have 10,000 parts
WIDE, TURNING = "\U0001f600", "\u202e"  # letters that take much memory, or many letters to show
FLAT = (1,) * allow_list.MAX_RANK
TEXT = by_hand.text("x" * 216 + WIDE)
SHELL = by_hand.name("posix.system")
BOMB = by_hand.Record("archive/data.pkl", zlib.compress(bytes(2**26)), method=8, size=2**26)


def tied(before: str) -> bytes:
    """One tensor under many names that begin alike."""
    pairs = b"".join(by_hand.text(f"{before}{n}") + b"h\x02" for n in range(1, TENSORS))
    return b"}(" + by_hand.text(before) + by_hand.tensor() + b"q\x02" + pairs + b"u"


def led_to(keys: list[str], value: bytes) -> bytes:
    """A value in dicts within one another."""
    return b"".join(b"}" + by_hand.text(key) for key in keys) + value + b"s" * len(keys)


def often(value: bytes) -> bytes:
    """A list of one value, again and again."""
    return b"](" + value + b"q\x02" + b"h\x02" * (TENSORS - 1) + b"e"


def in_many_dicts() -> bytes:
    """A dict of 99 tensors under long keys, which 99 long keys lead to."""
    keys = [by_hand.text(TURNING * 320 + str(number)) for number in range(99)]
    shared = b"}(" + b"".join(key + b"h\x02" for key in keys) + b"uq\x03"
    one = by_hand.text("one") + by_hand.tensor() + b"q\x02" + by_hand.text("all") + shared
    return b"}(" + one + b"".join(key + b"h\x03" for key in keys[1:]) + b"u"


def filled(unit: bytes) -> bytes:
    """As many of these as a pickle may have."""
    return unit * min(allow_list.MAX_OPCODES - 9, allow_list.MAX_PICKLE_BYTES // len(unit) - 9)


def safetensors(tensors: int, metadata: dict[str, str]) -> bytes:
    table: dict[str, object] = {"__metadata__": metadata} if metadata else {}
    for n in range(tensors):
        table[f"w{n}"] = {"dtype": "F32", "shape": [1], "data_offsets": [4 * n, 4 * n + 4]}
    text = json.dumps(table, ensure_ascii=False, separators=(",", ":"))
    return by_hand.safetensors(text.encode(), bytes(4 * tensors))


def records(folder: str) -> bytes:
    """A zip of many records, in a folder of this name."""
    listed = by_hand.records(by_hand.pickled(b"N"), {str(number): b"" for number in range(1_990)})
    named = ((each.name.replace("archive", folder, 1), each.data) for each in listed)
    return by_hand.zipped([by_hand.Record(*each) for each in named])


BODIES: by_hand.Files = {
    "ties": lambda: tied("w"),
    "ties under letters that turn": lambda: tied(TURNING * 40),
    "ties behind long keys": lambda: led_to([TURNING * 199] * 5, often(by_hand.tensor())),
    "long keys in long keys": in_many_dicts,
    "64 dimensions": lambda: often(by_hand.tensor(size=FLAT, stride=FLAT)),
    "long texts": lambda: b"](" + filled(TEXT) + b"e",
    "short texts": lambda: filled(by_hand.text(WIDE)),
    "dicts": lambda: filled(b"}"),
    "tuples in tuples": lambda: b"N" + filled(b"\x85"),
    "numbers": lambda: filled(by_hand.number(-(2**30))),
    "long numbers": lambda: filled(by_hand.number(2**2000)),
    "names": lambda: filled(by_hand.name("torch.bool")),
}
WORST_FILES: by_hand.Files = {
    **{title: lambda body=body: by_hand.checkpoint(body()) for title, body in BODIES.items()},
    "calls": lambda: by_hand.around(
        b"\x80\x02(" + TEXT * 60 + b"tq\x00" + (SHELL + b"h\x00R") * 600 + b"."
    ),
    "records": lambda: records("archive"),
    "records of long names": lambda: records("a" * 450),
    "a large record": lambda: by_hand.checkpoint(b"N", {"0": bytes(19 * 2**20)}),
    "a bomb": lambda: by_hand.zipped([BOMB]),
    "safetensors": lambda: safetensors(10_000, {}),
    "metadata": lambda: safetensors(2_000, {str(n): WIDE for n in range(9_999)}),
    "too many metadata": lambda: safetensors(1, {str(n): "" for n in range(60_000)}),
    "empty lists": lambda: by_hand.safetensors(b'{"w":[' + b"[]," * 300_000 + b"[]]}", bytes(8)),
    "empty dicts": lambda: by_hand.safetensors(b'{"w":[' + b"{}," * 300_000 + b"{}]}", bytes(8)),
    "a long line": lambda: b"I" + b"1" * 2**23 + b"\n.",
}
