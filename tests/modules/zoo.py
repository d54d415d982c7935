"""Modules of every kind, for tensor inventories, ordinary ones and ones with hidden tensors."""

import functools
import gc
import threading
import types
import warnings
from collections import OrderedDict, deque, namedtuple
from dataclasses import dataclass, field

import torch
from torch import nn
from torch.nn.utils import parametrizations, parametrize, prune

from playground.machines.simulated import simulated_gpus
from playground.modules.tensor_inventory import take_inventory
from tests.modules.trace_support import Calls

Pair = namedtuple("Pair", "left right")


def holding(**held):
    """A module with these attributes."""
    net = nn.Identity()
    for name, each in held.items():
        setattr(net, name, each)
    return net


def hidden():
    """Everything that a module can hold without knowing it."""
    return holding(
        known=nn.Linear(2, 2),
        constant=torch.ones(3),
        layers=[nn.Linear(1, 2), [nn.BatchNorm1d(2)]],
        pair=Pair(torch.zeros(1), (torch.zeros(2), nn.Parameter(torch.zeros(3)))),
        table={"a": {1: torch.ones(1)}, ("b", 2): [nn.Embedding(2, 2)]},
        heap={torch.ones(5)},
        frozen=frozenset({nn.Linear(1, 1)}),
        queue=deque([torch.ones(6)]),
        space=types.SimpleNamespace(deep=OrderedDict(x=torch.ones(7))),
    )


@dataclass
class Config:
    scale: torch.Tensor = field(default_factory=lambda: torch.ones(2))
    layers: list = field(default_factory=lambda: [nn.Linear(2, 1)])


@dataclass(slots=True)
class SlottedConfig:
    scale: torch.Tensor = field(default_factory=lambda: torch.ones(4))


def in_objects():
    captured, kept = torch.ones(8), torch.ones(9)
    return holding(
        config=Config(),
        slotted=SlottedConfig(),
        closure=lambda x: x + captured,
        partial=functools.partial(torch.add, kept),
        method=nn.Linear(3, 3).forward,
    )


def circular():
    first, second = friends = [nn.Linear(1, 1), nn.Linear(1, 1)]
    net = holding(child=nn.Linear(2, 2), ring=[torch.ones(1)], friends=friends)
    net.ring.append(net.ring)
    net.ring.append({"self": net, "ring": net.ring})
    object.__setattr__(net.child, "parent", net)
    object.__setattr__(first, "other", second)
    object.__setattr__(second, "other", first)
    return net


def shared():
    first, second = nn.Linear(3, 3), nn.Linear(3, 3)
    second.weight = first.weight
    net = holding(first=first, again=first, second=second, mean=nn.Buffer(torch.zeros(3)))
    net.cache = net.cache_again = [net.mean, first.weight]
    return net


def language_model():
    encoder = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    encoder = nn.TransformerEncoder(encoder, 2, enable_nested_tensor=False)
    head = nn.Linear(8, 10, bias=False)
    net = holding(embedding=nn.Embedding(10, 8), encoder=encoder, head=head)
    head.weight = net.embedding.weight
    net.register_buffer("positions", torch.arange(6), persistent=False)
    return net


class Nested(nn.Module):
    def __init__(self, depth=4):
        super().__init__()
        self.norm = nn.BatchNorm1d(2)
        self.inner = Nested(depth - 1) if depth else nn.Identity()
        self.extra = [torch.ones(depth + 1)]


def kinds_of_buffers():
    net = holding(typed=nn.Buffer(torch.ones(3)))
    net.register_buffer("saved", torch.ones(2))
    net.register_buffer("unsaved", torch.ones(2), persistent=False)
    net.register_buffer("absent", None)
    net.register_parameter("nothing", None)
    return net


def kept():
    weight = nn.Parameter(torch.ones(2))
    return holding(weight=weight, scaled=weight * 2)


def refuse(*_):
    raise AssertionError("code of an object was run")


