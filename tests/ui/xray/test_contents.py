"""What an accepted file holds, as rows and lines; the oracle is what was saved."""

import pytest
import torch
from torch import nn

from playground.checkpoints.inspect import inspect
from playground.checkpoints.save import full_checkpoint, save_safetensors, save_torch
from ui.xray import contents


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contents, "say", lambda key, **_: key)


def looked(value: object) -> object:
    return inspect(save_torch(value).data, "weights.pt")


def test_every_tensor_has_a_row_with_what_torch_knows_of_it() -> None:
    state = {"weight": torch.ones(3, 4).T, "count": torch.tensor(7)}

    names, rows = contents.tensors(looked(state))

    assert names == ("name", "shape", "dtype", "stride", "bytes", "device")
    assert rows == [
        ("weight", str(tuple(state["weight"].shape)), "float32", "(1, 4)", "48\xa0bytes", "cpu"),
        ("count", "()", "int64", "()", "8\xa0bytes", "cpu"),
    ]


def test_ties_have_a_column_only_where_there_are_some() -> None:
    shared = torch.ones(2)

    names, rows = contents.tensors(looked({"a": shared, "b": shared, "c": torch.ones(1)}))

    assert names[-1] == "tied"
    assert [row[-1] for row in rows] == ["b", "a", "—"]


def test_the_structure_is_indented_plain_text() -> None:
    net = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.5)
    lines = contents.tree(looked(full_checkpoint(net, optimizer, epoch=3))).splitlines()

    assert lines[0].startswith("checkpoint (dict")
    assert "    weight: tensor (1, 2) float32" in lines
    assert "  epoch: 3" in lines


def test_a_long_structure_is_cut() -> None:
    tree = contents.tree(looked(list(range(1_000))))

    assert len(tree.splitlines()) == contents.MOST_LINES + 1


def test_records_and_texts_are_those_of_the_file() -> None:
    tensor = torch.ones(5)
    found = inspect(save_safetensors({"w": tensor}, {"author": "<b>me</b>"}).data, "w.safetensors")

    assert contents.metadata(found)[1] == [("author", "<b>me</b>")]
    assert "20" in [size for _, size in contents.entries(found)[1]]
