"""Programs in which a batch meets a network, and both meet a loss."""

from playground.lessons.models.records import ComputeLoss, FeedModel, Layer


def feed_line(settings: FeedModel) -> str:
    """The line in which they meet.

    >>> feed_line(FeedModel()), feed_line(FeedModel(layer=Layer.LSTM))
    ('Y = net(X)', 'Y, _ = net(X)')
    """
    return f"{_result(settings)} = net(X)"


def mend_feeding(settings: FeedModel) -> tuple[str, str]:
    """That line, and the same with the batch moved to the network."""
    return feed_line(settings), f'{_result(settings)} = net(X.to("{settings.model}"))'


def _result(settings: FeedModel) -> str:
    return "Y, _" if settings.layer == Layer.LSTM else "Y"


def feed_model(settings: FeedModel) -> str:
    """Feed a layer as it is."""
    return f"""\
import torch
from torch import nn

net = {settings.layer.written}.to("{settings.model}")
X = {settings.layer.batch.format(device=settings.batch)}
{feed_line(settings)}

result = str(Y.device)
"""


def compute_loss(settings: ComputeLoss) -> str:
    """Send a batch through network and loss."""
    return _program(settings, ())


def mend_loss(settings: ComputeLoss) -> tuple[str, str]:
    """Nothing goes; the lines that bring everything to the network come."""
    return "", "\n".join(settings.moves)


def repair_loss(settings: ComputeLoss) -> str:
    """The same, with the lines that bring everything to the network."""
    return _program(settings, settings.moves)


def _program(settings: ComputeLoss, moves: tuple[str, ...]) -> str:
    added = "".join(f"{line}\n" for line in moves)
    return f"""\
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 3).to("{settings.model}")
criterion = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0, 3.0])).to("{settings.weight}")
X = torch.ones(2, 4, device="{settings.batch}")
y = torch.tensor([0, 2], device="{settings.labels}")
{added}loss = criterion(net(X), y)
print(criterion._buffers)  # the class weights: a buffer of the loss

result = str(loss.device)
"""
