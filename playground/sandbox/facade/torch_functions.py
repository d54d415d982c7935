"""Functions of torch as a cell has them: memory reads zeros, addresses are moved, one thread runs.

``torch.empty`` and all else that would show uninitialised memory gives zeros. The memory limit of a
run counts all that could be written. ``torch.empty`` of more than a run may take therefore lies in
memory without access, as Linux itself commits memory lazily. The first operation that uses it has
the kernel count it, or meets the refusal that torch gave in the first place.
"""

import ast
import os
import sys
import timeit
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch._C import DisableTorchFunction
from torch._ops import OpOverload
from torch.nn.utils import parametrizations
from torch.utils import benchmark
from torch.utils._python_dispatch import TorchDispatchMode

from playground.machines.simulated import storages
from playground.machines.simulated.dispatch_mode import traits_of
from playground.sandbox.allowed_names import is_timed_code
from playground.sandbox.facade.attributes import guarded
from playground.sandbox.facade.guard import VIRTUAL, VettedModule, read
from playground.sandbox.limits import OneProcessError
from playground.units import MEBIBYTE

TIMED_READ = "_read"  # no timed code can write this name, since it may not begin with an underscore
COMPUTER_BYTES = (  # Linux commits no more in one piece; other systems are not asked to
    os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if sys.platform == "linux" else 0
)
# methods that read the memory itself, past the dispatch mode
_BARE = ("numpy", "tolist", "__dlpack__", "__reduce_ex__", "__repr__")
_run: "_Run | None" = None
TENSOR_BASE: Any = torch.Tensor.__base__
PAGE_BYTES = 4096
_address_shift: list[int] = []  # secret, made at first use


class _Run(ExitStack):
    """A run, and the patches that are entered at its first lazy tensor."""

    is_looking = False

    def look(self) -> None:
        """Observe each operation from now on."""
        if not self.is_looking:
            self.is_looking = True
            self.enter_context(LazyMemoryMode())  # type: ignore[no-untyped-call]
            for name in _BARE:
                self.enter_context(_committed_by(name))


@contextmanager
def lazy_allocation() -> Iterator[None]:
    """Let ``allocate_lazily`` work inside of the ``with`` block."""
    global _run
    with _Run() as run:
        outer, _run = _run, run
        try:
            yield
        finally:
            _run = outer


def allocate_lazily(refusal: RuntimeError, on_meta: Callable[[], Tensor]) -> Tensor:
    """Make a tensor that the CPU had no memory for; its memory is committed when it is used.

    Args:
        refusal: What torch raised when it was asked for.
        on_meta: Makes the same one on the device ``meta``.

    Raises:
        RuntimeError: The refusal: it is another one, or the computer has not so much memory.
    """
    if _run is None or "DefaultCPUAllocator" not in str(refusal):
        raise refusal
    plan = on_meta()
    made = None
    if plan.untyped_storage().nbytes() <= COMPUTER_BYTES:
        with DisableTorchFunction():
            made = storages.uncommitted_like(plan, str(refusal))
    if made is None:
        raise refusal
    _run.look()
    return made.requires_grad_(plan.requires_grad)


