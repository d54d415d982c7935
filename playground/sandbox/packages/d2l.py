"""The functions of ``d2l.torch``: devices, short names of torch's functions, and training loops."""

import time
from collections.abc import Callable, Iterable
from types import FunctionType, MappingProxyType
from typing import Any, NoReturn

import numpy
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader

from playground.sandbox.packages import clothes, d2l_data, d2l_modules, d2l_plots

HOME = "d2l.torch"
DATA_URL = "http://d2l-data.s3-accelerate.amazonaws.com/"


def download(*_: object, **__: object) -> NoReturn:
    """Refuse to download: a run has no network."""
    raise OSError("a run of the lab has no network, so nothing can be downloaded")


def cpu() -> torch.device:
    """Return the CPU."""
    return torch.device("cpu")


def gpu(i: int = 0) -> torch.device:
    """Return a GPU."""
    return torch.device(f"cuda:{i}")


def num_gpus() -> int:
    """Return the number of GPUs."""
    return torch.cuda.device_count()


def try_gpu(i: int = 0) -> torch.device:
    """Return a GPU if there is such a one, else the CPU."""
    return gpu(i) if num_gpus() >= i + 1 else cpu()


def try_all_gpus() -> list[torch.device]:
    """Return all GPUs, or the CPU if there is none."""
    return [gpu(i) for i in range(num_gpus())] or [cpu()]


def get_dataloader_workers() -> int:
    """Return the usual number of workers; here a loader reads in the process."""
    return 4


class Timer:
    """Measures several times."""

    def __init__(self) -> None:
        self.times: list[float] = []
        self.start()

    def start(self) -> None:
        """Start to measure."""
        self.tik = time.time()

    def stop(self) -> float:
        """Stop, and return the seconds since the start."""
        self.times.append(time.time() - self.tik)
        return self.times[-1]

    def avg(self) -> float:
        """Return the mean."""
        return sum(self.times) / len(self.times)

    def sum(self) -> float:
        """Return the sum."""
        return sum(self.times)

    def cumsum(self) -> list[float]:
        """Return the sums up to each time."""
        return [float(each) for each in numpy.cumsum(self.times)]


class Accumulator:
    """Adds up several numbers.

    >>> sums = Accumulator(2)
    >>> sums.add(1, 2)
    >>> sums.add(3, 4)
    >>> sums[0], sums[1]
    (4.0, 6.0)
    """

    def __init__(self, n: int) -> None:
        self.data = [0.0] * n

    def add(self, *args: Any) -> None:
        """Add a number to each sum."""
        self.data = [have + float(more) for have, more in zip(self.data, args, strict=False)]

    def reset(self) -> None:
        """Set the sums to 0."""
        self.data = [0.0] * len(self.data)

    def __getitem__(self, idx: int) -> float:
        return self.data[idx]


def synthetic_data(w: Tensor, b: float, num_examples: int) -> tuple[Tensor, Tensor]:
    """Return rows from a normal distribution, and labels ``Xw + b`` with noise of 0.01."""
    X = torch.randn(num_examples, len(w))
    y = X @ w + b
    return X, (y + torch.randn(y.shape) * 0.01).reshape(-1, 1)


def linreg(X: Tensor, w: Tensor, b: Any) -> Tensor:
    """Return the predictions of a linear model."""
    found: Tensor = X @ w + b
    return found


def squared_loss(y_hat: Tensor, y: Tensor) -> Tensor:
    """Return half of the squared error of each row."""
    return (y_hat - y.reshape(y_hat.shape)) ** 2 / 2


def sgd(params: Iterable[Tensor], lr: float, batch_size: int) -> None:
    """Take a step of minibatch stochastic gradient descent, and set the gradients to 0."""
    with torch.no_grad():
        for param in params:
            assert param.grad is not None, "call backward() before"
            param -= lr * param.grad / batch_size
            param.grad.zero_()


def load_data_fashion_mnist(
    batch_size: int, resize: Any = None
) -> tuple[DataLoader[Any], DataLoader[Any]]:
    """Return the batches of the drawn clothes, for training and for testing."""
    steps: list[Any] = [] if resize is None else [clothes.Resize(resize)]
    transform = clothes.Compose([*steps, clothes.ToTensor()])
    parts = [clothes.FashionMNIST(train=train, transform=transform) for train in (True, False)]
    return DataLoader(parts[0], batch_size, shuffle=True), DataLoader(parts[1], batch_size)


def get_fashion_mnist_labels(labels: Iterable[Any]) -> list[str]:
    """Return the names of labels."""
    return [clothes.LABELS[int(each)] for each in labels]


def accuracy(y_hat: Tensor, y: Tensor) -> float:
    """Return the number of right predictions."""
    found = y_hat.argmax(dim=1) if y_hat.dim() > 1 and y_hat.shape[1] > 1 else y_hat
    return float((found.type(y.dtype) == y).sum())


