"""Memory: counted while tensors live, given back when they die, and refused beyond what there is.

Answers are differences, so that what a process held before does not matter. Blocks are rounded to
512 bytes (c10/cuda/CUDACachingAllocator.h, kMinBlockSize).
"""

import gc

import torch
from torch import nn

from tests.machines.cases.case import Refusal, case, row, table

MIB = 2**20
FULL = Refusal(r"CUDA out of memory. Tried to allocate", "OutOfMemoryError")


def allocated(device=None):
    gc.collect()
    return torch.cuda.memory_allocated(device)


def elements_beyond_memory():
    return torch.cuda.mem_get_info()[1] // 4 + 2**28


@case([512, 512, 1024, 0])
def sizes_are_rounded_to_512_bytes():
    torch.ones(1, device="cuda")
    start, found = allocated(), []
    for elements in (1, 128, 129, 0):
        x = torch.empty(elements, device="cuda")
        found.append(allocated() - start)
        del x
    return found


@case([4 * MIB, 4 * MIB, 0])
def a_view_keeps_the_whole_storage_alive():
    start = allocated()
    x = torch.empty(MIB, device="cuda")
    view = x[:1]
    held = allocated() - start
    del x
    kept = allocated() - start
    del view
    return [held, kept, allocated() - start]


@case([0, 0])
def views_and_operations_in_place_take_no_memory():
    x = torch.ones(1024, device="cuda")
    start = allocated()
    views = [x.view(32, 32), x[:5], x.expand(4, 1024)]
    found = [allocated() - start]
    x.add_(1).mul_(2)
    found.append(allocated() - start)
    del views
    return found


@case([4 * MIB, 0, 4 * MIB, 4 * MIB], gpus=2)
def each_gpu_counts_its_own_and_a_copy_counts_on_both():
    first, second = allocated(0), allocated(1)
    x = torch.empty(MIB, device="cuda:0")
    found = [allocated(0) - first, allocated(1) - second]
    y = x.to("cuda:1")
    found += [allocated(0) - first, allocated(1) - second]
    del y
    return found


@case([1024, 2048])
def results_take_memory():
    x = torch.ones(256, device="cuda")
    start = allocated()
    y = x + 1
    held = allocated() - start
    z = y * 2
    found = [held, allocated() - start]
    del z
    return found


@case([4096, 8192])
def gradients_take_memory():
    start = allocated()
    x = torch.ones(1024, device="cuda", requires_grad=True)
    held = allocated() - start
    (x * 2).sum().backward()
    return [held, allocated() - start]


@case([12 * MIB, 4 * MIB, 4 * MIB])
def the_peak_remembers():
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    start = allocated()
    x = torch.empty(MIB, device="cuda")
    y = torch.empty(2 * MIB, device="cuda")
    del y
    peak = torch.cuda.max_memory_allocated() - start
    torch.cuda.reset_peak_memory_stats()
    found = [peak, allocated() - start, torch.cuda.max_memory_allocated() - start]
    del x
    return found


@case([20 * MIB, 20 * MIB, 0, 2 * MIB, 2 * MIB, 0, 14 * MIB, 14 * MIB, 0])
def segments_stay_reserved_until_the_cache_is_emptied():
    gc.collect()
    torch.cuda.empty_cache()
    start, found = torch.cuda.memory_reserved(), []
    for size in (2 * MIB, 1024, 13 * MIB):
        x = torch.empty(size, dtype=torch.uint8, device="cuda")
        found.append(torch.cuda.memory_reserved() - start)
        del x
        found.append(torch.cuda.memory_reserved() - start)
        torch.cuda.empty_cache()
        found.append(torch.cuda.memory_reserved() - start)
    return found


@case(["RuntimeError", True, True, 0])
def out_of_memory_is_a_runtime_error_after_which_memory_is_usable():
    start, found = allocated(), []
    try:
        torch.empty(2**50, dtype=torch.uint8, device="cuda")
    except torch.cuda.OutOfMemoryError as error:
        found.append(type(error).__mro__[1].__name__)
    x = torch.ones(4, device="cuda")
    found += [torch.cuda.OutOfMemoryError is torch.OutOfMemoryError, x.sum().item() == 4]
    del x
    return [*found, allocated() - start]


@case([True, True, True])
def free_and_total():
    free, total = torch.cuda.mem_get_info()
    properties = torch.cuda.get_device_properties(0)
    x = torch.empty(32 * MIB, dtype=torch.uint8, device="cuda")
    after, same = torch.cuda.mem_get_info()
    del x
    return [0 < after <= free <= total, total == same, total <= properties.total_memory]


@case([512, 1024, 0])
def parameters_are_counted_and_freed_with_their_module():
    start = allocated()
    net = nn.Linear(4, 4, bias=False).cuda()
    held = allocated() - start
    other = nn.Linear(4, 4, bias=False).cuda()
    found = [held, allocated() - start]
    del net, other
    return [*found, allocated() - start]


table(
    __name__,
    out_of_memory=row(
        Refusal(
            r"CUDA out of memory. Tried to allocate \d+\.\d\d GiB. GPU 0 has a total capacity "
            r"of \d+\.\d\d GiB of which .* is free.*is allocated by PyTorch.*is reserved by "
            r"PyTorch but unallocated",
            "OutOfMemoryError",
        ),
        lambda: torch.empty(elements_beyond_memory(), device="cuda").device,
    ),
    out_of_memory_by_computing=row(
        FULL, lambda: (torch.ones(1, device="cuda").expand(elements_beyond_memory()) + 1).device
    ),
    out_of_memory_by_padding=row(
        FULL,
        lambda: (
            nn.functional.pad(torch.ones(1, device="cuda"), (0, elements_beyond_memory())).device
        ),
    ),
    out_of_memory_by_repeating=row(
        FULL,
        lambda: torch.ones(1, device="cuda").repeat(elements_beyond_memory() // 999, 1000).device,
    ),
    out_of_memory_by_growing=row(
        FULL, lambda: torch.ones(1, device="cuda").resize_(elements_beyond_memory()).device
    ),
)
