"""Simulated GPUs: a CPU on which plain PyTorch code meets CUDA devices.

Two of torch's own modes do the work. ``surface`` sees every call of the Python interface and
answers what the CPU would answer wrongly: devices, moves, factories, NumPy, printing.
``operations`` sees every ATen operation below autograd, forward and backward, compares the
devices as CUDA's kernels do (``same_device``, ``kernels``, ``texts``), computes on the CPU and
tags the result's storage (``tag``) on the device's memory (``allocator``); what the host has no
memory for is promised (``promises``). What enters CUDA by other ways finds a dispatcher
(``entrances``, ``backward``, ``cuda_interface``, ``stand_ins``, ``storage_interface``); all of them
ask ``active`` whether the calling thread is inside a simulator, and otherwise do what torch does.

What differs from a GPU, and is not refused: random numbers are not those that a GPU draws; a
device's memory has no CUDA context, no workspaces of cuBLAS and cuDNN, and none of what a kernel
takes for itself; an index out of range is an IndexError, not a device-side assertion; a
float tensor on a GPU counts as an instance of ``torch.FloatTensor`` as well;
``torch.version.cuda`` and ``torch.backends`` tell about the torch that is installed. What would be
a wrong answer raises ``NotSimulatedError``.
"""

from playground.machines.simulated.simulator import outside_simulation, simulated_gpus

__all__ = ["outside_simulation", "simulated_gpus"]
