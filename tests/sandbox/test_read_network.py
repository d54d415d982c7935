import io
import json

import pytest

from playground.errors import InvalidSpecError
from playground.modules.source import as_class, as_sequential
from playground.modules.spec.starts import STARTS
from playground.sandbox.cell import network_task
from playground.sandbox.limits import LIMITS
from ui.builder.program_reader import network_in

MODULE = "from torch import nn\nclass A(nn.Module):\n    def forward(self, X):\n"


def read(source):
    asked = {"source": source, "network": STARTS["mlp"].to_json()}
    answer = network_task.read_network(asked, io.BytesIO(), LIMITS)
    assert json.loads(json.dumps(answer)) == answer
    return answer


@pytest.fixture(scope="module", autouse=True)
def warm():
    network_task.warm_up()


@pytest.mark.parametrize("name", ["lenet", "inception", "residual", "shared", "autoencoder"])
def test_an_unchanged_program_gives_the_same_network(name):
    assert network_in(read(as_sequential(STARTS[name], seed=0, run=True))) == STARTS[name]


def test_our_blocks_are_known_by_their_code_and_others_of_their_name_are_not():
    source = as_sequential(STARTS["residual"])
    own = source.replace("return X + super().forward(X)", "return X * super().forward(X)")
    assert network_in(read(source)).block.children[1].kind == "residual"
    assert network_in(read(own)).block.children[1].kind == "sequential"


def test_a_network_that_fails_is_read_too():
    source = as_class(STARTS["broken"], seed=0, run=True)
    types = [child.type for child in network_in(read(source)).block.children]
    assert types == [child.type for child in STARTS["broken"].block.children]


@pytest.mark.parametrize(
    ("source", "key"),
    [
        ("1 / 0", "spec_program_line"),
        ("x = (", "spec_program_line"),
        ("x = 1", "spec_no_module"),
        (f"{MODULE}        return X if X.sum() > 0 else -X\n", "spec_depends"),
    ],
)
def test_what_is_no_network_has_a_reason(source, key):
    assert read(source)["key"] == key


def test_layers_that_no_forward_calls_are_named():
    source = """
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(20, 4)
        self.spare = nn.Linear(4, 4)
        self.layers = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 4)])
        self.pair = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
    def forward(self, X):
        return self.layers[1](self.hidden(X))
"""
    assert read(source)["uncalled"] == "spare, layers.0, pair"
    assert read("from torch import nn\nnet = nn.TransformerEncoderLayer(4, 2)")["uncalled"] == ""


def test_a_statement_that_cannot_be_drawn_is_named_as_it_is_written():
    answer = read(f"{MODULE}        X = X * X\n        return X.exp()\n")

    assert answer["key"] == "spec_statement"
    assert (answer["line"], answer["text"]) == ("5", "return X.exp()")
    with pytest.raises(InvalidSpecError) as refused:
        network_in(answer)
    assert refused.value.values["line"] == 5


@pytest.mark.parametrize(
    "answer",
    [
        *(None, {}, [], {"network": 3}, {"network": "{"}, {"key": 4}),
        {"key": "auth", "text": "x" * 9_000},
    ],
)
def test_an_answer_of_the_jail_is_not_trusted(answer):
    with pytest.raises(InvalidSpecError) as refused:
        network_in(answer)

    assert refused.value.key.startswith("spec_")
    assert len(str(refused.value)) < 1_000
