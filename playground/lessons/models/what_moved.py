"""Step on the tensors that move with a module: the registered ones."""

from enum import StrEnum

from playground.lessons.models.device_transitions import DeviceTransition, DeviceTransitions, draw
from playground.modules.inventory_types import TensorRow
from playground.steps import (
    Answer,
    Device,
    Labels,
    Machine,
    Picture,
    Run,
    Step,
    Words,
    device_map,
    fix_field,
)


class Holding(StrEnum):
    """The line that gives the module more than one layer."""

    RESULT = "self.half = self.linear.weight * 0.5"
    LAYERS = "self.more = [nn.Linear(4, 4)]"
    PARAMETERS = "self.more = [nn.Parameter(torch.ones(4, 4))]"
    REGISTERED = "self.more = [self.linear]"
    ATTRIBUTE = "self.mask = torch.ones(4)"
    BUFFER = 'self.register_buffer("mask", torch.ones(4), persistent=False)'
    IN_FORWARD = "pass  # forward makes another tensor"


USES = {  # what forward returns
    Holding.RESULT: "self.linear(X) @ self.half",
    Holding.LAYERS: "self.more[0](self.linear(X))",
    Holding.PARAMETERS: "self.linear(X) @ self.more[0]",
    Holding.REGISTERED: "self.more[0](self.linear(X))",
    Holding.ATTRIBUTE: "self.linear(X) * self.mask",
    Holding.BUFFER: "self.linear(X) * self.mask",
    Holding.IN_FORWARD: "self.linear(X) + torch.zeros(X.shape)",
}
FIXES = {  # the line, and what forward returns
    Holding.RESULT: ("pass", "self.linear(X) @ (self.linear.weight * 0.5)"),
    Holding.LAYERS: ("self.more = nn.ModuleList([nn.Linear(4, 4)])", USES[Holding.LAYERS]),
    Holding.PARAMETERS: (
        "self.more = nn.ParameterList([torch.ones(4, 4)])",
        USES[Holding.PARAMETERS],
    ),
    Holding.ATTRIBUTE: ('self.register_buffer("mask", torch.ones(4))', USES[Holding.ATTRIBUTE]),
    Holding.IN_FORWARD: ("pass", "self.linear(X) + torch.zeros_like(X)"),
}


class WhatMoved(Step):
    """Move a module that holds tensors in one of several ways, and call it."""

    machine: Machine = Machine()
    holding: Holding = Holding.RESULT
    device: Device = "cuda:0"
    is_fixed: bool = fix_field()

    def code(self, w: Words) -> str:
        line, use = w.holding, USES[self.holding]
        if self.is_fixed and self.holding in FIXES:
            line, use = FIXES[self.holding]
        return f"""
            import torch
            from torch import nn
            {w.folded}
            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.linear = nn.Linear(4, 4)
                    {line}
                def forward(self, X):
                    return {use}

            net = Net().to({w.device})
            X = torch.ones(2, 4, device="{self.device}")
            Y = net(X){w.asked}
        """

    def answer(self, run: Run) -> Answer:
        """List every tensor that is reachable from the module, with its device."""
        # loads torch: only a worker calls this
        from playground.modules.tensor_inventory import take_inventory

        net, is_ok = run.get("net"), run.outcome.ok
        rows = take_inventory(net).rows if net is not None else ()
        left = [row for row in rows if row.device != self.device]
        hidden = [row for row in rows if not row.is_registered]
        return Answer(
            prediction="works" if is_ok else run.outcome.error_type,
            explanation=self.explanation(run, is_hidden=bool(hidden)),
            facts={}
            if net is None
            else {
                "there": len(rows) - len(left),
                "left": len(left),
                "unregistered": len(hidden),
                "unsaved": sum(not row.in_state_dict for row in rows),
            },
            placeholders={"device": self.device, "count": len(rows)},
            is_silent_failure=is_ok and bool(hidden),
            fix=self.tried_fix() if net is not None and (hidden or not is_ok) else None,
            data=self.transitions(rows, is_made=bool(rows) and not is_ok and not left),
        )

    def explanation(self, run: Run, *, is_hidden: bool) -> str:
        if "X" not in run.names:
            return "no-such-device"
        if not run.outcome.ok:
            return f"{self.holding.name.lower().replace('_', '-')}-stays"
        if self.device == "cpu":
            return "hidden-on-cpu" if is_hidden else "nothing-to-move"
        if self.is_fixed and self.holding in FIXES:
            return "repaired"
        return "list-of-registered" if self.holding is Holding.REGISTERED else "buffer-moves"

    def picture(self, answer: Answer | None, labels: Labels) -> Picture:
        """Show the move of every tensor; before the answer, only the registered layer."""
        del labels
        if answer is not None:
            return draw(answer.data)
        layer = tuple(
            DeviceTransition(names=f"linear.{name}", place="cpu") for name in ("weight", "bias")
        )
        return draw(self.map(*layer, DeviceTransition(names="X", place=self.device)))

    def transitions(self, rows: tuple[TensorRow, ...], *, is_made: bool) -> DeviceTransitions:
        """Describe each tensor, the one that forward made on the wrong device, and the batch."""
        transitions = [
            DeviceTransition(
                names=" = ".join(row.paths),
                before="" if row.device == "cpu" else "cpu",
                place=row.device,
                is_trouble=row.device != self.device,
            )
            for row in rows
        ]
        if is_made:
            transitions.append(
                DeviceTransition(names="torch.zeros(…)", place="cpu", is_trouble=True)
            )
        return self.map(
            *transitions, DeviceTransition(names="X", place=self.device if rows else "")
        )

    def map(self, *transitions: DeviceTransition) -> DeviceTransitions:
        """Describe the machine with these transitions."""
        return DeviceTransitions(
            devices=device_map.devices_shown(self.machine),
            is_simulated=self.machine.is_simulated,
            transitions=transitions,
        )


def all_moved_and_fails(step: WhatMoved, answer: Answer) -> bool:
    """Return whether every tensor of the module is on the GPU, but the call fails."""
    del step
    return answer.facts.get("left") == 0 and answer.explanation == "in-forward-stays"


def plain_list_moves(step: WhatMoved, answer: Answer) -> bool:
    """Return whether a module with a plain Python list works on a GPU."""
    is_plain = step.holding in (Holding.LAYERS, Holding.PARAMETERS, Holding.REGISTERED)
    return is_plain and not step.is_fixed and answer.outcome.ok and step.device != "cpu"
