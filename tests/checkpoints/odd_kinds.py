import gzip
import io
import pickle
import tarfile
import zipfile

from playground.checkpoints.inspect import Verdict
from tests.checkpoints.handmade import Record, number, pickled, safetensors, zipped

MAGIC = 0x1950A86A20F9469CFC6C  # of torch's old container
NONE = Record("a/data.pkl", b"\x80\x02N.")


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


OTHERS = {
    Verdict.TORCHSCRIPT: {
        "constants.pkl": lambda: zipped([NONE, Record("a/constants.pkl", b"\x80\x02).")]),
        "code/, compressed": lambda: zipped([NONE, Record("a/code/x.py", b"x", method=8, size=5)]),
    },
    Verdict.PT2: {
        "torch.export": lambda: zipped(
            [Record("a/archive_format", b"pt2"), Record("a/models/model.json", b"{}")]
        )
    },
    Verdict.NOT_A_CHECKPOINT: {
        "plain zip": lambda: zipped([Record("hello.txt", b"hello")]),
        "npz": lambda: zipped([Record("w.npy", b"\x93NUMPY")]),
        "a zip with nothing in it": lambda: zipped([]),
        "photos in a folder": lambda: packed("photos/", "photos/a.jpg"),
        "names in GBK": lambda: packed("??1").replace(b"??1", "一1".encode("gbk")),
        "document": lambda: zipped(
            [Record("[Content_Types].xml", b"<x/>"), Record("word/document.xml", b"<x/>")]
        ),
    },
    Verdict.TAR: {"tar": tar_file},
    Verdict.LEGACY: {
        "legacy torch": lambda: pickled(number(MAGIC)) + pickled(b"M\xe9\x03") + pickled(b"}"),
        "legacy torch, protocol 4": lambda: pickle.dumps(MAGIC, 4),
    },
    Verdict.EMPTY: {"empty": lambda: b""},
    Verdict.TOO_BIG: {"over 20 MiB": lambda: bytes(20 * 2**20 + 1)},
    Verdict.HTML: {
        "HTML": lambda: b"\n<!DOCTYPE html><html></html>",
        "HTML in small letters": lambda: b"<html><body>404</body></html>",
    },
    Verdict.LFS_POINTER: {
        "LFS pointer": lambda: (
            b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"
        )
    },
    Verdict.PNG: {"PNG": lambda: b"\x89PNG\r\n\x1a\n" + bytes(50)},
    Verdict.NPY: {"npy": lambda: b"\x93NUMPY\x01\x00v\x00{'descr': '<f4'}"},
    Verdict.SEVEN_ZIP: {"7z": lambda: b"7z\xbc\xaf\x27\x1c\x00\x04" + bytes(40)},
    Verdict.UNKNOWN: {
        "hello": lambda: b"hello",
        "7 bytes": lambda: bytes(7),
        "64 zero bytes": lambda: bytes(64),
        "a list for a header": lambda: safetensors(b"[1,2]"),
        "random": lambda: bytes(range(200, 256)) * 20,
        "one full stop": lambda: b".",
        "a sentence": lambda: b"The weights are in the other folder.",
        "a text whose letters are opcodes": lambda: b"hello.",
        "a text that begins with a constant": lambda: b"N.B. the weights are in the other folder.",
        "a text that begins with a mark": lambda: b"(The weights are in the other folder).",
        "a text that begins with a number": lambda: b"I.\nThe weights are in the other folder.",
        "a text that begins with a name": lambda: b"chapter one\nchapter two\nThe end.",
        "many lines of one letter": lambda: b"Identity\n" * 5_000,
        "HDF5": lambda: b"\x89HDF\r\n\x1a\n" + bytes(40),
        "GGUF": lambda: b"GGUF\x03\x00\x00\x00" + bytes(40),
        "gzip": lambda: gzip.compress(bytes(100)),
        "PDF": lambda: b"%PDF-1.7\n%\xe2\xe3\xcf\xd3",
    },
}
