"""The devices of gradients: on the graph's edges, in ``.grad``, and in autograd's own checks.

In a backward pass every operation devices its result, as in a forward pass. Two kinds of edge lead
to another device: a transfer, and a 0-dim CPU tensor that met tensors on a GPU. There the CPU
engine passes on the same gradient, where CUDA copies it; a hook on the edge makes that copy.

Autograd also compares a gradient's device with the one noted in the forward pass, which here is
always the CPU. The patches of ``torch.autograd`` in this module make that comparison instead.
"""

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch
from torch import Tensor

from playground.machines.simulated import error_messages
from playground.machines.simulated.host import Arguments, Function, Options, SimulatedHost
from playground.machines.simulated.storages import (
    CPU,
    cpp_type_name,
    device_index,
    guarded_device_index,
    torch_device,
)

Gradients = tuple[Tensor | None, ...]
Class: Any = Tensor  # attributes of the class are descriptors

KEEPS_DEVICE = "_simulated_keeps_device"  # on a gradient's storage: only its owner's data moved
IN_PLACE = "modified by an inplace operation: [torch."


def copy_to_device(host: SimulatedHost, gradient: Tensor, index: int) -> Tensor:
    """Copy a gradient to a device; the copy is differentiable, for higher-order graphs."""
    outer, host.target_index = host.target_index, index
    try:
        return gradient.clone()
    finally:
        host.target_index = outer


def return_gradient_to(host: SimulatedHost, node: Any, index: int) -> None:
    """Copy the gradients of a node (a transfer) back to the device of its input."""

    def bring_back(inputs: tuple[Tensor | None, ...], _: object) -> tuple[Tensor | None, ...]:
        return tuple(None if grad is None else copy_to_device(host, grad, index) for grad in inputs)

    node.register_hook(bring_back)


def return_scalar_gradients(host: SimulatedHost, result: Any, args: Iterable[Any]) -> None:
    """Copy the gradients of 0-dim CPU arguments to the CPU."""
    node = result.grad_fn if isinstance(result, Tensor) else None
    if node is None:
        return
    scalars = [
        value
        for value in args
        if isinstance(value, Tensor) and value.requires_grad and value.dim() == 0
    ]
    with torch._C.DisableTorchFunction():
        scalars = [value for value in scalars if device_index(value) == CPU]
    edges = {
        position
        for position, (before, _) in enumerate(node.next_functions)
        for value in scalars
        if before is not None
        and (getattr(before, "variable", None) is value or before is value.grad_fn)
    }
    if not edges:
        return

    def bring_back(inputs: tuple[Tensor | None, ...], _: object) -> tuple[Tensor | None, ...]:
        return tuple(
            copy_to_device(host, grad, CPU) if grad is not None and position in edges else grad
            for position, grad in enumerate(inputs)
        )

    node.register_hook(bring_back)


def get_grad(host: SimulatedHost, func: Function, args: Arguments, kwargs: Options) -> Any:
    """Handle reading ``x.grad``: move it to its owner where an edge of the graph was missed."""
    gradient = func(*args, **kwargs)
    if isinstance(gradient, Tensor) and not gradient.is_sparse:
        index = guarded_device_index(args[0])
        if guarded_device_index(gradient) != index and not _keeps_device(gradient):
            gradient = copy_to_device(host, gradient, index)
            args[0].grad = gradient
    return gradient


def set_grad(_host: SimulatedHost, func: Function, args: Arguments, kwargs: Options) -> Any:
    """Handle ``x.grad = …``: check that the gradient is on the same device."""
    owner, gradient = args
    if isinstance(gradient, Tensor):
        mine, its = guarded_device_index(owner), guarded_device_index(gradient)
        if (mine == CPU) != (its == CPU):
            raise error_messages.gradient_on_other_device(
                torch_device(its).type, torch_device(mine).type
            )
        if mine != its:
            raise error_messages.gradient_index(its, mine)
    return func(*args, **kwargs)


