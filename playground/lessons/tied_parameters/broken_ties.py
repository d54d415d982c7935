"""Step on usual operations on a network that preserve or break a tie."""

from enum import StrEnum

from playground.lessons.tied_parameters import ties
from playground.steps import (
    Answer,
    Device,
    Files,
    Labels,
    Machine,
    Picture,
    Run,
    Step,
    Words,
    fix_field,
    shown_if,
)

FILE = "net.params"
SAVED = f'torch.save(make().state_dict(), "{FILE}")\nstate = torch.load("{FILE}")\n'
TIE = "net[2].weight = net[0].weight"


class TiedBy(StrEnum):
    """Ways to tie the weights of two layers; the value is the code of ``make``."""

    PARAMETER = f"""\
    net = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4))
    {TIE}
    return net"""
    MODULE = """\
    shared = nn.Linear(4, 4)
    return nn.Sequential(shared, nn.ReLU(), shared)"""
    STORAGE = """\
    net = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4))
    net[2].weight = nn.Parameter(net[0].weight)
    return net"""


class Action(StrEnum):
    """The operation on the network; the value is the code."""

    LOAD_ASSIGN = f"{SAVED}net = make()\nnet.load_state_dict(state, assign=True)"
    SAVE_LOAD = f"{SAVED}net = make()\nnet.load_state_dict(state)"
    ASSIGN_COPIES = (
        f"{SAVED}state = {{name: each.clone() for name, each in state.items()}}\n"
        "net = make()\nnet.load_state_dict(state, assign=True)"
    )
    LOAD_AFTER_ASSIGN = (
        f"{SAVED}make().load_state_dict(state, assign=True)\n"
        "net = make()\nnet.load_state_dict(state)"
    )
    DEEPCOPY = "net = copy.deepcopy(make())"
    TO_DTYPE = "net = make().to(torch.float64)"
    HALF = "net = make().half()"
    TO_DEVICE = "net = make().to({device})"
    TO_META = 'net = make().to("meta")'
    TO_EMPTY = 'net = make().to_empty(device="cpu")'
    META_TO_EMPTY = 'net = make().to("meta").to_empty(device="cpu")'
    STEP = (
        "net = make()\noptimizer = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        "net(torch.ones(2, 4)).sum().backward()\noptimizer.step()"
    )


CONVERTED = ("same-object-converted", "each-converted")
REPLACED = ("parameter-replaced", "each-replaced")
EXPLANATIONS = {  # tied by Parameter, tied by storage
    Action.TO_DTYPE: CONVERTED,
    Action.HALF: CONVERTED,
    Action.TO_DEVICE: CONVERTED,
    Action.TO_EMPTY: ("same-object-emptied", "each-emptied"),
    Action.DEEPCOPY: ("memo-knows-objects", "memo-knows-no-storage"),
    Action.SAVE_LOAD: ("values-copied-in", "values-copied-in"),
    Action.LOAD_ASSIGN: ("assigned-from-one-storage", "storage-from-the-file"),
    Action.ASSIGN_COPIES: ("assigned-copies", "assigned-copies"),
    Action.LOAD_AFTER_ASSIGN: ("flag-sticks", "flag-sticks"),
    Action.TO_META: REPLACED,
    Action.META_TO_EMPTY: REPLACED,
    Action.STEP: ("stepped-in-place", "stepped-twice-in-place"),
}


class BrokenTies(Step):
    """Apply an operation to a network whose two layers share a weight, and inspect the tie."""

    machine: Machine = Machine()
    tied_by: TiedBy = TiedBy.PARAMETER
    action: Action = Action.LOAD_ASSIGN
    device: Device = shown_if("cuda:0", action=(Action.TO_DEVICE,))
    is_fixed: bool = fix_field()

    def files(self) -> Files:
        return Files()

    def code(self, w: Words) -> str:
        action = self.action.replace("{device}", w.device)
        lines = [
            *(["import copy"] if self.action is Action.DEEPCOPY else []),
            "import torch",
            "from torch import nn",
            f"{w.folded}",
            "def make():",
            *self.tied_by.splitlines(),
            "",
            *action.splitlines(),
            *([TIE] if self.is_fixed else []),
            "a, b = net[0].weight, net[2].weight",
            f"print(a is b, a.untyped_storage() is b.untyped_storage()){w.asked}",
        ]
        return "\n".join(lines)

    def answer(self, run: Run) -> Answer:
        """Compare the tie with that before the operation."""
        if not run.outcome.ok:
            return Answer(
                prediction=run.outcome.error_type,
                explanation="no-such-device",
                data=weights(self.before),
            )
        printed = run.printed.split()
        after = "apart" if printed == ["False", "False"] else "one_storage"
        after = "one_object" if printed[0] == "True" else after
        net = run["net"]
        is_broken = after != self.before
        return Answer(
            prediction=after,
            explanation=self.explanation(),
            facts={
                "tensors": len(list(net.parameters())),
                "weight_device": str(net[0].weight.device),
                "weight_dtype": str(net[0].weight.dtype).removeprefix("torch."),
            },
            placeholders={"device": self.device},
            is_silent_failure=is_broken and not self.is_fixed,
            fix=self.tried_fix() if is_broken else None,
            data=weights(after),
        )

    @property
    def before(self) -> str:
        return "one_storage" if self.tied_by is TiedBy.STORAGE else "one_object"

    def explanation(self) -> str:
        if self.is_fixed:
            return "tied-again"
        if self.tied_by is TiedBy.MODULE:
            return "module-keeps"
        if self.action is Action.TO_DEVICE and self.device == "cpu":
            return "nowhere-to-go"
        by_parameter, by_storage = EXPLANATIONS[self.action]
        return by_parameter if self.tied_by is TiedBy.PARAMETER else by_storage

    def picture(self, answer: Answer | None, labels: Labels) -> Picture:
        """Show names, Parameters and storages; before the answer, as ``make`` ties them."""
        data = answer.data if answer else weights(self.before)
        return ties.draw(data, (labels["name"], labels["object"], labels["storage"]))


def weights(tie: str) -> ties.Ties:
    """Describe the tie of two weights for the picture."""
    objects = 1 if tie == "one_object" else 2
    storages = 2 if tie == "apart" else 1
    return ties.Ties(
        columns=(
            ("0.weight", "2.weight"),
            tuple(f"Parameter {number}" for number in range(objects)),
            tuple(f"storage {number}" for number in range(storages)),
        ),
        links=(
            ((0, 0), (1, objects - 1)),
            tuple((number, min(number, storages - 1)) for number in range(objects)),
        ),
    )


def is_half_a_tie(step: BrokenTies, answer: Answer) -> bool:
    """Return whether one Parameter became two that share a storage."""
    return step.before == "one_object" and answer.prediction == "one_storage"


def is_tied_after_meta(step: BrokenTies, answer: Answer) -> bool:
    """Return whether the network was on the meta device, and its layers share one Parameter."""
    return step.action is Action.META_TO_EMPTY and answer.prediction == "one_object"
