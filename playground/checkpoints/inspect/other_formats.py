"""Recognises the files of other programs by their first bytes, so that a refusal can name them."""

import codecs
import re

from playground.checkpoints.inspect.disassembly import announces_pickle, is_old_pickle
from playground.checkpoints.inspect.verdicts import Format, RefusedError, Verdict, display_text
from playground.checkpoints.inspect.zip_container import END_BYTES, END_MAGIC

_LEGACY_MAGIC = bytes.fromhex("6cfc9c46f9206aa85019")  # torch.serialization.MAGIC_NUMBER
_KINDS = (
    (b"version https://git-lfs", 0, Format.LFS_POINTER, Verdict.LFS_POINTER),
    (b"\x89PNG\r\n\x1a\n", 0, Format.PNG, Verdict.PNG),
    (b"ustar", 257, Format.TAR, Verdict.TAR),
    (b"7z\xbc\xaf\x27\x1c", 0, Format.SEVEN_ZIP, Verdict.SEVEN_ZIP),
    (b"\x93NUMPY", 0, Format.NPY, Verdict.NPY),
)

# Told by name in the sentence; no verdict of their own.
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
_NAMED_LATER = ((b"TFL3", "TFLite"), (b"ET12", "ExecuTorch"), (b"ftyp", "MP4"))  # at the 5th byte
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


def recognise(data: memoryview) -> tuple[Format, RefusedError]:
    """Name the kind of a file that is neither safetensors nor a zip."""
    head = bytes(data[:512])
    for magic, at, found, verdict in _KINDS:
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
    return Format.UNKNOWN, _named(data, head)


def _is_of_torch(head: bytes) -> bool:
    return head[:_TAR_NAME_BYTES].rstrip(b"\0").rpartition(b"/")[2] in _OF_TORCH


def _named(data: memoryview, head: bytes) -> RefusedError:
    """Return the refusal of a format that has no verdict of its own."""
    for magic, name in _PACKED:
        if head.startswith(magic):
            return RefusedError(Verdict.UNKNOWN, "unknown_packed", name=name)
    if _ZLIB.match(head):
        return RefusedError(Verdict.UNKNOWN, "unknown_packed", name="zlib")
    for magic, name in _NAMED:
        if head.startswith(magic):
            return RefusedError(Verdict.UNKNOWN, "unknown_named", name=name)
    for magic, name in _NAMED_LATER:
        if head.startswith(magic, 4):
            return RefusedError(Verdict.UNKNOWN, "unknown_named", name=name)
    if _ONNX.match(head):
        return RefusedError(Verdict.UNKNOWN, "unknown_named", name="ONNX")
    ends = head.lstrip(_BLANKS)[:1] + bytes(data[-64:]).rstrip(_BLANKS)[-1:]
    if ends in (b"{}", b"[]"):
        return RefusedError(Verdict.UNKNOWN, "unknown_named", name="JSON")
    return _as_text(head)


def _as_text(head: bytes) -> RefusedError:
    """Return the refusal that quotes the first line if the bytes are a text."""
    try:
        text, _ = codecs.utf_8_decode(head)  # built in: nothing is imported; cuts at a whole letter
    except UnicodeDecodeError:
        return RefusedError(Verdict.UNKNOWN)
    lines = [each.strip() for each in text.lstrip("\ufeff").splitlines() if each.strip()]
    if not lines or not all(each.replace("\t", " ").isprintable() for each in lines):
        return RefusedError(Verdict.UNKNOWN)
    return RefusedError(Verdict.UNKNOWN, "unknown_text", line=display_text(lines[0]))