def evaluate_accuracy(net: Any, data_iter: Iterable[Any]) -> float:
    """Return the part of right predictions."""
    if isinstance(net, nn.Module):
        net.eval()
    metric = Accumulator(2)
    with torch.no_grad():
        for X, y in data_iter:
            metric.add(accuracy(net(X), y), y.numel())
    return metric[0] / metric[1]


def evaluate_loss(net: Any, data_iter: Iterable[Any], loss: Callable[..., Tensor]) -> float:
    """Return the mean loss."""
    metric = Accumulator(2)
    for X, y in data_iter:
        out = net(X)
        each = loss(out, y.reshape(out.shape))
        metric.add(each.detach().sum(), each.numel())
    return metric[0] / metric[1]


def train_epoch_ch3(
    net: Any, train_iter: Iterable[Any], loss: Callable[..., Tensor], updater: Any
) -> tuple[float, float]:
    """Train for one epoch; return the mean loss and the accuracy."""
    if isinstance(net, nn.Module):
        net.train()
    metric = Accumulator(3)
    for X, y in train_iter:
        y_hat = net(X)
        each: Any = loss(y_hat, y)
        if isinstance(updater, torch.optim.Optimizer):
            updater.zero_grad()
            each.mean().backward()
            updater.step()
        else:
            each.sum().backward()
            updater(X.shape[0])
        metric.add(each.detach().sum(), accuracy(y_hat, y), y.numel())
    return metric[0] / metric[2], metric[1] / metric[2]


def train_ch3(
    net: Any,
    train_iter: Iterable[Any],
    test_iter: Iterable[Any],
    loss: Callable[..., Tensor],
    num_epochs: int,
    updater: Any,
) -> None:
    """Train for some epochs, and draw loss and accuracy."""
    animator = d2l_plots.Animator(
        xlabel="epoch",
        xlim=[1, num_epochs],
        ylim=[0.3, 0.9],
        legend=["train loss", "train acc", "test acc"],
    )
    for epoch in range(num_epochs):
        metrics = train_epoch_ch3(net, train_iter, loss, updater)
        animator.add(epoch + 1, (*metrics, evaluate_accuracy(net, test_iter)))


def predict_ch3(net: Any, test_iter: Iterable[Any], n: int = 6) -> None:
    """Show some images with their labels and predictions."""
    X, y = next(iter(test_iter))
    found = net(X).argmax(dim=1)
    names = zip(get_fashion_mnist_labels(y), get_fashion_mnist_labels(found), strict=True)
    d2l_plots.show_images(
        X[:n].reshape(n, *X.shape[-2:]), 1, n, titles=[f"{true}\n{seen}" for true, seen in names]
    )


SHORT: dict[str, Any] = {
    name: getattr(torch, name)
    for name in (
        "abs", "arange", "bool", "cos", "cosh", "exp", "eye", "float32", "float64", "int32",
        "int64", "linspace", "log", "matmul", "meshgrid", "normal", "ones", "ones_like", "rand",
        "randn", "sin", "sinh", "stack", "tanh", "tensor", "zeros", "zeros_like",
    )
} | {
    "argmax": lambda x, *args, **words: x.argmax(*args, **words),
    "astype": lambda x, *args, **words: x.type(*args, **words),
    "batch_matmul": torch.bmm,
    "concat": torch.cat,
    "expand_dims": lambda x, *args, **words: x.unsqueeze(*args, **words),
    "nn_Module": nn.Module,
    "numpy": lambda x, *args, **words: x.detach().numpy(*args, **words),
    "reduce_mean": lambda x, *args, **words: x.mean(*args, **words),
    "reduce_sum": lambda x, *args, **words: x.sum(*args, **words),
    "reshape": lambda x, *args, **words: x.reshape(*args, **words),
    "size": lambda x, *args, **words: x.numel(*args, **words),
    "to": lambda x, *args, **words: x.to(*args, **words),
    "transpose": lambda x, *args, **words: x.t(*args, **words),
}  # fmt: skip
"""The names that d2l gives to functions of each framework, for torch."""


def _members() -> dict[str, Any]:
    found = dict(SHORT)
    for module in (d2l_modules, d2l_data, d2l_plots, globals()):
        names = module if isinstance(module, dict) else vars(module)
        for name, value in names.items():
            is_ours = getattr(value, "__module__", "").startswith(__package__)
            if is_ours and isinstance(value, type | FunctionType) and name[:1] != "_":
                value.__module__ = HOME
                found[name] = value
    return found | {"DATA_URL": DATA_URL}


MEMBERS = MappingProxyType(_members())
"""Members of ``d2l.torch``, by name; the classes say that they are from there."""
