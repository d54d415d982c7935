"""Step on operations that a lazy network supports or refuses before its first batch."""

from enum import StrEnum

from playground.errors import InvalidSettingError
from playground.lessons.lazy_layers.weight_boxes import Moment, box, draw, lazy_box
from playground.modules.network_step import NetworkStep
from playground.modules.source import as_sequential
from playground.modules.spec import Network
from playground.modules.spec.lazy import lazy_paths, postponed
from playground.steps import Answer, Files, Labels, Picture, Run, Words, fix_field

NET = "net = nn.Sequential(nn.LazyLinear(256), nn.ReLU(), nn.LazyLinear(10))"
READY = "ready = nn.Sequential(nn.Linear(20, 256), nn.ReLU(), nn.Linear(256, 10))"
BATCH = "net(torch.rand(2, 20))"


class Action(StrEnum):
    """The operation; the value is the line of the program."""

    COUNT = "sum(p.numel() for p in net.parameters())"
    NAMES = "[name for name, _ in net.named_parameters()]"
    NORMAL = "nn.init.normal_(next(net.parameters()), std=0.01)"
    XAVIER = "nn.init.xavier_uniform_(next(net.parameters()))"
    FREEZE = "net.requires_grad_(False)"
    FREEZE_EACH = "for p in net.parameters(): p.requires_grad = False"
    DOUBLE = "net.double()"
    BFLOAT16 = "net.bfloat16()"
    DEEPCOPY = "copy.deepcopy(net)"
    STATE_DICT = "net.state_dict()"
    LOAD = 'torch.load("net.pt")'
    FROM_READY = "net.load_state_dict(ready.state_dict())"
    SGD = "optimizer = torch.optim.SGD(net.parameters(), lr=0.1)"
    ADAM = "optimizer = torch.optim.Adam(net.parameters(), lr=0.1)"
    ADAGRAD = "optimizer = torch.optim.Adagrad(net.parameters(), lr=0.1)"
    MUON = "optimizer = torch.optim.Muon(net.parameters(), lr=0.1)"


OPTIMIZERS = (Action.SGD, Action.ADAM, Action.ADAGRAD, Action.MUON)
BEFORE = {  # a line that the action needs
    Action.LOAD: 'torch.save(net.state_dict(), "net.pt")\n',
    Action.FROM_READY: f"{READY}\n",
}
NEED_SHAPES = {
    *(Action.COUNT, Action.NORMAL, Action.XAVIER, Action.FREEZE, Action.BFLOAT16),
    *(Action.LOAD, Action.ADAGRAD, Action.MUON),
}


class TooEarly(NetworkStep):
    """Apply an operation to a lazy network before its first batch."""

    takes_weights = False  # a lazy network has none

    action: Action = Action.COUNT
    is_fixed: bool = fix_field()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.network and self.action is Action.FROM_READY:  # it needs one with its sizes, too
            raise InvalidSettingError(
                "choice", field="action", given=self.action, allowed=Action.LOAD
            )

    def visitors_network(self) -> Network:
        """Return the network from the builder, with its layers made lazy."""
        return postponed(super().visitors_network())

    def files(self) -> Files | None:
        return Files() if self.action is Action.LOAD else None

    def code(self, w: Words) -> str:
        head = "import torch\nfrom torch import nn\n\n"
        if self.network:
            head = as_sequential(self.visitors_network(), seed=0).rstrip() + f"{w.folded}\n"
        else:
            head += f"{NET}\n"
        if self.action is Action.DEEPCOPY:
            head = f"import copy\n{head}"
        batch = f"{BATCH}\n" if self.is_fixed and not self.network else ""
        has_step = self.action in OPTIMIZERS and not self.network
        step = f"{BATCH}.sum().backward()\noptimizer.step()\n" if has_step else ""
        return f"{head}{batch}{BEFORE.get(self.action, '')}{w.action}{w.asked}\n{step}"

    def answer(self, run: Run) -> Answer:
        net, outcome = run["net"], run.outcome
        optimizer = run.get("optimizer")
        held = optimizer and {id(p) for each in optimizer.param_groups for p in each["params"]}
        own = {id(each) for each in net.parameters()}
        return Answer(
            prediction="works" if outcome.ok else outcome.error_type,
            explanation=self.explanation(is_ok=outcome.ok),
            facts={"is_held": held == own if held else None},
            placeholders={"optimizer": self.action.partition("optim.")[2].partition("(")[0]},
            fix=None if outcome.ok or self.network else self.tried_fix(),
            data=None
            if self.network
            else (Moment(label="now", boxes=(box("net[0]", net[0]), box("net[2]", net[2]))),),
        )

    def explanation(self, *, is_ok: bool) -> str:
        if self.network:
            if not lazy_paths(self.visitors_network()):
                return "nothing-is-lazy"
            if is_ok == (self.action in NEED_SHAPES):
                return "another-network"
        if self.action is Action.MUON:
            return "muon"
        if self.is_fixed and not self.network:
            return "after-batch"
        names = {Action.XAVIER: Action.NORMAL, Action.ADAM: Action.SGD}
        return names.get(self.action, self.action).name.lower().replace("_", "-")

    def picture(self, answer: Answer | None, labels: Labels) -> Picture | None:
        if self.network:
            return None
        if answer is not None:
            return draw(answer.data, labels)
        boxes = tuple(lazy_box(f"net[{i}]", "LazyLinear", out) for i, out in ((0, 256), (2, 10)))
        return draw((Moment(label="made", boxes=boxes),), labels)


def only_too_early(step: TooEarly, answer: Answer) -> bool:
    """Return whether an optimizer is refused before the first batch, and works after it."""
    return step.action in OPTIMIZERS and answer.fix is not None
