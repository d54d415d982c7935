from datetime import date, timedelta

import pytest

from playground import catalog
from playground.lab import clinic
from playground.lab.clinic import cases, number_of
from playground.lab.errors import candidates, explain, known_errors, replaced, with_fix
from playground.machines import Machine
from playground.sandbox import facade
from playground.sandbox.check import check
from playground.sandbox.report import SandboxReport, reported
from tests.sandbox.cells import run_cell

HEADS = {
    "T": "import torch\n",
    "N": "import torch\nfrom torch import nn\n",
    "F": "import torch\nfrom torch.nn import functional as F\n",
}
HEADS["P"] = (
    "import pandas as pd\nimport torch\n"
    "df = pd.DataFrame({'n': [1.0, 2.0], 'kind': ['a', 'b'], 'ok': [True, False]})\n"
)
MODULE = "class Net(nn.Module):\n    "
PROGRAMS = (  # the error, what the program begins with, the rest, and a part of the fix
    ("text-in-a-table", "P", "df.mean()", "df.mean(numeric_only=True)"),
    ("text-in-a-table", "P", "df.groupby('ok').mean()", ".mean(numeric_only=True)"),
    ("objects-in-a-table", "P", "torch.tensor(df[['n', 'ok']].values)", "to_numpy(dtype=float)"),
    ("a-table-is-no-array", "P", "torch.tensor(df)", None),
    ("matrix-vector", "T", "torch.ones(2, 3) @ torch.ones(4)", None),
    ("dot-product", "T", "torch.ones(3) @ torch.ones(4)", None),
    ("batched-product", "T", "torch.bmm(torch.ones(2, 3, 4), torch.ones(2, 5, 6))", None),
    ("einsum", "T", "torch.einsum('ij,jk->ik', torch.ones(2, 3), torch.ones(4, 5))", None),
    ("reshape", "T", "torch.arange(6).reshape(2, 4)", None),
    ("permute", "T", "torch.ones(2, 3).permute(0, 2, 1)", None),
    ("expand", "T", "torch.ones(2, 3).expand(4, 3)", None),
    ("stack", "T", "torch.stack([torch.ones(2), torch.ones(3)])", None),
    ("not-a-tensor-in-a-list", "T", "torch.cat([torch.ones(2), 3])", None),
    ("negative-size", "T", "torch.ones(2, -1)", None),
    ("no-such-dimension", "T", "torch.ones(2, 3).sum(dim=2)", None),
    ("index-out-of-bounds", "T", "torch.ones(3)[5]", None),
    ("too-many-indices", "T", "torch.ones(3)[0, 1]", None),
    ("negative-step", "T", "torch.arange(5)[::-1]", "torch.arange(5).flip(0)"),
    ("convolution-dimensions", "N", "nn.Conv2d(1, 2, 3)(torch.ones(28, 28))", None),
    ("kernel-too-large", "N", "nn.Conv2d(1, 2, 5)(torch.ones(1, 1, 2, 2))", None),
    ("pooled-away", "N", "nn.MaxPool2d(3)(torch.ones(1, 1, 2, 2))", None),
    ("batch-norm-of-one", "N", "nn.BatchNorm1d(3)(torch.ones(1, 3))", None),
    ("batch-norm-features", "N", "nn.BatchNorm1d(3)(torch.ones(4, 5))", "BatchNorm1d(5)"),
    ("layer-norm-features", "N", "nn.LayerNorm(4)(torch.ones(2, 3))", None),
    ("groups", "N", "nn.GroupNorm(4, 6)", None),
    ("heads", "N", "nn.MultiheadAttention(10, 3)", None),
    ("recurrent-input", "N", "nn.LSTM(8, 16)(torch.ones(5, 1, 5))", "LSTM(5, 16)"),
    ("recurrent-dimensions", "N", "nn.LSTM(8, 16)(torch.ones(8))", None),
    (
        "probabilities-or-labels",
        "F",
        "F.cross_entropy(torch.rand(2, 3), torch.ones(2, 3, dtype=torch.int64))",
        None,
    ),
    (
        "one-label-each",
        "F",
        "F.cross_entropy(torch.rand(4, 3), torch.zeros(4, 1, dtype=torch.int64))",
        None,
    ),
    (
        "binary-loss-shapes",
        "F",
        "F.binary_cross_entropy_with_logits(torch.rand(4, 1), torch.rand(4))",
        None,
    ),
    (
        "between-zero-and-one",
        "F",
        "F.binary_cross_entropy(torch.tensor([2.0]), torch.tensor([1.0]))",
        "F.binary_cross_entropy_with_logits(torch",
    ),
    ("double-and-float", "T", "torch.ones(2, 2) @ torch.eye(2, dtype=torch.int64)", "eye(2)"),
    ("mean-of-integers", "T", "torch.arange(6).mean()", ".float().mean()"),
    ("not-for-integers", "T", "torch.softmax(torch.arange(3), 0)", "arange(3.0)"),
    ("numpy-of-the-gpu", "T", "torch.ones(3, device='cuda:0').numpy()", ".cpu().numpy()"),
    ("out-of-memory", "T", "torch.empty(2**36, device='cuda:0')", None),
    ("no-numpy-with-gradient", "T", "torch.ones(3, requires_grad=True).numpy()", ".detach()"),
    (
        "backward-twice",
        "T",
        "w = torch.ones(3, requires_grad=True)\nloss = (w**2).sum()\n"
        "loss.backward()\nloss.backward()",
        None,
    ),
    (
        "super-first",
        "N",
        MODULE + "def __init__(self):\n        self.layer = nn.Linear(2, 2)\nNet()",
        "super().__init__()",
    ),
    (
        "self-missing",
        "N",
        MODULE + "def forward(X):\n        return X\nNet()(torch.ones(2))",
        "    def forward(self, X):",
    ),
    ("argument-missing", "N", "nn.Linear(2)", None),
    ("argument-unknown", "N", "nn.Linear(2, 3, size=4)", None),
    ("no-tensor", "N", "nn.Linear(4, 2)(3)", None),
    ("no-parameter", "N", "net = nn.Linear(2, 2)\nnet.weight = torch.eye(2)", "nn.Parameter("),
    ("uninitialized", "N", "nn.LazyLinear(4).weight.sum()", None),
    ("learning-rate", "N", "torch.optim.SGD(nn.Linear(2, 2).parameters(), lr=-1)", None),
    ("sizes-differ", "N", "nn.Linear(4, 3).load_state_dict(nn.Linear(4, 2).state_dict())", None),
    ("tensor-and-list", "T", "torch.ones(2) + [1, 2]", None),
    ("shape-is-no-method", "T", "X = torch.ones(2, 3)\nX.shape()", "X.shape"),
    ("a-method-has-no-index", "T", "X = torch.ones(2, 3)\nX.size[0]", "X.size(0)"),
    ("values-to-unpack", "N", "output, state = nn.Linear(2, 2)(torch.ones(3, 2))", None),
    ("name", "T", "loss = torch.ones(1)\nprint(los)", "print(loss)"),
    ("key", "N", "nn.Linear(2, 2).state_dict()['wieght']", None),
)
WITHOUT_FIX = {  # of the clinic: the data has to change, which no rule does
    "one-example-for-batch-norm",
    "size-after-convolution",
    "another-network-loads",
    "classes-from-one",
    "other-examples",
    "a-short-row",
}


