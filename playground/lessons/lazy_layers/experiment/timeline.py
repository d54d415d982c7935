"""Stops a lazy network four times on its way to its shapes, and asks it the same each time."""

from collections.abc import Iterator

import torch
from torch import Tensor, nn
from torch.nn.modules.lazy import LazyModuleMixin
from torch.nn.parameter import is_lazy

from playground.lessons.lazy_layers.experiment.answering import asked, brief, tried
from playground.lessons.lazy_layers.records import (
    Answer,
    Batch,
    LazyTimeline,
    LazyTimelineReport,
    Probe,
    SeenLayer,
    Stage,
    StageName,
)
from playground.machines.host import running_on
from playground.modules.build import build, draw_inputs


def lazy_timeline(settings: LazyTimeline) -> LazyTimelineReport:
    """Make the network, move it, feed it, and look at each stop, once in the middle.

    Raises:
        InvalidSpecError: It cannot be made, or is too large.
    """
    network = settings.lazy
    with running_on(settings.machine):
        film = _Film(build(network, settings.seed))
        film.stop(StageName.CONSTRUCTED)
        y: object = None
        _, outcome = tried(lambda: film.net.to(settings.device))
        if outcome.ok:
            film.stop(StageName.MOVED)
            film.stop_in_the_first_layer()
            batch = draw_inputs(network.input)
            if settings.batch is Batch.WRONG_TYPE:
                batch = tuple(_of_another_type(each) for each in batch)
            y, outcome = tried(lambda: film.net(*(each.to(settings.device) for each in batch)))
            film.stop(StageName.MATERIALISED)
        return LazyTimelineReport(
            outcome=outcome,
            stages=tuple(film.stages),
            batch_shape=network.input[0].shape,
            output_shape=tuple(y.shape) if isinstance(y, Tensor) and outcome.ok else None,
            device=settings.device,
            is_simulated=settings.machine.is_simulated,
            same_objects=film.has_same_objects(),
        )


def _of_another_type(batch: Tensor) -> Tensor:
    return batch.long() if batch.is_floating_point() else batch.float()


class _Film:
    """A network, and what was seen of it so far."""

    def __init__(self, net: nn.Module) -> None:
        self.net = net
        self.stages: list[Stage] = []
        self.layers: dict[str, nn.Module] = {
            path: module for path, module in net.named_modules() if _is_lazy(module)
        }
        self.weights = {path: _first_tensor(module) for path, module in self.layers.items()}

    def stop(self, name: StageName) -> None:
        """Look at the network now."""
        answers = tuple(self._answers())
        counts = None
        if not any(map(is_lazy, self.net.parameters())):
            counts = sum(each.numel() for each in self.net.parameters())
        layers = tuple(self._seen(path) for path in self.layers)
        self.stages.append(Stage(name=name, layers=layers, answers=answers, parameters=counts))

    def stop_in_the_first_layer(self) -> None:
        """Look once more when the first lazy layer has its shape and begins to compute."""

        def look(*_: object) -> None:
            for handle in handles:
                handle.remove()
            self.stop(StageName.FIRST_FORWARD)

        handles = [each.register_forward_pre_hook(look) for each in self.layers.values()]

    def has_same_objects(self) -> bool:
        """Whether every layer and weight is the object that it was when the network was made."""
        return all(
            self.net.get_submodule(path) is layer
            and _first_tensor(layer)[1] is self.weights[path][1]
            for path, layer in self.layers.items()
        )

    def _seen(self, path: str) -> SeenLayer:
        layer = self.layers[path]
        name, weight = _first_tensor(layer)
        return SeenLayer(
            path=path,
            type_name=type(layer).__name__,
            weight=name,
            kind="" if weight is None else type(weight).__name__,
            shape=None if weight is None or is_lazy(weight) else tuple(weight.shape),
            device="" if weight is None else str(weight.device),
        )

    def _answers(self) -> Iterator[Answer]:
        """Ask the first lazy layer, and leave all as it was."""
        path = next((path for path, (name, _) in self.weights.items() if name), None)
        if path is None:
            return
        net, layer = self.net, self.layers[path]
        name, weight = _first_tensor(layer)
        assert weight is not None
        asking: dict[Probe, Answer] = {
            Probe.WEIGHT: asked(lambda: weight, brief),
            Probe.SHAPE: asked(lambda: tuple(weight.shape)),
            Probe.NUMEL: asked(lambda: weight.numel()),
            Probe.REPR: asked(lambda: layer, brief),
            Probe.STATE_DICT: asked(lambda: _saved(net, f"{path}.{name}".lstrip("."))),
            Probe.INITIALISER: asked(lambda: _initialised(weight), _done),
            Probe.SGD: asked(lambda: torch.optim.SGD(net.parameters(), lr=0.1), _done),
            Probe.ADAGRAD: asked(lambda: torch.optim.Adagrad(net.parameters(), lr=0.1), _done),
        }
        yield from (asking[probe] for probe in Probe)


def _is_lazy(module: nn.Module) -> bool:
    return isinstance(module, LazyModuleMixin)


def _first_tensor(layer: nn.Module) -> tuple[str, Tensor | None]:
    """The layer's weight; where it has none, its first buffer."""
    own = (*layer.named_parameters(recurse=False), *layer.named_buffers(recurse=False))
    return own[0] if own else ("", None)


def _saved(net: nn.Module, key: str) -> object:
    """What the state_dict has under a key, its values told by their shape."""
    value = net.state_dict()[key]
    return value if is_lazy(value) else tuple(value.shape)


def _initialised(weight: Tensor) -> None:
    """Fill it with zeros, and put its values back."""
    kept = None if is_lazy(weight) else weight.detach().clone()
    nn.init.zeros_(weight)
    if kept is not None:
        weight.data.copy_(kept)


def _done(_: object) -> str:
    return "✓"
