"""Programs in which two tensors meet, and in which a tensor becomes an array."""

from playground.lessons.tensors.records import (
    AddAcrossDevices,
    ConvertToNumpy,
    Edit,
    FixAcrossDevices,
    NumpyChain,
    Operation,
    ZeroDim,
)

CHAINS = {
    NumpyChain.NUMPY: "x.numpy()",
    NumpyChain.CPU: "x.cpu().numpy()",
    NumpyChain.DETACH: "x.detach().numpy()",
    NumpyChain.DETACH_CPU: "x.detach().cpu().numpy()",
    NumpyChain.FORCE: "x.numpy(force=True)",
}
EDITS = {Edit.ARRAY: "a[0] = 100", Edit.TENSOR: "x += 1", Edit.REBOUND: "x = x + 1"}


def add_across_devices(settings: AddAcrossDevices) -> str:
    """Let X and Y meet as they are."""
    return _program(settings, settings.zero_dim, mend_meeting(settings)[0])


def fix_across_devices(settings: FixAcrossDevices) -> str:
    """Let them meet where the remedy brings them."""
    return _program(settings, ZeroDim.NEITHER, mend_meeting(settings)[1])


def mend_meeting(settings: AddAcrossDevices | FixAcrossDevices) -> tuple[str, str]:
    """The line in which they meet, and the same with what brings both to one device.

    >>> mend_meeting(AddAcrossDevices(left="cuda:1"))
    ('Z = X + Y', 'Z = X + Y.to("cuda:1")')
    """
    moved = {name: f'{name}.to("{place}")' for name, place in settings.moves.items()}
    return f"Z = {settings.operation.written()}", f"Z = {settings.operation.written(moved)}"


def _program(settings: AddAcrossDevices | FixAcrossDevices, zero_dim: ZeroDim, line: str) -> str:
    is_linear = settings.operation == Operation.LINEAR
    x = "3.0" if zero_dim == ZeroDim.LEFT else "[[1.0, 2.0], [3.0, 4.0]]"
    y = "10.0" if zero_dim == ZeroDim.RIGHT else "[[10.0, 20.0], [30.0, 40.0]]"
    if settings.operation == Operation.INDEXING:
        y = "[1, 0]"
    lines = [
        "import torch",
        *(["import torch.nn.functional as F"] if is_linear else []),
        "",
        f'X = torch.tensor({x}, device="{settings.left}")',
        f'Y = torch.tensor({y}, device="{settings.right}")',
        *([f'b = torch.tensor([100.0, 200.0], device="{settings.right}")'] if is_linear else []),
        line,
        "",
        "result = (str(Z.device), Z.tolist())",
    ]
    return "\n".join(lines) + "\n"


def convert_to_numpy(settings: ConvertToNumpy) -> str:
    """Make an array from a tensor, and edit one of them."""
    gradient = ", requires_grad=True" if settings.requires_grad else ""
    edit = EDITS[settings.edit]
    if settings.edit == Edit.TENSOR and settings.requires_grad:
        edit = f"with torch.no_grad():  # autograd forbids editing a leaf otherwise\n    {edit}"
    return f"""\
import torch

x = torch.tensor([1.0, 2.0, 3.0, 4.0], device="{settings.device}"{gradient})
a = {CHAINS[settings.chain]}
{edit}

result = (x.tolist(), a.tolist())
"""
