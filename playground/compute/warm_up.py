"""The slow first steps of torch, taken before the first student comes; knows nothing of lessons."""

import torch

from playground.compute import torch_state


def keep_to_one_thread() -> None:
    """Let the workers share the cores; a process that forks must hold no thread anyway."""
    torch.set_num_threads(1)
    if torch.get_num_interop_threads() != 1:  # it can be set once only
        torch.set_num_interop_threads(1)


def warm_up() -> None:
    """Do once what is slow the first time: a layer, a backward pass, an optimizer, an error."""
    with torch_state.restored():
        net = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.ReLU(), torch.nn.Linear(3, 1))
        optimizer = torch.optim.Adam(net.parameters())
        net(torch.ones(2, 4)).sum().backward()
        optimizer.step()
        repr(torch.rand(3, 3))
        try:
            torch.ones(2, 3) @ torch.ones(2, 3)
        except RuntimeError as error:
            str(error)
