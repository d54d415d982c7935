"""The sizes, opcodes and Python names that a checkpoint may have, and the error for all others.

``scan`` checks every opcode and every name of a pickle, ``check_extent`` the tree that it builds.
Nothing is imported or executed.
"""

import pickletools
from enum import StrEnum, unique
from typing import Final

from playground.checkpoints.inspect.results import Verdict, display_text
from playground.sandbox.limits import LIMITS
from playground.units import format_bytes

MAX_FILE_BYTES: Final = LIMITS.file_bytes
MAX_HEADER_BYTES: Final = 2**20  # the JSON of a safetensors file
MAX_HEADER_PARTS: Final = 50_000  # colons of it, and brackets; a tensor has four and three
MAX_TENSORS: Final = 10_000
MAX_ENTRIES: Final = 2_000  # of a zip
MAX_PICKLE_BYTES: Final = 3 * 2**19
MAX_OPCODES: Final = 150_000
MAX_ELEMENTS: Final = 10**7  # of one tensor, even where its strides are 0; also of one dimension
MAX_RANK: Final = 64
MAX_TENSOR_BYTES: Final = 256 * 2**20  # of all tensors together, each counted whole
MAX_NODES: Final = 10_000  # counted by visits, so that an object met twice counts twice
MAX_DEPTH: Final = 20
MAX_MARKS: Final = 100  # open at once in a pickle; a level needs three at most
MAX_NAME_BYTES: Final = 512  # of an entry
MAX_KEY_CHARACTERS: Final = 1_000  # characters of a key
MAX_PATH_CHARACTERS: Final = 1_000  # of all keys together that lead to a value

ORDERED_DICT = "collections.OrderedDict"
COUNTER = "collections.Counter"  # the milestones of MultiStepLR
REBUILD_TENSOR = "torch._utils._rebuild_tensor_v2"
REBUILD_PARAMETER = "torch._utils._rebuild_parameter"
SIZE = "torch.Size"
DEVICE = "torch.device"

CALLED = frozenset({ORDERED_DICT, COUNTER, REBUILD_TENSOR, REBUILD_PARAMETER, SIZE, DEVICE})

STORAGES = {
    "torch.FloatStorage": "float32",
    "torch.DoubleStorage": "float64",
    "torch.HalfStorage": "float16",
    "torch.BFloat16Storage": "bfloat16",
    "torch.LongStorage": "int64",
    "torch.IntStorage": "int32",
    "torch.ShortStorage": "int16",
    "torch.CharStorage": "int8",
    "torch.ByteStorage": "uint8",
    "torch.BoolStorage": "bool",
    "torch.ComplexFloatStorage": "complex64",
    "torch.ComplexDoubleStorage": "complex128",
}

# fmt: off
_DTYPE_NAMES = (
    "float32", "float64", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8",
    "uint16", "uint32", "uint64", "bool", "complex32", "complex64", "complex128",
    "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu",
    "float4_e2m1fn_x2", "qint8", "quint8", "qint32", "quint4x2", "quint2x4",
    "bits16", "bits8", "bits4x2", "bits2x4", "bits1x8",
    *(f"{sign}{bits}" for sign in ("int", "uint") for bits in range(1, 8)),
)
# What torch.device() takes on any computer; "npu" and the like only where their package is.
DEVICE_KINDS = frozenset({
    "cpu", "cuda", "mps", "meta", "xpu", "hpu", "xla", "mtia", "maia", "ipu", "hip", "ve", "lazy",
    "fpga", "vulkan", "opengl", "opencl", "mkldnn", "ideep", "privateuseone",
})
# fmt: on
DTYPES = frozenset(f"torch.{name}" for name in _DTYPE_NAMES)

ALLOWED = CALLED | STORAGES.keys() | DTYPES


class RefusedError(Exception):
    """A file is refused; never leaves the inspector.

    Args:
        verdict: Which class of refusal.
        reason: Which sentence of words.toml says why; the verdict's own unless given.
        values: What the sentence mentions. Texts out of the file are made presentable there.
    """

    def __init__(self, verdict: Verdict, reason: str = "", **values: str | int) -> None:
        super().__init__(verdict, reason, values)
        self.verdict = verdict
        self.reason = reason or verdict.lower()
        self.values = values


def format_limit(cap_bytes: int) -> str:
    """Format a limit in bytes for a sentence.

    >>> format_limit(MAX_FILE_BYTES)
    '20 MiB'
    """
    return format_bytes(cap_bytes).replace(".00", "")


@unique
class Meaning(StrEnum):
    """The meaning of a name that is not allowed; also the key of its sentence."""

    PROGRAM = "program"  # would act on the computer
    MODULE = "module"  # a class of torch.nn, or of another program
    SPARSE = "sparse"
    QUANTIZED = "quantized"
    NESTED = "nested"
    META = "meta"
    SUBCLASS = "subclass"
    STORAGE = "storage"  # bare, without a tensor
    DTYPE = "dtype"  # a number format outside the list
    NUMPY = "numpy"
    PYTHON = "python"  # a set, bytes, a date …
    OTHER = "other"


