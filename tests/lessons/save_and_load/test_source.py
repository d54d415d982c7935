"""Every program that a student is shown really runs, and answers what the report says."""

import pytest

from playground.errors import InvalidSettingError
from playground.lessons.save_and_load import source
from playground.lessons.save_and_load.records import (
    CompareKeys,
    Copying,
    LeftOut,
    LoadElsewhere,
    MapLocation,
    Optimizer,
    Other,
    Own,
    Part,
    Place,
    RestoreModel,
    ResumeTraining,
    RoundTrip,
    SaveInto,
    SaveView,
    Source,
    Thing,
    WriteFile,
)
from playground.machines import Machine
from playground.modules.spec import Block, InputSpec, Layer, Network, Shared
from playground.modules.spec.starts import STARTS
from tests.answers import answer_once as answer
from tests.programs import run_program

TIED = Network(
    Block([Layer.of("Linear", in_features=4, out_features=4), Shared("0")]), InputSpec((2, 4))
)
LAZY = Network(
    Block(
        [Layer.of("LazyLinear", out_features=2), Layer.of("Linear", in_features=2, out_features=1)]
    ),
    InputSpec((4, 3)),
)
TWO_INPUTS = Network(
    Layer.of("Bilinear", in1_features=4, in2_features=3, out_features=5),
    (InputSpec((2, 4)), InputSpec((2, 3))),
)
FAILING = Network(
    Block([Layer.of("Linear", in_features=5, out_features=2), Layer("ReLU")]), InputSpec((4, 3))
)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A folder of its own for what a program writes."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run_both(settings, program, machine=None):
    """The report of the experiment, and what the shown program bound to ``result``, or refused."""
    report = answer(settings)
    result, outcome = run_program(program, machine or Machine())
    assert outcome == report.outcome  # torch's own words in both, or success in both
    assert "playground" not in program
    return report, result


def written(settings, folder):
    """The file that is offered for download, and the one that the program wrote."""
    file = answer(WriteFile(of=settings))
    return file.data, (folder / file.file_name).read_bytes()


@pytest.mark.parametrize("thing", Thing)
@pytest.mark.parametrize(("is_changed", "length"), [(False, 4), (True, 1), (True, 5000)])
def test_round_trip(thing, is_changed, length, folder, capsys):
    settings = RoundTrip(thing=thing, is_changed=is_changed, length=length)
    report, result = run_both(settings, source.round_trip(settings))

    assert capsys.readouterr().out == f"{report.printed}\n"
    assert result == (report.equal, report.file_bytes)
    offered, own = written(settings, folder)
    assert offered == own


@pytest.mark.parametrize("place", Place)
def test_save_into(place, folder, capsys):
    settings = SaveInto(place=place)
    report, result = run_both(settings, source.save_into(settings))

    assert result == (None if report.loaded is None else list(report.loaded))
    assert capsys.readouterr().out == (f"{report.printed}\n" if report.printed else "")
    assert {
        name: (folder / name).stat().st_size for name, _ in report.files if place != "missing"
    } == ({} if place is Place.MISSING else dict(report.files))
    if settings.leaves_file:
        offered = answer(WriteFile(of=settings))
        assert (offered.file_name, offered.data) == ("x", (folder / "data/x").read_bytes())
    else:
        with pytest.raises(InvalidSettingError):
            WriteFile(of=settings)


def test_the_folder_mends_the_program():
    settings = SaveInto(place=Place.MISSING)
    before, after = source.mend_folder(settings)
    program = source.save_into(settings)
    mended = program.replace(before, after)
    result, outcome = run_program(mended, Machine())

    assert before in program
    assert outcome.ok
    assert result == [0, 1, 2, 3]


@pytest.mark.parametrize(("loads", "evaluates"), [(True, True), (True, False), (False, True)])
@pytest.mark.parametrize("own", Own)
def test_restore_model(own, loads, evaluates, folder, capsys):
    settings = RestoreModel(own=own, loads=loads, evaluates=evaluates, seed=3)
    report, result = run_both(settings, source.restore_model(settings))

    assert result == (report.equal_numbers, report.numbers)
    assert capsys.readouterr().out == f"{report.printed}\n"
    offered, own_file = written(settings, folder)
    assert offered == own_file
    assert len(own_file) == report.file_bytes


