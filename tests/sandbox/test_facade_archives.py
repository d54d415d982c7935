"""Zip archives and pickles of a cell: in its memory, as Python's own, and nothing is ever run."""

import gc
import io
import os
import pickle
import pickletools
import sys
import zipfile
from dataclasses import replace

import pytest

from playground import sandbox
from playground.sandbox.check import check
from playground.sandbox.limits import LIMITS
from tests.sandbox.facade_cells import execute

BUSY = replace(LIMITS, wall_seconds=60.0)  # a computer that does much else takes its time
DANGEROUS = b"cposix\nsystem\n(Vecho this was run\ntR."
WRITE = (
    "import zipfile\nwith zipfile.ZipFile('x.zip', 'w', zipfile.ZIP_DEFLATED) as archive:\n"
    "    archive.writestr('a/b', 'abc' * 50)\n    archive.writestr('../c', 'd')\n"
)
READ = (
    "import zipfile\nwith zipfile.ZipFile('x.zip') as archive:\n"
    "    names = archive.namelist()\n    found = {name: archive.read(name) for name in names}\n"
)


def test_an_archive_lives_in_memory_and_is_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    bound = execute(f"{WRITE}{READ}from pathlib import Path\ncontent = Path('x.zip').read_bytes()")

    assert list(tmp_path.iterdir()) == []
    assert bound["found"] == {"a/b": b"abc" * 50, "../c": b"d"}
    with zipfile.ZipFile(io.BytesIO(bound["content"])) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == bound["names"]
        assert archive.getinfo("a/b").compress_size < 150


def test_a_file_of_the_cell_can_be_an_archive_too():
    bound = execute(
        "import io, zipfile\nfile = io.BytesIO()\n"
        "with zipfile.ZipFile(file, mode='w') as archive:\n    archive.writestr('a', b'b')\n"
        "with zipfile.ZipFile(file) as archive:\n    a = archive.read('a')"
    )

    assert bound["a"] == b"b"


@pytest.mark.parametrize(
    ("program", "error"),
    [
        ("zipfile.ZipFile('none.zip')", FileNotFoundError),
        ("zipfile.ZipFile('folder/x.zip', 'w')", FileNotFoundError),
        ("zipfile.ZipFile('x.zip', 'a')", ValueError),
        ("torch.save(1, 'x')\nzipfile.ZipFile('x').read('y')", KeyError),
    ],
)
def test_what_cannot_be_opened_or_read_is_refused_as_by_python(program, error):
    with pytest.raises(error):
        execute(f"import zipfile\n{program}")


def test_an_archive_that_is_never_closed_is_forgotten_without_an_error(monkeypatch):
    unraisable = []
    monkeypatch.setattr(sys, "unraisablehook", unraisable.append)
    bound = execute("import io, zipfile\nfile = io.BytesIO()\nopened = zipfile.ZipFile(file, 'w')")
    bound["opened"].writestr("a", "b")
    bound["file"].close()

    del bound
    gc.collect()

    assert unraisable == []


def test_a_damaged_archive_is_none():
    with pytest.raises(zipfile.BadZipFile):
        execute("import io, zipfile\nzipfile.ZipFile(io.BytesIO(b'PK'))")


@pytest.mark.parametrize(
    "file",
    ["'/etc/passwd'", "'../x'", "'.x'", "3", "None", "Own()"],
)
def test_a_path_of_the_server_is_no_archive_without_the_check_either(file, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for mode in ("'r'", "'w'"):
        with pytest.raises(TypeError, match="a file of the lab has a plain name"):
            execute(
                f"import io, zipfile\nclass Own(io.BytesIO): pass\nzipfile.ZipFile({file}, {mode})"
            )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["extract", "extractall", "open", "write", "fp", "filename"])
def test_an_archive_has_no_way_to_the_disk(name):
    with pytest.raises(AttributeError):
        execute(f"{WRITE}archive.{name}")


