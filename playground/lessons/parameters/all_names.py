"""Step on the names of all parameters of a network, or of a part of it."""

import math
from enum import StrEnum
from typing import NamedTuple

from playground.lessons.parameters import tensor_list
from playground.modules.network_step import NetworkStep
from playground.steps import Answer, Labels, Picture, Run, Words, shown_if
from playground.units import grouped

MAX_ROWS = 40  # of the picture
Tensors = tuple[tuple[str, tuple[int, ...]], ...]


class Part(StrEnum):
    """The value is the code that the program shows."""

    NET = "net"
    FIRST = "net[1]"
    MIDDLE = "net[2]"
    LAST = "net[3]"


class Middle(StrEnum):
    """The value is the code that the program shows."""

    RELU = "nn.ReLU()"
    BATCH_NORM = "nn.BatchNorm1d(8)"


class Module(NamedTuple):
    """A child of the network, as the picture shows it."""

    name: str
    kind: str
    tensors: Tensors
    is_listed: bool


class AllNames(NetworkStep):
    """List names and shapes; a layer may have two tensors, one, or none."""

    part: Part = shown_if(Part.NET, network=("",))
    middle: Middle = shown_if(Middle.RELU, network=("",))
    bias: bool = shown_if(False, network=("",))

    def code(self, w: Words) -> str:
        if self.network:
            return f"""\
{self.definition(w)}
for name, parameter in net.named_parameters():
{self.printed()}{w.asked}
"""
        return f"""
            import torch
            from torch import nn

            torch.manual_seed(0){w.folded}
            net = nn.Sequential(nn.Flatten(), nn.Linear(4, 8), {w.middle},
                                nn.Linear(8, 1, bias={w.bias}))
            for name, parameter in {w.part}.named_parameters():
                print(name, tuple(parameter.shape)){w.asked}

            print(net.state_dict()["1.bias"].data)
        """

    def printed(self) -> str:
        """Return the body of the loop; of trained parameters it prints how large they are, too."""
        if not self.has_weights:
            return "    print(name, tuple(parameter.shape))"
        return """\
    size = parameter.abs().mean().item()
    print(name, tuple(parameter.shape), f"{size:.3f}")"""

    def choices(self, devices: tuple[str, ...]) -> tuple[str, ...]:
        """Return the counts of modules with parameters, tensors, all modules, and elements.

        The modules of the network include itself. The counts of a visitor's network are unknown.
        """
        del devices
        if self.network:
            return "fewer", "as_many", "more"
        asked = [each for each in self.children() if each.is_listed]
        shapes = [shape for each in asked for _, shape in each.tensors]
        layers = sum(bool(each.tensors) for each in asked)
        modules = len(asked) + (self.part is Part.NET)
        return tuple(map(str, sorted({layers, len(shapes), modules, sum(map(numel, shapes))})))

    def children(self) -> tuple[Module, ...]:
        """Return the children with the tensors that their arguments create."""
        has_norm = self.middle is Middle.BATCH_NORM
        norm: Tensors = (("2.weight", (8,)), ("2.bias", (8,))) if has_norm else ()
        bias: Tensors = (("3.bias", (1,)),) if self.bias else ()
        tensors: tuple[Tensors, ...] = (
            (),
            (("1.weight", (8, 4)), ("1.bias", (8,))),
            norm,
            (("3.weight", (1, 8)), *bias),
        )
        kinds = ("Flatten", "Linear", "BatchNorm1d" if has_norm else "ReLU", "Linear")
        return tuple(
            Module(str(place), kind, own, self.part in (Part.NET, f"net[{place}]"))
            for place, (kind, own) in enumerate(zip(kinds, tensors, strict=True))
        )

    def answer(self, run: Run) -> Answer:
        net = run["net"]
        is_whole = bool(self.network) or self.part is Part.NET
        part = net if is_whole else net[int(self.part[4])]
        modules = len(list(part.modules()))
        if not run.outcome.ok:  # a lazy layer
            return Answer(
                prediction=run.outcome.error_type,
                explanation="no-shape-yet",
                facts={"modules": modules},
            )
        listed = [(name, tuple(each.shape)) for name, each in part.named_parameters()]
        name, shape = listed[0] if listed else (None, None)
        explanation = "lists-all" if is_whole else "lists-part"
        return Answer(
            prediction=compared(len(listed), modules) if self.network else str(len(listed)),
            explanation=explanation if listed else "lists-nothing",
            facts={
                "tensors": len(listed),
                "numbers": grouped(sum(numel(each) for _, each in listed)),
                "layers": sum(bool(list(m.parameters(recurse=False))) for m in part.modules()),
                "modules": modules,
            },
            placeholders={
                "part": "net" if is_whole else self.part,
                "name": name,
                "shape": str(shape),
            },
            data=tuple(
                Module(
                    path or "net",
                    type(module).__name__,
                    tuple(
                        (f"{path}.{name}".lstrip("."), tuple(each.shape))
                        for name, each in module.named_parameters(recurse=False)
                    ),
                    part in (net, module),
                )
                for path, module in net.named_modules()
            ),
        )

    def picture(self, answer: Answer | None, labels: Labels) -> Picture | None:
        if self.network and (answer is None or answer.data is None):
            return None
        root = Module("net", "Sequential", (), is_listed=False)
        shown: tuple[Module, ...] = answer.data if answer else (root, *self.children())
        rows = []
        for child in shown:
            rows.append(tensor_list.Row(name=child.name, detail=child.kind, is_module=True))
            for name, shape in child.tensors if answer else ():
                tone, mark = ("accent", labels["listed"]) if child.is_listed else ("", "")
                rows.append(tensor_list.Row(name=name, detail=str(shape), tone=tone, mark=mark))
        rest = [tensor_list.Row(name="…", is_module=True)] if len(rows) > MAX_ROWS else []
        return tensor_list.draw([*rows[:MAX_ROWS], *rest])


def compared(listed: int, modules: int) -> str:
    """Compare the counts of a visitor's network."""
    return "as_many" if listed == modules else "more" if listed > modules else "fewer"


def numel(shape: tuple[int, ...]) -> int:
    """Return the number of elements of a tensor of that shape."""
    return math.prod(shape)
