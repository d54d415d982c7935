"""Odd pickles, bare and in honest zips, and tensors that are not what they claim to be."""

import pickle
import struct
import sys
from functools import partial

from playground.checkpoints.inspect import Verdict, allow_list
from tests.checkpoints.handmade import (
    HOOKS,
    Files,
    around,
    call,
    checkpoint,
    dict_of,
    list_of,
    name,
    number,
    ordered,
    pickled,
    storage,
    tensor,
    text,
    tuple_of,
)

SHELL = call("posix.system", text("echo unsafe"))
OLD = b"cposix\nsystem\n(S'id'\ntR."
LONG_KEY = dict_of((text("k" * 10**6), b"N"))
ONE_HASH = [number(sys.hash_info.modulus * each) for each in range(1, 50)]
METADATA = dict_of((text("_metadata"), b"}"))
OPCODES = allow_list.MAX_OPCODES - 2


def list_dag(depth: int) -> bytes:
    """[[…], […]] where both are the same list, ``depth`` times."""
    body = b"]q\x00"
    for level in range(depth):
        place = bytes([level])
        body += b"](h" + place + b"h" + place + b"eq" + bytes([level + 1])
    return checkpoint(list_of(body), {})


def many_counters() -> bytes:
    """Copies of one dict, which together have more items than a file."""
    items = b"".join(number(each) + b"K\x01" for each in range(100))
    first = name("collections.Counter") + b"q\x00}(" + items + b"u\x85q\x01R"
    return b"](" + first + b"h\x00h\x01R" * 100 + b"e"


def nested(depth: int) -> bytes:
    return checkpoint(b"]" * depth + b"a" * (depth - 1), {})


def versioned(version: bytes) -> bytes:
    """A state_dict in which this is a version, where spectral_norm notes them."""
    for key in ("spectral_norm", "version", "", "_metadata"):
        version = dict_of((text(key), version))
    return HOOKS + version + b"b"


def inside(bodies: dict[str, bytes]) -> Files:
    """Each in what torch.save would write around it."""
    return {title: partial(checkpoint, body) for title, body in bodies.items()}


