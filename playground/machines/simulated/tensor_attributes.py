"""Attributes, methods and functions whose result depends on a tensor's device.

``HANDLERS`` maps each to a function that the function mode calls in its place.
"""

from typing import Any

import torch
from torch import Tensor

from playground.machines.simulated import device_transfer, error_messages, gradients, storages
from playground.machines.simulated.error_messages import not_simulated
from playground.machines.simulated.host import Arguments, Function, Options, SimulatedHost
from playground.machines.simulated.storages import (
    CPU,
    guarded_device_index,
    torch_device,
    type_name,
)


def _device(_host: SimulatedHost, func: Function, args: Arguments, kwargs: Options) -> Any:
    index = guarded_device_index(args[0])
    return func(*args, **kwargs) if index == CPU else torch_device(index)


def _is_cuda(_host: SimulatedHost, _func: Function, args: Arguments, _kwargs: Options) -> Any:
    return guarded_device_index(args[0]) != CPU


def _is_cpu(_host: SimulatedHost, func: Function, args: Arguments, kwargs: Options) -> Any:
    return bool(func(*args, **kwargs)) and guarded_device_index(args[0]) == CPU


def _get_device(_host: SimulatedHost, func: Function, args: Arguments, kwargs: Options) -> Any:
    index = guarded_device_index(args[0])
    return func(*args, **kwargs) if index == CPU else index


def _type(host: SimulatedHost, func: Function, args: Arguments, kwargs: Options) -> Any:
    """Return the type's name, or convert to a type: ``x.type("torch.cuda.FloatTensor")``."""
    tensor, *rest = args
    wanted = rest[0] if rest else kwargs.get("dtype")
    if wanted is None:
        return type_name(tensor)
    if isinstance(wanted, torch.dtype):
        return func(*args, **kwargs)
    name = wanted if isinstance(wanted, str) else f"{wanted.__module__}.{wanted.__name__}"
    index = host.resolve("cuda") if name.startswith("torch.cuda.") else CPU
    plain = func(tensor, name.replace("torch.cuda.", "torch."))
    return device_transfer.transfer(
        host, plain, index if index is not None else CPU, plain.dtype, {}
    )


def _numpy(host: SimulatedHost, func: Function, args: Arguments, kwargs: Options) -> Any:
    """Share CPU memory only; ``force=True`` copies first."""
    tensor = args[0]
    index = guarded_device_index(tensor)
    if index == CPU:
        return func(*args, **kwargs)
    if not (kwargs.get("force") or args[1:2] == (True,)):
        raise error_messages.numpy(torch_device(index))
    return func(device_transfer.transfer(host, tensor.detach(), CPU, tensor.dtype, {}), **kwargs)


def _array(_host: SimulatedHost, func: Function, args: Arguments, kwargs: Options) -> Any:
    index = guarded_device_index(args[0])
    if index != CPU:
        raise error_messages.numpy(torch_device(index))
    return func(*args, **kwargs)


def _tolist(host: SimulatedHost, func: Function, args: Arguments, kwargs: Options) -> Any:
    """Commit the memory: C++ reads it without an operation."""
    if host.has_uncommitted:
        storages.commit_tensor(args[0])
    return func(*args, **kwargs)


def _new_tensor(host: SimulatedHost, func: Function, args: Arguments, kwargs: Options) -> Any:
    """Create the tensor on the device of ``x``, unless another one is given."""
    if kwargs.get("device") is None:
        kwargs = {**kwargs, "device": torch_device(guarded_device_index(args[0]))}
    return device_transfer.create(host, func, args, kwargs)


def _new(host: SimulatedHost, func: Function, args: Arguments, kwargs: Options) -> Any:
    """Call the legacy constructor, which accepts no device but the tensor's own."""
    kwargs = {name: value for name, value in kwargs.items() if name != "device"}
    return device_transfer.place_result(host, func(*args, **kwargs), guarded_device_index(args[0]))


def _device_object(_host: SimulatedHost, func: Function, args: Arguments, kwargs: Options) -> Any:
    """Resolve ``torch.device(0)`` to the accelerator's first device."""
    if len(args) == 1 and isinstance(args[0], int) and not isinstance(args[0], bool):
        return func("cuda", args[0])
    return func(*args, **kwargs)


def _parse_to(_host: SimulatedHost, func: Function, args: Arguments, kwargs: Options) -> Any:
    """Parse the arguments of ``net.to(…)``; an index and a tensor get their device here."""
    other = kwargs.get("tensor", args[0] if args else None)
    if isinstance(other, Tensor) and not other.is_meta:
        return torch_device(guarded_device_index(other)), *func(*args, **kwargs)[1:]
    if args and isinstance(args[0], int) and not isinstance(args[0], bool):
        args = (torch.device("cuda", args[0]), *args[1:])
    if isinstance(kwargs.get("device"), int):
        kwargs = {**kwargs, "device": torch.device("cuda", kwargs["device"])}
    return func(*args, **kwargs)


