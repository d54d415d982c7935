"""The data of ``d2l.torch``: its modules of data, and loaders of tensors."""

from collections.abc import Iterable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.utils.data import DataLoader, TensorDataset

from playground.sandbox.packages import clothes, d2l_plots
from playground.sandbox.packages.d2l_modules import HyperParameters


class DataModule(HyperParameters):
    """Data with a loader for training and one for validation."""

    root: str
    num_workers: int
    batch_size: int

    def __init__(self, root: str = "../data", num_workers: int = 4) -> None:
        self.save_hyperparameters()

    def get_dataloader(self, train: bool) -> Any:
        """Return the batches; a data set defines it."""
        raise NotImplementedError

    def train_dataloader(self) -> Any:
        """Return the batches for training."""
        return self.get_dataloader(train=True)

    def val_dataloader(self) -> Any:
        """Return the batches for validation."""
        return self.get_dataloader(train=False)

    def get_tensorloader(
        self, tensors: Sequence[Tensor], train: bool, indices: slice = slice(0, None)
    ) -> DataLoader[Any]:
        """Return batches of some rows of tensors, shuffled for training."""
        return load_array([each[indices] for each in tensors], self.batch_size, train)


class _Rows(TensorDataset):
    """Rows of tensors, of which a batch is taken at once."""

    def __getitems__(self, indices: Sequence[int]) -> list[Tensor]:
        """Return the batch."""
        return [each[torch.as_tensor(indices)] for each in self.tensors]


def load_array(
    data_arrays: Sequence[Tensor], batch_size: int, is_train: bool = True
) -> DataLoader[Any]:
    """Return batches of rows of tensors, shuffled for training."""
    return DataLoader(_Rows(*data_arrays), batch_size, shuffle=is_train, collate_fn=_as_it_is)


def _as_it_is(batch: list[Tensor]) -> list[Tensor]:
    return batch


class SyntheticRegressionData(DataModule):
    """Rows from a normal distribution, and labels of a linear model with noise."""

    def __init__(
        self,
        w: Tensor,
        b: float,
        noise: float = 0.01,
        num_train: int = 1000,
        num_val: int = 1000,
        batch_size: int = 32,
    ) -> None:
        super().__init__()
        self.save_hyperparameters()
        count = num_train + num_val
        self.num_train = num_train
        self.X = torch.randn(count, len(w))
        self.y = self.X @ w.reshape(-1, 1) + b + torch.randn(count, 1) * noise

    def get_dataloader(self, train: bool) -> DataLoader[Any]:
        """Return the batches of one of the two parts."""
        rows = slice(0, self.num_train) if train else slice(self.num_train, None)
        return self.get_tensorloader((self.X, self.y), train, rows)


class FashionMNIST(DataModule):
    """The drawn clothes of ``clothes``, under the interface of d2l."""

    def __init__(self, batch_size: int = 64, resize: tuple[int, int] = (28, 28)) -> None:
        super().__init__()
        self.save_hyperparameters()
        steps = clothes.Compose([clothes.Resize(resize), clothes.ToTensor()])
        self.train = clothes.FashionMNIST(self.root, train=True, transform=steps)
        self.val = clothes.FashionMNIST(self.root, train=False, transform=steps)

    def text_labels(self, indices: Iterable[Any]) -> list[str]:
        """Return the names of labels."""
        return [clothes.LABELS[int(each)] for each in indices]

    def get_dataloader(self, train: bool) -> DataLoader[Any]:
        """Return the batches of one of the two parts."""
        return DataLoader(self.train if train else self.val, self.batch_size, shuffle=train)

    def visualize(
        self, batch: Sequence[Tensor], nrows: int = 1, ncols: int = 8, labels: Sequence[str] = ()
    ) -> None:
        """Show the first images of a batch."""
        X, y = batch
        d2l_plots.show_images(X.squeeze(1), nrows, ncols, titles=labels or self.text_labels(y))
