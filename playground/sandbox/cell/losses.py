"""Records the losses of a cell: the scalars that it calls ``backward`` on."""

import contextlib
import math
from collections.abc import Callable, Iterator
from typing import Any

import torch

from playground.sandbox.cell_answer import Descent

MAX_LOSSES = 10_000  # that are kept; later ones only count
SHARE = 10  # the losses of a tenth of the steps are averaged at each end


class Losses:
    """The losses of a cell, in order."""

    def __init__(self) -> None:
        self._values: list[float] = []
        self._steps = 0
        self._depth = 0  # a mode of simulated devices makes torch call the method once more

    @contextlib.contextmanager
    def recording(self) -> Iterator[None]:
        """Note each scalar tensor whose ``backward`` returns."""
        real: Callable[..., None] = torch.Tensor.backward

        def backward(self: torch.Tensor, *given: Any, **named: Any) -> None:
            losses._depth += 1
            try:
                real(self, *given, **named)
            finally:
                losses._depth -= 1
            if losses._depth == 0:
                losses._note(self)

        losses = self
        torch.Tensor.backward = backward  # type: ignore[method-assign]
        try:
            yield
        finally:
            torch.Tensor.backward = real  # type: ignore[method-assign]

    def _note(self, loss: torch.Tensor) -> None:
        if loss.numel() != 1:
            return
        self._steps += 1
        if len(self._values) < MAX_LOSSES:
            self._values.append(float(loss.detach()))

    def descent(self) -> Descent | None:
        """Return how the loss has changed; None if there was none."""
        values = self._values
        if not values:
            return None
        if not all(map(math.isfinite, values)):
            return Descent(steps=self._steps, is_finite=False)
        count = max(1, len(values) // SHARE)
        first, last = sum(values[:count]) / count, sum(values[-count:]) / count
        return Descent(steps=self._steps, first=first, last=last)
