"""Which physical GPUs a program sees: CUDA_VISIBLE_DEVICES, read by torch's own parser."""

import torch

VARIABLE = "CUDA_VISIBLE_DEVICES"


def uuid_of(physical: int) -> str:
    """Name a simulated GPU the way the driver names real ones."""
    return f"GPU-51b0a7ed-0000-0000-0000-{physical:012d}"


def visible_gpus(count: int) -> tuple[int, ...]:
    """List the physical index of each ``cuda:i``, given how many GPUs the host has.

    The list ends at the first entry that names no GPU, and a repeated entry empties it: both as
    the CUDA driver does and torch.cuda repeats.
    """
    named = torch.cuda._parse_visible_devices()
    if named and isinstance(named[0], str):
        uuids = [uuid_of(physical) for physical in range(count)]
        named = torch.cuda._transform_uuid_to_ordinals([str(name) for name in named], uuids)
    seen: list[int] = []
    for physical in named:
        if int(physical) >= count:
            break
        seen.append(int(physical))
    return tuple(seen)