# fmt: off
_ACTING = frozenset({
    "os", "posix", "nt", "subprocess", "sys", "shutil", "socket", "pty", "commands", "runpy",
    "importlib", "ctypes", "webbrowser", "builtins", "__builtin__", "code", "codeop", "timeit",
    "pdb", "bdb", "asyncio", "multiprocessing", "threading", "pickle", "_pickle", "marshal",
    "types", "functools", "operator", "platform", "pip", "urllib", "http", "requests", "io",
})
_HARMLESS_BUILTINS = frozenset({
    "set", "frozenset", "bytearray", "bytes", "complex", "slice", "range", "object", "list",
    "dict", "tuple", "int", "float", "str", "bool", "long", "unicode", "xrange",
})
_HARMLESS = frozenset({"types.SimpleNamespace"})
_LOADERS = frozenset(
    {"torch.serialization.load", "torch.serialization.save", "torch.load", "numpy.load"}
)
_PLAIN = frozenset({
    "collections", "_codecs", "datetime", "decimal", "fractions", "argparse", "pathlib",
})
# fmt: on
_REBUILT = {
    "_rebuild_sparse_tensor": Meaning.SPARSE,
    "_rebuild_sparse_csr_tensor": Meaning.SPARSE,
    "_rebuild_qtensor": Meaning.QUANTIZED,
    "_rebuild_nested_tensor": Meaning.NESTED,
    "_rebuild_meta_tensor_no_storage": Meaning.META,
    "_rebuild_tensor_v3": Meaning.DTYPE,
    "_rebuild_wrapper_subclass": Meaning.SUBCLASS,
    "_rebuild_parameter_with_state": Meaning.SUBCLASS,
    "_rebuild_device_tensor_from_numpy": Meaning.SUBCLASS,
    "_rebuild_device_tensor_from_cpu_tensor": Meaning.SUBCLASS,
}


def meaning_of(module: str, name: str) -> Meaning:
    """Return the meaning of a name that is not allowed.

    >>> meaning_of("posix", "system"), meaning_of("torch.nn.modules.linear", "Linear")
    (<Meaning.PROGRAM: 'program'>, <Meaning.MODULE: 'module'>)
    """
    root = module.split(".")[0]
    if module in {"builtins", "__builtin__"} and name in _HARMLESS_BUILTINS:
        return Meaning.PYTHON
    if f"{module}.{name}" in _HARMLESS:
        return Meaning.PYTHON
    if root in _ACTING or module == "torch.hub" or f"{module}.{name}" in _LOADERS:
        return Meaning.PROGRAM
    if root == "torch":
        return _meaning_in_torch(module, name)
    if root == "numpy":
        return Meaning.NUMPY
    if root in _PLAIN:
        return Meaning.PYTHON
    return Meaning.MODULE if name[:1].isupper() or root == "__main__" else Meaning.OTHER


def call_kind(full_name: str) -> str:
    """Return the key of the sentence that explains a call."""
    module, _, name = full_name.rpartition(".")
    if name in {"system", "popen", "Popen", "run", "call", "check_output", "check_call"} and (
        module in {"os", "posix", "nt", "subprocess", "commands"}
    ):
        return "call_shell"
    if module in {"builtins", "__builtin__"} and name in {"eval", "exec", "compile"}:
        return "call_python"
    return "call_program" if meaning_of(module, name) is Meaning.PROGRAM else "call"


def _meaning_in_torch(module: str, name: str) -> Meaning:
    if name in _REBUILT:
        return _REBUILT[name]
    if module == "torch.storage":
        return Meaning.STORAGE
    if module == "torch" and name.endswith("Storage"):
        return Meaning.QUANTIZED if name.startswith(("Q", "q")) else Meaning.DTYPE
    if module == "torch._tensor" or name in {"_rebuild_from_type_v2", "_rebuild_from_type"}:
        return Meaning.SUBCLASS
    if module.startswith(("torch.nn.", "torch.ao.", "torch.optim", "torch.utils", "torch.fx")):
        return Meaning.MODULE
    return Meaning.OTHER


PROTO, STOP, MARK = 0x80, ord("."), ord("(")
NONE, NEWTRUE, NEWFALSE = ord("N"), 0x88, 0x89
BININT, BININT1, BININT2, LONG1 = ord("J"), ord("K"), ord("M"), 0x8A
BINFLOAT, BINUNICODE = ord("G"), ord("X")
EMPTY_DICT, EMPTY_LIST, EMPTY_TUPLE = ord("}"), ord("]"), ord(")")
TUPLE, TUPLE1, TUPLE2, TUPLE3 = ord("t"), 0x85, 0x86, 0x87
APPEND, APPENDS, SETITEM, SETITEMS = ord("a"), ord("e"), ord("s"), ord("u")
BINPUT, LONG_BINPUT, BINGET, LONG_BINGET = ord("q"), ord("r"), ord("h"), ord("j")
GLOBAL, REDUCE, BUILD, BINPERSID = ord("c"), ord("R"), ord("b"), ord("Q")

