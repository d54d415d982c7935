"""FixedHiddenMLP on its way to a device, its constant an attribute or a buffer."""

import torch
from torch import Tensor

from playground.compute.outcome import Outcome, attempt
from playground.lessons.blocks.experiment.trees import rows_of
from playground.lessons.blocks.records import Keeping, MoveConstant, MoveConstantReport
from playground.machines import DeviceName, device_names
from playground.machines.host import running_on
from playground.modules.custom.fixed_hidden_mlp import FixedHiddenMLP


def move_constant(settings: MoveConstant) -> MoveConstantReport:
    """Move the net, then feed it where it went; where that fails, do so with a buffer.

    Shape:
        X: (2, 20); output: ().
    """
    with running_on(settings.machine):
        has_device = settings.device in device_names(torch.cuda.device_count())
        torch.manual_seed(0)
        net = FixedHiddenMLP(as_buffer=settings.keeping == Keeping.BUFFER)
        y, outcome = attempt(lambda: _move_and_feed(net, settings.device))
        fixed: Outcome | None = None
        if not outcome.ok and settings.keeping == Keeping.ATTRIBUTE:
            mended = FixedHiddenMLP(as_buffer=True)
            fixed = attempt(lambda: _move_and_feed(mended, settings.device))[1]
        return MoveConstantReport(
            outcome=outcome,
            keeping=settings.keeping,
            device=settings.device,
            has_device=has_device,
            layer_device=str(net.linear.weight.device),
            constant_device=str(net.rand_weight.device),
            result_device=None if y is None else str(y.device),
            in_state_dict="rand_weight" in net.state_dict(),
            is_parameter=any(each is net.rand_weight for each in net.parameters()),
            tree=rows_of(net),
            fixed_outcome=fixed,
        )


def _move_and_feed(net: FixedHiddenMLP, device: DeviceName) -> Tensor:
    net.to(device)
    result: Tensor = net(torch.ones(2, 20, device=device))
    return result
