"""Modules of every kind, for tensor inventories, ordinary ones and ones with hidden tensors."""

import functools
import types
import warnings
from collections import OrderedDict, deque, namedtuple
from dataclasses import dataclass, field

import torch
from torch import nn
from torch.nn.utils import parametrizations, parametrize, prune

Pair = namedtuple("Pair", "left right")


class Symmetric(nn.Module):
    def forward(self, X):  # noqa: N803
        return X.triu() + X.triu(1).transpose(-1, -2)


class Hidden(nn.Module):
    """Everything that a module can hold without knowing it."""

    def __init__(self):
        super().__init__()
        self.known = nn.Linear(2, 2)
        self.constant = torch.ones(3)
        self.layers = [nn.Linear(1, 2), [nn.BatchNorm1d(2)]]
        self.pair = Pair(torch.zeros(1), (torch.zeros(2), nn.Parameter(torch.zeros(3))))
        self.table = {"a": {1: torch.ones(1)}, ("b", 2): [nn.Embedding(2, 2)]}
        self.heap = {torch.ones(5)}
        self.frozen = frozenset({nn.Linear(1, 1)})
        self.queue = deque([torch.ones(6)])
        self.space = types.SimpleNamespace(deep=OrderedDict(x=torch.ones(7)))


@dataclass
class Config:
    scale: torch.Tensor = field(default_factory=lambda: torch.ones(2))
    layers: list = field(default_factory=lambda: [nn.Linear(2, 1)])


@dataclass(slots=True)
class SlottedConfig:
    scale: torch.Tensor = field(default_factory=lambda: torch.ones(4))


class InObjects(nn.Module):
    def __init__(self):
        super().__init__()
        self.config = Config()
        self.slotted = SlottedConfig()
        captured, kept = torch.ones(8), torch.ones(9)
        self.closure = lambda x: x + captured
        self.partial = functools.partial(torch.add, kept)
        self.method = nn.Linear(3, 3).forward


class Circular(nn.Module):
    """Lists and modules that lead back to where they came from."""

    def __init__(self):
        super().__init__()
        self.child = nn.Linear(2, 2)
        self.ring = [torch.ones(1)]
        self.ring.append(self.ring)
        self.ring.append({"self": self, "ring": self.ring})
        object.__setattr__(self.child, "parent", self)
        self.friends = [nn.Linear(1, 1), nn.Linear(1, 1)]
        object.__setattr__(self.friends[0], "other", self.friends[1])
        object.__setattr__(self.friends[1], "other", self.friends[0])


class Shared(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 3)
        self.again = self.first
        self.second = nn.Linear(3, 3)
        self.second.weight = self.first.weight
        self.register_buffer("mean", torch.zeros(3))
        self.cache = [self.mean, self.first.weight]
        self.cache_again = self.cache


class LanguageModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(10, 8)
        encoder = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
        self.encoder = nn.TransformerEncoder(encoder, 2, enable_nested_tensor=False)
        self.head = nn.Linear(8, 10, bias=False)
        self.head.weight = self.embedding.weight
        self.register_buffer("positions", torch.arange(6), persistent=False)


class Nested(nn.Module):
    def __init__(self, depth=4):
        super().__init__()
        self.norm = nn.BatchNorm1d(2)
        self.inner = Nested(depth - 1) if depth else nn.Identity()
        self.extra = [torch.ones(depth + 1)]


