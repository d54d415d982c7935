"""The files of a cell: in its memory, as torch and Python write them; nothing in them is run."""

import gc
import io
import os
import pickle
import pickletools
import sys
import zipfile

import pytest
import safetensors.torch
import torch

from playground import sandbox
from playground.sandbox.check import check
from playground.sandbox.facade.files import Files
from tests.sandbox.cells import execute

DANGEROUS = b"cposix\nsystem\n(Vecho this was run\ntR."
STATE = {"a": torch.arange(70), "b": [torch.ones(3, 2), 1.5]}
WRITE = (
    "import zipfile\nwith zipfile.ZipFile('x.zip', 'w', zipfile.ZIP_DEFLATED) as archive:\n"
    "    archive.writestr('a/b', 'abc' * 50)\n    archive.writestr('../c', 'd')\n"
)
READ = (
    "with zipfile.ZipFile('x.zip') as archive:\n"
    "    names = archive.namelist()\n    found = {name: archive.read(name) for name in names}\n"
)
FOLDER = "import os\nos.makedirs('data', exist_ok=True)\ntorch.save(1, 'data/x')\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The working directory, where a cell leaves nothing."""
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("program", "value"),
    [
        (
            "import io\nfile = io.BytesIO()\ntorch.save({'a': torch.ones(2)}, file)\n"
            "file.seek(0)\nx = torch.load(file, map_location='cpu')['a'].tolist()",
            [1.0, 1.0],
        ),
        (f"{FOLDER}x = torch.load('data/x')", 1),
        (f"{FOLDER}x = os.path.exists('data/y'), os.path.isfile('data/x')", (False, True)),
    ],
)
def test_a_file_is_in_memory_or_in_a_folder_there(folder, program, value):
    assert execute(program)["x"] == value


@pytest.mark.parametrize("name", ["x-file", "part.pt", "a.long.name.that.needs.more.room.pt"])
def test_a_named_file_lives_in_memory_and_is_what_torch_writes(folder, name):
    bound = execute(
        f"import os\nfrom pathlib import Path\ntorch.save(state, {name!r})\n"
        f"size, content = os.path.getsize({name!r}), Path({name!r}).read_bytes()\n"
        f"x = torch.load({name!r})",
        state=STATE,
    )

    assert list(folder.iterdir()) == []
    torch.save(STATE, name)
    assert bound["content"] == (folder / name).read_bytes()
    assert bound["size"] == (folder / name).stat().st_size
    assert torch.equal(bound["x"]["a"], STATE["a"])
    (folder / name).unlink()


def test_safetensors_are_kept_in_memory(folder):
    state = {"a": torch.arange(6.0).reshape(2, 3)}
    bound = execute(
        "from pathlib import Path\nfrom safetensors.torch import load_file, save_file\n"
        "save_file(state, 'w.safetensors', {'made by': 'me'})\n"
        "content = Path('w.safetensors').read_bytes()\nx = load_file('w.safetensors')",
        state=state,
    )

    assert bound["content"] == safetensors.torch.save(state, {"made by": "me"})
    assert torch.equal(bound["x"]["a"], state["a"])


def test_tensors_come_back_in_the_order_in_which_they_lie_in_the_file(tmp_path):
    state = {f"{name}.weight": torch.ones(size) for size, name in enumerate("qaxzbym", 1)}
    state["half"] = torch.ones(3, dtype=torch.float16)
    files, path = Files(), tmp_path / "weights.safetensors"
    safetensors.torch.save_file(state, path, {"made by": "a test"})
    files.save_tensors(state, path.name, {"made by": "a test"})

    assert list(files.load_tensors(path.name)) == list(safetensors.torch.load_file(path))


def test_an_archive_lives_in_memory_and_is_one(folder):
    bound = execute(f"{WRITE}{READ}from pathlib import Path\ncontent = Path('x.zip').read_bytes()")

    assert bound["found"] == {"a/b": b"abc" * 50, "../c": b"d"}
    with zipfile.ZipFile(io.BytesIO(bound["content"])) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == bound["names"]
        assert archive.getinfo("a/b").compress_size < 150


@pytest.mark.parametrize(
    ("program", "error", "reported"),
    [
        ("torch.save(1, 'data/x')", RuntimeError, "Parent directory data does not exist"),
        (f"{FOLDER}torch.load('data/X')", FileNotFoundError, "No such file or directory: 'data/X'"),
        (f"{FOLDER}os.makedirs('data')", FileExistsError, "data"),
        ("torch.load('x')", FileNotFoundError, "x"),  # of another run
        ("import zipfile\nzipfile.ZipFile('none.zip')", FileNotFoundError, "none.zip"),
        ("import zipfile\nzipfile.ZipFile('folder/x.zip', 'w')", FileNotFoundError, "folder"),
        ("import zipfile\nzipfile.ZipFile('x.zip', 'a')", ValueError, None),
        ("import zipfile\ntorch.save(1, 'x')\nzipfile.ZipFile('x').read('y')", KeyError, "y"),
        ("import io, zipfile\nzipfile.ZipFile(io.BytesIO(b'PK'))", zipfile.BadZipFile, None),
    ],
)
def test_what_cannot_be_opened_or_read_is_refused_as_of_a_disk(folder, program, error, reported):
    with pytest.raises(error, match=reported):
        execute(program)


