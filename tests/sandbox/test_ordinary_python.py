"""Ordinary programs pass the check, and give on the facade what Python gives.

In ``ordinary_cells.txt``, ``# note:`` says what the check finds, and ``# =>`` the value of the last
line, as Python gives it.
"""

import re

import pytest

from playground.machines import Machine
from playground.sandbox import facade
from playground.sandbox.check import Level, check
from tests.sandbox.cells import read_cells, run_cell

CELLS = read_cells("ordinary_cells") | read_cells("package_cells")
ON_GPUS = read_cells("ordinary_gpu_cells")
NOTED = re.compile(r"^# note: (.+)\n", re.MULTILINE)


@pytest.mark.parametrize("name", CELLS)
@pytest.mark.filterwarnings("ignore")
def test_an_ordinary_program_runs(name):
    source, _, shown = CELLS[name].strip().rpartition("\n# => ")
    noted = NOTED.findall(f"{source}\n")
    source = NOTED.sub("", f"{source}\n")
    findings = check(source)

    answer, _ = run_cell(source, names=facade.bind())

    assert [each.id for each in findings] == " ".join(noted).split()
    assert Level.REFUSE not in [each.level for each in findings]
    assert (answer.error_type, answer.message) == ("", "")
    assert str(answer.value) == shown


@pytest.mark.parametrize("name", ON_GPUS)
@pytest.mark.filterwarnings("ignore")
def test_an_ordinary_program_for_gpus_runs_on_simulated_ones(name):
    source, _, shown = ON_GPUS[name].strip().rpartition("\n# => ")
    facade.warm_up()

    answer, _ = run_cell(source, names=facade.bind(), machine=Machine(gpus=2))

    assert Level.REFUSE not in [each.level for each in check(source)]
    assert (answer.error_type, answer.message) == ("", "")
    assert str(answer.value) == shown
