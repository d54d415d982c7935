import threading

import pytest

from playground import sandbox
from playground.compute.outcome import Outcome
from playground.errors import InvalidSettingError
from playground.machines import Machine
from playground.machines.machine import MachineKind
from playground.sandbox import schema
from playground.sandbox.cell_answer import CellAnswer
from playground.sandbox.jail.answer import JailAnswer, StoppedBecause
from playground.sandbox.limits import LIMITS
from playground.sandbox.runner import report_of
from tests.sandbox.cells import run_in_parts

pytestmark = pytest.mark.usefixtures("open_jail")
REAL = Machine(kind=MachineKind.REAL)
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


def test_a_cell_is_run():
    report = sandbox.run("import torch\nx = torch.arange(3)\nprint('sum', x.sum())\nx * 2")

    assert report.ok
    assert report.outcome == Outcome(ok=True)
    assert report.output == "sum tensor(3)\n"
    assert report.value == "tensor([0, 2, 4])"
    assert report.elapsed_seconds > 0
    assert (report.line, report.stopped_because, report.violations) == (None, None, ())


def test_an_error_is_torchs_own_with_the_students_line():
    report = sandbox.run("import torch\n\n\ndef f(x):\n    return x @ x\n\n\nf(torch.ones(2, 3))")

    assert not report.ok
    assert report.error_type == "RuntimeError"
    assert report.message == "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)"
    assert (report.line, report.top_line) == (5, 8)
    assert report.explanation is None


def test_what_the_check_refuses_is_not_run():
    report = sandbox.run("x = 1\nimport os\nos.system('id')")

    assert not report.ok
    assert report.line == report.violations[0].line == 2
    assert report.elapsed_seconds == 0.0


def test_simulated_gpus_work_inside():
    source = "import torch\nx = torch.ones(2).cuda(2)\nprint(torch.cuda.device_count())\nx.device"

    report = sandbox.run(source, Machine(gpus=3))

    assert (report.output, report.value) == ("3\n", "device(type='cuda', index=2)")


def test_the_real_machine_is_its_plain_cpu():
    source = "import torch\nprint(torch.ones(1).device)\ntorch.cuda.is_available()"

    report = sandbox.run(source, REAL)

    assert (report.output, report.value) == ("cpu\n", "False")


def test_a_module_comes_out_of_the_jail_as_it_is_told_in_this_process():
    report = sandbox.run(MLP, Machine(gpus=0))

    answer, seen, output = run_in_parts(MLP)
    assert report.modules == seen.modules
    assert report.modules[0].trace.rows[0].output_shapes == ((3, 2),)
    assert (report.value, report.output) == (answer.value, output)


def test_a_look_at_a_module_that_meets_a_limit_costs_no_result():
    first = schema.write(CellAnswer(value="1"))
    answer = JailAnswer(first=first, output="7\n", stopped_because=StoppedBecause.WALL)

    report = report_of(answer, LIMITS)

    assert (report.ok, report.output, report.value) == (True, "7\n", "1")
    assert (report.modules, report.explanation.id) == ((), "modules_time")


@pytest.mark.parametrize(
    ("source", "told"),
    [
        (
            "import warnings\nwarnings.filterwarnings.__globals__",
            "the lab does not offer '__globals__' of 'function'",
        ),
        (
            "import warnings\nfrom torch import nn\nwarnings.catch_warnings(module=nn)",
            "catch_warnings() got an unexpected keyword argument 'module'",
        ),
    ],
)
def test_who_walks_on_from_what_is_offered_meets_the_facade(source, told):
    report = sandbox.run(source, is_checked=False)

    assert report.message == told


@pytest.mark.parametrize(
    ("name", "call", "told"),
    [
        ("listdir", "member('/')", "[Errno 1] Operation not permitted: '/'"),
        ("system", "member('id')", "32512"),
    ],
)
def test_who_walks_past_the_facade_meets_the_jail(name, call, told):
    source = f"""import enum
match enum.unique:  # a pattern reads attributes, and the check refuses it
    case object(__globals__=names):
        pass
match names["sys"].modules["os"]:
    case object({name}=member):
        pass
{call}"""

    report = sandbox.run(source, is_checked=False)

    assert told in (report.message, report.value)


def test_a_module_that_never_lets_itself_be_counted_costs_no_result():
    source = """from torch import nn
class Endless(nn.Module):
    def modules(self):
        while True:
            yield self
net = Endless()
print("done")
5"""

    report = sandbox.run(source)

    assert (report.ok, report.output, report.value) == (True, "done\n", "5")
    assert report.explanation.id == "modules_time"