_WITHOUT = (
    *(STOP, MARK, NONE, NEWTRUE, NEWFALSE, EMPTY_DICT, EMPTY_LIST, EMPTY_TUPLE),
    *(TUPLE, TUPLE1, TUPLE2, TUPLE3, APPEND, APPENDS, SETITEM, SETITEMS, REDUCE, BUILD, BINPERSID),
)
# Bytes after the opcode, for those with a fixed number of them.
_ARGUMENT_BYTES = {
    **dict.fromkeys(_WITHOUT, 0),
    **{PROTO: 1, BININT1: 1, BININT2: 2, BININT: 4, BINFLOAT: 8},
    **{BINPUT: 1, BINGET: 1, LONG_BINPUT: 4, LONG_BINGET: 4},
}
_STEPS = tuple(_ARGUMENT_BYTES.get(code, -1) + 1 for code in range(256))  # 0: look closer

_NAMES = {ord(each.code): each.name for each in pickletools.opcodes}
START = b"\x80\x02"


def scan(pickle: bytes) -> None:
    """Check every opcode and every name of a pickle, from its first byte to its last.

    Args:
        pickle: The whole record; at most ``MAX_PICKLE_BYTES``.

    Raises:
        RefusedError: PICKLE_OPCODE, FORBIDDEN_GLOBAL, PICKLE_TOO_LONG, PICKLE_TRAILING,
            TOO_MANY_NODES or BAD_PICKLE, whichever comes first in the stream.
    """
    if not pickle.startswith(START):
        raise RefusedError(Verdict.PICKLE_OPCODE, "pickle_protocol")
    size = len(pickle)
    at = slow = 0
    for _ in range(MAX_OPCODES):
        if at >= size:
            raise RefusedError(Verdict.BAD_PICKLE)
        code = pickle[at]
        step = _STEPS[code]
        if code == BINUNICODE:
            at += 5 + int.from_bytes(pickle[at + 1 : at + 5], "little")
        elif not step:
            at = _step_over(pickle, at, code)
            slow += 1
            if slow > MAX_NODES:
                raise RefusedError(Verdict.TOO_MANY_NODES, most=MAX_NODES)
        elif code == STOP:
            if at + 1 != size:
                raise RefusedError(Verdict.PICKLE_TRAILING, count=size - at - 1)
            return
        else:
            at += step
    raise RefusedError(Verdict.PICKLE_TOO_LONG, most=MAX_OPCODES)


def _step_over(pickle: bytes, at: int, code: int) -> int:
    """Return the offset of the next opcode, after one that is rare, or not allowed."""
    if code == LONG1:
        return at + 2 + int.from_bytes(pickle[at + 1 : at + 2], "little")
    if code == GLOBAL:
        module, name, at = read_global(pickle, at)
        if f"{module}.{name}" not in ALLOWED:
            kind = meaning_of(module, name)
            full_name = display_text(f"{module}.{name}")
            raise RefusedError(Verdict.FORBIDDEN_GLOBAL, f"global_{kind}", name=full_name)
        return at
    named = _NAMES.get(code)
    code_text = f"{named} (0x{code:02x})" if named else f"0x{code:02x}"
    raise RefusedError(Verdict.PICKLE_OPCODE, code=code_text)


def read_global(pickle: bytes, at: int) -> tuple[str, str, int]:
    """Read the module and the name of the GLOBAL at an offset, and the next opcode's offset."""
    first = pickle.find(b"\n", at)
    second = pickle.find(b"\n", first + 1)
    if first < 0 or second < 0:
        raise RefusedError(Verdict.BAD_PICKLE)
    module = pickle[at + 1 : first].decode("utf-8", "replace")
    return module, pickle[first + 1 : second].decode("utf-8", "replace"), second + 1


def check_extent(root: object) -> None:
    """Refuse a tree that is too large or too deep, level by level.

    Objects met twice count twice, so a small file whose tree is huge is refused after a few
    levels, and one that holds itself at the deepest.

    Raises:
        RefusedError: TOO_MANY_NODES or TOO_DEEP.
    """
    level: list[object] = [root]
    count = 1
    for _ in range(MAX_DEPTH + 1):
        below: list[object] = []
        for node in level:
            children = _children(node)
            count += len(children)
            if count > MAX_NODES:
                raise RefusedError(Verdict.TOO_MANY_NODES, most=MAX_NODES)
            below.extend(children)
        if not below:
            return
        level = below
    raise RefusedError(Verdict.TOO_DEEP, most=MAX_DEPTH)


def _children(node: object) -> list[object]:
    if isinstance(node, dict):
        metadata = getattr(node, "metadata", None)
        return [*node.values(), *(() if metadata is None else (metadata,))]
    if type(node) in (list, tuple):
        return list(node)  # type: ignore[call-overload, no-any-return]
    return []
