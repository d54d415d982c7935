"""Programs that do something with a network before its first batch."""

from playground.lessons.lazy_layers.records import (
    Action,
    InitialiseNet,
    Moment,
    TrainFromBefore,
    TryTooEarly,
)
from playground.lessons.lazy_layers.source.networks import (
    HEAD,
    SMALL,
    called,
    drawn,
    making,
    names,
    program,
    reached,
)
from playground.modules.spec import InputKind, Network
from playground.modules.spec.lazy import lazy_paths

STATEMENTS = {Action.FREEZE_EACH, Action.SAVE_AND_LOAD}
FED = "net(torch.ones(2, 20))  # the first batch"


def try_too_early(settings: TryTooEarly) -> str:
    """Do it, and feed the network afterwards."""
    network = settings.lazy
    action = settings.action
    paths = lazy_paths(network)
    lines = []
    if action in {Action.INTO_EAGER, Action.FROM_EAGER}:
        lines += [making(settings.eager).replace("net = ", "eager = ", 1)]
    if action in {Action.INIT_NORMAL, Action.INIT_XAVIER} and paths:
        lines += [f"weight = {reached(paths[0])}.weight"]
    if action is Action.SAVE_AND_LOAD:
        lines += ["file = io.BytesIO()"]
    code = action.code if action in STATEMENTS else f"print({action.code})"
    lines += [code, "", drawn(network), *_converted(network, action), f"Y = {called(network)}"]
    text = program(network)
    needs = {Action.SAVE_AND_LOAD: "import io\n\n", Action.DEEPCOPY: "import copy\n\n"}
    body = "\n".join(lines)
    return f"""\
{needs.get(action, "")}{text}
{body}

result = sum(p.numel() for p in net.parameters())
"""


def _converted(network: Network, action: Action) -> list[str]:
    """What goes in must have the type that the network has now."""
    kind = {Action.DOUBLE: "double", Action.BFLOAT16: "bfloat16"}.get(action)
    floats = (
        name
        for name, one in zip(names(network), network.input, strict=True)
        if one.kind is InputKind.FLOAT
    )
    return [f"{name} = {name}.{kind}()" for name in floats] if kind else []


def train_from_before(settings: TrainFromBefore) -> str:
    """Make the optimizer before the first batch or after it, and take a step."""
    made = f"optimizer = torch.optim.{settings.optimizer}(net.parameters(), lr=0.1)"
    fed = "net(X)  # the first batch"
    first = (made, fed) if settings.moment is Moment.BEFORE else (fed, made)
    lines = "\n".join(first)
    return f"""\
{HEAD}
torch.manual_seed(0)
{SMALL}
X, y = torch.randn(8, 20), torch.randn(8, 10)
{lines}
before = [p.detach().clone() for p in net.parameters()]


def closure():
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(net(X), y)
    loss.backward()
    return loss


optimizer.step(closure)
changed = [not torch.equal(old, new) for old, new in zip(before, net.parameters())]

result = sum(changed)
"""


def initialise_net(settings: InitialiseNet) -> str:
    """Initialise with ``apply``, before the first batch or after it."""
    applied = "net.apply(init)"
    first = (applied, FED) if settings.moment is Moment.BEFORE else (FED, applied)
    lines = "\n".join(first)
    return f"""\
{HEAD}

def init(m):
    if {settings.check.code}:
        print("initialising", m)
        nn.init.normal_(m.weight, std=0.01)


torch.manual_seed({settings.seed})
{SMALL}
{lines}

result = [net[i].weight.std().item() for i in (0, 2)]
"""
