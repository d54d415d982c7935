"""How a file is judged: the ids of all verdicts and formats, and the refusal that carries one."""

from enum import StrEnum, unique


@unique
class Verdict(StrEnum):
    """What became of a file; everything but ``OK`` is a refusal."""

    OK = "OK"
    EMPTY = "EMPTY"
    TOO_BIG = "TOO_BIG"
    # safetensors
    BAD_HEADER = "BAD_HEADER"
    DUP_KEYS = "DUP_KEYS"
    BAD_DTYPE = "BAD_DTYPE"
    BAD_LAYOUT = "BAD_LAYOUT"
    # the zip container
    BAD_ZIP = "BAD_ZIP"
    TOO_MANY_ENTRIES = "TOO_MANY_ENTRIES"
    DUP_NAMES = "DUP_NAMES"
    BAD_NAMES = "BAD_NAMES"
    ENCRYPTED = "ENCRYPTED"
    NOT_A_CHECKPOINT = "NOT_A_CHECKPOINT"
    TORCHSCRIPT = "TORCHSCRIPT"
    PT2 = "PT2"
    UNEXPECTED_ENTRY = "UNEXPECTED_ENTRY"
    BYTE_ORDER = "BYTE_ORDER"
    COMPRESSED = "COMPRESSED"
    CRC = "CRC"
    # the pickle inside
    PICKLE_TOO_LONG = "PICKLE_TOO_LONG"
    PICKLE_OPCODE = "PICKLE_OPCODE"
    PICKLE_TRAILING = "PICKLE_TRAILING"
    FORBIDDEN_GLOBAL = "FORBIDDEN_GLOBAL"
    BAD_PICKLE = "BAD_PICKLE"
    # what the pickle describes
    BAD_TENSOR = "BAD_TENSOR"
    BAD_KEYS = "BAD_KEYS"
    TOO_MANY_ELEMENTS = "TOO_MANY_ELEMENTS"
    TOO_MANY_BYTES = "TOO_MANY_BYTES"
    TOO_MANY_NODES = "TOO_MANY_NODES"
    TOO_DEEP = "TOO_DEEP"
    # other kinds of file
    LFS_POINTER = "LFS_POINTER"
    HTML = "HTML"
    PNG = "PNG"
    TAR = "TAR"
    SEVEN_ZIP = "SEVEN_ZIP"
    NPY = "NPY"
    LEGACY = "LEGACY"
    PICKLE_NOT_TORCH = "PICKLE_NOT_TORCH"
    UNKNOWN = "UNKNOWN"


@unique
class Format(StrEnum):
    """What kind of file it is, judged by its bytes and never by its name."""

    TORCH = "torch"
    SAFETENSORS = "safetensors"
    TORCHSCRIPT = "torchscript"
    PT2 = "pt2"
    ZIP = "zip"
    LEGACY = "legacy"
    PICKLE = "pickle"
    TAR = "tar"
    SEVEN_ZIP = "7z"
    NPY = "npy"
    PNG = "png"
    HTML = "html"
    LFS_POINTER = "lfs_pointer"
    UNKNOWN = "unknown"


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
