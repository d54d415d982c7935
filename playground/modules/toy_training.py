"""Trains a network for some steps on a toy task that its input decides.

Tokens are copied, images are handwritten digits, any other features are points on two spirals. The
same network and seed give the same weights after the same number of steps.
"""

import copy
import io
import math
import time
from functools import lru_cache

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.parameter import is_lazy

from playground.errors import InvalidSpecError, attempt
from playground.modules.build import build
from playground.modules.digits import labelled_digits
from playground.modules.flow import flow_through
from playground.modules.spec.link import MAX_STEPS, PART_STEPS
from playground.modules.spec.network import InputKind, InputSpec, Network
from playground.modules.workbench_types import Training

BATCH = 32
MAX_PARAMETERS = 500_000
MAX_ELEMENTS = 50_000  # of one sample
MAX_SECONDS = 4  # of a training; a lesson that gets the weights computes them again
LEARNING_RATE = 3e-3
IMAGE_DIMS = 4
MAX_MESSAGE = 200  # characters of torch's message


def train(text: str, state: bytes, seed: int) -> Training:
    """Train for ``PART_STEPS`` more steps.

    Args:
        text: The network as JSON.
        state: What the last call returned; empty to begin.
        seed: Of the parameters and the data.

    Raises:
        InvalidSpecError: It cannot be built, does not run, has no fitting output, or is too large
            to train here.
    """
    started = time.process_time()
    network = Network.from_json(text)
    net = _trainable(network, seed)
    optimizer = torch.optim.Adam(net.parameters(), lr=LEARNING_RATE)
    losses: list[float] = []
    seconds = 0.0
    if state:
        saved = torch.load(io.BytesIO(state), weights_only=True)
        net.load_state_dict(saved["net"])
        optimizer.load_state_dict(saved["optimizer"])
        losses, seconds = saved["losses"], saved["seconds"]
    generator = torch.Generator().manual_seed(seed + len(losses))
    for _ in range(PART_STEPS):
        inputs, y = toy_batch(network.input[0], generator)
        optimizer.zero_grad()
        loss = toy_loss(_called(net, inputs), inputs, y)
        torch.autograd.backward([loss])
        optimizer.step()
        losses.append(float(loss.detach()))
    seconds += time.process_time() - started
    shown, _ = toy_batch(network.input[0], torch.Generator().manual_seed(seed))
    flow = flow_through(network, copy.deepcopy(net), (shown[: network.input[0].shape[0]],))
    parts = {"net": net.state_dict(), "optimizer": optimizer.state_dict()}
    return Training(
        losses=tuple(losses),
        state=_saved({**parts, "losses": losses, "seconds": seconds}),
        task=task_of(network.input[0]),
        flow=flow,
        is_over=len(losses) >= MAX_STEPS or seconds > MAX_SECONDS,
    )


@lru_cache(maxsize=4)
def trained_weights(text: str, steps: int) -> bytes:
    """Return the file of the weights that a network has after a number of steps with seed 0.

    Args:
        text: The network as JSON.
        steps: A multiple of ``PART_STEPS``.

    Raises:
        InvalidSpecError: As in ``train``.
    """
    state = b""
    for _ in range(0, steps, PART_STEPS):
        state = train(text, state, seed=0).state
    return _saved(torch.load(io.BytesIO(state), weights_only=True)["net"])


def load_trained(net: nn.Module, text: str, steps: int) -> None:
    """Load those weights into the network, once it is built."""
    net.load_state_dict(torch.load(io.BytesIO(trained_weights(text, steps)), weights_only=True))


def _saved(value: object) -> bytes:
    file = io.BytesIO()
    torch.save(value, file)
    return file.getvalue()


def _trainable(network: Network, seed: int) -> nn.Module:
    """Build a network, and check its size; lazy layers get their shapes."""
    net = build(network, seed)
    if any(is_lazy(each) for each in net.parameters()):
        inputs, _ = toy_batch(network.input[0], torch.Generator().manual_seed(seed))
        with torch.no_grad():
            _called(net, inputs)
    count = sum(each.numel() for each in net.parameters())
    size = math.prod(network.input[0].shape[1:])
    if not 0 < count <= MAX_PARAMETERS or size > MAX_ELEMENTS or len(network.input) != 1:
        raise InvalidSpecError("spec_not_trained", given=count, most=MAX_PARAMETERS)
    return net


def _called(net: nn.Module, inputs: Tensor) -> object:
    output, outcome = attempt(lambda: net(inputs))
    if not outcome.ok:
        said = f"{outcome.error_type}: {outcome.message}"[:MAX_MESSAGE]
        raise InvalidSpecError("spec_no_forward", given=said)
    return output


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
            images, labels = labelled_digits()
            drawn = torch.randint(len(images), (BATCH,), generator=generator)
            sized = functional.interpolate(
                images[drawn].unsqueeze(1), size=sizes[1:], mode="bilinear"
            )
            return sized.expand(BATCH, *sizes).contiguous(), labels[drawn]
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