def run(source: str, machine: Machine = Machine()) -> SandboxReport:  # noqa: B008 - frozen
    """What the jail's child does, without the jail, so that every computer can."""
    facade.warm_up()
    answer, output = run_cell(source, machine=machine, names=facade.bind())
    return reported(
        answer, output=output, explanation=None, elapsed_seconds=0.0, waited_seconds=0.0
    )


@pytest.mark.parametrize(
    ("name", "head", "rest", "part"), PROGRAMS, ids=lambda each: str(each)[:30]
)
def test_an_error_is_known_and_a_fix_that_was_tried_is_offered(name, head, rest, part):
    program = HEADS[head] + rest
    report = run(program)

    found = explain(report, program)
    fix = with_fix(report, program, run).fix

    assert found is not None
    assert found.error.id == name
    assert "{" not in found.why.en + found.why.zh
    if part is None:
        assert fix is None
    else:
        assert part in fix[1]
        assert run(replaced(program, *fix)).ok


def test_a_machine_without_a_gpu_gets_the_cpu():
    program, machine = HEADS["T"] + "X = torch.ones(2, device='cuda')", Machine(gpus=0)
    report = run(program, machine)

    fixed = with_fix(report, program, lambda text: run(text, machine))

    assert explain(report, program).error.id == "no-gpu"
    assert fixed.fix == (2, 'X = torch.ones(2, device="cpu")')


