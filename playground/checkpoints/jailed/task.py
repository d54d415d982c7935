"""The task of the child: loads one inspected file, and answers with the result as JSON."""

import io
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, BinaryIO

import torch
from safetensors.torch import load as safetensors_load
from torch import Tensor

from playground.checkpoints import save
from playground.checkpoints.inspect.results import Path
from playground.checkpoints.jailed.comparison import compare, raise_if_memory
from playground.checkpoints.jailed.json_values import first_elements, statistics, take_within
from playground.checkpoints.load_results import LoadAnswer, NetworkRefusal, TensorAnswer
from playground.checkpoints.verification import Described, fingerprint, lines_of
from playground.errors import PlaygroundError, attempt
from playground.modules import catalogue
from playground.modules.spec import Block, InputSpec, Layer, Network
from playground.sandbox import schema
from playground.sandbox.limits import LIMITS, Limits
from playground.sandbox.schema import JsonObject

MAX_NODES = 20_000  # the inspection lets through fewer
FIRST_ELEMENTS = 8  # elements of each tensor
MAX_TENSORS_BYTES = 100_000  # bytes of JSON for the tensors
STATISTICS_TIME_SHARE = 0.4  # of the run's computing time, loading included


def load_checkpoint(arguments: JsonObject, data: BinaryIO, limits: Limits) -> JsonObject:
    """Load a file, look at its tensors, and put them into a network.

    Args:
        arguments: ``format``; where there is a network also ``network`` (its JSON), ``part`` (the
            keys that lead to its dict in the file) and ``seed``.
        data: The file.
        limits: Of this run.
    """
    asked: Any = arguments
    until = time.process_time() + STATISTICS_TIME_SHARE * limits.cpu_seconds
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        loaded, outcome = attempt(lambda: READERS[asked["format"]](data))
        raise_if_memory(outcome)
        if not outcome.ok:  # the loader's message is left out
            return written(LoadAnswer(is_loaded=False))
        return written(_answer(loaded, asked, until))


def warm_up() -> None:
    """Run everything that a job runs once, since a child cannot import."""
    catalogue.layers()
    layers = [Layer.of("Linear", in_features=2, out_features=2), Layer.of("LazyBatchNorm1d")]
    network = Network(Block(layers), InputSpec((2, 2)))
    state = save.built_network(network).state_dict()
    asked: JsonObject = {"network": network.to_json(), "part": [], "seed": 0}
    for kind, saved in (
        ("torch", save.save_torch(state)),
        ("torch", save.save_torch(dict.fromkeys(state, torch.ones(1)))),
        ("safetensors", save.save_safetensors(state)),
    ):
        load_checkpoint(asked | {"format": kind}, io.BytesIO(saved.data or b""), LIMITS)


def _answer(loaded: object, asked: Any, until: float) -> LoadAnswer:
    tensors = list(walk(loaded))
    unsorted = lines_of(described(path, each) for path, each in tensors)
    lines = sorted(unsorted)
    places = {each: place for place, each in enumerate(lines)}
    answers = (
        _tensor_answer(places[text], each, has_time=time.process_time() < until)
        for text, (_, each) in zip(unsorted, tensors, strict=True)
    )
    rows = tuple(take_within(MAX_TENSORS_BYTES, answers))
    refusal, comparison = None, None
    if "network" in asked:
        try:
            network = Network.from_json(asked["network"])
            comparison = compare(network, _value_at(loaded, asked["part"]), int(asked["seed"]))
        except PlaygroundError as error:
            refusal = _refusal(error)
    return LoadAnswer(
        is_loaded=True,
        fingerprint=fingerprint(lines),
        tensors=rows,
        refusal=refusal,
        comparison=comparison,
    )


def walk(value: object) -> Iterator[tuple[Path, Tensor]]:
    """Yield every tensor with its path, in the order of the file.

    >>> [path for path, _ in walk({"model": {"w": torch.ones(1)}, "more": [torch.ones(1)]})]
    [('model', 'w'), ('more', 0)]
    """
    visited = 0
    waiting: list[tuple[Path, Any]] = [((), value)]
    while waiting:
        path, each = waiting.pop()
        visited += 1
        if visited > MAX_NODES:
            raise ValueError("more parts than the inspection lets through")
        if isinstance(each, Tensor):
            yield path, each
        elif isinstance(each, Mapping):
            waiting += [((*path, key), each[key]) for key in reversed(each)]
        elif isinstance(each, list | tuple):
            places = range(len(each) - 1, -1, -1)
            waiting += [((*path, place), each[place]) for place in places]


def written(answer: LoadAnswer) -> JsonObject:
    """Convert the answer to JSON."""
    plain: JsonObject = schema.write(answer)
    return plain


def described(path: Path, tensor: Tensor) -> Described:
    """Return the description of a tensor that both sides hash."""
    return path, str(tensor.dtype).removeprefix("torch."), tuple(tensor.shape)


def _tensor_answer(place: int, tensor: Tensor, *, has_time: bool) -> TensorAnswer:
    _, dtype, shape = described((), tensor)
    return TensorAnswer(
        place=place,
        dtype=dtype,
        shape=shape,
        values=first_elements(tensor.detach(), FIRST_ELEMENTS),
        statistics=statistics(tensor.detach()) if has_time else None,
    )


def _value_at(value: Any, path: Iterable[str | int]) -> Mapping[str, object]:
    for step in path:
        value = value[step]
    if not isinstance(value, Mapping):
        raise TypeError("this part of the file is no dict")
    return value


def _refusal(error: PlaygroundError) -> NetworkRefusal:
    values = tuple(
        (name, value if isinstance(value, int) else str(value)[:300])
        for name, value in error.values.items()
    )
    return NetworkRefusal(key=error.key, values=values)


def _read_torch(data: BinaryIO) -> object:
    return torch.load(data, weights_only=True, map_location="cpu")


def _read_safetensors(data: BinaryIO) -> object:
    return safetensors_load(data.read())


READERS: dict[str, Callable[[BinaryIO], object]] = {
    "torch": _read_torch,
    "safetensors": _read_safetensors,
}