def set_data(host: SimulatedHost, func: Function, args: Arguments, kwargs: Options) -> Any:
    """Handle ``x.data = …``: the gradient keeps its device, also when the data move."""
    owner, data = args
    gradient = get_grad(host, Class.grad.__get__, (owner,), {})
    result = func(*args, **kwargs)
    if isinstance(gradient, Tensor) and isinstance(data, Tensor) and not gradient.is_sparse:
        with torch._C.DisableTorchFunction():
            setattr(gradient.untyped_storage(), KEEPS_DEVICE, True)
    return result


def register_hook(_host: SimulatedHost, func: Function, args: Arguments, kwargs: Options) -> Any:
    """Handle ``x.register_hook``: check the device of the gradient that the hook returns."""
    tensor, hook = args[0], args[1] if len(args) > 1 else kwargs["hook"]

    @functools.wraps(hook)
    def checked(gradient: Tensor) -> Any:
        result = hook(gradient)
        if isinstance(result, Tensor):
            was, got = guarded_device_index(gradient), guarded_device_index(result)
            if (was == CPU) != (got == CPU):
                name = getattr(hook, "__name__", "<unknown>")
                raise error_messages.hook_moved(
                    name, cpp_type_name(gradient), cpp_type_name(result)
                )
        return result

    return func(tensor, checked)


def _keeps_device(gradient: Tensor) -> bool:
    with torch._C.DisableTorchFunction():
        return bool(getattr(gradient.untyped_storage(), KEEPS_DEVICE, False))


def make_grads(
    host: SimulatedHost,
    original: Callable[..., Gradients],
    outputs: Sequence[Any],
    grads: Sequence[Tensor | None],
    is_grads_batched: bool,
) -> Gradients:
    """Replace ``torch.autograd._make_grads``: check the gradients that the caller gives."""
    made = original(outputs, grads, is_grads_batched)
    devices = [guarded_device_index(one) if isinstance(one, Tensor) else None for one in outputs]
    return validate_gradients(host, made, devices, "")


def run_backward(host: SimulatedHost, original: Function, *args: Any, **kwargs: Any) -> Any:
    """Replace ``torch.autograd._engine_run_backward``: give the CUDA type in its error."""
    try:
        return original(*args, **kwargs)
    except RuntimeError as error:
        text = str(error)
        if IN_PLACE not in text or host.last_index == CPU:
            raise
        raise RuntimeError(text.replace(IN_PLACE, IN_PLACE + "cuda.")) from None


def apply_function(
    host: SimulatedHost, original: Function, cls: Any, *args: Any, **kwargs: Any
) -> Any:
    """Replace ``torch.autograd.Function.apply``: check gradients against the arguments."""
    result = original(cls, *args, **kwargs)
    node: Any = next((part.grad_fn for part in _parts(result) if part.grad_fn is not None), None)
    if not issubclass(type(node), torch.autograd.function.BackwardCFunction):
        return result
    devices = [guarded_device_index(value) for value in args if isinstance(value, Tensor)]

    def check(gradients: Gradients, _: object) -> Gradients:
        return validate_gradients(host, gradients, devices, f"Function {node_name} returned an ")

    node_name = node.name()
    node.register_hook(check)
    return result


def validate_gradients(
    host: SimulatedHost, gradients: Gradients, devices: Sequence[int | None], who: str
) -> Gradients:
    """Check the devices of gradients, as in torch/csrc/autograd/engine.cpp, validate_outputs.

    Raises:
        RuntimeError: A gradient is on another device. One without dimensions is copied instead.
    """
    checked = list(gradients)
    for position, (gradient, device) in enumerate(zip(gradients, devices, strict=False)):
        if gradient is None or device is None or guarded_device_index(gradient) == device:
            continue
        if gradient.dim() > 0:
            here, there = torch_device(guarded_device_index(gradient)), torch_device(device)
            raise error_messages.invalid_gradient(who, position, here, there)
        checked[position] = copy_to_device(host, gradient, device)
    return tuple(checked)


def _parts(result: object) -> list[Tensor]:
    parts = result if isinstance(result, tuple) else (result,)
    return [part for part in parts if isinstance(part, Tensor)]
