"""Simulated GPUs: plain PyTorch code uses CUDA devices that are computed on the CPU.

Two of torch's own modes do most of the work. The function mode (``function_mode``) sees every call
of the Python interface and answers those whose result depends on the device: attributes
(``tensor_attributes``), transfers and factories (``device_transfer``), ``.grad`` (``gradients``),
conversion to NumPy, printing. The dispatch mode (``dispatch_mode``) sees every ATen operation below
autograd, in the forward and the backward pass. It compares the devices as CUDA's kernels do
(``same_device``, ``kernels``, ``error_messages``), computes on the CPU, and records the device on
the storage of the result (``storage_device``), which takes memory from the device's ``allocator``.
Memory that this computer does not have is committed on first use (``lazy_memory``).

Code that reaches CUDA in other ways is patched: functions (``patches``, ``cuda_interface`` with
``cuda_devices`` and ``random_state``) and classes (``class_patches``). Patches and modes read
``host.this_thread``, and do what torch does if the calling thread is not inside a simulator.
``queues`` derives from a program's calls what a GPU would run asynchronously.

Differences from a GPU that are not refused: random numbers are not those of a GPU; a device's
memory has no CUDA context, no workspaces of cuBLAS and cuDNN, and no temporary memory of kernels;
an index out of range is an IndexError, not a device-side assertion; a float tensor on a GPU is also
an instance of ``torch.FloatTensor``; ``torch.version.cuda`` and ``torch.backends`` describe the
installed torch. Everything else that would give a wrong result raises ``NotSimulatedError``.
"""

from playground.machines.simulated.simulator import outside_simulation, simulated_gpus

__all__ = ["outside_simulation", "simulated_gpus"]
