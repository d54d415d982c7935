"""The classes of ``d2l.torch``: modules and the trainer of the object-oriented chapters."""

import inspect
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch
from matplotlib import pyplot as plt
from torch import Tensor, nn
from torch.nn import functional

from playground.sandbox.facade.guard import write
from playground.sandbox.packages import d2l_plots


def add_to_class(Class: type) -> Callable[[Any], None]:
    """Register the decorated function as a method of a class of the program or of d2l."""

    def register(obj: Any) -> None:
        name = str(obj.__name__)
        setattr(write(Class, name), name, obj)

    return register


class HyperParameters:
    """Keeps the arguments of ``__init__`` as attributes."""

    def save_hyperparameters(self, ignore: Sequence[str] = ()) -> None:
        """Store the arguments of the calling method as attributes, and in ``hparams``."""
        given = inspect.getargvalues(sys._getframe(1))
        names = [*given.args, *(name for name in (given.varargs, given.keywords) if name)]
        self.hparams = {
            name: given.locals[name]
            for name in names
            if name not in {"self", *ignore} and name[:1] != "_" and name in given.locals
        }
        for name, value in self.hparams.items():
            setattr(write(self, name), name, value)


class ProgressBoard(HyperParameters):
    """Draws points as lines; each point is the mean of ``every_n`` values."""

    def __init__(
        self,
        xlabel: str | None = None,
        ylabel: str | None = None,
        xlim: Any = None,
        ylim: Any = None,
        xscale: str = "linear",
        yscale: str = "linear",
        ls: Sequence[str] = ("-", "--", "-.", ":"),
        colors: Sequence[str] = ("C0", "C1", "C2", "C3"),
        fig: Any = None,
        axes: Any = None,
        figsize: tuple[float, float] = (3.5, 2.5),
        display: bool = True,
    ) -> None:
        self.xlabel, self.ylabel, self.xlim, self.ylim = xlabel, ylabel, xlim, ylim
        self.xscale, self.yscale, self.ls, self.colors = xscale, yscale, ls, colors
        self.fig, self.axes, self.figsize, self.display = fig, axes, figsize, display
        self.raw_points: dict[str, list[tuple[float, float]]] = {}
        self.data: dict[str, list[tuple[float, float]]] = {}
        self.lines: dict[str, Any] = {}

    def draw(self, x: Any, y: Any, label: str, every_n: int = 1) -> None:
        """Add a value to a line."""
        waiting = self.raw_points.setdefault(label, [])
        waiting.append((float(x), float(y)))
        if len(waiting) < every_n:
            return
        count = len(waiting)
        mean = (sum(each[0] for each in waiting) / count, sum(each[1] for each in waiting) / count)
        waiting.clear()
        self.data.setdefault(label, []).append(mean)
        if self.display:
            self._show(label)

    def _show(self, label: str) -> None:
        if self.axes is None:
            self.fig, self.axes = plt.subplots(figsize=self.figsize)
        if label not in self.lines:
            at = len(self.lines)
            style, colour = self.ls[at % len(self.ls)], self.colors[at % len(self.colors)]
            [self.lines[label]] = self.axes.plot([], [], style, color=colour, label=label)
            scales = (self.xlim, self.ylim, self.xscale, self.yscale)
            names = (self.xlabel or "x", self.ylabel or "")
            d2l_plots.set_axes(self.axes, *names, *scales, list(self.lines))
        self.lines[label].set_data(*zip(*self.data[label], strict=True))
        self.axes.relim()
        self.axes.autoscale_view()


class Module(nn.Module, HyperParameters):
    """A model that knows its loss, its optimizer and its board."""

    trainer: Any
    net: Any
    lr: float

    def __init__(self, plot_train_per_epoch: int = 2, plot_valid_per_epoch: int = 1) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.board = ProgressBoard()

    def loss(self, y_hat: Tensor, y: Tensor) -> Tensor:
        """Return the loss; a model defines it."""
        raise NotImplementedError

    def forward(self, X: Tensor) -> Any:
        """Call the network."""
        assert hasattr(self, "net"), "Neural network is defined"
        return self.net(X)

    def plot(self, key: str, value: Any, train: bool) -> None:
        """Add a value of a training or validation step to the board."""
        assert hasattr(self, "trainer"), "Trainer is not inited"
        trainer = self.trainer
        self.board.xlabel = "epoch"
        if train:
            x = trainer.train_batch_idx / trainer.num_train_batches
            every = trainer.num_train_batches / self.plot_train_per_epoch
        else:
            x = trainer.epoch + 1
            every = trainer.num_val_batches / self.plot_valid_per_epoch
        label = ("train_" if train else "val_") + key
        self.board.draw(x, torch.as_tensor(value).detach().cpu(), label, every_n=int(every))

    def training_step(self, batch: Sequence[Tensor]) -> Tensor:
        """Return the loss of a batch, and plot it."""
        loss = self.loss(self(*batch[:-1]), batch[-1])
        self.plot("loss", loss, train=True)
        return loss

    def validation_step(self, batch: Sequence[Tensor]) -> None:
        """Plot the loss of a batch."""
        self.plot("loss", self.loss(self(*batch[:-1]), batch[-1]), train=False)

    def configure_optimizers(self) -> Any:
        """Return stochastic gradient descent with the rate ``lr``."""
        return torch.optim.SGD(self.parameters(), lr=self.lr)

    def apply_init(self, inputs: Sequence[Tensor], init: Any = None) -> None:
        """Let lazy layers see their inputs, then initialize them."""
        self.forward(*inputs)
        if init is not None:
            self.net.apply(init)


