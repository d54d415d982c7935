"""Odd pickles in honest zips, and bare ones."""

import pickle
from collections.abc import Callable, Iterator

from playground.checkpoints.inspect import Verdict, limits
from tests.checkpoints import handmade as by_hand

Made = Callable[[], bytes]

SHELL = by_hand.call("posix.system", by_hand.text("echo unsafe"))


def code_files() -> Iterator[tuple[str, Verdict, Made]]:
    inside = by_hand.checkpoint
    yield "os.system in a zip", Verdict.FORBIDDEN_GLOBAL, lambda: inside(SHELL)
    yield "raw pickle, protocol 4", Verdict.PICKLE_NOT_TORCH, lambda: pickle.dumps([1], 4)
    yield "raw pickle, protocol 2", Verdict.PICKLE_NOT_TORCH, lambda: pickle.dumps([1], 2)
    yield (
        "raw pickle, protocol 0, INST",
        Verdict.PICKLE_NOT_TORCH,
        lambda: b"(S'id'\nios\nsystem\n.",
    )
    yield "raw pickle, protocol 0, REDUCE", Verdict.PICKLE_NOT_TORCH, lambda: pickle.dumps({1}, 0)
    old = b"cposix\nsystem\n(S'id'\ntR."
    yield from bare(
        {
            "raw pickle, protocol 0, and a line break": lambda: old + b"\r\n",
            "raw pickle, protocol 0, and other data": lambda: old + bytes(100),
            "two raw pickles": lambda: pickle.dumps(1, 0) + pickle.dumps([2], 0),
            "two raw pickles of two protocols": lambda: pickle.dumps(1, 0) + pickle.dumps([2], 4),
            "raw pickle of many numbers, protocol 0": lambda: pickle.dumps([*range(20_000)], 0),
            "raw pickle of many numbers, protocol 1": lambda: pickle.dumps([*range(20_000)], 1),
            "raw pickle of a large number, protocol 0": lambda: pickle.dumps([2**3000], 0),
            "raw pickle of a long text, protocol 0": lambda: pickle.dumps("x" * 10**6, 0),
            "raw pickle over 4 MiB, protocol 0": lambda: pickle.dumps(
                ["x" * 10**6] * 2 + [str(number) * 500 for number in range(2_000)], 0
            ),
        }
    )
    yield "raw os.system", Verdict.PICKLE_NOT_TORCH, lambda: by_hand.pickled(SHELL)
    forbidden = {
        "set": "__builtin__.set",
        "eval": "builtins.eval",
        "a layer": "torch.nn.modules.linear.Linear",
        "somebody's class": "__main__.Net",
        "bytearray": "builtins.bytearray",
        "codecs": "_codecs.encode",
        "numpy scalar": "numpy._core.multiarray.scalar",
        "torch.load itself": "torch.load",
        "torch's os": "torch.os.system",
        "CSR": "torch._utils._rebuild_sparse_csr_tensor",
        "COO": "torch._utils._rebuild_sparse_tensor",
        "meta": "torch._utils._rebuild_meta_tensor_no_storage",
        "nested": "torch._utils._rebuild_nested_tensor",
        "quantized": "torch._utils._rebuild_qtensor",
        "uint16 or float8": "torch._utils._rebuild_tensor_v3",
        "a tensor's subclass": "torch._tensor._rebuild_from_type_v2",
        "quantized storage": "torch.QInt8Storage",
        "a name in another alphabet": "torch._utils._rebuild_tensor_v２",
    }
    for title, full in forbidden.items():
        yield title, Verdict.FORBIDDEN_GLOBAL, lambda full=full: inside(by_hand.call(full))
    second = by_hand.pickled(b"N") + by_hand.pickled(SHELL)
    yield "second pickle", Verdict.PICKLE_TRAILING, lambda: by_hand.around(second)
    named = by_hand.text("posix") + by_hand.text("system") + b"\x93"
    yield "STACK_GLOBAL", Verdict.PICKLE_OPCODE, lambda: inside(named + b")R")
    for title, body in {
        "INST": b"(ios\nsystem\n",
        "OBJ": b"(" + by_hand.name("torch.Size") + b"o",
        "NEWOBJ": by_hand.name("torch.Size") + b")\x81",
        "EXT1": b"\x82\x01",
        "BYTEARRAY8": b"\x96" + bytes(8),
        "FRAME": b"\x95" + bytes(8),
        "POP": b"N0N",
        "DUP": b"N2",
        "PERSID": b"P0\n",
    }.items():
        yield title, Verdict.PICKLE_OPCODE, lambda body=body: inside(body)
    yield "protocol 4 inside", Verdict.PICKLE_OPCODE, lambda: by_hand.around(pickle.dumps([1], 4))


def bare(files: dict[str, Made]) -> Iterator[tuple[str, Verdict, Made]]:
    for title, made in files.items():
        yield title, Verdict.PICKLE_NOT_TORCH, made


