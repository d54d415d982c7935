"""The files of a cell: they live in memory, and behave as those of a disk."""

import io

import pytest
import safetensors.torch
import torch

from playground.sandbox.facade.files import Files
from tests.sandbox.facade_cells import execute


def test_a_file_in_memory_is_saved_to_and_loaded_from():
    bound = execute(
        "import io\nfile = io.BytesIO()\ntorch.save({'a': torch.ones(2)}, file)\n"
        "file.seek(0)\nx = torch.load(file, map_location='cpu')"
    )

    assert torch.equal(bound["x"]["a"], torch.ones(2))


@pytest.mark.parametrize("target", ["'/tmp/x.pt'", "'../x.pt'", "'.x'", "torch", "None", "3"])
def test_a_path_of_the_server_is_no_file(target, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    with pytest.raises(TypeError, match="a file of the lab has a plain name"):
        execute(f"torch.save(torch.ones(1), {target})")
    with pytest.raises(TypeError, match="a file of the lab has a plain name"):
        execute(f"torch.load({target})")
    assert list(tmp_path.iterdir()) == []


def test_a_named_file_lives_in_memory_and_is_what_torch_writes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("x-file", "part.pt", "a.long.name.that.needs.more.room.pt"):
        value = {"a": torch.arange(70), "b": [torch.ones(3, 2), 1.5]}

        bound = execute(
            f"import os\nfrom pathlib import Path\ntorch.save(value, {name!r})\n"
            f"size, content = os.path.getsize({name!r}), Path({name!r}).read_bytes()\n"
            f"x = torch.load({name!r})",
            value=value,
        )

        assert list(tmp_path.iterdir()) == []
        torch.save(value, name)
        assert bound["content"] == (tmp_path / name).read_bytes()
        assert bound["size"] == (tmp_path / name).stat().st_size
        assert torch.equal(bound["x"]["a"], value["a"])
        (tmp_path / name).unlink()


def test_files_in_memory_have_folders_and_the_errors_of_real_ones():
    made = "import os\nos.makedirs('data', exist_ok=True)\ntorch.save(1, 'data/x')\n"

    assert execute(f"{made}x = torch.load('data/x')")["x"] == 1
    assert execute(f"{made}x = os.path.exists('data/y'), os.path.isfile('data/x')")["x"] == (
        False,
        True,
    )
    with pytest.raises(RuntimeError, match="Parent directory data does not exist"):
        execute("torch.save(1, 'data/x')")
    with pytest.raises(FileNotFoundError, match="No such file or directory: 'data/X'"):
        execute(f"{made}torch.load('data/X')")
    with pytest.raises(FileExistsError):
        execute(f"{made}os.makedirs('data')")
    with pytest.raises(FileNotFoundError):
        execute("torch.load('x')")  # of another run


def test_safetensors_are_kept_in_memory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    state = {"a": torch.arange(6.0).reshape(2, 3)}

    bound = execute(
        "from pathlib import Path\nfrom safetensors.torch import load_file, save_file\n"
        "save_file(state, 'w.safetensors', {'made by': 'me'})\n"
        "content = Path('w.safetensors').read_bytes()\nx = load_file('w.safetensors')",
        state=state,
    )

    assert list(tmp_path.iterdir()) == []
    safetensors.torch.save_file(state, "w.safetensors", {"made by": "me"})
    assert bound["content"] == (tmp_path / "w.safetensors").read_bytes()
    assert torch.equal(bound["x"]["a"], state["a"])


def test_a_load_never_runs_what_is_in_a_file():
    file = io.BytesIO()
    torch.save(torch.nn.Linear(1, 1), file)  # the whole module: a class by its name

    file.seek(0)
    with pytest.raises(Exception, match="Weights only load failed"):
        execute("torch.load(file)", file=file)
    with pytest.raises(RuntimeError, match="weights_only=True only"):
        execute("torch.load(file, weights_only=False)", file=file)


def test_tensors_come_back_in_the_order_in_which_they_lie_in_the_file(tmp_path):
    state = {f"{name}.weight": torch.ones(size) for size, name in enumerate("qaxzbym", 1)}
    state["half"] = torch.ones(3, dtype=torch.float16)
    files = Files()
    path = tmp_path / "weights.safetensors"
    safetensors.torch.save_file(state, path, {"made by": "a test"})

    files.save_tensors(state, "weights.safetensors", {"made by": "a test"})

    assert list(files.load_tensors("weights.safetensors")) == list(
        safetensors.torch.load_file(path)
    )


def test_a_file_that_was_cut_is_refused_as_a_real_one_is(tmp_path):
    files = Files()
    files.save(torch.nn.Linear(64, 64).state_dict(), "net.pt")
    content = files.read("net.pt")
    path = tmp_path / "net.pt"
    for length in (0, 10, len(content) // 2, len(content) - 1):
        files.write("net.pt", content[:length])
        path.write_bytes(content[:length])
        with pytest.raises(Exception) as real:  # noqa: PT011 - whatever torch raises
            torch.load(path, weights_only=True)

        with pytest.raises(type(real.value)) as ours:
            files.load("net.pt")

        assert str(ours.value) == str(real.value)