def test_figures_come_out_of_the_jail():
    source = "import matplotlib.pyplot as plt\nplt.plot([1, 2], [3, 4], label='up')\nplt.title('t')"

    report = sandbox.run(source)

    [figure] = report.figures
    assert figure.title == "t"
    assert (figure.series[0].x, figure.series[0].y) == ((1.0, 2.0), (3.0, 4.0))


def test_the_same_seed_gives_the_same_numbers():
    source = "import torch\ntorch.rand(2)"

    values = [sandbox.run(source, seed=seed).value for seed in (1, 1, 2)]

    assert values[0] == values[1] != values[2]


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
def test_a_limit_is_told_with_its_number_and_the_line(source, because, line, sentence):
    report = sandbox.run(source)

    assert not report.ok
    assert report.violations == ()
    assert report.stopped_because is because
    assert report.line in line
    assert sentence is None or report.explanation.say("en") == sentence
    assert report.explanation.say("zh")
    assert sandbox.run("1 + 1").value == "2"


def test_what_was_printed_before_a_kill_is_kept():
    report = sandbox.run("print('before')\nx = sum(range(10**9))")

    assert report.stopped_because is StoppedBecause.CPU
    assert report.output == "before\n"


def test_calls_in_calls_are_explained():
    report = sandbox.run("def f(n):\n    return f(n + 1)\n\n\nf(0)")

    assert report.error_type == "RecursionError"
    assert report.explanation.id == "recursion"


def test_a_run_can_be_ended_sooner():
    report = sandbox.run("while True:\n    pass", timeout_seconds=0.5)

    assert report.stopped_because is StoppedBecause.WALL
    assert report.explanation.say("en") == "Stopped after 0.5 s, including the wait."


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


def test_hostile_text_comes_out_harmless():
    printed = "print('\\x1b[31mred\\x1b[0m \\u202eabc \\ud800 <b>bold</b>')\n"

    report = sandbox.run(printed + "'\\x1b]0;title\\x07'")

    assert "\x1b" not in report.output
    assert "\u202e" not in report.output
    assert "<b>bold</b>" in report.output  # shown as text by the page
    assert "\x1b" not in report.value


def test_many_at_once_do_not_disturb_each_other():
    values = {}

    def run(number):
        hostile = number % 3 == 0
        values[number] = sandbox.run("x = 'a' * 10**9" if hostile else f"{number} * 2")

    threads = [threading.Thread(target=run, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    for number, report in values.items():
        if number % 3:
            assert report.value == str(number * 2)
        else:
            assert report.stopped_because is StoppedBecause.MEMORY


WIDER = {
    "a named tuple": (
        "from collections import namedtuple\n"
        "Point = namedtuple('Point', 'x, y')\nPair = namedtuple('Pair', ['left', 'right'])\n"
        "p = Point(1, y=2)\np.x + p.y, Pair(3, 4).right, p",
        "(3, 4, Point(x=1, y=2))",
    ),
    "an enum": (
        "from enum import Enum, auto, unique\nimport enum\n@unique\nclass Kind(Enum):\n"
        "    RELU = 'relu'\n    TANH = 'tanh'\nclass Level(enum.IntEnum):\n    LOW = auto()\n"
        "    HIGH = auto()\n"
        "Kind('tanh').name, Kind.RELU.value, [k.name for k in Kind], Level.HIGH + 1, Kind['RELU']",
        "('TANH', 'relu', ['RELU', 'TANH'], 3, <Kind.RELU: 'relu'>)",
    ),
    "warnings": (
        "import warnings\nwarnings.filterwarnings('ignore', category=FutureWarning)\n"
        "warnings.warn('old', FutureWarning)\n"
        "with warnings.catch_warnings():\n    warnings.simplefilter('ignore')\n"
        "    warnings.warn('hushed')\nwarnings.warn('heard')\n1",
        "1",
    ),
    "distributions": (
        "import torch\nfrom torch.distributions import Normal\n"
        "d = torch.distributions.Categorical(torch.tensor([0.0, 1.0]))\n"
        "d.sample().item(), Normal(0.0, 1.0).log_prob(torch.tensor(0.0)).item() < 0",
        "(1, True)",
    ),
}


@pytest.mark.parametrize("name", WIDER)
def test_ordinary_python_is_taken(name):
    source, value = WIDER[name]

    report = sandbox.run(source)

    assert [str(each) for each in report.violations] == []
    assert (report.error_type, report.value) == ("", value)
    assert [each.text for each in report.warnings] == (["heard"] if name == "warnings" else [])