class BufferKinds(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("saved", torch.ones(2))
        self.register_buffer("unsaved", torch.ones(2), persistent=False)
        self.register_buffer("absent", None)
        self.register_parameter("nothing", None)
        self.typed = nn.Buffer(torch.ones(3))


class Frozen(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(2, 2).requires_grad_(False)
        self.head = nn.Linear(2, 1)


class Kept(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(2))
        self.scaled = self.weight * 2


class Trap(nn.Module):
    """Whoever evaluates what it should not is caught."""

    touched: list

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 2)
        self.box = TrapBox()
        object.__setattr__(self, "touched", [])

    @property
    def weight(self):
        raise AssertionError("a property was evaluated")

    def state_of_mind(self):
        raise AssertionError("a method was called")


class TrapBox:
    def __init__(self):
        self.tensor = torch.ones(4)

    @property
    def other(self):
        raise AssertionError("a property was evaluated")

    def __getattr__(self, name):
        raise AssertionError(f"{name} was looked up")

    def __iter__(self):
        raise AssertionError("was iterated")

    def __len__(self):
        raise AssertionError("was measured")

    def __eq__(self, other):
        raise AssertionError("was compared")

    __hash__ = None


class OwnSaving(nn.Module):
    """Saves by a rule of its own: the big table stays out, a plain tensor goes in."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 2)
        self.table = nn.Parameter(torch.ones(4))
        self.extra = torch.ones(5)

    def _save_to_state_dict(self, destination, prefix, keep_vars):
        super()._save_to_state_dict(destination, prefix, keep_vars)
        del destination[prefix + "table"]

    def get_extra_state(self):
        return {"extra": self.extra}

    def set_extra_state(self, state):
        self.extra = state["extra"]


def mlp():
    return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))


def cnn():
    return nn.Sequential(
        *(nn.Conv2d(1, 6, 5), nn.BatchNorm2d(6), nn.Sigmoid(), nn.AvgPool2d(2), nn.Flatten()),
        nn.Linear(6 * 12 * 12, 10),
    )


def old_weight_norm():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        return nn.Sequential(nn.utils.weight_norm(nn.Linear(3, 3)), nn.Linear(3, 1))


def pruned():
    net = nn.Sequential(nn.Linear(4, 4))
    prune.random_unstructured(net[0], "weight", amount=0.5)
    return net


def symmetric():
    net = nn.Sequential(nn.Linear(3, 3))
    parametrize.register_parametrization(net[0], "weight", Symmetric())
    return net


def hooked():
    net = mlp()
    bias = torch.ones(3)
    net.register_forward_hook(lambda _, __, result: result + bias)
    return net


ZOO = {
    "mlp": mlp,
    "cnn": cnn,
    "lstm": lambda: nn.LSTM(3, 4, num_layers=2, bidirectional=True),
    "gru_cell": lambda: nn.GRUCell(3, 4),
    "transformer": lambda: nn.Transformer(8, 2, 1, 1, 16, batch_first=True),
    "language_model": LanguageModel,
    "attention": lambda: nn.MultiheadAttention(8, 2),
    "weight_norm": lambda: nn.Sequential(parametrizations.weight_norm(nn.Linear(3, 3))),
    "old_weight_norm": old_weight_norm,
    "spectral_norm": lambda: parametrizations.spectral_norm(nn.Linear(3, 3)),
    "orthogonal": lambda: parametrizations.orthogonal(nn.Linear(3, 3)),
    "symmetric": symmetric,
    "pruned": pruned,
    "module_list": lambda: nn.ModuleList([nn.Linear(1, 1), nn.ModuleList([nn.Linear(1, 2)])]),
    "module_dict": lambda: nn.ModuleDict({"a": nn.Linear(1, 1), "b c": nn.Embedding(2, 2)}),
    "parameter_list": lambda: nn.ParameterList([torch.ones(1), torch.ones(2)]),
    "parameter_dict": lambda: nn.ParameterDict({"a": torch.ones(1), "b": torch.ones(2)}),
    "lazy": lambda: nn.Sequential(nn.LazyLinear(3), nn.LazyBatchNorm1d()),
    "nested": Nested,
    "hidden": Hidden,
    "in_objects": InObjects,
    "circular": Circular,
    "shared": Shared,
    "buffers": BufferKinds,
    "frozen": Frozen,
    "kept": Kept,
    "trap": Trap,
    "own_saving": OwnSaving,
    "hooked": hooked,
    "empty": nn.Identity,
    "loss": lambda: nn.CrossEntropyLoss(weight=torch.ones(3)),
}