PATHS = ("'/tmp/x.pt'", "'x/../y'", "'..'", "'.x'", "torch", "3", "None", "Own()")
CALLS = ("torch.save(1, {})", "torch.load({})")
CALLS += ("zipfile.ZipFile({}, 'r')", "zipfile.ZipFile({}, 'w')")


@pytest.mark.parametrize("file", PATHS)
@pytest.mark.parametrize("call", CALLS)
def test_a_path_of_the_server_is_no_file_without_the_check_either(folder, call, file):
    with pytest.raises(TypeError, match="a file of the lab has a plain name"):
        execute(f"import io, zipfile\nclass Own(io.BytesIO): pass\n{call.format(file)}")


@pytest.mark.parametrize("name", ["extract", "extractall", "open", "write", "fp", "filename"])
def test_an_archive_has_no_way_to_the_disk(name):
    with pytest.raises(AttributeError):
        execute(f"{WRITE}archive.{name}")


def test_an_archive_that_is_never_closed_is_forgotten_without_an_error(monkeypatch):
    unraisable = []
    monkeypatch.setattr(sys, "unraisablehook", unraisable.append)
    execute(
        "import io, zipfile\nfile = io.BytesIO()\nopened = zipfile.ZipFile(file, mode='w')\n"
        "opened.writestr('a', 'b')\nfile.close()"
    )
    gc.collect()

    assert unraisable == []


def test_a_pickle_is_taken_apart_as_python_does_and_nothing_in_it_is_run(capfd):
    source = "import pickletools\nsteps = [(a.name, b, c) for a, b, c in pickletools.genops(data)]"
    bound = execute(source, data=DANGEROUS)

    assert bound["steps"] == [(a.name, b, c) for a, b, c in pickletools.genops(DANGEROUS)]
    assert capfd.readouterr() == ("", "")
    assert pickle.loads(DANGEROUS) == 0  # noqa: S301 - what looking at it must not do
    assert capfd.readouterr().out == "this was run\n"


@pytest.mark.parametrize("given", [3, "text", io.BytesIO(b"N."), bytearray(b"N.")])
def test_only_bytes_are_taken_apart(given):
    with pytest.raises(TypeError, match="taken apart as bytes"):
        execute("import pickletools\nlist(pickletools.genops(given))", given=given)


def test_a_load_never_runs_what_is_in_a_file():
    file = io.BytesIO()
    torch.save(torch.nn.Linear(1, 1), file)  # the whole module: a class by its name
    file.seek(0)

    with pytest.raises(Exception, match="Weights only load failed"):
        execute("torch.load(file)", file=file)
    with pytest.raises(RuntimeError, match="weights_only=True only"):
        execute("torch.load(file, weights_only=False)", file=file)


def test_a_file_that_was_cut_is_refused_as_a_real_one_is(tmp_path):
    files, path = Files(), tmp_path / "net.pt"
    files.save(torch.nn.Linear(64, 64).state_dict(), "net.pt")
    content = files.read("net.pt")
    for length in (0, 10, len(content) // 2, len(content) - 1):
        files.write("net.pt", content[:length])
        path.write_bytes(content[:length])
        with pytest.raises(Exception) as real:  # noqa: PT011 - whatever torch raises
            torch.load(path, weights_only=True)
        with pytest.raises(type(real.value)) as ours:
            files.load("net.pt")
        assert str(ours.value) == str(real.value)


def test_a_program_that_a_pickle_asks_for_is_not_started_in_the_jail(open_jail):
    source = (
        "import zipfile\npickle = 'cposix\\nsystem\\n(Vid\\ntR.'.encode('latin-1')\n"
        "with zipfile.ZipFile('w.pt', 'w') as archive:\n"
        "    archive.writestr('w/data.pkl', pickle)\n    archive.writestr('w/version', '3')\n"
        "torch.load('w.pt'{})"
    )
    unsafe = source.format(", weights_only=False")
    checked, bare = sandbox.run(source.format("")), sandbox.run(unsafe, is_checked=False)

    assert checked.error_type == "UnpicklingError"
    assert f"GLOBAL {os.name}.system" in checked.message
    assert check(unsafe)
    assert bare.message == "the lab loads with weights_only=True only"


def test_a_bomb_ends_at_the_memory_of_its_run(open_jail):
    report = sandbox.run(
        "import io, zipfile\nfile = io.BytesIO()\n"
        "with zipfile.ZipFile(file, 'w', zipfile.ZIP_DEFLATED) as archive:\n"
        "    archive.writestr('zeros', 'a' * 10**7)\n"
        "with zipfile.ZipFile(file) as archive:\n"
        "    held = [archive.read('zeros') for _ in range(40)]\n"
    )
    assert (report.violations, report.stopped_because) == ((), "memory")
