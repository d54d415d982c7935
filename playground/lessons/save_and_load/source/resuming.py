"""Training, interrupted and resumed, as a program."""

from playground.lessons.save_and_load.records import LeftOut, ResumeTraining

SAVED = {
    LeftOut.MODEL: '    "model": net.state_dict(),\n',
    LeftOut.OPTIMIZER: '    "optimizer": optimizer.state_dict(),\n',
    LeftOut.ORDER: '    "rng": torch.get_rng_state(),  # the order of the batches\n',
}
RESTORED = {
    LeftOut.MODEL: 'net.load_state_dict(checkpoint["model"])\n',
    LeftOut.OPTIMIZER: 'optimizer.load_state_dict(checkpoint["optimizer"])\n',
    LeftOut.ORDER: 'torch.set_rng_state(checkpoint["rng"])\n',
}


def resume_training(settings: ResumeTraining) -> str:
    """Train and save; train on; then go on from the file."""
    kept = [part for part in SAVED if part is not settings.left_out]
    saved = "".join(SAVED[part] for part in kept)
    restored = "".join(RESTORED[part] for part in kept)
    return f"""\
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed({settings.seed})
X = torch.randn(64, 2)
y = X[:, :1] * X[:, 1:]


def make():
    net = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1))
    return net, {settings.optimizer.written}


def train(net, optimizer, epochs):
    losses = []
    for _ in range(epochs):
        total = 0.0
        for batch in torch.randperm(64).split(16):
            loss = F.mse_loss(net(X[batch]), y[batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        losses.append(total / 4)
    return losses


net, optimizer = make()
losses = train(net, optimizer, {settings.before})
checkpoint = {{
    "epoch": {settings.before},
{saved}}}
torch.save(checkpoint, "checkpoint.pt")
uninterrupted = losses + train(net, optimizer, {settings.after})

torch.manual_seed({settings.seed + 1})  # as in another run
net, optimizer = make()
checkpoint = torch.load("checkpoint.pt")
{restored}resumed = losses + train(net, optimizer, {settings.after})
print(resumed == uninterrupted)

result = (uninterrupted, resumed)
"""
