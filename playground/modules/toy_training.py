"""Trains a network for some steps on a toy task that its input decides.

Tokens are copied, images are drawn digits with noise, any other features are points on two spirals.
"""

import io
import math

import torch
from torch import Tensor
from torch.nn import functional

from playground.errors import InvalidSpecError
from playground.modules.build import build
from playground.modules.flow import digits
from playground.modules.spec.network import InputKind, InputSpec, Network
from playground.modules.workbench import Training

BATCH = 32
STEPS = 25
MAX_PARAMETERS = 500_000
MAX_ELEMENTS = 50_000  # of one sample
LEARNING_RATE = 3e-3
IMAGE_DIMS = 4


def train(text: str, state: bytes, seed: int) -> Training:
    """Train for ``STEPS`` more steps.

    Args:
        text: The network as JSON.
        state: What the last call returned; empty to begin.
        seed: Of the parameters and the data.

    Raises:
        InvalidSpecError: It cannot be built, has no fitting output, or is too large to train here.
    """
    network = Network.from_json(text)
    net = build(network, seed)
    count = sum(each.numel() for each in net.parameters())
    size = math.prod(network.input[0].shape[1:])
    if not 0 < count <= MAX_PARAMETERS or size > MAX_ELEMENTS or len(network.input) != 1:
        raise InvalidSpecError("spec_not_trained", given=count, most=MAX_PARAMETERS)
    optimizer = torch.optim.Adam(net.parameters(), lr=LEARNING_RATE)
    losses: list[float] = []
    if state:
        saved = torch.load(io.BytesIO(state), weights_only=True)
        net.load_state_dict(saved["net"])
        optimizer.load_state_dict(saved["optimizer"])
        losses = saved["losses"]
    generator = torch.Generator().manual_seed(seed + len(losses))
    for _ in range(STEPS):
        inputs, y = toy_batch(network.input[0], generator)
        optimizer.zero_grad()
        loss = toy_loss(net(inputs), inputs, y)
        torch.autograd.backward([loss])
        optimizer.step()
        losses.append(float(loss.detach()))
    kept = io.BytesIO()
    torch.save(
        {"net": net.state_dict(), "optimizer": optimizer.state_dict(), "losses": losses}, kept
    )
    return Training(losses=tuple(losses), state=kept.getvalue(), task=task_of(network.input[0]))


def task_of(given: InputSpec) -> str:
    """Return the id of the task for an input."""
    if given.kind is InputKind.TOKENS:
        return "copy"
    return "digits" if len(given.shape) == IMAGE_DIMS else "spirals"


def toy_batch(given: InputSpec, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Draw a batch in the sizes of an input, and its labels."""
    sizes = given.shape[1:]
    match task_of(given):
        case "copy":
            tokens = torch.randint(given.below, (BATCH, *sizes), generator=generator)
            return tokens, tokens
        case "digits":
            y = torch.randint(10, (BATCH,), generator=generator)
            images = digits(10)[y].unsqueeze(1)
            sized = functional.interpolate(images, size=sizes[1:], mode="bilinear")
            clean = sized.expand(BATCH, *sizes)
            return clean + 0.2 * torch.randn(clean.shape, generator=generator), y
    y = torch.randint(2, (BATCH,), generator=generator)
    radius = torch.rand(BATCH, generator=generator)
    angle = 3 * math.pi * radius + math.pi * y
    points = torch.stack([radius * angle.cos(), radius * angle.sin()], dim=1)
    width = math.prod(sizes)
    return points.repeat(1, -(-width // 2))[:, :width].reshape(BATCH, *sizes), y


def toy_loss(output: object, given: Tensor, y: Tensor) -> Tensor:
    """Return the loss that fits an output: classes, tokens, or the input again.

    Raises:
        InvalidSpecError: None fits.
    """
    if not isinstance(output, Tensor):
        raise InvalidSpecError("spec_no_loss")
    if output.shape == given.shape and given.is_floating_point() and output.dim() == 2:
        return functional.mse_loss(output, given)
    classes = int(y.max()) + 1
    if output.dim() == y.dim() + 1 and output.shape[:-1] == y.shape and output.shape[-1] >= classes:
        return functional.cross_entropy(output.flatten(0, -2), y.flatten())
    raise InvalidSpecError("spec_no_loss")
