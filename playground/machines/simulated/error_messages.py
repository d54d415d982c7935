"""Errors inside a simulator: those that only a CUDA build of PyTorch raises, and the refusal.

``not_simulated`` makes the refusal. Each other message is that of the sources of the release in
use, named in the docstring. Errors that the installed torch can raise itself are not copied here.
"""

import torch

from playground.errors import NotSimulatedError
from playground.units import format_bytes


def not_simulated(what: str) -> NotSimulatedError:
    """Return the error for something that cannot be simulated faithfully."""
    return NotSimulatedError("not_simulated", what=what)


def invalid_ordinal() -> Exception:
    """c10/cuda/CUDAException.cpp and CUDAMiscFunctions.cpp."""
    return torch.AcceleratorError(
        "CUDA error: invalid device ordinal\n"
        "GPU device may be out of range, do you have enough GPUs?\n"
        "Search for `cudaErrorInvalidDevice' in https://docs.nvidia.com/cuda/cuda-runtime-api/"
        "group__CUDART__TYPES.html for more information.\n"
        "CUDA kernel errors might be asynchronously reported at some other API call, so the "
        "stacktrace below might be incorrect.\n"
        "For debugging consider passing CUDA_LAUNCH_BLOCKING=1\n"
        "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n"
    )


def no_gpus() -> Exception:
    """aten/src/ATen/cuda/detail/CUDAHooks.cpp, where CUDA starts and finds no device."""
    return RuntimeError("No CUDA GPUs are available")


def forked() -> Exception:
    """torch/cuda/__init__.py, _lazy_init."""
    return RuntimeError(
        "Cannot re-initialize CUDA in forked subprocess. To use CUDA with multiprocessing, "
        "you must use the 'spawn' start method"
    )


def two_devices(first: torch.device, second: torch.device) -> Exception:
    """aten/src/ATen/TensorIterator.cpp, compute_types: element-wise operations."""
    return RuntimeError(
        "Expected all tensors to be on the same device, but found at least two devices, "
        f"{first} and {second}!"
    )


def too_many_cpu_scalars() -> Exception:
    """aten/src/ATen/TensorIterator.cpp, compute_types."""
    return RuntimeError("Trying to pass too many CPU scalars to non-CPU kernel!")


def named_argument(name: str, given: torch.device, others: torch.device, method: str) -> Exception:
    """c10 ``common_device_check_failure``: kernels with a generated check."""
    return RuntimeError(
        f"Expected all tensors to be on the same device, but got {name} is on {given}, different "
        f"from other tensors on {others} (when checking argument in method {method})"
    )


def numpy(device: torch.device) -> Exception:
    """torch/csrc/utils/tensor_numpy.cpp."""
    return TypeError(
        f"can't convert {device} device type tensor to numpy. Use Tensor.cpu() to copy the tensor "
        "to host memory first."
    )


def indices_on_other_device(indexed: torch.device) -> Exception:
    """aten/src/ATen/native/IndexingUtils.h and TensorAdvancedIndexing.cpp."""
    where = "cpu" if indexed.type == "cpu" else str(indexed)
    return RuntimeError(
        f"indices should be either on cpu or on the same device as the indexed tensor ({where})"
    )


def pin_on_gpu(type_name: str) -> Exception:
    """aten/src/ATen/native/Memory.cpp."""
    return RuntimeError(f"cannot pin '{type_name}' only dense CPU tensors can be pinned")


def out_of_memory(
    *, requested: int, index: int, capacity: int, free: int, allocated: int, reserved: int
) -> Exception:
    """c10/cuda/CUDACachingAllocator.cpp, malloc."""
    return torch.OutOfMemoryError(
        f"CUDA out of memory. Tried to allocate {format_bytes(requested)}. GPU {index} has a total "
        f"capacity of {format_bytes(capacity)} of which {format_bytes(free)} is free. "
        f"Including non-PyTorch memory, this process has {format_bytes(capacity - free)} memory in "
        f"use. Of the allocated memory {format_bytes(allocated)} is allocated by PyTorch, and "
        f"{format_bytes(reserved - allocated)} is reserved by PyTorch but unallocated. If reserved "
        "but unallocated memory is large try setting PYTORCH_ALLOC_CONF=expandable_segments:True "
        "to avoid fragmentation.  See documentation for Memory Management  "
        "(https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)"
    )