def pickle_files() -> Iterator[tuple[str, Verdict, Made]]:
    bad = {
        "nothing but STOP": b"",
        "two values left": b"NN",
        "a mark left": b"(N",
        "too few for a tuple": b"N\x87",
        "a memo that was never put": b"h\x07",
        "APPEND to a dict": b"}Na",
        "SETITEM on a list": b"]NNs",
        "SETITEM on a tuple": b")" + by_hand.text("k") + b"Ns",
        "SETITEMS of an odd number": b"}(" + by_hand.text("k") + b"u",
        "REDUCE of a number": b"K\x01)R",
        "REDUCE of a storage class": by_hand.name("torch.FloatStorage") + b")R",
        "REDUCE without a tuple": by_hand.name("torch.Size") + b"]R",
        "OrderedDict with items": by_hand.call("collections.OrderedDict", b"]"),
        "BUILD on a dict": b"}" + by_hand.dict_of((by_hand.text("_metadata"), b"}")) + b"b",
        "BUILD with other attributes": by_hand.HOOKS
        + by_hand.dict_of((by_hand.text("x"), b"}"))
        + b"b",
        "BUILD without a dict": by_hand.HOOKS + b"]b",
        "metadata that are a list": by_hand.HOOKS
        + by_hand.dict_of((by_hand.text("_metadata"), b"]"))
        + b"b",
        "a class as a value": by_hand.list_of(by_hand.name("collections.OrderedDict")),
        "a size of texts": by_hand.call("torch.Size", by_hand.tuple_of(by_hand.text("2"))),
        "a device of its own": by_hand.call("torch.device", by_hand.text("npu")),
        "a persistent number": b"K\x01Q",
        "text that is no UTF-8": b"X\x01\x00\x00\x00\xff",
        "a lone surrogate": b"X\x03\x00\x00\x00\xed\xa0\x80",
        "text beyond the end": b"X\xff\xff\xff\x7fab",
        "a second PROTO": b"\x80\x02N",
    }
    for title, body in bad.items():
        yield title, Verdict.BAD_PICKLE, lambda body=body: by_hand.checkpoint(body)
    yield "no STOP", Verdict.BAD_PICKLE, lambda: by_hand.around(b"\x80\x02N")
    yield "nothing in the pickle", Verdict.PICKLE_OPCODE, lambda: by_hand.around(b"")
    for title, key in {
        "None": b"N",
        "True": b"\x88",
        "float": b"G" + bytes(8),
        "tuple": b")",
    }.items():
        body = by_hand.dict_of((key, b"N"))
        yield f"{title} as a key", Verdict.BAD_KEYS, lambda body=body: by_hand.checkpoint(body)
    long_key = by_hand.dict_of((by_hand.text("k" * 10**6), b"N"))
    many_long = b"](" + long_key + b"q\x00" + b"h\x00" * 5000 + b"e"
    yield "a key of a million letters", Verdict.BAD_KEYS, lambda: by_hand.checkpoint(many_long)
    most = limits.OPCODES - 2
    yield "150 000 marks", Verdict.TOO_DEEP, lambda: by_hand.checkpoint(b"(" * most)
    yield "150 000 dicts", Verdict.BAD_PICKLE, lambda: by_hand.checkpoint(b"}" * most)
    yield "list DAG", Verdict.TOO_MANY_NODES, lambda: list_dag(40)
    yield (
        "long list",
        Verdict.TOO_MANY_NODES,
        lambda: by_hand.checkpoint(b"](" + b"N" * 10_001 + b"e"),
    )
    yield "nested 300 deep", Verdict.TOO_DEEP, lambda: nested(300)
    yield "nested 30 000 deep", Verdict.TOO_DEEP, lambda: nested(30_000)
    yield "a list in itself", Verdict.TOO_DEEP, lambda: by_hand.checkpoint(b"]q\x00h\x00a")
    million = b"N" * 10**6
    yield "10⁶ opcodes", Verdict.PICKLE_TOO_LONG, lambda: by_hand.checkpoint(b"(" + million + b"t")
    names = by_hand.name("torch.float32") * 10_001
    yield "10 001 names", Verdict.TOO_MANY_NODES, lambda: by_hand.checkpoint(b"(" + names + b"t")
    huge = by_hand.text("x" * (3 * 2**19))
    yield "pickle of 1.5 MiB", Verdict.PICKLE_TOO_LONG, lambda: by_hand.checkpoint(huge)


def list_dag(depth: int) -> bytes:
    """[[…], […]] where both are the same list, ``depth`` times."""
    body = b"]q\x00"
    for number in range(depth):
        place = bytes([number])
        body += b"](h" + place + b"h" + place + b"eq" + bytes([number + 1])
    return by_hand.checkpoint(by_hand.list_of(body), {})


def nested(depth: int) -> bytes:
    return by_hand.checkpoint(b"]" * depth + b"a" * (depth - 1), {})