@pytest.mark.parametrize(
    "network", [*STARTS.values(), TIED, LAZY, TWO_INPUTS, FAILING], ids=lambda _: ""
)
def test_restore_any_model(network):
    settings = RestoreModel(network=network.to_json())
    report, result = run_both(settings, source.restore_model(settings))

    assert result == ((report.equal_numbers, report.numbers) if report.outcome.ok else None)


@pytest.mark.parametrize("is_strict", [True, False])
@pytest.mark.parametrize("is_swapped", [True, False])
@pytest.mark.parametrize("other", Other)
def test_compare_keys(other, is_swapped, is_strict, folder, capsys):
    settings = CompareKeys(other=other, is_swapped=is_swapped, is_strict=is_strict)
    report, result = run_both(settings, source.compare_keys(settings))

    assert capsys.readouterr().out == (f"{report.printed}\n" if report.outcome.ok else "")
    if report.outcome.ok:
        missing, unexpected = result
        assert missing == list(report.missing)
        assert sorted(unexpected) == sorted(report.unexpected)  # torch goes by modules
    offered, own = written(settings, folder)
    assert offered == own


@pytest.mark.parametrize("other", [Other.MIXED, Other.WRAPPED])
@pytest.mark.parametrize(
    "network", [STARTS["residual"], STARTS["transformer"], TIED, LAZY, TWO_INPUTS], ids=lambda _: ""
)
def test_compare_any_keys(network, other):
    settings = CompareKeys(network=network.to_json(), other=other)

    run_both(settings, source.compare_keys(settings))


def test_compare_two_networks_that_have_nothing_in_common():
    one, other = STARTS["residual"].to_json(), STARTS["chimera"].to_json()
    settings = CompareKeys(network=one, second=other)
    program = source.compare_keys(settings)

    run_both(settings, program)
    assert program.count("import torch\n") == 1
    assert "from torch import Tensor, nn\n" in program


@pytest.mark.parametrize("left_out", LeftOut)
@pytest.mark.parametrize("optimizer", Optimizer)
def test_resume_training(optimizer, left_out, folder, capsys):
    settings = ResumeTraining(optimizer=optimizer, left_out=left_out, before=3, after=4, seed=5)
    report, (uninterrupted, resumed) = run_both(settings, source.resume_training(settings))

    assert tuple(uninterrupted) == report.uninterrupted
    assert tuple(resumed[3:]) == report.without
    assert capsys.readouterr().out == f"{report.printed}\n"
    offered, own = written(settings, folder)
    assert offered == own
    assert len(offered) == report.file_bytes[1]


@pytest.mark.parametrize("map_location", MapLocation)
@pytest.mark.parametrize(
    ("where", "gpus"),
    [(Source.FIRST_GPU, 0), (Source.SECOND_GPU, 1), (Source.SECOND_GPU, 2), (Source.CPU, 1)],
)
def test_load_elsewhere(where, gpus, map_location, folder, capsys):
    settings = LoadElsewhere(source=where, gpus=gpus, map_location=map_location)
    saving, loading = source.load_elsewhere(settings).split(source.OTHER_MACHINE)
    _, outcome = run_program(saving, Machine(gpus=2))
    assert outcome.ok
    report, result = run_both(settings, loading, Machine(gpus=gpus))

    assert result == ([device for _, device in report.devices] or None)
    assert capsys.readouterr().out == "".join(f"{name} {on}\n" for name, on in report.devices)
    offered, own = written(settings, folder)
    assert offered == own


def test_the_mended_line_loads_on_every_machine():
    settings = LoadElsewhere()
    before, after = source.mend_loading(settings)
    saving, loading = source.load_elsewhere(settings).split(source.OTHER_MACHINE)
    run_program(saving, Machine(gpus=2))
    result, outcome = run_program(loading.replace(before, after), Machine(gpus=0))

    assert before in loading
    assert outcome.ok
    assert set(result) == {"cpu"}


@pytest.mark.parametrize("copying", Copying)
@pytest.mark.parametrize("part", Part)
def test_save_view(part, copying, folder, capsys):
    settings = SaveView(part=part, copying=copying, length=20_000)
    report, result = run_both(settings, source.save_view(settings))

    assert result == report.file_bytes
    assert capsys.readouterr().out.split()[0] == str(report.part_bytes)
    offered, own = written(settings, folder)
    assert offered == own
