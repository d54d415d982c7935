import pytest
import torch
from torch import nn
from torch.nn import functional

from playground.errors import InvalidSpecError
from playground.modules.build import build, draw_inputs
from playground.modules.read_module import read_module
from playground.modules.source import as_class, as_sequential
from playground.modules.spec import InputSpec, Network
from playground.modules.spec.starts import STARTS
from ui.language import table


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
        X = functional.pad(X, [1, 0, X.size(3) - X.size(2), 1])
        X = functional.adaptive_avg_pool2d(X, (1, 1)).view(X.size(0), -1)
        X = self.fc(X).reshape(X.shape[0], 5)
        return functional.log_softmax(X, dim=1)


class Attending(nn.Module):
    """Asks for sizes, computes with them, and gives more than one tensor to a layer."""

    def __init__(self):
        super().__init__()
        self.branches = nn.ModuleDict({"value": nn.Linear(4, 8), "query": nn.Linear(4, 8)})
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)
        self.norm = nn.LayerNorm(8)
        self.norms = nn.Sequential(nn.LayerNorm((5, 8)), nn.LayerNorm((8,)))

    def forward(self, X, mask=None):  # noqa: N803 - as programs write it
        batch, length, width = X.shape
        assert X.ndim == 3
        value = self.branches["value"](X)
        query = self.branches["query"](X.contiguous().to(X.dtype))
        Y, _ = self.attention(
            value=value, key=value, query=query, need_weights=False, attn_mask=mask
        )
        Y = self.norms(sum([self.norm(Y), query]))
        for _ in range(length - 3):
            Y = functional.gelu(Y, approximate="tanh")
        heads = Y.view(batch, length, 2, width).transpose(1, 2).unsqueeze(2).squeeze(2)
        return heads.permute(0, 2, 1, 3).reshape(batch, length * 2 * width).flatten(0, 1)


class Returning(nn.Module):
    """Returns more than one tensor, one of them an item of a tuple."""

    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(4, 3)
        self.out = nn.Linear(3, 2)

    def forward(self, X):  # noqa: N803 - as programs write it
        Y, (state, _) = self.rnn(X)
        return self.out(Y).view(-1, 2 * Y.size(1)), state


class Pooling(nn.Module):
    """An autoencoder whose pooling tells its places, and whose sizes are known."""

    def __init__(self):
        super().__init__()
        self.pool = nn.MaxPool2d(2, return_indices=True)
        self.unpool = nn.MaxUnpool2d(2)

    def forward(self, X):  # noqa: N803 - as programs write it
        Y, places = self.pool(X)
        return self.unpool(Y, indices=places, output_size=X.size())


def with_parameters_of(module, net):
    for one, other in zip(net.parameters(), module.parameters(), strict=True):
        one.data = other.data
    return net.eval()


SHAPES = {
    **{Net: (2, 1, 4, 4), Functional: (2, 1, 12, 12), Pooling: (2, 1, 4, 4)},
    **{Attending: (2, 5, 4), Returning: (2, 5, 4)},
}


@pytest.mark.parametrize("kind", SHAPES)
def test_a_class_of_ones_own_computes_the_same_as_its_network(kind):
    torch.manual_seed(0)
    module, inputs = kind(), (InputSpec(SHAPES[kind]),)
    network, _ = read_module(module, inputs)
    program = as_class(network, run=True)
    exec(program, names := {})
    built, again = (with_parameters_of(module, net) for net in (build(network), names["net"]))
    (X,) = draw_inputs(inputs)
    expected = module.eval()(X)

    torch.testing.assert_close(built(X), expected)
    torch.testing.assert_close(again(X), expected)
    assert max(map(len, program.splitlines())) <= 60


def test_a_lazy_layer_stays_lazy():
    net = nn.Sequential(nn.Flatten(), nn.LazyLinear(3))
    _, out = read_module(net, (InputSpec((2, 5, 4)),))[0].block.children
    assert (out.type, out.keywords) == ("LazyLinear", {"out_features": 3})


def test_a_class_is_read_with_its_sizes_and_another_batch_passes():
    network, _ = read_module(Attending(), (InputSpec((2, 5, 4)),))
    net = build(Network(network.block, InputSpec((3, 5, 4))))

    assert net(torch.zeros(3, 5, 4)).shape == (3 * 40,)
    names = [each.name for each in network.block.children[:2]]
    assert names == ["branches_value", "branches_query"]


@pytest.mark.parametrize("write", [as_sequential, as_class])
@pytest.mark.parametrize("name", [name for name in STARTS if name != "broken"])
def test_the_program_of_a_start_is_read_as_a_network_that_computes_the_same(name, write):
    exec(write(STARTS[name], seed=0), names := {"__name__": "__main__"})
    network, _ = read_module(names["net"], STARTS[name].input)
    inputs = draw_inputs(STARTS[name].input)
    built = with_parameters_of(names["net"], build(network, 0))

    if name != "chimera":  # its constant is no parameter
        torch.testing.assert_close(built(*inputs), names["net"].eval()(*inputs))


def returning(expression, **attributes):
    """Return a module whose forward returns an expression, in its second line."""
    names = {"torch": torch}
    exec(f"def forward(self, X):\n    return {expression}", names)
    module = type("Own", (nn.Module,), {"forward": names["forward"]})()
    for name, value in attributes.items():
        setattr(module, name, value)
    return module


class OfTwo(nn.Module):
    def forward(self, left, right):
        return left + right


LOOP = "X / 2 if X.sum() > 1 else X"  # asks for a value, which a stand-in does not have
EMBEDDING, HEAD = nn.Embedding(9, 4), nn.Linear(4, 9, bias=False)
HEAD.weight = EMBEDDING.weight
LAYER = nn.TransformerEncoderLayer(4, 2, batch_first=True)


@pytest.mark.parametrize(
    ("module", "key"),
    [
        (returning(LOOP), "spec_depends"),
        (nn.Sequential(returning(LOOP)), "spec_depends"),
        (OfTwo(), "spec_inputs"),
        (nn.ParameterList(), "spec_read"),
        (nn.ModuleList(), "spec_read"),
        (returning("X - 1"), "spec_statement"),
        (returning("X.mean(dim=1)"), "spec_statement"),
        (returning("torch.add(X, X, alpha=2)"), "spec_statement"),
        (returning("X + torch.ones(4)"), "spec_made_tensor"),
        (returning("X * self.w", w=nn.Parameter(torch.ones(4))), "spec_made_tensor"),
        (returning("self.all[0](X)", all=[nn.ReLU()]), "spec_unregistered"),
        (returning("self.one(X, is_causal=True)", one=LAYER), "spec_argument_given"),
        (returning("{1: X}"), "spec_outputs"),
        (returning("[object()]"), "spec_outputs"),
        (returning("sum(list(X))"), "spec_statement"),
        (nn.Sequential(EMBEDDING, HEAD), "spec_tied"),
    ],
)
def test_what_is_no_network_is_refused_with_the_reason_and_the_line(module, key):
    with pytest.raises(InvalidSpecError) as refused:
        read_module(module, (InputSpec((2, 4)),))

    assert refused.value.key == key
    text = table()[f"failures.{key}"].en
    assert text.format(**refused.value.values)
    if "{line}" in text:
        assert refused.value.values["line"] == 2
