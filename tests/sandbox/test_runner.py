import pytest

from playground import sandbox
from playground.compute.outcome import Outcome
from playground.errors import InvalidSettingError
from playground.machines import Machine
from playground.machines.machine import MachineKind
from playground.sandbox.cell_answer import NotedWarning
from playground.sandbox.jail.answer import StoppedBecause
from playground.sandbox.report import Sentence
from tests.sandbox.cells import run_in_parts

pytestmark = pytest.mark.usefixtures("open_jail")
MLP = """import torch
from torch import nn
class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(4, 8)
        self.out = nn.Linear(8, 2)
    def forward(self, X):
        return self.out(torch.relu(self.hidden(X)))
net = MLP()
print(net(torch.ones(3, 4)).shape)
net
"""
HOSTILE_TEXT = "print('\\x1b[31mred\\x1b[0m \\u202eabc \\ud800 <b>bold</b>')\n'\\x1b]0;title\\x07'"
ENDLESS = """class Endless(nn.Module):
    def modules(self):
        while True:
            yield self
net = Endless()
print("done")
5"""
PAST_THE_FACADE = """import enum
from abc import ABC
class Any(ABC):  # a class that the check refuses: patterns read any attribute of any object
    @classmethod
    def __subclasshook__(cls, kind):
        return True
class Function(Any):
    __match_args__ = ("__globals__",)
class System(Any):
    __match_args__ = ("modules",)
class Files(Any):
    __match_args__ = ("{name}",)
match enum.unique:
    case Function(names):
        match names["sys"]:
            case System(modules):
                match modules["os"]:
                    case Files(member):
                        pass
"""
NAMED_TUPLE = """from collections import namedtuple
Point = namedtuple("Point", "x, y")
Pair = namedtuple("Pair", ["left", "right"])
p = Point(1, y=2)
p.x + p.y, Pair(3, 4).right, p"""
ENUM = """from enum import Enum, auto, unique
import enum
@unique
class Kind(Enum):
    RELU = "relu"
    TANH = "tanh"
class Level(enum.IntEnum):
    LOW = auto()
    HIGH = auto()
Kind("tanh").name, Kind.RELU.value, [k.name for k in Kind], Level.HIGH + 1, Kind["RELU"]"""
WARNINGS = """import warnings
warnings.filterwarnings("ignore", category=FutureWarning)
warnings.warn("old", FutureWarning)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    warnings.warn("hushed")
warnings.warn("heard")"""
DISTRIBUTIONS = """from torch.distributions import Normal
d = torch.distributions.Categorical(torch.tensor([0.0, 1.0]))
d.sample().item(), Normal(0.0, 1.0).log_prob(torch.tensor(0.0)).item() < 0"""
FINE = {"error_type": "", "message": "", "line": None, "stopped_because": None, "violations": ()}
UNCHECKED = {"is_checked": False}
REPORTS = [
    (
        "x = torch.arange(3)\nprint('sum', x.sum())\nx * 2",
        {},
        FINE
        | {"outcome": Outcome(ok=True), "output": "sum tensor(3)\n", "value": "tensor([0, 2, 4])"},
    ),
    (
        "def f(x):\n    return x @ x\n\n\nf(torch.ones(2, 3))",
        {},
        {"ok": False, "error_type": "RuntimeError", "line": 2, "top_line": 5, "explanation": None}
        | {"message": "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)"},
    ),
    (
        "x = torch.ones(2).cuda(2)\nprint(torch.cuda.device_count())\nx.device",
        {"machine": Machine(gpus=3)},
        {"output": "3\n", "value": "device(type='cuda', index=2)"},
    ),
    (
        "print(torch.ones(1).device)\ntorch.cuda.is_available()",
        {"machine": Machine(kind=MachineKind.REAL)},  # its plain CPU
        {"output": "cpu\n", "value": "False"},
    ),
    (
        "def f(n):\n    return f(n + 1)\n\n\nf(0)",
        {},
        {"error_type": "RecursionError", "explanation": Sentence("recursion")},
    ),
    (  # without what a terminal obeys; the page shows markup as text
        HOSTILE_TEXT,
        {},
        {"output": "red \ufffdabc \\ud800 <b>bold</b>\n", "value": repr("\x1b]0;title\x07")},
    ),
    (  # who walks on from what is offered meets the facade, who walks past it the jail
        "import warnings\nwarnings.filterwarnings.__globals__",
        UNCHECKED,
        {"message": "the lab does not offer '__globals__' of 'function'"},
    ),
    (
        "import warnings\nwarnings.catch_warnings(module=nn)",
        UNCHECKED,
        {"message": "catch_warnings.__init__() got an unexpected keyword argument 'module'"},
    ),
    (
        PAST_THE_FACADE.format(name="listdir") + "member('/')",
        UNCHECKED,
        {"message": "[Errno 1] Operation not permitted: '/'"},
    ),
    (PAST_THE_FACADE.format(name="system") + "member('id')", UNCHECKED, {"value": "32512"}),
    (
        ENDLESS,
        {},
        {"ok": True, "output": "done\n", "value": "5"}
        | {"explanation": Sentence("modules_time", (("seconds", "2"),))},
    ),
    (
        "print('before')\nx = sum(range(10**9))",
        {},
        {"stopped_because": StoppedBecause.CPU, "output": "before\n"},
    ),
    (NAMED_TUPLE, {}, FINE | {"value": "(3, 4, Point(x=1, y=2))"}),
    (ENUM, {}, FINE | {"value": "('TANH', 'relu', ['RELU', 'TANH'], 3, <Kind.RELU: 'relu'>)"}),
    (WARNINGS, {}, FINE | {"warnings": (NotedWarning(text="heard", line=7),)}),
    (DISTRIBUTIONS, {}, FINE | {"value": "(1, True)", "warnings": ()}),
]


