"""The programs on formats, pickles and sample files: each runs, and answers as the report does."""

import zipfile

import pytest
import torch

from playground.checkpoints.inspect import inspect
from playground.lessons.save_and_load import source
from playground.lessons.save_and_load.experiment.cargo import cargo_of
from playground.lessons.save_and_load.records import (
    AskPickle,
    Cargo,
    CompareFormats,
    MakeSample,
    Sample,
)
from playground.machines import Machine
from tests.answers import answer_once as answer
from tests.programs import run_program


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A folder of its own for what a program writes."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_formats_have_the_sizes_of_the_report(capsys: pytest.CaptureFixture[str]) -> None:
    settings = CompareFormats(tensors=4, numbers=30)
    report = answer(settings)
    result, outcome = run_program(source.compare_formats(settings), Machine())

    assert outcome.ok
    assert result == {each.format.file_name: each.file_bytes for each in report.both}
    assert len(capsys.readouterr().out.splitlines()) == len(report.both)


@pytest.mark.parametrize("cargo", Cargo)
def test_the_pickle_of_the_program_asks_for_as_much(
    cargo: Cargo, capfd: pytest.CaptureFixture[str]
) -> None:
    settings = AskPickle(cargo=cargo)
    report = answer(settings)
    result, outcome = run_program(source.ask_pickle(settings), Machine())

    assert result == len(report.disassembly.lines)
    assert (outcome.ok, outcome.error_type) == (report.outcome.ok, report.outcome.error_type)
    for part in report.outcome.message.split("[…]"):
        assert part.strip() in outcome.message
    lines = capfd.readouterr().out.splitlines()
    assert len(lines) == result  # the list of steps, and nothing that the file asked for
    assert all(each.split()[0].isupper() for each in lines)


@pytest.mark.parametrize("cargo", [Cargo.COMMAND, Cargo.PROGRAM])
def test_the_pickle_written_by_hand_is_the_one_that_torch_writes(cargo: Cargo, folder) -> None:
    run_program(source.ask_pickle(AskPickle(cargo=cargo)), Machine())
    torch.save(cargo_of(cargo), "written.pt")

    with zipfile.ZipFile("weights.pt") as mine, zipfile.ZipFile("written.pt") as torchs:
        assert mine.read("weights/data.pkl") == torchs.read("written/data.pkl")
        assert mine.read("weights/version").strip() == torchs.read("written/version").strip()


@pytest.mark.parametrize("sample", Sample)
def test_the_program_of_a_sample_loads_what_the_inspector_accepts(sample: Sample, folder) -> None:
    settings = MakeSample(sample=sample)
    report = answer(settings)
    result, outcome = run_program(source.make_sample(settings), Machine(gpus=1))

    mine = inspect(report.data, report.file_name)
    own = inspect((folder / report.file_name).read_bytes(), report.file_name)
    assert own.verdict == mine.verdict
    if sample is Sample.ZIPPED:  # torch loads what the inspector is stricter about
        assert outcome.ok
        return
    assert outcome.ok == mine.accepted
    if mine.accepted:
        parts = [each for each in mine.tensors if each.path[0] != "optimizer"]
        assert result == [(str(each.path[-1]), each.shape) for each in parts]
        assert len(own.tensors) == len(mine.tensors)
        assert {each.device for each in own.tensors} == {each.device for each in mine.tensors}