def mask_on_other_device(mask: torch.device, filled: torch.device) -> Exception:
    """aten/src/ATen/native/cuda/IndexKernel.cpp, masked_fill__cuda."""
    return RuntimeError(
        "expected self and mask to be on the same device, but got mask on "
        f"{mask} and self on {filled}"
    )


def convolution_types(name: str, given: str, parameter: str) -> Exception:
    """aten/src/ATen/native/Convolution.cpp, check_input_same_type_as_parameters."""
    exception = (
        f" or input should be a MKLDNN tensor and {name} is a dense tensor"
        if given == "torch.FloatTensor"  # only then would the CPU have used MKLDNN
        else ""
    )
    return RuntimeError(
        f"Input type ({given}) and {name} type ({parameter}) should be the same{exception}"
    )


def recurrent_on_other_device(given: torch.device, name: str, other: torch.device) -> Exception:
    """aten/src/ATen/native/RNN.cpp, check_attributes; ``name`` is ``hidden`` or ``parameter``."""
    return RuntimeError(
        f"Input and {name} tensors are not at the same device, found input tensor at {given} and "
        f"{name} tensor at {other}"
    )


def attention_on_other_device(*devices: torch.device) -> Exception:
    """aten/src/ATen/native/transformers/attention.cpp, validate_sdpa_input."""
    query, key, value = devices
    return RuntimeError(
        "Expected query, key, and value to have the same device type, but got query.device: "
        f"{query} key.device: {key} and value.device: {value} instead."
    )


def gradient_on_other_device(gradient: str, owner: str) -> Exception:
    """torch/csrc/autograd/python_variable.cpp, THPVariable_set_grad."""
    return RuntimeError(
        f"attempting to assign a gradient with device type '{gradient}' to a tensor with device "
        f"type '{owner}'. Please ensure that the gradient and the tensor are on the same device"
    )


def gradient_index(gradient: int, owner: int) -> Exception:
    """torch/csrc/autograd/python_variable.cpp, THPVariable_set_grad."""
    return RuntimeError(
        f"attempting to assign a gradient located on device with index '{gradient}' to a tensor "
        f"located on device with index '{owner}'. Please ensure that the gradient and the tensor "
        "are on the same device"
    )


def lengths_on_gpu(dimensions: int, device: torch.device) -> Exception:
    """aten/src/ATen/native/PackedSequence.cpp."""
    return RuntimeError(
        "'lengths' argument should be a 1D CPU int64 tensor, but got "
        f"{dimensions}D {device} Long tensor"
    )


def optimizer_state_on_other_device() -> Exception:
    """torch/csrc/utils/foreach_utils (``_group_tensors_by_first_tensors_device_and_dtype``)."""
    return RuntimeError(
        "Tensors of the same index must be on the same device and the same dtype except `step` "
        "tensors that can be CPU and float32/64, and optimizer states that can be bfloat16 for "
        "mixed-precision training"
    )


def storage_on_other_device(here: torch.device, there: torch.device) -> Exception:
    """aten/src/ATen/native/Resize.h, checkSetStorage."""
    return RuntimeError(
        f'Attempted to set the storage of a tensor on device "{here}" to a storage on different '
        f'device "{there}".  This is no longer allowed; the devices must match.'
    )


def invalid_gradient(
    who: str, position: int, given: torch.device, expected: torch.device
) -> Exception:
    """torch/csrc/autograd/engine.cpp, validate_outputs."""
    return RuntimeError(
        f"{who}invalid gradient at index {position} - expected device {expected} but got {given}"
    )


def hook_moved(name: str, was: str, got: str) -> Exception:
    """torch/csrc/autograd/variable.cpp, check_variable_result."""
    return RuntimeError(f"hook '{name}' has changed the type of value (was {was} got {got})")


def only_on_cpu(method: str) -> Exception:
    """tools/autograd/templates/python_variable_methods.cpp, THPVariable_apply_ and _map_."""
    return TypeError(f"{method} is only implemented on CPU tensors")


def pinned_factory() -> Exception:
    """aten/src/ATen/native/cuda/EmptyTensor.cpp, empty_cuda."""
    return RuntimeError("Only dense CPU tensors can be pinned")


def no_kernel(kernel: str, scalar: str) -> Exception:
    """aten/src/ATen/Dispatch.h, AT_DISPATCH_SWITCH's default."""
    return NotImplementedError(f"\"{kernel}\" not implemented for '{scalar}'")


def cpu_generator() -> Exception:
    """aten/src/ATen/core/Generator.h, check_generator."""
    return RuntimeError("Expected a 'cuda' device type for generator but found 'cpu'")
