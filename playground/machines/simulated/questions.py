"""What a tensor answers depending on its device, and conversions that need the CPU."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from playground.machines.simulated import moving, own_gradient, pinning, promises, texts
from playground.machines.simulated.host import SimulatedHost, refuse
from playground.machines.simulated.same_device import type_name
from playground.machines.simulated.tag import CPU, device_named

Arguments = Sequence[Any]
Options = dict[str, Any]
plain_index = moving.plain_index


def _device(host: SimulatedHost, func: Callable[..., Any], args: Arguments, kwargs: Options) -> Any:
    del host
    index = plain_index(args[0])
    return func(*args, **kwargs) if index == CPU else device_named(index)


def _is_cuda(
    host: SimulatedHost, func: Callable[..., Any], args: Arguments, kwargs: Options
) -> Any:
    del host, func, kwargs
    return plain_index(args[0]) != CPU


def _is_cpu(host: SimulatedHost, func: Callable[..., Any], args: Arguments, kwargs: Options) -> Any:
    del host
    return bool(func(*args, **kwargs)) and plain_index(args[0]) == CPU


def _get_device(
    host: SimulatedHost, func: Callable[..., Any], args: Arguments, kwargs: Options
) -> Any:
    del host
    index = plain_index(args[0])
    return func(*args, **kwargs) if index == CPU else index


def _type(host: SimulatedHost, func: Callable[..., Any], args: Arguments, kwargs: Options) -> Any:
    """Name the type, or convert to one: ``x.type("torch.cuda.FloatTensor")``."""
    tensor, *rest = args
    wanted = rest[0] if rest else kwargs.get("dtype")
    if wanted is None:
        return type_name(tensor)
    if isinstance(wanted, torch.dtype):
        return func(*args, **kwargs)
    name = wanted if isinstance(wanted, str) else f"{wanted.__module__}.{wanted.__name__}"
    index = host.resolve("cuda") if name.startswith("torch.cuda.") else CPU
    plain = func(tensor, name.replace("torch.cuda.", "torch."))
    return moving.move(host, plain, index if index is not None else CPU, plain.dtype, {})


def _numpy(host: SimulatedHost, func: Callable[..., Any], args: Arguments, kwargs: Options) -> Any:
    """Only CPU memory can be shared with NumPy; ``force=True`` copies first."""
    tensor = args[0]
    index = plain_index(tensor)
    if index == CPU:
        return func(*args, **kwargs)
    if not (kwargs.get("force") or args[1:2] == (True,)):
        raise texts.numpy(device_named(index))
    return func(moving.move(host, tensor.detach(), CPU, tensor.dtype, {}), **kwargs)


def _array(host: SimulatedHost, func: Callable[..., Any], args: Arguments, kwargs: Options) -> Any:
    del host
    index = plain_index(args[0])
    if index != CPU:
        raise texts.numpy(device_named(index))
    return func(*args, **kwargs)


def _tolist(host: SimulatedHost, func: Callable[..., Any], args: Arguments, kwargs: Options) -> Any:
    """C++ reads the memory itself: no operation that could take it comes first."""
    if host.has_promised:
        promises.use(args[0])
    return func(*args, **kwargs)


def _new_tensor(
    host: SimulatedHost, func: Callable[..., Any], args: Arguments, kwargs: Options
) -> Any:
    """``x.new_tensor(values)`` lives where ``x`` does, unless told otherwise."""
    if kwargs.get("device") is None:
        kwargs = {**kwargs, "device": device_named(plain_index(args[0]))}
    return moving.create(host, func, args, kwargs)


def _new(host: SimulatedHost, func: Callable[..., Any], args: Arguments, kwargs: Options) -> Any:
    """The legacy constructor, which takes no other device than its tensor's."""
    kwargs = {name: value for name, value in kwargs.items() if name != "device"}
    return moving.settle(host, func(*args, **kwargs), plain_index(args[0]))


def _device_object(
    host: SimulatedHost, func: Callable[..., Any], args: Arguments, kwargs: Options
) -> Any:
    """``torch.device(0)`` means the accelerator's first device."""
    del host
    if len(args) == 1 and isinstance(args[0], int) and not isinstance(args[0], bool):
        return func("cuda", args[0])
    return func(*args, **kwargs)