class LazyMemoryMode(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Commits the lazy memory that an operation uses, before it runs."""

    def __torch_dispatch__(
        self,
        operation: OpOverload,
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        del types
        kwargs = kwargs or {}
        if traits_of(operation).uses:
            with DisableTorchFunction():
                zeros = storages.commit_arguments(operation, args, kwargs)
            if zeros is not None:
                return zeros
        return operation(*args, **kwargs)


@contextmanager
def _committed_by(name: str) -> Iterator[None]:
    """Let a method of ``Tensor`` commit the memory first, for all tensors of this process."""
    original = getattr(Tensor, name)

    def committing(tensor: Tensor, *args: Any, **options: Any) -> Any:
        with DisableTorchFunction():
            storages.commit_tensor(tensor)
        return original(tensor, *args, **options)

    own = vars(Tensor).get(name)
    setattr(Tensor, name, committing)
    try:
        yield
    finally:
        if own is None:
            delattr(Tensor, name)
        else:
            setattr(Tensor, name, own)


def empty(*args: Any, pin_memory: bool = False, **options: Any) -> torch.Tensor:
    """``torch.empty``, filled with zeros.

    A tensor too large for the device is refused by ``torch.empty`` itself, in its words. On the
    CPU, one too large for the run is allocated lazily.
    """
    try:
        made = torch.empty(*args, pin_memory=pin_memory, **options)
    except RuntimeError as refusal:
        if pin_memory or "out" in options:
            raise
        made = allocate_lazily(refusal, lambda: torch.empty(*args, **{**options, "device": "meta"}))
    with torch.no_grad():
        return made.zero_()


def empty_like(other: torch.Tensor, **options: Any) -> torch.Tensor:
    """``torch.empty_like``, filled with zeros."""
    try:
        made = torch.empty_like(other, **options)
    except RuntimeError as refusal:
        made = allocate_lazily(
            refusal, lambda: torch.empty_like(other, **{**options, "device": "meta"})
        )
    with torch.no_grad():
        return made.zero_()


def fill_with_zeros() -> None:
    """Patch ``torch.Tensor(2, 3)`` and ``Module.to_empty`` in this process to give zeros.

    ``isinstance`` and ``type(x) == torch.Tensor`` need the real classes, so there is no proxy.
    """
    torch.Tensor.__new__ = _new_tensor  # type: ignore[method-assign, assignment]
    nn.Module.to_empty = _to_empty  # type: ignore[method-assign, assignment]


def _new_tensor(kind: type, *args: Any, **options: Any) -> Any:
    made = TENSOR_BASE.__new__(kind, *args, **options)
    if type(made) is torch.Tensor and are_sizes(args):
        return made.zero_()
    return made


def _to_empty(module: Any, *, device: Any, recurse: bool = True) -> Any:
    return module._apply(lambda each: _zeros_like(each, device), recurse=recurse)


def _zeros_like(tensor: torch.Tensor, device: Any) -> torch.Tensor:
    with torch.no_grad():
        return torch.empty_like(tensor, device=device).zero_()


def are_sizes(args: tuple[Any, ...]) -> bool:
    """Return whether the arguments of a legacy constructor are sizes, not values."""
    sizes = args[0] if len(args) == 1 and isinstance(args[0], torch.Size) else args
    return bool(sizes) and all(isinstance(each, int) for each in sizes)


def set_num_threads(number: int) -> None:
    """Accept one thread only.

    Raises:
        OneProcessError: More were asked for.
    """
    if number != 1:
        raise OneProcessError(f"a run of the lab has one thread, not {number}")
    torch.set_num_threads(1)


def compile_eagerly(model: Any = None, **_: object) -> Any:
    """``torch.compile`` without a compiler: return the model, or the decorator that returns it."""
    return model if model is not None else lambda function: function


def orthogonal(
    module: torch.nn.Module,
    name: str = "weight",
    orthogonal_map: str | None = None,
    *,
    use_trivialization: bool = True,
) -> torch.nn.Module:
    """``parametrizations.orthogonal``, which looks the map up by its name.

    Raises:
        ValueError: There is no such map.
    """
    if orthogonal_map not in (None, "matrix_exp", "cayley", "householder"):
        raise ValueError(f'Unknown orthogonal_map: "{orthogonal_map}"')
    made: torch.nn.Module = parametrizations.orthogonal(
        module, name, orthogonal_map, use_trivialization=use_trivialization
    )
    return made


class Timer:
    """``torch.utils.benchmark.Timer`` for one plain expression.

    Args:
        torch: What the name ``torch`` is bound to in it.
        stmt: A plain expression on the names of ``globals``.
        globals: What the names in it are bound to.
        label: Of what is measured, as the other two.
        num_threads: 1, since a run has one thread.
        language: Python, since a run has one process and starts no compiler.

    Raises:
        ValueError: The statement is more than a plain expression.
        OneProcessError: More threads or another language were asked for.
    """

    def __init__(
        self,
        torch: VettedModule,
        stmt: str,
        *,
        globals: dict[str, Any] | None = None,
        label: str | None = None,
        sub_label: str | None = None,
        description: str | None = None,
        num_threads: int = 1,
        language: str = "python",
    ) -> None:
        if language not in ("python", "py"):
            raise OneProcessError(
                f"language={language!r} starts a compiler, and a run of the lab has one process"
            )
        if num_threads != 1:
            raise OneProcessError(f"a run of the lab has one thread, not {num_threads}")
        if type(stmt) is not str or not is_timed_code(stmt):
            raise ValueError("the lab times one plain expression, such as 'A @ B'")
        names = {"torch": torch, **(globals or {}), "__builtins__": {}, TIMED_READ: read}
        self._timer = _Timer(
            stmt, globals=names, label=label, sub_label=sub_label, description=description
        )

    def timeit(self, number: int = 1_000_000) -> Any:
        """Run it a number of times."""
        return self._timer.timeit(number)

    def blocked_autorange(self, min_run_time: float = 0.2) -> Any:
        """Run it in blocks until some time has been measured."""
        return self._timer.blocked_autorange(min_run_time=min_run_time)


class _GuardedTimer(timeit.Timer):
    """Reads attributes as the cell around it does."""

    def __init__(
        self, stmt: str, setup: str, timer: Callable[[], float], globals: dict[str, Any]
    ) -> None:
        code = ast.unparse(guarded(ast.parse(stmt), TIMED_READ))
        super().__init__(code, setup, timer, globals)


class _Timer(benchmark.Timer):
    _timer_cls = _GuardedTimer


def nvidia_smi() -> None:
    """Print the simulated GPUs of the run as a table with the columns of ``nvidia-smi``."""
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if not count:
        sys.stdout.write("nvidia-smi: command not found (this run has no GPU)\n")
        return
    rule = f"+{'-' * 40}+{'-' * 24}+"
    title = "Simulated GPUs of this run; no driver, no temperature, no utilization"
    lines = [title, rule, f"| {'GPU  Name':38} | {'Memory-Usage':>22} |", rule]
    for index in range(count):
        used = torch.cuda.memory_reserved(index) // MEBIBYTE
        total = torch.cuda.get_device_properties(index).total_memory // MEBIBYTE
        name = f"{index:3}  {torch.cuda.get_device_name(index)}"
        lines += [f"| {name:38} | {f'{used}MiB / {total}MiB':>22} |", rule]
    sys.stdout.write("\n".join(lines) + "\n")


def _data_ptr(owner: Any) -> Any:
    """``x.data_ptr``: the address, moved by a secret number of pages.

    Equality, differences and alignment are those of the real addresses.
    """
    if isinstance(owner, torch.Tensor | torch.UntypedStorage | torch.TypedStorage):
        return lambda: _moved_address(owner.data_ptr())
    if owner is torch.Tensor:
        return lambda tensor: _moved_address(torch.Tensor.data_ptr(tensor))
    return NotImplemented


def _moved_address(address: int) -> int:
    if not _address_shift:
        _address_shift.append(PAGE_BYTES * (1 + int.from_bytes(os.urandom(4), "little")))
    return address + _address_shift[0] if address else 0


VIRTUAL["data_ptr"] = _data_ptr
