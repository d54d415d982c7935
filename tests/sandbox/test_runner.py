import pytest

from playground import sandbox
from playground.errors import InvalidSettingError, Outcome
from playground.machines import Machine
from playground.machines.machine import MachineKind
from playground.sandbox.cell_answer import NotedWarning
from playground.sandbox.jail.answer import StoppedBecause
from playground.sandbox.report import Sentence
from tests.sandbox.cells import run_in_parts

pytestmark = pytest.mark.usefixtures("open_jail")
MLP = """import torch
from torch import nn
class MLP(nn.Sequential):
    def forward(self, X):
        return torch.relu(super().forward(X))
net = MLP(nn.Linear(4, 8), nn.Linear(8, 2))
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
WARNINGS = """import warnings
warnings.filterwarnings("ignore", category=FutureWarning)
warnings.warn("old", FutureWarning)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    warnings.warn("hushed")
warnings.warn("heard")"""
RECURSION = "def f(n):\n    return f(n + 1)\n\n\nf(0)"
NO_TIME = Sentence("modules_time", (("seconds", "2"),))
FINE = {"error_type": "", "message": "", "line": None, "stopped_because": None, "violations": ()}
REPORTS = [
    (
        "print('sum')\ntorch.arange(3) * 2",
        FINE | {"outcome": Outcome(ok=True), "output": "sum\n", "value": "tensor([0, 2, 4])"},
    ),
    (
        "def f(x):\n    return x @ x\n\n\nf(torch.ones(2, 3))",
        {"ok": False, "error_type": "RuntimeError", "line": 2, "top_line": 5, "explanation": None}
        | {"message": "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)"},
    ),
    (RECURSION, {"error_type": "RecursionError", "explanation": Sentence("recursion")}),
    # without what a terminal obeys; the page shows markup as text
    (
        HOSTILE_TEXT,
        {"output": "red \ufffdabc \\ud800 <b>bold</b>\n", "value": "'\\x1b]0;title\\x07'"},
    ),
    (ENDLESS, {"ok": True, "output": "done\n", "value": "5", "explanation": NO_TIME}),
    ("print('a')\nsum(range(10**9))", {"stopped_because": StoppedBecause.CPU, "output": "a\n"}),
    (WARNINGS, FINE | {"warnings": (NotedWarning(text="heard", line=7),)}),
]
NOT_OFFERED = "the lab does not offer '__globals__' of 'function'"
NO_ARGUMENT = "catch_warnings.__init__() got an unexpected keyword argument 'module'"
NOT_PERMITTED = "[Errno 1] Operation not permitted: '/'"
BEYOND = [
    ("import warnings\nwarnings.filterwarnings.__globals__", "message", NOT_OFFERED),
    ("import warnings\nwarnings.catch_warnings(module=nn)", "message", NO_ARGUMENT),
    (PAST_THE_FACADE.format(name="listdir") + "member('/')", "message", NOT_PERMITTED),
    (PAST_THE_FACADE.format(name="system") + "member('id')", "value", "32512"),
]


@pytest.mark.parametrize(("source", "expected"), REPORTS)
def test_a_cell_is_run(source, expected):
    report = sandbox.run(source)
    assert {name: getattr(report, name) for name in expected} == expected
    assert report.elapsed_seconds > 0


@pytest.mark.parametrize(("source", "where", "shown"), BEYOND)
def test_who_gets_past_the_check_meets_the_facade_and_then_the_jail(source, where, shown):
    assert getattr(sandbox.run(source, is_checked=False), where) == shown


def test_a_cell_has_simulated_gpus_or_the_plain_cpu():
    source = "print(torch.cuda.device_count())\ntorch.ones(2).cuda(2).device"
    simulated = sandbox.run(source, Machine(gpus=3))
    source = "print(torch.ones(1).device)\ntorch.cuda.is_available()"
    real = sandbox.run(source, Machine(kind=MachineKind.REAL))

    assert (simulated.output, simulated.value) == ("3\n", "device(type='cuda', index=2)")
    assert (real.output, real.value) == ("cpu\n", "False")


def test_a_module_comes_out_of_the_jail_as_it_is_reported_in_this_process():
    report = sandbox.run(MLP, Machine(gpus=0))
    answer, seen, output = run_in_parts(MLP)

    assert report.modules == seen.modules
    assert report.modules[0].trace.rows[0].output_shapes == ((3, 2),)
    assert (report.value, report.output) == (answer.value, output)


def test_figures_come_out_of_the_jail():
    source = "import matplotlib.pyplot as plt\nplt.plot([1, 2], label='上升')\nplt.legend()\n"
    source += "plt.title('$x_1$')\nplt.tight_layout()\nplt.show()\nplt.figure()\nplt.imshow([[1]])"
    source += "\nfor k in range(12): plt.plot([0], label=f'{k}' + '😀' * 118)"  # of 18 KiB as JSON
    report = sandbox.run(source)
    assert (report.message, report.warnings, report.value) == ("", (), None)
    first, second = report.figures
    assert (first.caption.title, first.caption.labels) == ("$x_1$", ("上升",))
    assert (first.caption.line, second.caption.line, len(second.caption.labels)) == (6, None, 12)
    assert 300 < first.width < 700


def test_the_same_seed_gives_the_same_numbers():
    source = "import random\nimport numpy as np\n"
    source += "print(torch.rand(1).item(), np.random.rand(), random.random())"
    one, same, other = (sandbox.run(source, seed=seed).output.split() for seed in (1, 1, 2))

    assert one == same
    assert len({*one, *other}) == 6


LARGE_TENSOR = "This tensor needs 3.73 GiB; a run may use 256 MiB in all."
WAITED = "Stopped after 1 s by the clock; waiting for a turn is not counted."


@pytest.mark.parametrize(
    ("source", "because", "line", "sentence"),
    [
        ("x = 1\nwhile 1:\n    1", StoppedBecause.CPU, (2, 3), "Stopped after 2 s of computing."),
        ("\nx = torch.ones(10**9)", StoppedBecause.MEMORY, (2,), LARGE_TENSOR),
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


def test_a_run_that_is_ended_sooner_says_after_what_time_and_at_which_line():
    report = sandbox.run("x = 1\nimport time\ntime.sleep(60)", timeout_seconds=1.0)

    assert (report.stopped_because, report.line) == (StoppedBecause.WALL, 3)
    assert report.lines[0].notes[0].name == "x"
    assert report.explanation.say("en") == WAITED


@pytest.mark.parametrize("given", [0, -1, float("nan"), True, "4"])
def test_no_time_at_all_is_refused(given):
    with pytest.raises(InvalidSettingError) as refused:
        sandbox.run("1", timeout_seconds=given)
    assert refused.value.field == "timeout_seconds"
