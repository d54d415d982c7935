"""Formats, pickles and sample files; the oracles are torch, safetensors and pickletools."""

import io
import pickletools
import zipfile

import pytest
import torch
from safetensors.torch import load as load_safetensors
from torch import nn

from playground.checkpoints.inspect import Verdict, disassemble, inspect
from playground.errors import CheckpointUnwritableError, InvalidSettingError
from playground.lessons.save_and_load.experiment.cargo import cargo_of
from playground.lessons.save_and_load.experiment.writing import write_file
from playground.lessons.save_and_load.records import (
    AskPickle,
    Cargo,
    CompareFormats,
    CompareKeys,
    FileFormat,
    LoadElsewhere,
    MakeSample,
    Place,
    RestoreModel,
    ResumeTraining,
    RoundTrip,
    Sample,
    SaveInto,
    SaveView,
    Thing,
    WriteFile,
    WriteParameters,
    WriteWeights,
)
from playground.modules.spec import Block, InputSpec, Layer, Network, Shared
from tests.answers import answer_once as answer
from tests.turns import in_turn

TIED = Network(
    Block([Layer.of("Linear", in_features=4, out_features=4), Shared("0")]), InputSpec((2, 4))
)
VERDICTS = {
    Sample.HOSTILE: Verdict.FORBIDDEN_GLOBAL,
    Sample.MODULE: Verdict.FORBIDDEN_GLOBAL,
    Sample.TRUNCATED: Verdict.BAD_ZIP,
    Sample.ZIPPED: Verdict.COMPRESSED,
    Sample.HTML: Verdict.HTML,
}


# formats


@pytest.mark.parametrize(("tensors", "numbers"), [(1, 1), (7, 20)])
def test_both_formats_are_timed_and_give_the_numbers_back(tensors: int, numbers: int) -> None:
    report = answer(CompareFormats(tensors=tensors, numbers=numbers))

    assert report.is_equal
    assert report.number_bytes == tensors * numbers * 4
    assert report.repeats == CompareFormats.REPEATS
    for each in report.both:
        assert each.file_bytes > report.number_bytes
        for span in (each.saving, each.loading):
            assert 0 < span.low_seconds <= span.median_seconds <= span.high_seconds


@pytest.mark.parametrize("kind", FileFormat)
def test_the_weights_to_take_away_are_those_that_were_measured(kind: FileFormat) -> None:
    settings = CompareFormats(tensors=3, numbers=4)
    report = answer(settings)
    file = answer(WriteWeights(of=settings, format=kind))

    measured = report.torch if kind is FileFormat.TORCH else report.safetensors
    state = (
        torch.load(io.BytesIO(file.data))
        if kind is FileFormat.TORCH
        else load_safetensors(file.data)
    )
    torch.manual_seed(0)
    assert len(file.data) == measured.file_bytes
    assert file.file_name == kind.file_name
    assert all(torch.equal(each, torch.randn(4)) for _, each in sorted(state.items()))


@pytest.mark.parametrize("field", ["tensors", "numbers"])
@pytest.mark.parametrize("value", [0, 10**6, 1.5, "x"])
def test_formats_refuse_what_is_out_of_bounds(field: str, value: object) -> None:
    with pytest.raises(InvalidSettingError):
        CompareFormats(**{field: value})


# pickles


@pytest.mark.parametrize("cargo", Cargo)
def test_the_pickle_is_taken_apart_as_pickletools_does_and_judged_as_torch_does(
    cargo: Cargo,
) -> None:
    report = answer(AskPickle(cargo=cargo))
    written = io.BytesIO()
    torch.save(cargo_of(cargo), written)
    with zipfile.ZipFile(written) as archive:
        pickle = archive.read(next(name for name in archive.namelist() if "data.pkl" in name))

    steps = [(place, step.name) for step, _, place in pickletools.genops(pickle)]
    lines = [line.instruction for line in report.disassembly.lines]
    assert [(each.at, each.name) for each in lines] == steps
    assert report.outcome.ok == report.inspection.accepted == (cargo is Cargo.WEIGHTS)
    assert bool(report.disassembly.forbidden) != report.inspection.accepted


