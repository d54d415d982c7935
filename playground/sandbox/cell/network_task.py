"""The jail's task ``read_network``: runs a program, and reads what it made as a network."""

import sys
from typing import Any, BinaryIO

import torch
from torch import nn

from playground.errors import InvalidSpecError
from playground.machines import Machine
from playground.machines.machine_context import running_on
from playground.modules.custom import PositionalEmbedding
from playground.modules.read_module import learn_our_classes, read_module
from playground.modules.spec.network import InputKind, InputSpec, Network
from playground.sandbox import facade
from playground.sandbox.cell import namespace
from playground.sandbox.cell.executor import CappedStdout, execute
from playground.sandbox.cell.format_error import format_error
from playground.sandbox.facade.torch_functions import fill_with_zeros
from playground.sandbox.limits import Limits
from playground.sandbox.schema import JsonObject

FIRST = "net"  # the name that a program usually gives its network
INPUTS = (("X",), ("X1", "X2", "X3", "X4"))
VOCABULARY = 100


def read_network(arguments: JsonObject, data: BinaryIO, limits: Limits) -> JsonObject:
    """Run a program, and read its last module, or its last class that needs no arguments.

    Args:
        arguments: ``source``, and ``network``: the network on the screen as JSON, whose inputs are
            taken where the program has none.
        data: Unused.
        limits: Of the run.

    Returns:
        ``network`` as JSON, and in ``uncalled`` the submodules that no forward calls; or ``key``,
        and what its sentence needs.
    """
    del data
    fill_with_zeros()
    source, stdout = str(arguments["source"]), CappedStdout(limits.output_bytes, sys.stdout.write)
    with running_on(Machine(gpus=0)), facade.lazy_allocation(), facade.patched():
        ran = execute(source, namespace.take().names, stdout)
        if ran.error is not None and not any(isinstance(x, nn.Module) for x in ran.names.values()):
            found = format_error(ran.error, source)
            text = f"{found.error_type}: {found.message}"
            if not found.line:
                return {"key": "spec_program", "text": text}
            return {"key": "spec_program_line", "line": str(found.line), "text": text}
    try:
        module = _module(ran.names)
        network, uncalled = _read(module, ran.names, str(arguments["network"]))
        return {"network": network.to_json(), "uncalled": ", ".join(uncalled)}
    except InvalidSpecError as error:
        values = {name: str(value) for name, value in error.values.items()}
        lines, number = source.splitlines(), error.values.get("line", 0)
        if isinstance(number, int) and 0 < number <= len(lines):
            values["text"] = lines[number - 1].strip()  # says more than the name of a function
        return {"key": error.key, **values}
    except Exception as error:  # noqa: BLE001 - code of the student may raise anything
        return {"key": "spec_program", "text": f"{type(error).__name__}: {error}"}


def _module(names: dict[str, Any]) -> nn.Module:
    made = {name: each for name, each in names.items() if isinstance(each, nn.Module)}
    if made:
        return made.get(FIRST) or list(made.values())[-1]
    classes = [
        each
        for each in names.values()
        if isinstance(each, type)
        and issubclass(each, nn.Module)
        and not each.__module__.startswith("torch")
    ]
    if not classes:
        raise InvalidSpecError("spec_no_module")
    found: nn.Module = classes[-1]()
    return found


def _read(module: nn.Module, names: dict[str, Any], shown: str) -> tuple[Network, tuple[str, ...]]:
    given = [[names.get(name) for name in each if name in names] for each in INPUTS]
    tensors = next((each for each in given if each), [])
    inputs = tuple(_input(each) for each in tensors if isinstance(each, torch.Tensor))
    return read_module(module, inputs or Network.from_json(shown).input)


def _input(tensor: torch.Tensor) -> InputSpec:
    if tensor.is_floating_point():
        return InputSpec(tuple(tensor.shape))
    most = int(tensor.max()) + 1 if tensor.numel() else 1
    return InputSpec(tuple(tensor.shape), InputKind.TOKENS, max(most, VOCABULARY))


def warm_up() -> None:
    """Read a network of each kind once, since a child can import nothing and read no file."""
    with facade.lazy_allocation(), facade.patched():
        learn_our_classes(lambda text: execute(text, namespace.take().names, CappedStdout(0)).names)
    namespace.prepare(2)
    encoder = nn.TransformerEncoderLayer(4, 2, batch_first=True)
    for each in (nn.Sequential(encoder, nn.ReLU()), PositionalEmbedding(3, 4), _Example()):
        read_module(each, (InputSpec((2, 2)),))[0].to_json()


class _Example(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.out = nn.Linear(2, 2)

    def forward(self, X: torch.Tensor) -> torch.Tensor:  # noqa: N803 - as programs write it
        return torch.cat([X + self.out(X), torch.relu(X)], dim=1).reshape(-1, 2)