@pytest.mark.parametrize("case", clinic.cases(), ids=lambda case: case.id)
def test_every_error_of_the_clinic_is_known_and_most_are_mended(case):
    report = run(case.program)

    fix = with_fix(report, case.program, run).fix

    assert explain(report, case.program) is not None
    assert (fix is None) == (case.id in WITHOUT_FIX)
    assert fix is None or run(replaced(case.program, *fix)).ok


def test_every_known_error_has_a_program_here():
    seen = {name for name, *_ in PROGRAMS} | {"no-gpu"}
    for case in clinic.cases():
        report = SandboxReport(
            ok=False, error_type=case.error, message=case.message, line=case.raised
        )
        seen.add(explain(report, case.program).error.id)

    assert seen == {each.id for each in known_errors()}
    assert len(seen) >= 40


def test_numbers_of_the_case_stand_in_the_sentence():
    message = "mat1 and mat2 shapes cannot be multiplied (2x256 and 128x10)"
    found = explain(SandboxReport(ok=False, error_type="RuntimeError", message=message), "x")

    assert "**256**" in found.why.en
    assert "**128**" in found.why.zh


def test_a_fix_that_does_not_run_is_not_offered_and_few_are_tried():
    program = "import torch\n" + "X = torch.ones(2, 3).view(-1)\n" * 9
    report = SandboxReport(
        ok=False, error_type="RuntimeError", message="view size is not compatible", line=4
    )
    tried = []

    def fails(text):
        tried.append(text)
        return report

    assert len(list(candidates(report, program))) == 9
    assert with_fix(report, program, fails).fix is None
    assert len(tried) == 3
    assert tried[0].split("\n")[3] == "X = torch.ones(2, 3).reshape(-1)"


def test_nothing_is_tried_after_a_success_or_a_long_run():
    long = SandboxReport(
        ok=False, error_type="RuntimeError", message="view size", elapsed_seconds=2.0
    )

    for report in (SandboxReport(ok=True), long):
        assert with_fix(report, "X.view(-1)", lambda _: pytest.fail("was run")) == report


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.id)
def test_a_case_fails_as_it_says_and_runs_with_its_fix_alone(case):
    facade.warm_up()
    for program in (case.program, case.fixed):
        assert check(program) == ()

    reported, _ = run_cell(case.program, machine=Machine(), names=facade.bind())
    fixed, _ = run_cell(case.fixed, machine=Machine(), names=facade.bind())

    assert (reported.error_type, reported.message.strip()) == (case.error, case.message.strip())
    assert reported.line == case.raised
    assert (fixed.error_type, fixed.message) == ("", "")
    assert all(line.strip() for line in case.program.splitlines())
    assert case.line <= case.raised + 2  # of one statement at most
    assert catalog.lesson(case.lesson).name == case.lesson


def test_no_case_comes_twice_before_all_have_come():
    count, day = len(cases()), date(2026, 11, 24)

    seen = {number_of(day + timedelta(days=each)) for each in range(count)}

    assert len(seen) == len({each.id for each in cases()}) == count >= 30