BARE: Files = {
    "raw pickle, protocol 4": lambda: pickle.dumps([1], 4),
    "raw pickle, protocol 2": lambda: pickle.dumps([1], 2),
    "raw pickle, protocol 0, INST": lambda: b"(S'id'\nios\nsystem\n.",
    "raw pickle, protocol 0, REDUCE": lambda: pickle.dumps({1}, 0),
    "raw pickle, protocol 0, and a line break": lambda: OLD + b"\r\n",
    "raw pickle, protocol 0, and other data": lambda: OLD + bytes(100),
    "two raw pickles": lambda: pickle.dumps(1, 0) + pickle.dumps([2], 0),
    "two raw pickles of two protocols": lambda: pickle.dumps(1, 0) + pickle.dumps([2], 4),
    "raw pickle of many numbers, protocol 0": lambda: pickle.dumps([*range(20_000)], 0),
    "raw pickle of many numbers, protocol 1": lambda: pickle.dumps([*range(20_000)], 1),
    "raw pickle of a large number, protocol 0": lambda: pickle.dumps([2**3000], 0),
    "raw pickle of a long text, protocol 0": lambda: pickle.dumps("x" * 10**6, 0),
    "raw pickle over 4 MiB, protocol 0": lambda: pickle.dumps(
        ["x" * 10**6] * 2 + [str(each) * 500 for each in range(2_000)], 0
    ),
    "raw os.system": lambda: pickled(SHELL),
}
FORBIDDEN = {
    "set": "__builtin__.set",
    "eval": "builtins.eval",
    "a layer": "torch.nn.modules.linear.Linear",
    "a class of one's own": "__main__.Net",
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
OTHER_OPCODES = {
    "STACK_GLOBAL": text("posix") + text("system") + b"\x93)R",
    "INST": b"(ios\nsystem\n",
    "OBJ": b"(" + name("torch.Size") + b"o",
    "NEWOBJ": name("torch.Size") + b")\x81",
    "EXT1": b"\x82\x01",
    "BYTEARRAY8": b"\x96" + bytes(8),
    "FRAME": b"\x95" + bytes(8),
    "POP": b"N0N",
    "DUP": b"N2",
    "PERSID": b"P0\n",
}
BAD = {
    "nothing but STOP": b"",
    "two values left": b"NN",
    "a mark left": b"(N",
    "too few for a tuple": b"N\x87",
    "a memo that was never put": b"h\x07",
    "a memo that was skipped": b"Nr" + struct.pack("<I", 300) + b"h\x07\x86",
    "a memo with more places than steps": b"Nr" + struct.pack("<I", allow_list.MAX_OPCODES),
    "a memo with 2³² places": b"Nr" + struct.pack("<I", 2**32 - 1),
    "APPEND to a dict": b"}Na",
    "SETITEM on a list": b"]NNs",
    "SETITEM on a tuple": b")" + text("k") + b"Ns",
    "SETITEMS of an odd number": b"}(" + text("k") + b"u",
    "REDUCE of a number": b"K\x01)R",
    "REDUCE of a storage class": name("torch.FloatStorage") + b")R",
    "REDUCE without a tuple": name("torch.Size") + b"]R",
    "OrderedDict with items": call("collections.OrderedDict", b"]"),
    "Counter of a list": call("collections.Counter", b"]"),
    "Counter of two dicts": call("collections.Counter", b"}", b"}"),
    "Counter of texts": call("collections.Counter", dict_of((text("k"), text("v")))),
    "Counter of a tensor": call("collections.Counter", dict_of((text("k"), tensor()))),
    "BUILD on a Counter": call("collections.Counter", b"}") + METADATA + b"b",
    "BUILD on a dict": b"}" + METADATA + b"b",
    "BUILD with other attributes": HOOKS + dict_of((text("x"), b"}")) + b"b",
    "BUILD without a dict": HOOKS + b"]b",
    "metadata that are a list": HOOKS + dict_of((text("_metadata"), b"]")) + b"b",
    "a list for a version": versioned(b"]"),
    "a tuple for a version": versioned(b")"),
    "a dict in a tuple for a version": versioned(HOOKS + b"\x85"),
    "a tensor for a version": versioned(tensor()),
    "a class as a value": list_of(name("collections.OrderedDict")),
    "a size of texts": call("torch.Size", tuple_of(text("2"))),
    "a device of its own": call("torch.device", text("npu")),
    "a persistent number": b"K\x01Q",
    "text that is no UTF-8": b"X\x01\x00\x00\x00\xff",
    "a lone surrogate": b"X\x03\x00\x00\x00\xed\xa0\x80",
    "text beyond the end": b"X\xff\xff\xff\x7fab",
    "a second PROTO": b"\x80\x02N",
    "150 000 dicts": b"}" * OPCODES,
}
KEYS = {"None": b"N", "True": b"\x88", "float": b"G" + bytes(8), "tuple": b")"}

PICKLES = {
    Verdict.PICKLE_NOT_TORCH: BARE,
    Verdict.FORBIDDEN_GLOBAL: inside(
        {"os.system in a zip": SHELL} | {title: call(full) for title, full in FORBIDDEN.items()}
    ),
    Verdict.PICKLE_TRAILING: {"second pickle": lambda: around(pickled(b"N") + pickled(SHELL))},
    Verdict.PICKLE_OPCODE: {
        **inside(OTHER_OPCODES),
        "protocol 4 inside": lambda: around(pickle.dumps([1], 4)),
        "nothing in the pickle": lambda: around(b""),
    },
    Verdict.BAD_PICKLE: {**inside(BAD), "no STOP": lambda: around(b"\x80\x02N")},
    Verdict.BAD_KEYS: inside(
        {f"{title} as a key": dict_of((key, b"N")) for title, key in KEYS.items()}
        | {"a key of a million letters": b"](" + LONG_KEY + b"q\x00" + b"h\x00" * 5000 + b"e"}
        | {"keys that all have one hash": dict_of(*((key, b"N") for key in ONE_HASH))}
    ),
    Verdict.TOO_DEEP: {
        "150 000 marks": lambda: checkpoint(b"(" * OPCODES),
        "nested 300 deep": lambda: nested(300),
        "nested 30 000 deep": lambda: nested(30_000),
        "a list in itself": lambda: checkpoint(b"]q\x00h\x00a"),
    },
    Verdict.TOO_MANY_NODES: {
        "list DAG": lambda: list_dag(40),
        "one dict in many Counters": lambda: checkpoint(many_counters()),
        "long list": lambda: checkpoint(b"](" + b"N" * 10_001 + b"e"),
        "long dict": lambda: checkpoint(dict_of(*((number(n), b"N") for n in range(10_001)))),
        "10 001 names": lambda: checkpoint(b"(" + name("torch.float32") * 10_001 + b"t"),
    },
    Verdict.PICKLE_TOO_LONG: {
        "10⁶ opcodes": lambda: checkpoint(b"(" + b"N" * 10**6 + b"t"),
        "pickle of 1.5 MiB": lambda: checkpoint(text("x" * (3 * 2**19))),
    },
}
INTEGERS = storage(kind="torch.IntStorage")

MILLION = tensor((10**6,), (0,)) + b"q\x00"  # elements, all from four floats
BAD_TENSORS = {
    "(10⁶, 10⁶) over 4 floats": tensor((10**6, 10**6), (10**6, 1)),
    "storage claims 10¹²": tensor(stored=storage(count=10**12)),
    "storage claims 2": tensor(stored=storage(count=2)),
    "storage claims -4": tensor(stored=storage(count=-4)),
    "negative stride": tensor((4,), (-1,), 3),
    "negative offset": tensor((4,), (1,), -1),
    "negative size": tensor((-1,), (1,)),
    "size 2⁶²": tensor((2**62,), (1,)),
    "size 2⁶², stride 0": tensor((2**62,), (0,)),
    "size 2⁶⁴ in an empty tensor": tensor((2**64, 0), (1, 1)),
    "size 10⁸ in an empty tensor": tensor((10**8, 0), (1, 1)),
    "stride 2⁶²": tensor((3,), (2**62,)),
    "offset 2⁷⁰": tensor((0,), (1,), 2**70),
    "one beyond the end": tensor((4,), (1,), 1),
    "fewer strides than sizes": tensor((2, 2), (1,)),
    "65 dimensions": tensor((1,) * 65, (1,) * 65),
    "sizes in a list": tensor().replace(b"(K\x04t", b"]K\x04a"),
    "True as a size": tensor().replace(b"(K\x04t", b"\x88\x85"),
    "no arguments": call("torch._utils._rebuild_tensor_v2"),
    "a conjugated view": tensor()[:-2] + dict_of((text("conj"), b"\x88")) + b"tR",
    "a hook": tensor(hooks=ordered((b"K\x00", b"N"))),
    "no hooks": tensor(hooks=b"N"),
    "grad that is a number": tensor(grad=b"K\x01"),
    "integers that ask for gradients": tensor(stored=INTEGERS, grad=b"\x88"),
    "a parameter of a number": call("torch._utils._rebuild_parameter", b"K\x01", b"\x88", HOOKS),
    "a bare storage": storage(),
    "no storage": tensor(stored=b"N"),
    "a storage of 3 values": tensor(stored=b"NNN\x87Q"),
    "a dtype as a storage class": tensor(stored=storage(kind="torch.float32")),
    "key ../../../etc/passwd": tensor(stored=storage("../../../etc/passwd")),
    "missing data/7": tensor(stored=storage("7")),
    "odd location": tensor(stored=storage(device="cuda:0; rm")),
    "location mps": tensor(stored=storage(device="mps")),
    "one record, two types": list_of(tensor(), tensor(stored=INTEGERS)),
}
TENSORS = {
    Verdict.BAD_TENSOR: inside(BAD_TENSORS),
    Verdict.TOO_MANY_ELEMENTS: {
        "stride 0": lambda: checkpoint(tensor((10**9,), (0,))),
        "expand(10⁵, 10⁵)": lambda: checkpoint(tensor((10**5, 10**5), (0, 0))),
    },
    Verdict.TOO_MANY_BYTES: inside(
        {"1 000 aliases of 10⁶": b"](" + MILLION + b"h\x00" * 999 + b"e"}
    ),
}
