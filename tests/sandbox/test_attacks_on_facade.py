"""What the check judges in a direct call, the facade judges in whatever way it is called."""

import enum
import functools

import pytest
import torch
from torch.optim.lr_scheduler import LambdaLR, LRScheduler

from playground.sandbox import facade
from playground.sandbox.check import check
from tests.sandbox.call_variants import VARIANTS, variants
from tests.sandbox.cells import run_cell
from tests.sandbox.facade_attacks import ATTACKS, REFUSED
from tests.sandbox.facade_cells import execute, run
from tests.sandbox.outside import outside
from tests.sandbox.test_attacks_with_check import CELLS, HONEST, PASSING

pytestmark = pytest.mark.filterwarnings("ignore")
HARMLESS = ("dict(__class__=1)", 's = "1"\nbenchmark.Timer(s)')  # the check cannot know
REFUSALS = (TypeError, ValueError, AttributeError, LookupError, RuntimeError, OSError, NameError)


@functools.cache
def passing():
    """Each hostile program in each variant that the check lets through."""
    hostile = [CELLS[name] for name in CELLS if name not in HONEST | PASSING]
    return [
        source
        for each in hostile
        if not each.endswith(HARMLESS)
        for source in variants(each).values()
        if check(source) == ()
    ]


def test_a_hostile_program_written_otherwise_is_refused_by_the_facade():
    assert len(passing()) > 50
    for source in passing():
        with pytest.raises(REFUSALS):
            execute(source)


@pytest.mark.parametrize(
    ("name", "variant"), [(name, way) for name in ATTACKS for way in ("", *VARIANTS)]
)
def test_no_attack_gets_hold_of_what_is_outside(name, variant):
    source = variants(ATTACKS[name])[variant] if variant else ATTACKS[name]

    assert variant or check(source) == ()
    assert outside(run(source).names) == []


@pytest.mark.parametrize("name", REFUSED)
def test_what_opens_a_way_out_is_refused(name):
    assert check(REFUSED[name]) == ()
    with pytest.raises((*REFUSALS, AssertionError)):
        execute(REFUSED[name])


@pytest.mark.parametrize("name", ["a type in a scheduler", "a module named by a text"])
def test_a_cell_is_run_with_the_patched_classes(name):
    answer, _ = run_cell(f"{ATTACKS[name]}\nfound", names=facade.bind())

    assert answer.error_type == "TypeError"


def test_patched_classes_come_back_after_a_run():
    patched = (torch.nn.Module, torch.utils.data.DataLoader, LambdaLR, LRScheduler, enum.EnumType)
    before = [dict(vars(kind)) for kind in patched]

    execute("x = 1")

    assert [dict(vars(kind)) for kind in patched] == before