@pytest.mark.parametrize(("source", "options", "expected"), REPORTS)
def test_a_cell_is_run(source, options, expected):
    report = sandbox.run(source, **options)

    assert {name: getattr(report, name) for name in expected} == expected
    assert report.elapsed_seconds > 0


def test_a_module_comes_out_of_the_jail_as_it_is_reported_in_this_process():
    report = sandbox.run(MLP, Machine(gpus=0))

    answer, seen, output = run_in_parts(MLP)
    assert report.modules == seen.modules
    assert report.modules[0].trace.rows[0].output_shapes == ((3, 2),)
    assert (report.value, report.output) == (answer.value, output)


def test_figures_come_out_of_the_jail():
    source = "import matplotlib.pyplot as plt\nplt.plot([1, 2], label='上升')\nplt.legend()\n"
    source += "plt.title('$x_1$')\nplt.tight_layout()\nplt.show()\nplt.figure()\nplt.imshow([[1]])"

    report = sandbox.run(source)

    assert (report.message, report.warnings, report.value) == ("", (), None)
    first, second = report.figures
    assert (first.caption.title, first.caption.labels) == ("$x_1$", ("上升",))
    assert (first.caption.line, second.caption.line) == (6, None)
    assert 300 < first.width < 700


def test_the_same_seed_gives_the_same_numbers():
    source = "import random\nimport numpy as np\n"
    source += "print(torch.rand(1).item(), np.random.rand(), random.random())"

    one, same, other = (sandbox.run(source, seed=seed).output.split() for seed in (1, 1, 2))

    assert one == same
    assert len({*one, *other}) == 6


@pytest.mark.parametrize(
    ("source", "because", "line", "sentence"),
    [
        ("x = 1\nwhile 1:\n    1", StoppedBecause.CPU, (2, 3), "Stopped after 2 s of computing."),
        (
            "import torch\nx = torch.ones(10**9)",
            StoppedBecause.MEMORY,
            (2,),
            "This tensor needs 3.73 GiB; a run may use 256 MiB in all.",
        ),
        ("x = 'a' * 10**9", StoppedBecause.MEMORY, (1,), None),
        ("while True:\n    print('spam')", StoppedBecause.OUTPUT, (2,), "Output cut at 64 KiB."),
        ("x = [0]\nwhile True:\n    x += x", StoppedBecause.MEMORY, (2, 3), None),
    ],
)
def test_a_limit_is_reported_with_its_number_and_the_line(source, because, line, sentence):
    report = sandbox.run(source)

    assert not report.ok
    assert report.violations == ()
    assert report.stopped_because is because
    assert report.line in line
    assert sentence is None or report.explanation.say("en") == sentence
    assert report.explanation.say("zh")
    assert sandbox.run("1 + 1").value == "2"


def test_a_run_can_be_ended_sooner():
    report = sandbox.run("while True:\n    pass", timeout_seconds=0.5)

    assert report.stopped_because is StoppedBecause.WALL
    assert (
        report.explanation.say("en")
        == "Stopped after 0.5 s by the clock; waiting for a turn is not counted."
    )


@pytest.mark.parametrize("given", [0, -1, float("nan"), True, "4"])
def test_no_time_at_all_is_refused(given):
    with pytest.raises(InvalidSettingError) as refused:
        sandbox.run("1", timeout_seconds=given)

    assert refused.value.field == "timeout_seconds"


@pytest.mark.parametrize(
    "source",
    ["", "\x00", "\ud800", "(" * 300, "x" * 10_000, "\x89PNG\r\n\x1a\n", "学习率 = 1\n学习率", "﻿1"],
)
def test_any_text_is_answered(source):
    report = sandbox.run(source)

    assert report.ok != bool(report.violations or report.error_type)
