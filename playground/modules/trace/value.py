"""One tensor before a forward, to be compared with what it is afterwards, and put back."""

import torch

from playground.modules.trace.tree import Node, joined

NO_VERSION = -1  # of tensors made in inference mode


class Value:
    """Where a tensor's values are, what they are if they are copied, and its gradient.

    Args:
        tensor: The tensor.
        place: Who has registered it, and as what; or the way to it.
        copies: Keep a copy of the values.
        is_suspect: Version counters do not tell everything: put values back in any case.
    """

    __slots__ = (
        *("_copy", "_data", "_grad", "_grad_value", "_is_leaf", "_is_suspect", "_place"),
        *("_pointer", "_requires_grad", "_tensor", "_version"),
    )

    def __init__(
        self,
        tensor: torch.Tensor,
        place: tuple[Node, str] | str,
        *,
        copies: bool,
        is_suspect: bool,
    ) -> None:
        self._tensor = tensor
        self._place = place
        self._is_suspect = is_suspect
        self._pointer, self._version = _state(tensor)
        self._requires_grad = tensor.requires_grad
        self._data = tensor.data  # the same memory, also if the forward gives it another
        self._copy = self._data.clone() if copies and not tensor.is_meta else None
        self._is_leaf = tensor.is_leaf
        self._grad = tensor.grad if self._is_leaf else None
        self._grad_value = (
            self._grad.detach().clone() if is_suspect and self._grad is not None else None
        )

    @property
    def path(self) -> str:
        """Its name."""
        place = self._place
        return place if isinstance(place, str) else joined(place[0].path, place[1])

    def put_back(self) -> bool:
        """Restore it; False where it was altered and there is no copy."""
        tensor = self._tensor
        pointer, version = _state(tensor)
        if self._is_leaf:
            if tensor.requires_grad != self._requires_grad:
                tensor.requires_grad_(self._requires_grad)
            if tensor.grad is not self._grad:
                tensor.grad = self._grad
            if self._grad is not None and self._grad_value is not None:
                self._grad.data.copy_(self._grad_value)
        if pointer != self._pointer:
            tensor.data = self._data
        elif version == self._version and not self._is_suspect:
            return True
        if self._copy is not None:
            tensor.data.copy_(self._copy)
            return True
        return tensor.is_meta or (pointer == self._pointer and version == self._version)


def _state(tensor: torch.Tensor) -> tuple[int, int]:
    try:
        version = tensor._version
    except RuntimeError:
        version = NO_VERSION
    try:
        return tensor.data_ptr(), version
    except RuntimeError:  # sparse, or a wrapper
        return 0, version
