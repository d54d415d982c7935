"""Programs with blocks that keep something: layers, a constant."""

from playground.lessons.blocks.records import (
    Container,
    Keeping,
    MoveConstant,
    Use,
    UseMySequential,
)
from playground.lessons.blocks.source.programs import program

CLASSES = {Container.LIST: "MySequentialWithList", Container.MODULES: "MySequential"}
USES = {
    Use.OPTIMIZER: "optimizer = torch.optim.SGD(net.parameters(), lr=0.1)\n",
    Use.FORWARD: "",
    Use.MOVE: 'net.to("{device}")\n',
}


def use_my_sequential(settings: UseMySequential) -> str:
    """Make the block and use it."""
    name = CLASSES[settings.container]
    place = f', device="{settings.device}"' if settings.use == Use.MOVE else ""
    return program(
        f"""\
torch.manual_seed(0)
net = {name}(nn.Linear(20, 256), nn.ReLU(), nn.Linear(256, 10))
print(type(net._modules), list(net._modules))
print(len(list(net.parameters())), "tensors in parameters()")
{USES[settings.use].format(device=settings.device)}
Y = net(torch.ones(2, 20{place}))

result = (tuple(Y.shape), list(net._modules), len(list(net.parameters())))
""",
        classes=[name],
    )


def mend_container(settings: UseMySequential) -> tuple[str, str]:
    """The line that forgets the layers, and the one that registers them."""
    del settings
    return "self.layers = list(modules)", "self.layers = nn.ModuleList(modules)"


def repair_container(settings: UseMySequential) -> str:
    """The program with that line changed."""
    gone, come = mend_container(settings)
    return use_my_sequential(settings).replace(gone, come)


def move_constant(settings: MoveConstant) -> str:
    """Move the net, then feed it where it went."""
    return program(
        f"""\
torch.manual_seed(0)
{made_line(settings.keeping)}
net.to("{settings.device}")
print(net.linear.weight.device, net.rand_weight.device)

Y = net(torch.ones(2, 20, device="{settings.device}"))

result = (str(Y.device), str(net.rand_weight.device), "rand_weight" in net.state_dict())
""",
        classes=["FixedHiddenMLP"],
    )


def made_line(keeping: Keeping) -> str:
    """The line that makes the net."""
    return f"net = FixedHiddenMLP({'as_buffer=True' if keeping == Keeping.BUFFER else ''})"


def mend_constant(settings: MoveConstant) -> tuple[str, str]:
    """The line without a buffer, and with one."""
    return made_line(settings.keeping), made_line(Keeping.BUFFER)
