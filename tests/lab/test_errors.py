from datetime import date, timedelta
from functools import partial

import pytest

from playground import catalog
from playground.lab.clinic import cases, number_of
from playground.lab.errors import candidates, explain, known_errors, replaced, with_fix
from playground.machines import Machine
from playground.sandbox.report import SandboxReport
from tests.lab.in_process import run

HEAD = "import torch\nfrom torch import nn\nfrom torch.nn import functional as F\n"
TABLE = "df = pd.DataFrame({'n': [1.0, 2.0], 'kind': ['a', 'b'], 'ok': [True, False]})\n"
PROGRAMS = (  # the error, a program, and a part of the fix
    ("text-in-a-table", "df.mean()", "df.mean(numeric_only=True)"),
    ("text-in-a-table", "df.groupby('ok').mean()", ".mean(numeric_only=True)"),
    ("objects-in-a-table", "torch.tensor(df[['n', 'ok']].values)", "to_numpy(dtype=float)"),
    ("a-table-is-no-array", "torch.tensor(df)", None),
    ("matrix-vector", "torch.ones(2, 3) @ torch.ones(4)", None),
    ("dot-product", "torch.ones(3) @ torch.ones(4)", None),
    ("batched-product", "torch.bmm(torch.ones(2, 3, 4), torch.ones(2, 5, 6))", None),
    ("einsum", "torch.einsum('ij,jk->ik', torch.ones(2, 3), torch.ones(4, 5))", None),
    ("reshape", "torch.arange(6).reshape(2, 4)", None),
    ("permute", "torch.ones(2, 3).permute(0, 2, 1)", None),
    ("expand", "torch.ones(2, 3).expand(4, 3)", None),
    ("stack", "torch.stack([torch.ones(2), torch.ones(3)])", None),
    ("not-a-tensor-in-a-list", "torch.cat([torch.ones(2), 3])", None),
    ("negative-size", "torch.ones(2, -1)", None),
    ("no-such-dimension", "torch.ones(2, 3).sum(dim=2)", None),
    ("index-out-of-bounds", "torch.ones(3)[5]", None),
    ("too-many-indices", "torch.ones(3)[0, 1]", None),
    ("negative-step", "torch.arange(5)[::-1]", "torch.arange(5).flip(0)"),
    ("convolution-dimensions", "nn.Conv2d(1, 2, 3)(torch.ones(28, 28))", None),
    ("kernel-too-large", "nn.Conv2d(1, 2, 5)(torch.ones(1, 1, 2, 2))", None),
    ("pooled-away", "nn.MaxPool2d(3)(torch.ones(1, 1, 2, 2))", None),
    ("batch-norm-of-one", "nn.BatchNorm1d(3)(torch.ones(1, 3))", None),
    ("batch-norm-features", "nn.BatchNorm1d(3)(torch.ones(4, 5))", "BatchNorm1d(5)"),
    ("layer-norm-features", "nn.LayerNorm(4)(torch.ones(2, 3))", None),
    ("groups", "nn.GroupNorm(4, 6)", None),
    ("heads", "nn.MultiheadAttention(10, 3)", None),
    ("recurrent-input", "nn.LSTM(8, 16)(torch.ones(5, 1, 5))", "LSTM(5, 16)"),
    ("recurrent-dimensions", "nn.LSTM(8, 16)(torch.ones(8))", None),
    ("probabilities-or-labels", "F.cross_entropy(torch.rand(2, 3), torch.ones(2, 3).long())", None),
    ("one-label-each", "F.cross_entropy(torch.rand(4, 3), torch.zeros(4, 1).long())", None),
    ("binary-loss-shapes", "nn.BCEWithLogitsLoss()(torch.ones(4, 1), torch.ones(4))", None),
    ("between-zero-and-one", "F.binary_cross_entropy(-torch.ones(1), torch.ones(1))", "logits("),
    ("double-and-float", "torch.ones(2, 2) @ torch.eye(2, dtype=torch.int64)", "eye(2)"),
    ("mean-of-integers", "torch.arange(6).mean()", ".float().mean()"),
    ("not-for-integers", "torch.softmax(torch.arange(3), 0)", "arange(3.0)"),
    ("numpy-of-the-gpu", "torch.ones(3, device='cuda:0').numpy()", ".cpu().numpy()"),
    ("out-of-memory", "torch.empty(2**36, device='cuda:0')", None),
    ("no-numpy-with-gradient", "torch.ones(3, requires_grad=True).numpy()", ".detach()"),
    ("backward-twice", "x = nn.Linear(1, 1).weight.exp()\nx.backward()\nx.backward()", None),
    (
        "super-first",
        "class Net(nn.Module):\n    def __init__(self):\n        self.f = nn.ReLU()\nNet()",
        "super().__init__()",
    ),
    ("self-missing", "class Net(nn.Module):\n    def forward(X): pass\nNet()(0)", "(self, X)"),
    ("argument-missing", "nn.Linear(2)", None),
    ("argument-unknown", "nn.Linear(2, 3, size=4)", None),
    ("no-tensor", "nn.Linear(4, 2)(3)", None),
    ("no-parameter", "net = nn.Linear(2, 2)\nnet.weight = torch.eye(2)", "nn.Parameter("),
    ("uninitialized", "nn.LazyLinear(4).weight.sum()", None),
    ("learning-rate", "torch.optim.SGD(nn.Linear(2, 2).parameters(), lr=-1)", None),
    ("sizes-differ", "nn.Linear(4, 3).load_state_dict(nn.Linear(4, 2).state_dict())", None),
    ("tensor-and-list", "torch.ones(2) + [1, 2]", None),
    ("shape-is-no-method", "X = torch.ones(2, 3)\nX.shape()", "X.shape"),
    ("a-method-has-no-index", "X = torch.ones(2, 3)\nX.size[0]", "X.size(0)"),
    ("values-to-unpack", "output, state = nn.Linear(2, 2)(torch.ones(3, 2))", None),
    ("name", "loss = torch.ones(1)\nprint(los)", "print(loss)"),
    ("key", "nn.Linear(2, 2).state_dict()['wieght']", None),
)
WITHOUT_FIX = {  # of the clinic: the data has to change, which no rule does
    "one-example-for-batch-norm",
    "size-after-convolution",
    "another-network-loads",
    "classes-from-one",
    "other-examples",
    "a-short-row",
}
failed = partial(SandboxReport, ok=False, error_type="RuntimeError")


