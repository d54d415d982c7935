"""The programs that the lesson shows are executed, and agree with its reports."""

import itertools

import pytest

from playground.lessons.blocks import source
from playground.lessons.blocks.records import (
    Call,
    CallSequential,
    CheckDuties,
    CompareWithSequential,
    Container,
    Copying,
    CountLoops,
    DutyBlock,
    Infinite,
    Keeping,
    MoveConstant,
    NestBlocks,
    Piece,
    TrainShared,
    Use,
    UseMySequential,
)
from playground.machines import Machine
from playground.modules.custom_source import class_source
from tests.answers import answer_once as answer
from tests.programs import run_program


def both(settings, program):
    report = answer(settings)
    result, outcome = run_program(program, getattr(settings, "machine", Machine()))
    assert outcome == report.outcome
    return report, result


@pytest.mark.parametrize("call", Call)
@pytest.mark.parametrize(("batch", "width"), [(2, 20), (1, 20), (2, 21)])
def test_layers_in_a_row(call, batch, width):
    settings = CallSequential(call=call, batch=batch, width=width, seed=3)

    report, result = both(settings, source.call_sequential(settings))

    called = [each.name or "net" for each in report.called]
    assert result == (None if width != 20 else (report.output_shape, called))


@pytest.mark.parametrize("copying", Copying)
@pytest.mark.parametrize("seed", [0, 7])
def test_the_class_beside_the_sequential(copying, seed):
    settings = CompareWithSequential(copying=copying, seed=seed)

    report, result = both(settings, source.compare_with_sequential(settings))

    assert result == (None if report.mine == () else (report.is_equal, report.difference))


@pytest.mark.parametrize(("container", "use"), list(itertools.product(Container, Use)))
def test_a_sequential_of_ones_own(container, use):
    settings = UseMySequential(container=container, use=use)

    report, result = both(settings, source.use_my_sequential(settings))

    keys = [key for key, _ in report.modules]
    expected = (report.output_shape, keys, report.parameters) if report.outcome.ok else None
    assert result == expected


@pytest.mark.parametrize("use", Use)
def test_one_changed_line_registers_the_layers(use):
    settings = UseMySequential(container=Container.LIST, use=use)
    gone, come = source.mend_container(settings)

    result, outcome = run_program(source.repair_container(settings), settings.machine)

    assert gone in source.use_my_sequential(settings)
    assert come in source.repair_container(settings)
    assert outcome.ok
    assert result == ((2, 10), ["layers"], 4)


@pytest.mark.parametrize("infinite", Infinite)
@pytest.mark.parametrize("exponent", [-4, 0, 38])
def test_the_loop(infinite, exponent):
    settings = CountLoops(infinite=infinite, exponent=exponent, seed=2)

    report, result = both(settings, source.count_loops(settings))

    assert result[:2] == (report.loops, report.has_ended)
    assert report.result in (None, result[2])


@pytest.mark.parametrize(("rows", "seed"), [(2, 0), (1, 5), (64, 1)])
def test_one_layer_twice(rows, seed):
    settings = TrainShared(rows=rows, seed=seed)

    report, result = both(settings, source.train_shared(settings))

    assert result == (report.learnable, not report.has_constant_changed, report.difference)


@pytest.mark.parametrize("keeping", Keeping)
@pytest.mark.parametrize("device", ["cpu", "cuda:1"])
def test_a_constant(keeping, device):
    settings = MoveConstant(keeping=keeping, device=device)

    report, result = both(settings, source.move_constant(settings))

    expected = (report.result_device, report.constant_device, report.in_state_dict)
    assert result == (expected if report.outcome.ok else None)


def test_the_line_that_makes_the_constant_a_buffer_works():
    settings = MoveConstant()
    gone, come = source.mend_constant(settings)
    program = source.move_constant(settings)

    result, outcome = run_program(program.replace(gone, come), settings.machine)

    assert gone in program
    assert outcome.ok
    assert result == ("cuda:0", "cuda:0", True)


@pytest.mark.parametrize("pieces", list(itertools.product(Piece, repeat=3))[::4])
def test_nested_blocks(pieces):
    first, second, third = pieces
    settings = NestBlocks(first=first, second=second, third=third)

    report, result = both(settings, source.nest_blocks(settings))

    assert result == ((report.output_shape, report.total) if report.outcome.ok else None)


@pytest.mark.parametrize("block", DutyBlock)
def test_the_duties(block):
    settings = CheckDuties(block=block, seed=4)

    report, result = both(settings, source.check_duties(settings))

    shape, distance, names, without, largest = result
    listed = [row for row in report.parameters if row.is_listed]
    assert shape == report.output_shape
    assert distance < 1e-7
    assert names == [row.name for row in listed]
    if block != DutyBlock.WITH_LIST:  # parameters() cannot even ask them
        assert tuple(without) == report.without_gradient
    assert largest == max((max(abs(row.least), abs(row.greatest)) for row in listed), default=0.0)


def test_the_classes_are_shown_as_they_are_written():
    program = source.nest_blocks(NestBlocks())

    assert class_source("NestMLP") in program
    assert class_source("FixedHiddenMLP") in program
    assert program.count("from torch import") == 1
