"""Programs with FixedHiddenMLP: its loop, its one layer in two places."""

from playground.lessons.blocks.records import CountLoops, Infinite, TrainShared
from playground.lessons.blocks.source.programs import program


def count_loops(settings: CountLoops) -> str:
    """Feed the block with a batch of a scale, and read how often the loop ran."""
    batch = {
        Infinite.NOWHERE: f"X = torch.rand(2, 20) * 1e{settings.exponent}\n",
        Infinite.INPUT: "X = torch.rand(2, 20)\nX[0, 0] = torch.inf\n",
        Infinite.CONSTANT: "X = torch.rand(2, 20)\nnet.rand_weight[0, 0] = torch.inf\n",
    }[settings.infinite]
    return program(
        f"""\
torch.manual_seed({settings.seed})
net = FixedHiddenMLP()
{batch}
with torch.no_grad():
    Y = net(X)
has_ended = net.halvings < net.most_halvings

result = (net.halvings, has_ended, str(Y))
""",
        classes=["FixedHiddenMLP"],
    )


def train_shared(settings: TrainShared) -> str:
    """A training step, and the gradient from each of the two uses."""
    return program(
        f"""\
torch.manual_seed({settings.seed})
net = FixedHiddenMLP()
X = torch.rand({settings.rows}, 20)
first, second = copy.deepcopy(net.linear), copy.deepcopy(net.linear)
constant = net.rand_weight.clone()

optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
net(X).backward()
optimizer.step()

# The same computation with a layer for each place; net has counted the rounds of the loop.
H = second(F.relu(first(X) @ net.rand_weight + 1))
(H / 2**net.halvings).sum().backward()
layers = (net.linear.parameters(), first.parameters(), second.parameters())
distances = [(p.grad - a.grad - b.grad).abs().max().item() for p, a, b in zip(*layers)]

result = (
    sum(p.numel() for p in net.parameters()),
    torch.equal(constant, net.rand_weight),
    max(distances),
)
""",
        classes=["FixedHiddenMLP"],
        needs=["import copy"],
    )
