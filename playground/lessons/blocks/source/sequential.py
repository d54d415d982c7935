"""Programs with layers in a row: called in two ways, and beside a class."""

from playground.lessons.blocks.records import CallSequential, CompareWithSequential, Copying
from playground.lessons.blocks.records.sequential import LAYERS
from playground.lessons.blocks.source.programs import program

NET = "net = nn.Sequential({})\n".format(", ".join(LAYERS))
COPIES = {
    Copying.NOTHING: "",
    Copying.SEED: "",
    Copying.STATE_DICT: "mlp.load_state_dict(net.state_dict())\n",
    Copying.LAYERS: "mlp.hidden.load_state_dict(net[0].state_dict())\n"
    "mlp.out.load_state_dict(net[2].state_dict())\n",
}


def call_sequential(settings: CallSequential) -> str:
    """A hook on every module, then a batch."""
    return program(
        f"""\
torch.manual_seed({settings.seed})
{NET}X = torch.rand({settings.batch}, {settings.width})

called = []
for name, module in net.named_modules():  # the network itself, then its layers
    module.register_forward_hook(lambda *_, name=name: called.append(name or "net"))

Y = {settings.call.written}

result = (tuple(Y.shape), called)
""",
        needs=["from torch import nn"],
    )


def compare_with_sequential(settings: CompareWithSequential) -> str:
    """The class and the Sequential, fed with one batch."""
    seed = f"torch.manual_seed({settings.seed})\n"
    again = seed if settings.copying == Copying.SEED else ""
    return program(
        f"""\
{seed}{NET}{again}mlp = MLP()
{COPIES[settings.copying]}
torch.manual_seed({settings.seed})
X = torch.rand(2, 20)
mine, theirs = mlp(X), net(X)

result = (torch.equal(mine, theirs), (mine - theirs).abs().max().item())
""",
        classes=["MLP"],
    )
