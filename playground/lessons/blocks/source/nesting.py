"""Programs with blocks inside blocks, and with the five duties of one."""

from playground.lessons.blocks.records import CheckDuties, NestBlocks, Piece
from playground.lessons.blocks.source.programs import program

CLASSES = {Piece.NEST_MLP: "NestMLP", Piece.FIXED_HIDDEN: "FixedHiddenMLP"}


def nest_blocks(settings: NestBlocks) -> str:
    """Three blocks in a row."""
    pieces = "".join(f"    {piece.written},\n" for piece in settings.chosen)
    classes = [CLASSES[piece] for piece in settings.chosen if piece in CLASSES]
    return program(
        f"""\
torch.manual_seed(0)
net = nn.Sequential(
{pieces})
print(net)

Y = net(torch.rand(2, 20))

result = (tuple(Y.shape), sum(p.numel() for p in net.parameters()))
""",
        classes=classes,
        needs=["from torch import nn"],
    )


def check_duties(settings: CheckDuties) -> str:
    """The duties of one block, one after the other."""
    block = settings.block
    return program(
        f"""\
torch.set_default_dtype(torch.float64)  # float32 is too coarse for difference quotients
torch.manual_seed({settings.seed})
net = {block.written}

X = torch.rand({block.input_shape}, requires_grad=True)  # 1. input
Y = net(X)  # 2. output
weights = torch.rand(Y.shape)


def loss():
    return (net(X) * weights).sum()


loss().backward()  # 3. gradient
numbers, h = X.detach().view(-1), 1e-6
kept = numbers[0].item()
with torch.no_grad():
    numbers[0] = kept + h
    above = loss().item()
    numbers[0] = kept - h
    below = loss().item()
    numbers[0] = kept
quotient = (above - below) / (2 * h)
print(X.grad.view(-1)[0].item(), quotient)

names = [name for name, _ in net.named_parameters()]  # 4. parameters
without = [name for name, p in net.named_parameters() if p.grad is None]
largest = max((p.abs().max().item() for p in net.parameters()), default=0.0)  # 5. initialisation

result = (tuple(Y.shape), abs(X.grad.view(-1)[0].item() - quotient), names, without, largest)
""",
        classes=block.class_names,
        needs=["from torch import nn"],
    )
