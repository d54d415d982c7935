"""Which Python names a checkpoint may mention, and what the others would mean; imports none."""

from enum import StrEnum, unique

ORDERED_DICT = "collections.OrderedDict"
REBUILD_TENSOR = "torch._utils._rebuild_tensor_v2"
REBUILD_PARAMETER = "torch._utils._rebuild_parameter"
SIZE = "torch.Size"
DEVICE = "torch.device"

CALLED = frozenset({ORDERED_DICT, REBUILD_TENSOR, REBUILD_PARAMETER, SIZE, DEVICE})

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


@unique
class Meaning(StrEnum):
    """What a name that is not allowed stands for; also the key of its sentence."""

    PROGRAM = "program"  # would act on the computer
    MODULE = "module"  # a class of torch.nn, or of somebody's own program
    SPARSE = "sparse"
    QUANTIZED = "quantized"
    NESTED = "nested"
    META = "meta"
    SUBCLASS = "subclass"
    STORAGE = "storage"  # bare, without a tensor
    DTYPE = "dtype"  # a number format outside the list
    NUMPY = "numpy"
    PYTHON = "python"  # a set, bytes, a Counter …
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
    """What a name that is not allowed stands for.

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
