"""Step "python_list": layers in a Python list, which forward uses and PyTorch does not register."""

from enum import StrEnum

from playground.lessons.blocks.pictures import Node, nodes_of, parameters_of, tree, tree_text
from playground.steps import (
    Answer,
    Device,
    Labels,
    Machine,
    Picture,
    Run,
    Step,
    Words,
    fix_field,
    shown_if,
)


class Container(StrEnum):
    """The container of the layers."""

    LIST = "list(args)"
    TUPLE = "args"
    MODULE_LIST = "nn.ModuleList(args)"


class Use(StrEnum):
    """The last line: the use of the block."""

    FORWARD = "print(net(torch.rand(2, 20)).shape)"
    OPTIMIZER = "torch.optim.SGD(net.parameters(), lr=0.1)"
    SAVE = "print(len(net.state_dict()))"
    MOVE = "net.to({device})(torch.rand(2, 20, device={device}))"


class PythonList(Step):
    """Keep the layers of a block in a list, and use the block."""

    machine: Machine = Machine()
    container: Container = Container.LIST
    use: Use = Use.FORWARD
    device: Device = shown_if("cuda:0", use=(Use.MOVE,))
    is_fixed: bool = fix_field()

    def code(self, w: Words) -> str:
        container = Container.MODULE_LIST if self.is_fixed else w.container
        device = f'"{self.device}"'
        return f"""
            import torch
            from torch import nn
            {w.folded}
            class MySequential(nn.Module):
                def __init__(self, *args):
                    super().__init__()
                    self.layers = {container}

                def forward(self, X):
                    for module in self.layers:
                        X = module(X)
                    return X

            net = MySequential(nn.Linear(20, 256), nn.ReLU(), nn.Linear(256, 10))
            {w.mark("use", self.use.format(device=device))}{w.asked}
        """

    @property
    def is_registered(self) -> bool:
        """PyTorch registers the container's layers."""
        return self.is_fixed or self.container is Container.MODULE_LIST

    def answer(self, run: Run) -> Answer:
        """Count the layers that are registered, and those that exist."""
        net = run["net"]
        layers = list(net.layers)
        known = sum(1 for _ in net.parameters())
        nodes = nodes_of(net)
        if not self.is_registered:
            nodes += tuple(
                Node(
                    depth=1,
                    name=f"layers[{index}]",
                    type_name=type(layer).__name__,
                    note=f"{parameters_of(layer):,}",
                    is_registered=False,
                )
                for index, layer in enumerate(layers)
            )
        is_silent = not self.is_registered and run.outcome.ok
        return Answer(
            prediction="works" if run.outcome.ok else run.outcome.error_type,
            explanation=self.explanation(run),
            facts={
                "known": known,
                "there": sum(1 for layer in layers for _ in layer.parameters()),
                "saved": len(net.state_dict()),
            },
            placeholders={"device": self.device},
            is_silent_failure=is_silent,
            fix=None if self.is_registered else self.tried_fix(),
            data=nodes,
        )

    def explanation(self, run: Run) -> str:
        if self.use is Use.MOVE and not run.outcome.ok and "same device" not in run.outcome.message:
            return "no-such-device"
        if self.is_registered:
            return "registered"
        if self.use is Use.MOVE:
            return "works-on-the-cpu" if run.outcome.ok else "stays-behind"
        return {Use.OPTIMIZER: "nothing-to-train", Use.SAVE: "nothing-to-save"}.get(
            self.use, "works-and-is-empty"
        )

    def picture(self, answer: Answer | None, labels: Labels) -> Picture | None:
        """Draw the tree; layers that are not registered have dotted lines."""
        del labels
        if answer is None:
            return None
        return Picture(tree(answer.data), {"tree": tree_text(answer.data)})


def computes_and_trains_nothing(step: PythonList, answer: Answer) -> bool:
    """Check that the block gives an output and ``parameters()`` gives nothing."""
    return step.use in (Use.FORWARD, Use.MOVE) and answer.outcome.ok and not answer.facts["known"]