@pytest.mark.parametrize(
    ("cargo", "kept"), [(Cargo.COMMAND, "posix.system"), (Cargo.PROGRAM, "GLOBAL exec")]
)
def test_of_torchs_message_only_the_advice_is_left_out(cargo: Cargo, kept: str) -> None:
    report = answer(AskPickle(cargo=cargo))
    written = io.BytesIO()
    torch.save(cargo_of(cargo), written)
    written.seek(0)
    with pytest.raises(Exception, match="GLOBAL") as refused:
        torch.load(written)

    assert report.outcome.error_type == type(refused.value).__name__
    assert report.is_cut
    assert kept in report.outcome.message
    for part in report.outcome.message.split("[…]"):
        assert part.strip() in str(refused.value)
    for advice in ("to `False`", "safe_globals", "trusted source"):
        assert advice in f"{refused.value} safe_globals"
        assert advice not in report.outcome.message


def test_the_message_on_a_whole_module_is_left_as_torch_words_it() -> None:
    report = answer(AskPickle(cargo=Cargo.MODULE))

    assert not report.is_cut
    assert "torch.nn.modules.linear.Linear" in report.outcome.message


@pytest.mark.parametrize("cargo", [Cargo.COMMAND, Cargo.PROGRAM])
def test_nothing_in_a_hostile_file_is_run(cargo: Cargo, capfd: pytest.CaptureFixture[str]) -> None:
    answer(AskPickle(cargo=cargo))
    answer(MakeSample(sample=Sample.HOSTILE))

    assert capfd.readouterr().out == ""


# samples


@in_turn("sample", Sample)
def test_a_sample_gets_the_verdict_that_it_is_made_for(sample: Sample) -> None:
    report = answer(MakeSample(sample=sample))

    found = inspect(report.data, report.file_name)
    assert found.verdict == VERDICTS.get(sample, Verdict.OK)
    assert len(report.data) < 150_000


def test_the_samples_show_what_they_are_for() -> None:
    found = {
        each: inspect(answer(MakeSample(sample=each)).data, each.file_name)
        for each in (Sample.CUDA, Sample.TIED, Sample.VIEW, Sample.CHECKPOINT, Sample.RENAMED)
    }

    assert {each.device for each in found[Sample.CUDA].tensors} == {"cuda:0"}
    assert found[Sample.TIED].ties == (("2.weight", "4.weight"), ("2.bias", "4.bias"))
    assert all(each.is_view_of_more for each in found[Sample.VIEW].tensors)
    assert found[Sample.CHECKPOINT].structure.optimizer == ("optimizer",)
    assert found[Sample.RENAMED].format == "safetensors"
    assert disassemble(answer(MakeSample(sample=Sample.HOSTILE)).data).forbidden


# files to take away


@pytest.mark.parametrize("kind", FileFormat)
def test_the_parameters_of_a_network_come_back_as_they_were_built(kind: FileFormat) -> None:
    file = answer(WriteParameters(format=kind, seed=5))
    state = (
        torch.load(io.BytesIO(file.data))
        if kind is FileFormat.TORCH
        else load_safetensors(file.data)
    )
    torch.manual_seed(5)
    plain = nn.Sequential(nn.Linear(20, 256), nn.ReLU(), nn.Linear(256, 10)).state_dict()

    assert state.keys() == plain.keys()
    assert all(torch.equal(state[name], each) for name, each in plain.items())


def test_what_safetensors_cannot_hold_is_refused_in_its_own_words() -> None:
    with pytest.raises(CheckpointUnwritableError) as refused:
        answer(WriteParameters(network=TIED.to_json(), format=FileFormat.SAFETENSORS))

    assert "share memory" in str(refused.value.values["text"])
    assert answer(WriteParameters(network=TIED.to_json())).data


@pytest.mark.parametrize(
    "settings",
    [
        *(RoundTrip(thing=each) for each in Thing),
        SaveInto(place=Place.AGAIN),
        RestoreModel(),
        CompareKeys(),
        ResumeTraining(before=1, after=1),
        LoadElsewhere(),
        SaveView(length=1000),
    ],
    ids=lambda each: type(each).__name__,
)
def test_the_name_of_a_file_is_known_before_it_is_made(settings: object) -> None:
    asked = WriteFile(of=settings)

    assert asked.file_name == write_file(asked).file_name
