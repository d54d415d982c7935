"""Saves values as the bytes of a checkpoint file, with torch or safetensors.

What is saved inside ``simulated_gpus`` carries the simulated device in its file, as CUDA's does.
"""

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from safetensors.torch import save as safetensors_save
from torch import Tensor, nn
from torch.nn.parameter import is_lazy

from playground.errors import CheckpointTooLargeError, Outcome, attempt
from playground.modules.build import build, draw_inputs, measure
from playground.modules.build.assemble import assembled
from playground.modules.build.known_layers import check_layers
from playground.modules.spec import Network
from playground.modules.spec.network import root_of
from playground.sandbox.limits import LIMITS

MAX_BYTES = LIMITS.file_bytes  # what is saved here can be uploaded here
FLOAT_BYTES = 4


@dataclass(frozen=True, slots=True)
class Saved:
    """A file, or the refusal to make one.

    Attributes:
        data: The file's bytes; None where it was refused.
        outcome: The refusal, in the words of torch or safetensors.
    """

    data: bytes | None
    outcome: Outcome


def save_torch(value: object) -> Saved:
    """Return the bytes that ``torch.save`` writes; the same value gives the same bytes.

    Args:
        value: A tensor, numbers and texts, or lists and dicts of them; also a whole module.

    Raises:
        CheckpointTooLargeError: Its storages hold more than ``MAX_BYTES``; a view's is whole.

    >>> save_torch({"weight": torch.ones(2)}).data[:4]
    b'PK\\x03\\x04'
    """
    check_size(storage_bytes(value))

    def write() -> bytes:
        file = io.BytesIO()
        torch.save(value, file)
        return file.getvalue()

    return _saved(*attempt(write))


def save_safetensors(tensors: object, metadata: Mapping[str, str] | None = None) -> Saved:
    """Return the bytes of ``safetensors.torch.save``; it takes nothing but tensors by name.

    Args:
        tensors: A ``state_dict``, or any dict of tensors.
        metadata: Texts by name, for the file's header.

    Raises:
        CheckpointTooLargeError: The tensors hold more than ``MAX_BYTES``.

    >>> save_safetensors({"weight": torch.ones(2, 3).T}).outcome.error_type
    'ValueError'
    """
    check_size(sum(each.numel() * each.element_size() for each in tensors_in(tensors)))
    given: Any = tensors
    return _saved(*attempt(lambda: safetensors_save(given, dict(metadata) if metadata else None)))


def full_checkpoint(
    model: nn.Module, optimizer: torch.optim.Optimizer, epoch: int, **more: object
) -> dict[str, object]:
    """Collect the state that resumes training exactly.

    Args:
        model: Its ``state_dict`` is kept under ``"model"``.
        optimizer: Its ``state_dict`` is kept under ``"optimizer"``.
        epoch: How many epochs are done.
        more: Other entries, such as ``rng=torch.get_rng_state()`` or ``loss=0.25``.
    """
    return {
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "epoch": epoch,
        **more,
    }


def built_network(network: Network, seed: int = 0) -> nn.Module:
    """Build a network whose ``state_dict`` can be saved: its lazy layers have met an input.

    Args:
        network: The spec, with its inputs.
        seed: Of torch's generator.

    Raises:
        CheckpointTooLargeError: Its parameters take more than ``MAX_BYTES``; before they do.
        InvalidSpecError: It cannot be built, or is too large.
    """
    check_buildable(network)
    net = build(network, seed)
    if any(is_lazy(each) for each in (*net.parameters(), *net.buffers())):
        with torch.no_grad():
            attempt(lambda: net.eval()(*draw_inputs(network.input)))
    return net.train()


def check_buildable(network: Network) -> None:
    """Refuse a network whose parameters fill more than one file may hold; takes no memory.

    Raises:
        CheckpointTooLargeError: They do.
        InvalidSpecError: It cannot be built, or is too large.
    """
    root = root_of(network)
    check_layers(root)
    check_size(FLOAT_BYTES * measure(lambda: assembled(root), network.input).parameters)


def check_size(size_bytes: int) -> None:
    """Refuse what would not fit into a file.

    Raises:
        CheckpointTooLargeError: There is more than ``MAX_BYTES``.
    """
    if size_bytes > MAX_BYTES:
        raise CheckpointTooLargeError("checkpoint_too_large", given=size_bytes, most=MAX_BYTES)


def storage_bytes(value: object) -> int:
    """Sum the bytes of all storages in a value, each once; ``torch.save`` writes them whole.

    >>> storage_bytes([torch.ones(100)[:2], torch.ones(3)])
    412
    """
    storages = {id(each): each for each in (one.untyped_storage() for one in tensors_in(value))}
    return sum(each.nbytes() for each in storages.values())


def tensors_in(value: object) -> Iterator[Tensor]:
    """Yield every dense tensor with a storage, in containers and modules."""
    if isinstance(value, Tensor):
        if value.layout is torch.strided and not value.is_meta and not is_lazy(value):
            yield value
    elif isinstance(value, nn.Module):
        yield from tensors_in([*value.parameters(), *value.buffers()])
    elif isinstance(value, Mapping):
        yield from tensors_in(list(value.values()))
    elif isinstance(value, Sequence | set) and not isinstance(value, str | bytes):
        for each in value:
            yield from tensors_in(each)


def _saved(data: bytes | None, outcome: Outcome) -> Saved:
    if data is not None:
        check_size(len(data))  # texts and lists take room as well
    return Saved(data, outcome)