class Classifier(Module):
    """A model with the cross-entropy loss and the accuracy."""

    def validation_step(self, batch: Sequence[Tensor]) -> None:
        """Plot loss and accuracy of a batch."""
        y_hat = self(*batch[:-1])
        self.plot("loss", self.loss(y_hat, batch[-1]), train=False)
        self.plot("acc", self.accuracy(y_hat, batch[-1]), train=False)

    def accuracy(self, Y_hat: Tensor, Y: Tensor, averaged: bool = True) -> Tensor:
        """Return the part of the rows whose largest output is that of the label."""
        found = Y_hat.reshape(-1, Y_hat.shape[-1]).argmax(dim=1).type(Y.dtype)
        right = (found == Y.reshape(-1)).type(torch.float32)
        return right.mean() if averaged else right

    def loss(self, Y_hat: Tensor, Y: Tensor, averaged: bool = True) -> Tensor:
        """Return the cross-entropy."""
        rows = Y_hat.reshape(-1, Y_hat.shape[-1])
        how = "mean" if averaged else "none"
        return functional.cross_entropy(rows, Y.reshape(-1), reduction=how)

    def layer_summary(self, X_shape: Sequence[int]) -> None:
        """Print the shape of the output of each layer."""
        X = torch.randn(*X_shape)
        for layer in self.net:
            X = layer(X)
            sys.stdout.write(f"{type(layer).__name__} output shape:\t {X.shape}\n")


class Trainer(HyperParameters):
    """Trains a model on data for some epochs, on a GPU if there is one and it is asked for."""

    max_epochs: int
    gradient_clip_val: float
    model: Any

    def __init__(self, max_epochs: int, num_gpus: int = 0, gradient_clip_val: float = 0) -> None:
        self.save_hyperparameters()
        count = torch.cuda.device_count() if torch.cuda.is_available() else 0
        self.gpus = [torch.device(f"cuda:{index}") for index in range(min(num_gpus, count))]

    def prepare_data(self, data: Any) -> None:
        """Take the batches of the data."""
        self.train_dataloader = data.train_dataloader()
        self.val_dataloader = data.val_dataloader()
        self.num_train_batches = len(self.train_dataloader)
        has_val = self.val_dataloader is not None
        self.num_val_batches = len(self.val_dataloader) if has_val else 0

    def prepare_model(self, model: Any) -> None:
        """Take the model, to the GPU if there is one."""
        model.trainer = self
        model.board.xlim = [0, self.max_epochs]
        if self.gpus:
            model.to(self.gpus[0])
        self.model = model

    def prepare_batch(self, batch: Sequence[Tensor]) -> Sequence[Tensor]:
        """Bring a batch to the device of the model."""
        return [each.to(self.gpus[0]) for each in batch] if self.gpus else batch

    def fit(self, model: Any, data: Any) -> None:
        """Train."""
        self.prepare_data(data)
        self.prepare_model(model)
        self.optim = model.configure_optimizers()
        self.train_batch_idx = self.val_batch_idx = 0
        for epoch in range(self.max_epochs):
            self.epoch = epoch
            self.fit_epoch()

    def fit_epoch(self) -> None:
        """Take a step for each batch, then validate."""
        self.model.train()
        for batch in self.train_dataloader:
            loss = self.model.training_step(self.prepare_batch(batch))
            self.optim.zero_grad()
            loss.backward()
            with torch.no_grad():
                if self.gradient_clip_val > 0:
                    self.clip_gradients(self.gradient_clip_val, self.model)
                self.optim.step()
            self.train_batch_idx += 1
        if self.val_dataloader is None:
            return
        self.model.eval()
        for batch in self.val_dataloader:
            with torch.no_grad():
                self.model.validation_step(self.prepare_batch(batch))
            self.val_batch_idx += 1

    def clip_gradients(self, grad_clip_val: float, model: Any) -> None:
        """Scale the gradients down to a norm."""
        nn.utils.clip_grad_norm_([*model.parameters()], grad_clip_val)


class SGD(HyperParameters):
    """Stochastic gradient descent on a list of tensors."""

    def __init__(self, params: Iterable[Tensor], lr: float) -> None:
        self.params, self.lr = list(params), lr

    def step(self) -> None:
        """Move each tensor against its gradient."""
        for each in self.params:
            each -= self.lr * each.grad  # type: ignore[operator]

    def zero_grad(self) -> None:
        """Set the gradients to zero."""
        for each in self.params:
            if each.grad is not None:
                each.grad.zero_()


class LinearRegressionScratch(Module):
    """Linear regression from tensors."""

    def __init__(self, num_inputs: int, lr: float, sigma: float = 0.01) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.w = torch.normal(0, sigma, (num_inputs, 1), requires_grad=True)
        self.b = torch.zeros(1, requires_grad=True)

    def forward(self, X: Tensor) -> Tensor:
        """Return the predictions."""
        return X @ self.w + self.b

    def loss(self, y_hat: Tensor, y: Tensor) -> Tensor:
        """Return half of the mean squared error."""
        return ((y_hat - y) ** 2 / 2).mean()

    def configure_optimizers(self) -> SGD:
        """Return d2l's own descent."""
        return SGD([self.w, self.b], self.lr)


class LinearRegression(Module):
    """Linear regression by a layer of torch."""

    def __init__(self, lr: float) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.LazyLinear(1)
        self.net.weight.data.normal_(0, 0.01)
        self.net.bias.data.fill_(0)

    def loss(self, y_hat: Tensor, y: Tensor) -> Tensor:
        """Return the mean squared error."""
        return functional.mse_loss(y_hat, y)

    def get_w_b(self) -> tuple[Tensor, Tensor]:
        """Return weight and bias."""
        return self.net.weight.data, self.net.bias.data
