import pytest
import torch
from torch import nn
from torch.nn import functional

from playground.errors import InvalidSpecError
from playground.modules.build import build, draw_inputs
from playground.modules.read_module import network_of
from playground.modules.source import as_class, as_sequential
from playground.modules.spec import InputSpec
from playground.modules.spec.starts import STARTS


class Net(nn.Module):
    """As a student writes one."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3, padding=1)
        self.body = nn.Sequential(nn.Conv2d(4, 4, 3, padding="same"), nn.ReLU())
        self.rnn = nn.LSTM(16, 5, batch_first=True)
        self.out = nn.Linear(5, 2, bias=False)

    def forward(self, X):  # noqa: N803 - as programs write it
        X = torch.relu(self.conv(X))
        X = X + self.body(X)
        Y, _ = self.rnn(X.flatten(2))
        Y = torch.cat([Y, Y], dim=1)
        return self.out(Y.reshape(-1, 8, 5))


class Functional(nn.Module):
    """As tutorials write one: functions in place of layers, and sizes asked of the data."""

    def __init__(self):
        super().__init__()
        self._convolutions = nn.ModuleList([nn.Conv2d(1, 4, 3), nn.Conv2d(4, 8, 3)])
        self.fc = nn.Linear(8, 5)

    def forward(self, X):  # noqa: N803 - as programs write it
        for each in self._convolutions:
            X = functional.max_pool2d(functional.relu(each(X)), 2)
        X = functional.dropout(X, 0.5, training=self.training)
        X = functional.adaptive_avg_pool2d(X, (1, 1)).view(X.size(0), -1)
        X = self.fc(X).reshape(X.shape[0], 5)
        return functional.log_softmax(X, dim=1)


class Looping(nn.Module):
    """Asks for a value, which a stand-in does not have."""

    def forward(self, X):  # noqa: N803 - as programs write it
        return X / 2 if X.sum() > 1 else X


@pytest.mark.parametrize(("kind", "size"), [(Net, 4), (Functional, 12)])
def test_a_class_of_ones_own_computes_the_same_as_its_network(kind, size):
    torch.manual_seed(0)
    module, inputs = kind(), (InputSpec((2, 1, size, size)),)
    network = network_of(module, inputs)
    built = build(network).eval()
    module.eval()
    (X,) = draw_inputs(inputs)
    for one, other in zip(built.parameters(), module.parameters(), strict=True):
        one.data = other.data

    torch.testing.assert_close(built(X), module(X))


@pytest.mark.parametrize("write", [as_sequential, as_class])
@pytest.mark.parametrize("name", [name for name in STARTS if name != "broken"])
def test_the_program_of_a_start_is_read_as_a_network_that_computes_the_same(name, write):
    names = {"__name__": "__main__"}
    exec(write(STARTS[name], seed=0), names)
    network = network_of(names["net"], STARTS[name].input)
    inputs = draw_inputs(STARTS[name].input)
    built = build(network, 0).eval()
    made = names["net"]
    for one, other in zip(built.parameters(), made.parameters(), strict=True):
        one.data = other.data
    if hasattr(names["net"], "fixed_hidden_mlp") or name == "chimera":
        return  # its constant is no parameter

    torch.testing.assert_close(built(*inputs), names["net"].eval()(*inputs))


@pytest.mark.parametrize(
    "module", [Looping(), nn.Sequential(Looping()), nn.ParameterList(), nn.ModuleList()]
)
def test_what_is_no_network_is_refused(module):
    with pytest.raises(InvalidSpecError):
        network_of(module, (InputSpec((2, 4)),))
