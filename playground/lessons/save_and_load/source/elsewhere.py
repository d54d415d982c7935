"""Two programs for two machines, in one text; the file goes from the one to the other."""

from playground.lessons.save_and_load.records import LoadElsewhere, MapLocation

OTHER_MACHINE = "# On the other machine"  # here the second program begins


def load_elsewhere(settings: LoadElsewhere) -> str:
    """Save a network on a device; load it on another machine."""
    return f"""\
# On a machine with two GPUs
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(20, 256), nn.ReLU(), nn.Linear(256, 10))
net.to("{settings.source}")
torch.save(net.state_dict(), "mlp.params")

{OTHER_MACHINE}
import torch

state = {settings.map_location.written}
for name, tensor in state.items():
    print(name, tensor.device)

result = [str(tensor.device) for tensor in state.values()]
"""


def mend_loading(settings: LoadElsewhere) -> tuple[str, str]:
    """The call that failed, and the one that works on every machine."""
    return f"state = {settings.map_location.written}", f"state = {MapLocation.CPU.written}"