@pytest.mark.parametrize("module", ["zipfile", "pickletools"])
@pytest.mark.parametrize("name", ["os", "sys", "io", "shutil", "importlib", "codecs", "pickle"])
def test_a_module_about_files_leads_to_no_other(module, name):
    program = f"import {module}\n{module}.{name}"

    assert check(program)
    with pytest.raises(AttributeError):
        execute(program)


def test_a_pickle_is_taken_apart_as_python_does_and_nothing_in_it_is_run(capfd):
    bound = execute(
        "import pickletools\nsteps = [(step.name, argument, place)"
        " for step, argument, place in pickletools.genops(data)]",
        data=DANGEROUS,
    )

    steps = [
        (step.name, argument, place) for step, argument, place in pickletools.genops(DANGEROUS)
    ]
    assert bound["steps"] == steps
    assert capfd.readouterr() == ("", "")
    assert pickle.loads(DANGEROUS) == 0  # noqa: S301 - what looking at it must not do
    assert capfd.readouterr().out == "this was run\n"


@pytest.mark.parametrize("given", [3, "text", io.BytesIO(b"N."), bytearray(b"N.")])
def test_only_bytes_are_taken_apart(given):
    with pytest.raises(TypeError, match="taken apart as bytes"):
        execute("import pickletools\nlist(pickletools.genops(given))", given=given)


@pytest.mark.parametrize(
    "program",
    [
        "zipfile.ZipFile('/etc/passwd')",
        "zipfile.ZipFile(file='../x')",
        "path = '/etc/passwd'\nzipfile.ZipFile(path)",
        "zipfile.ZipFile('x', strict_timestamps=False)",
        "zipfile.ZipFile('x').extractall('/tmp')",
        "zipfile.ZipFile('x').open('y')",
        "zipfile.ZipFile('x').fp",
        "zipfile.ZipFile",
        "with zipfile.ZipFile('x') as (a, b):\n    pass",
        "with zipfile.ZipFile as archive:\n    pass",
        "zipfile.Path('x')",
        "zipfile.main()",
        "zipfile.ZipFile.open",
        "zipfile.ZipFile = 3",
    ],
)
def test_the_check_lets_nobody_open_another_archive(program):
    source = f"import zipfile\n{program}\n"
    if program == "zipfile.ZipFile":  # a name for it is no harm: the facade is behind it
        assert check(source) == ()
        return

    assert check(source)[0].line > 1


def test_a_program_that_a_pickle_asks_for_is_not_started_in_the_jail(open_jail):
    source = (
        "import zipfile\npickle = 'cposix\\nsystem\\n(Vid\\ntR.'.encode('latin-1')\n"
        "with zipfile.ZipFile('w.pt', 'w') as archive:\n"
        "    archive.writestr('w/data.pkl', pickle)\n    archive.writestr('w/version', '3')\n"
        "torch.load('w.pt'{})"
    )
    checked = sandbox.run(source.format(""), limits=BUSY)
    bare = sandbox.run(source.format(", weights_only=False"), is_checked=False, limits=BUSY)

    assert checked.error_type == "UnpicklingError"
    assert f"GLOBAL {os.name}.system" in checked.message
    assert sandbox.run(source.format(", weights_only=False")).violations
    assert (bare.error_type, bare.message) == (
        "RuntimeError",
        "the lab loads with weights_only=True only",
    )


def test_a_bomb_ends_at_the_memory_of_its_run(open_jail):
    report = sandbox.run(
        "import io, zipfile\nfile = io.BytesIO()\n"
        "with zipfile.ZipFile(file, 'w', zipfile.ZIP_DEFLATED) as archive:\n"
        "    archive.writestr('zeros', 'a' * 10**7)\n"
        "with zipfile.ZipFile(file) as archive:\n"
        "    held = [archive.read('zeros') for _ in range(40)]\n",
        limits=BUSY,
    )

    assert report.violations == ()
    assert report.stopped_because == "memory"
