"""Files of other kinds."""

import gzip
import io
import pickle
import tarfile
import zipfile
from collections.abc import Callable, Iterator

from playground.checkpoints.inspect import Verdict
from tests.checkpoints import handmade as by_hand
from tests.checkpoints.handmade import Record

Made = Callable[[], bytes]


def other_files() -> Iterator[tuple[str, Verdict, Made]]:
    script = [Record("a/data.pkl", b"\x80\x02N."), Record("a/constants.pkl", b"\x80\x02).")]
    code = [Record("a/data.pkl", b"\x80\x02N."), Record("a/code/x.py", b"x", method=8, size=5)]
    export = [Record("a/archive_format", b"pt2"), Record("a/models/model.json", b"{}")]
    yield "constants.pkl", Verdict.TORCHSCRIPT, lambda: by_hand.zipped(script)
    yield "code/, compressed", Verdict.TORCHSCRIPT, lambda: by_hand.zipped(code)
    yield "torch.export", Verdict.PT2, lambda: by_hand.zipped(export)
    plain = [Record("hello.txt", b"hello")]
    yield "plain zip", Verdict.NOT_A_CHECKPOINT, lambda: by_hand.zipped(plain)
    yield "npz", Verdict.NOT_A_CHECKPOINT, lambda: by_hand.zipped([Record("w.npy", b"\x93NUMPY")])
    yield "a zip with nothing in it", Verdict.NOT_A_CHECKPOINT, lambda: by_hand.zipped([])
    yield "photos in a folder", Verdict.NOT_A_CHECKPOINT, lambda: packed("photos/", "photos/a.jpg")
    yield (
        "names in GBK",
        Verdict.NOT_A_CHECKPOINT,
        lambda: packed("??1").replace(b"??1", "一1".encode("gbk")),
    )
    yield (
        "document",
        Verdict.NOT_A_CHECKPOINT,
        lambda: by_hand.zipped(
            [Record("[Content_Types].xml", b"<x/>"), Record("word/document.xml", b"<x/>")]
        ),
    )
    yield "tar", Verdict.TAR, tar_file
    magic = by_hand.number(0x1950A86A20F9469CFC6C)
    legacy = by_hand.pickled(magic) + by_hand.pickled(b"M\xe9\x03") + by_hand.pickled(b"}")
    yield "legacy torch", Verdict.LEGACY, lambda: legacy
    yield (
        "legacy torch, protocol 4",
        Verdict.LEGACY,
        lambda: pickle.dumps(0x1950A86A20F9469CFC6C, 4),
    )
    yield "empty", Verdict.EMPTY, lambda: b""
    yield "over 50 MB", Verdict.TOO_BIG, lambda: bytes(50 * 2**20 + 1)
    yield "HTML", Verdict.HTML, lambda: b"\n<!DOCTYPE html><html></html>"
    yield "HTML in small letters", Verdict.HTML, lambda: b"<html><body>404</body></html>"
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"
    yield "LFS pointer", Verdict.LFS_POINTER, lambda: pointer
    yield "PNG", Verdict.PNG, lambda: b"\x89PNG\r\n\x1a\n" + bytes(50)
    yield "npy", Verdict.NPY, lambda: b"\x93NUMPY\x01\x00v\x00{'descr': '<f4'}"
    yield "7z", Verdict.SEVEN_ZIP, lambda: b"7z\xbc\xaf\x27\x1c\x00\x04" + bytes(40)
    unknown = {
        "hello": b"hello",
        "7 bytes": bytes(7),
        "64 zero bytes": bytes(64),
        "a list for a header": by_hand.safetensors(b"[1,2]"),
        "random": bytes(range(200, 256)) * 20,
        "one full stop": b".",
        "a sentence": b"The weights are in the other folder.",
        "a text whose letters are opcodes": b"hello.",
        "a text that begins with a constant": b"N.B. the weights are in the other folder.",
        "a text that begins with a mark": b"(The weights are in the other folder).",
        "a text that begins with a number": b"I.\nThe weights are in the other folder.",
        "a text that begins with a name": b"chapter one\nchapter two\nThe end.",
        "many lines of one letter": b"Identity\n" * 5_000,
        "HDF5": b"\x89HDF\r\n\x1a\n" + bytes(40),
        "GGUF": b"GGUF\x03\x00\x00\x00" + bytes(40),
        "gzip": gzip.compress(bytes(100)),
        "PDF": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3",
    }
    for title, data in unknown.items():
        yield title, Verdict.UNKNOWN, lambda data=data: data


def packed(*names: str) -> bytes:
    """A zip as any program writes it, folders as entries included."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            if name.endswith("/"):
                archive.mkdir(name)
            else:
                archive.writestr(name, bytes(100))
    return target.getvalue()


def tar_file() -> bytes:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        tar.addfile(tarfile.TarInfo("storages"), io.BytesIO(b""))
    return target.getvalue()
