"""What a forward might do beyond computing, judged by the names that its code uses.

To copy all parameters before every forward would cost more than most forwards. torch's own layers
do not write into theirs, but for embeddings that keep a largest norm; code of others that does uses
``.data``, a method whose name ends in ``_``, ``backward`` or ``setattr``. To suspect too much costs
a copy; what is suspected too little is noticed afterwards by the version counters.
"""

import functools
import random
import types
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from torch import nn

WRITING = frozenset({"data", "backward", "step", "setattr", "swap_tensors", "load_state_dict"})
HARMLESS = frozenset({"requires_grad_"})
DRAWING = frozenset({"random", "np", "numpy"})  # modules; their functions are seen by their owner
TORCH = ("torch.", "builtins")
MOST_FUNCTIONS = 500  # looked through for one class
FUNCTIONS = frozenset({types.FunctionType, types.MethodType, functools.partial})
HOOKS = ("_forward_hooks", "_forward_pre_hooks")


class Suspicion(NamedTuple):
    """What code might do.

    Attributes:
        is_foreign: Some of it is not torch's, so what it does is only guessed.
        writes: Into parameters.
        draws: From Python's or NumPy's generators.
        fuses: Calls of several layers into one, which leaves the layers out.
    """

    is_foreign: bool = False
    writes: bool = False
    draws: bool = False
    fuses: bool = False

    def joined(self, other: "Suspicion") -> "Suspicion":
        """Either of both."""
        return Suspicion(
            self.is_foreign or other.is_foreign,
            self.writes or other.writes,
            self.draws or other.draws,
            self.fuses or other.fuses,
        )


NONE = Suspicion()
FOREIGN = Suspicion(is_foreign=True, fuses=True)  # it may make any layer of torch's
FUSING = (nn.MultiheadAttention, nn.TransformerEncoder, nn.TransformerEncoderLayer)
COMPILED = "torch._dynamo"


def of_all(modules: Iterable[nn.Module]) -> Suspicion:
    """What calling some modules might do."""
    found = NONE
    kinds: set[Any] = set()
    for module in modules:
        kind: Any = type(module)
        kinds.add(kind)
        held = module.__dict__
        if held.get("max_norm") is not None:
            found = found.joined(Suspicion(is_foreign=True, writes=True))
        own: list[object] = [held["forward"]] if "forward" in held else []
        if _of_class(kind).is_foreign:  # it may call what it was given
            own += [each for each in held.values() if type(each) in FUNCTIONS]
        for name in HOOKS:
            if held.get(name):
                own += held[name].values()
        for each in own:
            found = found.joined(_of_code(each))
    for kind in kinds:
        found = found.joined(_of_class(kind))
    return found


@functools.lru_cache(maxsize=4096)
def _of_class(kind: type) -> Suspicion:
    is_fusing = issubclass(kind, FUSING) or kind.__module__.startswith(COMPILED)
    found = Suspicion(fuses=is_fusing)
    for each in kind.__mro__:
        if not each.__module__.startswith(TORCH):
            found = found.joined(FOREIGN)
            for held in vars(each).values():
                found = found.joined(_of_code(held))
    return found


def _of_code(held: object) -> Suspicion:
    waiting: list[object] = [held]
    seen: set[int] = set()
    found = FOREIGN
    while waiting and len(seen) < MOST_FUNCTIONS:
        for code, known in _codes(waiting.pop()):
            if id(code) in seen:
                continue
            seen.add(id(code))
            for name in code.co_names:
                owner = getattr(known.get(name), "__self__", None)
                draws = name in DRAWING or isinstance(owner, random.Random)
                found = found.joined(Suspicion(writes=_writes(name), draws=draws))
            waiting += [known[name] for name in code.co_names if name in known]
            waiting += [
                (each, known) for each in code.co_consts if isinstance(each, types.CodeType)
            ]
    return found


def _writes(name: str) -> bool:
    is_in_place = name.endswith("_") and not name.endswith("__") and name not in HARMLESS
    return is_in_place or name in WRITING


def _codes(held: Any) -> Iterator[tuple[types.CodeType, dict[str, object]]]:
    """The code of a function of others', with the names that it knows."""
    if isinstance(held, tuple) and held and isinstance(held[0], types.CodeType):
        yield held[0], held[1]
        return
    if isinstance(held, property):
        held = held.fget
    held = getattr(held, "__func__", held)  # of a method, a classmethod or a staticmethod
    held = getattr(held, "func", held)  # of a functools.partial
    if isinstance(held, types.FunctionType) and not str(held.__module__).startswith(TORCH):
        yield held.__code__, held.__globals__
