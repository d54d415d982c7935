"""Programs about the rules of a network."""

from playground.lessons.initialization.records import (
    ApplyPerLayer,
    ApplyToAll,
    FollowOwnRule,
    Reach,
    Spelling,
    Way,
)
from playground.modules.source import as_sequential

MEANT = {
    Reach.LINEAR: "type(module) == nn.Linear",
    Reach.MATRICES: "has_matrix(module)",
}
HAS_MATRIX = """
def has_matrix(module):
    weight = getattr(module, "weight", None)
    return isinstance(weight, nn.Parameter) and weight.dim() > 1

"""
RESULT = """
result = [(name, each.mean().item()) for name, each in net.named_parameters()]
"""
IN_PLACE = {
    Spelling.DATA: "        module.weight.data *= module.weight.data.abs() >= {threshold}",
    Spelling.NO_GRAD: "        with torch.no_grad():\n"
    "            module.weight *= module.weight.abs() >= {threshold}",
    Spelling.PLAIN: "        module.weight *= module.weight.abs() >= {threshold}",
}


def apply_to_all(settings: ApplyToAll) -> str:
    """Apply one function to every module."""
    helper = HAS_MATRIX if settings.reach is Reach.MATRICES else ""
    return f"""{as_sequential(settings.spec, seed=settings.seed)}
{helper}
def init_weights(module):
    print(type(module).__name__)
    if {MEANT[settings.reach]}:
        {settings.call}
        if getattr(module, "bias", None) is not None:
            nn.init.zeros_(module.bias)


net.apply(init_weights)
{RESULT}"""


def apply_per_layer(settings: ApplyPerLayer) -> str:
    """Give some layers one rule, and others another."""
    made = as_sequential(settings.spec, seed=settings.seed)
    value = settings.value
    if settings.way is Way.NAME:
        return f"""from fnmatch import fnmatchcase

{made}
for name, parameter in net.named_parameters():
    if fnmatchcase(name, {settings.pattern!r}):
        nn.init.constant_(parameter, {value})
{RESULT}"""
    if settings.way is Way.TYPE:
        rule = f"""for module in filter(has_matrix, net.modules()):
    if type(module).__name__ == {settings.type_name!r}:
        nn.init.xavier_uniform_(module.weight)
    else:
        nn.init.constant_(module.weight, {value})
"""
    else:
        rule = f"""layers = [module for module in net.modules() if has_matrix(module)]
nn.init.xavier_uniform_(layers[0].weight)
nn.init.constant_(layers[-1].weight, {value})
"""
    return f"""{made}
{HAS_MATRIX}
{rule}{RESULT}"""


def follow_own_rule(settings: FollowOwnRule) -> str:
    """Draw, and keep what is large."""
    in_place = IN_PLACE[settings.spelling].format(threshold=settings.threshold)
    return f"""import torch
from torch import nn


def my_init(module):
    if type(module) == nn.Linear:
        nn.init.uniform_(module.weight, -{settings.bound}, {settings.bound})
{in_place}


torch.manual_seed({settings.seed})
net = nn.Linear(20, 256)
net.apply(my_init)
print(net.weight[:2])

result = (net.weight == 0).float().mean().item()
"""


def mend_own_rule(settings: FollowOwnRule) -> tuple[str, str]:
    """The line that is refused, and the one that is not."""
    threshold = settings.threshold
    gone = IN_PLACE[Spelling.PLAIN].format(threshold=threshold).strip()
    come = IN_PLACE[Spelling.DATA].format(threshold=threshold).strip()
    return gone, come