class TrapBox:
    __getattr__ = __iter__ = __len__ = __eq__ = refuse
    __hash__ = None
    other = property(refuse)

    def __init__(self):
        self.tensor = torch.ones(4)


class Trap(nn.Module):
    """Fails where an attribute is evaluated that should not be."""

    weight = property(refuse)
    state_of_mind = refuse

    def __init__(self):
        super().__init__()
        self.linear, self.box = nn.Linear(2, 2), TrapBox()


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


def old_weight_norm():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        return nn.Sequential(nn.utils.weight_norm(nn.Linear(3, 3)), nn.Linear(3, 1))


def symmetric():
    symmetric = Calls(lambda _, x: x.triu() + x.triu(1).mT)
    return nn.Sequential(parametrize.register_parametrization(nn.Linear(3, 3), "weight", symmetric))


def hooked():
    net, bias = mlp(), torch.ones(3)
    net.register_forward_hook(lambda _, __, result: result + bias)
    return net


ZOO = {
    "mlp": mlp,
    "lstm": lambda: nn.LSTM(3, 4, num_layers=2, bidirectional=True),
    "language_model": language_model,
    "weight_norm": lambda: nn.Sequential(parametrizations.weight_norm(nn.Linear(3, 3))),
    "old_weight_norm": old_weight_norm,
    "spectral_norm": lambda: parametrizations.spectral_norm(nn.Linear(3, 3)),
    "orthogonal": lambda: parametrizations.orthogonal(nn.Linear(3, 3)),
    "symmetric": symmetric,
    "pruned": lambda: nn.Sequential(prune.random_unstructured(nn.Linear(4, 4), "weight", 0.5)),
    "module_list": lambda: nn.ModuleList([nn.Linear(1, 1), nn.ModuleList([nn.Linear(1, 2)])]),
    "module_dict": lambda: nn.ModuleDict({"a": nn.Linear(1, 1), "b c": nn.Embedding(2, 2)}),
    "parameter_list": lambda: nn.ParameterList([torch.ones(1), torch.ones(2)]),
    "parameter_dict": lambda: nn.ParameterDict({"a": torch.ones(1), "b": torch.ones(2)}),
    "lazy": lambda: nn.Sequential(nn.LazyLinear(3), nn.LazyBatchNorm1d()),
    "nested": Nested,
    "hidden": hidden,
    "in_objects": in_objects,
    "circular": circular,
    "shared": shared,
    "buffers": kinds_of_buffers,
    "frozen": lambda: nn.Sequential(nn.Linear(2, 2).requires_grad_(False), nn.Linear(2, 1)),
    "kept": kept,
    "trap": Trap,
    "own_saving": OwnSaving,
    "hooked": hooked,
    "empty": nn.Identity,
    "loss": lambda: nn.CrossEntropyLoss(weight=torch.ones(3)),
}


def everything_behind(root):
    """Every tensor that the garbage collector says an object leads to."""
    outside = (type, types.ModuleType, types.FrameType, type(threading.Lock()))
    waiting, seen, tensors = [root], {}, {}
    while waiting:
        thing = waiting.pop()
        if id(thing) in seen or isinstance(thing, outside):
            continue
        seen[id(thing)] = thing
        if isinstance(thing, torch.Tensor):
            tensors[id(thing)] = thing
        if isinstance(thing, types.FunctionType):
            waiting += [thing.__closure__, thing.__defaults__, thing.__kwdefaults__]  # no globals
        elif "grad_fn" not in type(thing).__name__ and not type(thing).__name__.endswith("0"):
            waiting += gc.get_referents(thing)
    return tensors


def moved(net, **also):
    """The rows after a move to a simulated GPU."""
    with simulated_gpus(1, 8):
        assert {row.device for row in take_inventory(net, **also).rows} == {"cpu"}
        net.to("cuda")
        return take_inventory(net, **also).rows