@pytest.mark.parametrize(("name", "lines", "part"), PROGRAMS, ids=lambda each: str(each)[:30])
def test_an_error_is_known_and_a_fix_that_was_tried_is_offered(name, lines, part):
    program = (f"import pandas as pd\n{HEAD}{TABLE}" if "df" in lines else HEAD) + lines
    report = run(program)

    found = explain(report, program)
    fix = with_fix(report, program, run).fix

    assert found.error.id == name
    assert "{" not in found.why.en + found.why.zh
    assert (fix is None) == (part is None)
    if fix is not None:
        assert part in fix[1]
        assert run(replaced(program, *fix)).ok


def test_a_machine_without_a_gpu_gets_the_cpu():
    program, machine = "import torch\nX = torch.ones(2, device='cuda')", Machine(gpus=0)
    report = run(program, machine)

    fixed = with_fix(report, program, lambda text: run(text, machine))

    assert explain(report, program).error.id == "no-gpu"
    assert fixed.fix == (2, 'X = torch.ones(2, device="cpu")')


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.id)
def test_a_case_of_the_clinic_fails_as_it_says_is_known_and_runs_with_its_fix(case):
    report, fixed = run(case.program), run(case.fixed)

    fix = with_fix(report, case.program, run).fix

    assert report.violations == fixed.violations == ()
    assert (report.error_type, report.message.strip()) == (case.error, case.message.strip())
    assert report.line == case.raised
    assert fixed.ok, fixed.message
    assert all(line.strip() for line in case.program.splitlines())
    assert case.line <= case.raised + 2  # of one statement at most
    assert catalog.lesson(case.lesson).name == case.lesson
    assert explain(report, case.program) is not None
    assert (fix is None) == (case.id in WITHOUT_FIX)
    assert fix is None or run(replaced(case.program, *fix)).ok


def test_every_known_error_has_a_program_here():
    seen = {name for name, *_ in PROGRAMS} | {"no-gpu"}
    for case in cases():
        report = failed(error_type=case.error, message=case.message, line=case.raised)
        seen.add(explain(report, case.program).error.id)

    assert seen == {each.id for each in known_errors()}
    assert len(seen) >= 40


def test_numbers_of_the_case_stand_in_the_sentence():
    message = "mat1 and mat2 shapes cannot be multiplied (2x256 and 128x10)"
    found = explain(failed(message=message), "x")

    assert "**256**" in found.why.en
    assert "**128**" in found.why.zh


def test_a_fix_that_does_not_run_is_not_offered_and_few_are_tried():
    program = "import torch\n" + "X = torch.ones(2, 3).view(-1)\n" * 9
    report = failed(message="view size is not compatible", line=4)
    tried = []

    def fails(text):
        tried.append(text)
        return report

    assert len(list(candidates(report, program))) == 9
    assert with_fix(report, program, fails).fix is None
    assert len(tried) == 3
    assert tried[0].split("\n")[3] == "X = torch.ones(2, 3).reshape(-1)"


def test_nothing_is_tried_after_a_success_or_a_long_run():
    for report in (SandboxReport(ok=True), failed(message="view size", elapsed_seconds=2.0)):
        assert with_fix(report, "X.view(-1)", lambda _: pytest.fail("was run")) == report


def test_no_case_comes_twice_before_all_have_come():
    count, day = len(cases()), date(2026, 11, 24)

    seen = {number_of(day + timedelta(days=each)) for each in range(count)}

    assert len(seen) == len({each.id for each in cases()}) == count >= 30