def _parse_to(
    host: SimulatedHost, func: Callable[..., Any], args: Arguments, kwargs: Options
) -> Any:
    """``net.to(…)`` reads its arguments here; a plain number and a tensor need help."""
    del host
    other = kwargs.get("tensor", args[0] if args else None)
    if isinstance(other, Tensor) and not other.is_meta:
        return device_named(plain_index(other)), *func(*args, **kwargs)[1:]
    if args and isinstance(args[0], int) and not isinstance(args[0], bool):
        args = (torch.device("cuda", args[0]), *args[1:])
    if isinstance(kwargs.get("device"), int):
        kwargs = {**kwargs, "device": torch.device("cuda", kwargs["device"])}
    return func(*args, **kwargs)


def _recurrent(
    host: SimulatedHost, func: Callable[..., Any], args: Arguments, kwargs: Options
) -> Any:
    """LSTM, GRU and RNN compare their input with hidden state and parameters before all else."""
    del host
    is_packed = not isinstance(args[3], bool)  # then the batch sizes come second
    given, (hidden, parameters) = args[0], args[2:4] if is_packed else args[1:3]
    here = plain_index(given)
    for name, group in (("hidden", hidden), ("parameter", parameters)):
        for tensor in (group,) if isinstance(group, Tensor) else group:
            if plain_index(tensor) != here:
                there = device_named(plain_index(tensor))
                raise texts.recurrent_elsewhere(device_named(here), name, there)
    return func(*args, **kwargs)


def _attention(
    host: SimulatedHost, func: Callable[..., Any], args: Arguments, kwargs: Options
) -> Any:
    del host
    given = (*args, *(kwargs[name] for name in ("query", "key", "value") if name in kwargs))[:3]
    devices = [device_named(plain_index(tensor)) for tensor in given]
    if len(set(devices)) > 1:
        raise texts.attention_elsewhere(*devices)
    return func(*args, **kwargs)


def _pad_packed_sequence(
    host: SimulatedHost, func: Callable[..., Any], args: Arguments, kwargs: Options
) -> Any:
    """The lengths are made on the CPU, beside the batch sizes."""
    padded, lengths = func(*args, **kwargs)
    with torch._C.DisableTorchFunction():
        host.move(lengths.untyped_storage(), CPU)
    return padded, lengths


def _ctc_loss(
    host: SimulatedHost, func: Callable[..., Any], args: Arguments, kwargs: Options
) -> Any:
    """Lengths are read as numbers; under a mode, C++ would compute with them instead."""
    del host
    read = [value.tolist() if isinstance(value, Tensor) else value for value in args[2:4]]
    return func(*args[:2], *read, *args[4:], **kwargs)


def _meshgrid(
    host: SimulatedHost, func: Callable[..., Any], args: Arguments, kwargs: Options
) -> Any:
    del host
    tensors = args[0] if len(args) == 1 and isinstance(args[0], list | tuple) else args
    if len({plain_index(tensor) for tensor in tensors if isinstance(tensor, Tensor)}) > 1:
        return func(torch.empty(1), torch.empty(1, device="meta"), **kwargs)  # torch words it
    return func(*args, **kwargs)


def _only_on_cpu(name: str) -> Any:
    def refuse_on_gpu(
        host: SimulatedHost, func: Callable[..., Any], args: Arguments, kwargs: Options
    ) -> Any:
        del host
        if plain_index(args[0]) != CPU:
            raise texts.only_on_cpu(name)
        return func(*args, **kwargs)

    return refuse_on_gpu


def _refused(what: str) -> Any:
    def refuse_on_gpu(
        host: SimulatedHost, func: Callable[..., Any], args: Arguments, kwargs: Options
    ) -> Any:
        del host
        tensors = [value for value in args if isinstance(value, Tensor)]
        if any(plain_index(tensor) != CPU for tensor in tensors):
            raise refuse(what)
        return func(*args, **kwargs)

    return refuse_on_gpu


Class: Any = Tensor  # its attributes, asked of the class, are descriptors
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
    Class.grad.__get__: own_gradient.read,
    Class.grad.__set__: own_gradient.assign,
    Class.data.__set__: own_gradient.set_data,
    torch.Tensor.register_hook: own_gradient.register_hook,
    torch.Tensor.new_tensor: _new_tensor,
    torch.Tensor.new: _new,
    torch.Tensor.pin_memory: pinning.pin_memory,
    torch.Tensor.is_pinned: pinning.is_pinned,
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
