"""The task of the child: loads one inspected file, and tells in JSON what came of it."""

import io
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, BinaryIO

import torch
from safetensors.torch import load as safetensors_load
from torch import Tensor

from playground.checkpoints import save
from playground.checkpoints.answer import Answer, NetworkRefusal, TensorAnswer
from playground.checkpoints.fingerprint import Described, Path, fingerprint, lines_of
from playground.checkpoints.jailed.fitting import compare
from playground.checkpoints.jailed.memory import raise_if_memory
from playground.checkpoints.jailed.numbers import first_elements, statistics
from playground.checkpoints.jailed.room import fitting_in
from playground.compute.outcome import attempt
from playground.errors import PlaygroundError
from playground.modules import catalogue
from playground.modules.spec import Block, InputSpec, Layer, Network
from playground.sandbox import schema
from playground.sandbox.json_values import JsonObject
from playground.sandbox.limits import LIMITS, Limits

MOST_NODES = 20_000  # the inspection lets through fewer
FIRST = 8  # elements of each tensor
ROOM = 100_000  # bytes of JSON for the tensors
TIME_FOR_STATISTICS = 0.8  # seconds of computing, loading included; then the limit is still far


def load_checkpoint(arguments: JsonObject, data: BinaryIO, limits: Limits) -> JsonObject:
    """Load a file, look at its tensors, and put them into a network.

    Args:
        arguments: ``format``; where there is a network also ``network`` (its JSON), ``part`` (the
            keys that lead to its dict in the file) and ``seed``.
        data: The file.
        limits: Of this run.
    """
    del limits
    asked: Any = arguments
    until = time.process_time() + TIME_FOR_STATISTICS
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        loaded, outcome = attempt(lambda: READERS[asked["format"]](data))
        raise_if_memory(outcome)
        if not outcome.ok:  # how the loader worded it is not told
            return written(Answer(is_loaded=False))
        return written(_answer(loaded, asked, until))


def warm_up() -> None:
    """Do once all that a job will do: a child can import nothing."""
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


def _answer(loaded: object, asked: Any, until: float) -> Answer:
    tensors = list(walk(loaded))
    described = lines_of(_described(path, each) for path, each in tensors)
    lines = sorted(described)
    places = {each: place for place, each in enumerate(lines)}
    told = (
        _told(places[text], each, has_time=time.process_time() < until)
        for text, (_, each) in zip(described, tensors, strict=True)
    )
    rows = tuple(fitting_in(ROOM, told))
    refusal, comparison = None, None
    if "network" in asked:
        try:
            network = Network.from_json(asked["network"])
            comparison = compare(network, _followed(loaded, asked["part"]), int(asked["seed"]))
        except PlaygroundError as error:
            refusal = _refusal(error)
    return Answer(
        is_loaded=True,
        fingerprint=fingerprint(lines),
        tensors=rows,
        refusal=refusal,
        comparison=comparison,
    )


def walk(value: object) -> Iterator[tuple[Path, Tensor]]:
    """Every tensor with the keys and places that lead to it, in the order of the file.

    >>> [path for path, _ in walk({"model": {"w": torch.ones(1)}, "more": [torch.ones(1)]})]
    [('model', 'w'), ('more', 0)]
    """
    visited = 0
    waiting: list[tuple[Path, Any]] = [((), value)]
    while waiting:
        path, each = waiting.pop()
        visited += 1
        if visited > MOST_NODES:
            raise ValueError("more parts than the inspection lets through")
        if isinstance(each, Tensor):
            yield path, each
        elif isinstance(each, Mapping):
            waiting += [((*path, key), each[key]) for key in reversed(each)]
        elif isinstance(each, list | tuple):
            places = range(len(each) - 1, -1, -1)
            waiting += [((*path, place), each[place]) for place in places]


def written(answer: Answer) -> JsonObject:
    """As the jail sends it."""
    plain: JsonObject = schema.write(answer)
    return plain


def _described(path: Path, tensor: Tensor) -> Described:
    return path, str(tensor.dtype).removeprefix("torch."), tuple(tensor.shape)


def _told(place: int, tensor: Tensor, *, has_time: bool) -> TensorAnswer:
    _, dtype, shape = _described((), tensor)
    return TensorAnswer(
        place=place,
        dtype=dtype,
        shape=shape,
        values=first_elements(tensor.detach(), FIRST),
        statistics=statistics(tensor.detach()) if has_time else None,
    )


def _followed(value: Any, path: Iterable[str | int]) -> Mapping[str, object]:
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