def _recurrent(_host: SimulatedHost, func: Function, args: Arguments, kwargs: Options) -> Any:
    """Compare the input of LSTM, GRU and RNN with hidden state and parameters first."""
    is_packed = not isinstance(args[3], bool)  # then the batch sizes come second
    given, (hidden, parameters) = args[0], args[2:4] if is_packed else args[1:3]
    here = guarded_device_index(given)
    for name, group in (("hidden", hidden), ("parameter", parameters)):
        for tensor in (group,) if isinstance(group, Tensor) else group:
            if guarded_device_index(tensor) != here:
                there = torch_device(guarded_device_index(tensor))
                raise error_messages.recurrent_on_other_device(torch_device(here), name, there)
    return func(*args, **kwargs)


def _attention(_host: SimulatedHost, func: Function, args: Arguments, kwargs: Options) -> Any:
    given = (*args, *(kwargs[name] for name in ("query", "key", "value") if name in kwargs))[:3]
    devices = [torch_device(guarded_device_index(tensor)) for tensor in given]
    if len(set(devices)) > 1:
        raise error_messages.attention_on_other_device(*devices)
    return func(*args, **kwargs)


def _pad_packed_sequence(
    host: SimulatedHost, func: Function, args: Arguments, kwargs: Options
) -> Any:
    """Put the lengths on the CPU, like the batch sizes."""
    padded, lengths = func(*args, **kwargs)
    with torch._C.DisableTorchFunction():
        host.move(lengths.untyped_storage(), CPU)
    return padded, lengths


def _ctc_loss(_host: SimulatedHost, func: Function, args: Arguments, kwargs: Options) -> Any:
    """Pass lengths as numbers: under a mode, C++ would compute with the tensors."""
    read = [value.tolist() if isinstance(value, Tensor) else value for value in args[2:4]]
    return func(*args[:2], *read, *args[4:], **kwargs)


def _meshgrid(_host: SimulatedHost, func: Function, args: Arguments, kwargs: Options) -> Any:
    tensors = args[0] if len(args) == 1 and isinstance(args[0], list | tuple) else args
    if len({guarded_device_index(tensor) for tensor in tensors if isinstance(tensor, Tensor)}) > 1:
        return func(
            torch.empty(1), torch.empty(1, device="meta"), **kwargs
        )  # torch raises the error
    return func(*args, **kwargs)


def _only_on_cpu(name: str) -> Any:
    def refuse_on_gpu(
        _host: SimulatedHost, func: Function, args: Arguments, kwargs: Options
    ) -> Any:
        if guarded_device_index(args[0]) != CPU:
            raise error_messages.only_on_cpu(name)
        return func(*args, **kwargs)

    return refuse_on_gpu


def _refused(what: str) -> Any:
    def refuse_on_gpu(
        _host: SimulatedHost, func: Function, args: Arguments, kwargs: Options
    ) -> Any:
        tensors = [value for value in args if isinstance(value, Tensor)]
        if any(guarded_device_index(tensor) != CPU for tensor in tensors):
            raise not_simulated(what)
        return func(*args, **kwargs)

    return refuse_on_gpu


Class: Any = Tensor  # attributes of the class are descriptors
HANDLERS: dict[Any, Any] = {
    Class.device.__get__: _device,
    Class.is_cuda.__get__: _is_cuda,
    Class.is_cpu.__get__: _is_cpu,
    torch.Tensor.get_device: _get_device,
    torch.get_device: _get_device,
    torch.Tensor.type: _type,
    torch.Tensor.numpy: _numpy,
    torch.Tensor.__array__: _array,
    torch.Tensor.tolist: _tolist,
    Class.grad.__get__: gradients.get_grad,
    Class.grad.__set__: gradients.set_grad,
    Class.data.__set__: gradients.set_data,
    torch.Tensor.register_hook: gradients.register_hook,
    torch.Tensor.new_tensor: _new_tensor,
    torch.Tensor.new: _new,
    torch.Tensor.pin_memory: device_transfer.pin_memory,
    torch.Tensor.is_pinned: device_transfer.is_pinned,
    torch.device: _device_object,
    torch._C._nn._parse_to: _parse_to,
    torch.lstm: _recurrent,
    torch.gru: _recurrent,
    torch.rnn_tanh: _recurrent,
    torch.rnn_relu: _recurrent,
    torch._C._nn.scaled_dot_product_attention: _attention,
    torch._VF._pad_packed_sequence: _pad_packed_sequence,
    torch.ctc_loss: _ctc_loss,
    torch.functional.meshgrid: _meshgrid,
    torch.Tensor.apply_: _only_on_cpu("apply_"),
    torch.Tensor.map_: _only_on_cpu("map_"),
    torch.Tensor.map2_: _only_on_cpu("map2_"),
    torch.Tensor.__dlpack__: _refused("DLPack"),
    Class.__cuda_array_interface__.__get__: _refused("__cuda_array_interface__"),
    torch.Tensor.share_memory_: _refused("shared memory on a GPU"),
}
