"""What the experiments answer, against plain torch and what is known of its files."""

import io
import os
import tempfile
import zipfile
from itertools import pairwise
from pathlib import Path

import pytest
import torch
from torch import nn

from playground import compute
from playground.checkpoints.keys import Fit
from playground.errors import CheckpointTooLargeError, InvalidSettingError, InvalidSpecError
from playground.lessons.save_and_load.challenges import (
    is_loaded_and_different,
    is_mostly_numbers,
    is_on_the_only_gpu,
    is_small_without_clone,
    loses_nothing,
)
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
from playground.lessons.save_and_load.records.networks import SMALL, has_lazy
from playground.modules.spec import Block, InputSpec, Layer, Network, Shared
from playground.modules.spec.starts import STARTS
from tests.turns import in_turn


def answer(settings):
    with compute.running_inline():
        return compute.run(settings)


def linear(inputs, outputs):
    return Layer.of("Linear", in_features=inputs, out_features=outputs)


# F1


@pytest.mark.parametrize("thing", Thing)
def test_what_comes_back_is_equal_and_lies_elsewhere(thing):
    report = answer(RoundTrip(thing=thing, length=7))

    assert report.equal
    assert report.equal_to_saved
    assert (report.actual, report.shares_memory, report.is_same_object) == ("equal", False, False)
    assert report.dtype == ("torch.int64", "torch.int64")
    assert report.type_name == {"tensor": "Tensor", "dict": "dict"}.get(thing, "list")
    numbers = {"tensor": 7 * 8, "twice": 7 * 8}.get(thing, 7 * 8 + 7 * 4)  # int64, float32
    assert report.number_bytes == numbers
    assert sum(size for name, size in report.records if name.startswith("data/")) == numbers


@pytest.mark.parametrize("thing", Thing)
def test_the_file_does_not_know_what_is_written_after_it(thing):
    report = answer(RoundTrip(thing=thing, is_changed=True))

    assert (report.equal, report.equal_to_saved) == (False, True)
    assert (report.actual, report.why) == ("different", "file-keeps-the-past")
    assert report.pieces[0].now == (9, 1, 2, 3)
    assert report.pieces[0].loaded == report.pieces[0].before == (0, 1, 2, 3)


def test_a_tensor_that_is_saved_twice_is_in_the_file_once():
    twice, both = answer(RoundTrip(thing=Thing.TWICE)), answer(RoundTrip(thing=Thing.LIST))

    assert [piece.record for piece in twice.pieces] == ["data/0", "data/0"]
    assert twice.shares_inside is True
    assert twice.why == "saved-once"
    assert [piece.record for piece in both.pieces] == ["data/0", "data/1"]
    assert both.shares_inside is False


def test_the_frame_of_a_file_stays_small():
    few, many = answer(RoundTrip()), answer(RoundTrip(length=10_000))

    assert many.number_bytes == 80_000
    assert many.file_bytes - many.number_bytes < 2 * few.file_bytes
    assert is_mostly_numbers(many)
    assert not is_mostly_numbers(few)


def test_torch_makes_files_and_no_folders():
    report = answer(SaveInto(place=Place.MISSING))

    assert report.outcome.error_type == "RuntimeError"
    assert report.outcome.message == "Parent directory data does not exist."
    assert report.is_mended
    assert report.loaded is None


@pytest.mark.parametrize(
    ("place", "error", "words"),
    [
        (Place.OTHER_NAME, "FileNotFoundError", "[Errno 2] No such file or directory: 'data/X'"),
        (Place.CUT, "RuntimeError", "failed finding central directory"),
    ],
)
def test_a_file_that_is_not_there_or_not_whole_is_refused(place, error, words):
    outcome = answer(SaveInto(place=place)).outcome

    assert outcome.error_type == error
    assert words in outcome.message


def test_a_second_file_takes_the_place_of_the_first():
    report = answer(SaveInto(place=Place.AGAIN))

    assert report.loaded == (10, 11, 12, 13)
    assert [name for name, _ in report.files] == ["data/x"]


def test_experiments_leave_no_file_behind(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for settings in (RoundTrip(), SaveInto(), SaveView(length=1000), WriteFile()):
        answer(settings)

    assert list(tmp_path.iterdir()) == []
    assert Path.cwd() == Path(os.path.realpath(tmp_path))


# F2


@pytest.mark.parametrize("own", [Own.MLP, Own.DROPOUT, Own.NORMED])
def test_a_clone_that_was_loaded_answers_the_same(own):
    report = answer(RestoreModel(own=own))

    assert (report.actual, report.why) == ("all", "all-equal")
    assert (report.difference, report.equal_parameters) == (0, True)
    assert report.output == report.cloned_output
    assert report.matched == "<All keys matched successfully>"


def test_the_outputs_are_those_of_plain_torch():
    report = answer(RestoreModel(own=Own.MLP, loads=False, seed=4))

    torch.manual_seed(4)
    net = nn.Sequential(nn.Linear(20, 256), nn.ReLU(), nn.Linear(256, 10))
    batch = torch.randn(2, 20)
    torch.manual_seed(5)
    clone = nn.Sequential(nn.Linear(20, 256), nn.ReLU(), nn.Linear(256, 10))
    one, other = net(batch), clone(batch)
    assert report.output == tuple(map(tuple, one[:, :5].tolist()))
    assert report.cloned_output == tuple(map(tuple, other[:, :5].tolist()))
    assert (report.equal_numbers, report.numbers) == (int((one == other).sum()), 20)
    assert report.difference == (one - other).abs().max().item()
    assert report.why == "own-numbers"


@pytest.mark.parametrize(
    ("own", "actual", "why", "layers"),
    [
        (Own.MLP, "all", "eval-had-nothing-to-do", ()),
        (Own.DROPOUT, "none", "still-training", ("Dropout",)),
        (Own.NORMED, "none", "still-training", ("BatchNorm1d",)),
    ],
)
def test_without_eval_only_some_layers_answer_otherwise(own, actual, why, layers):
    report = answer(RestoreModel(own=own, evaluates=False))

    assert (report.actual, report.why, report.training_layers) == (actual, why, layers)


def test_what_is_no_parameter_and_no_buffer_is_not_in_the_file():
    report = answer(RestoreModel(own=Own.FIXED))

    assert (report.why, report.unsaved) == ("not-in-the-file", ("2.rand_weight",))
    assert report.equal_parameters
    assert is_loaded_and_different(report)
    assert not is_loaded_and_different(answer(RestoreModel()))


@pytest.mark.parametrize(
    ("network", "why"),
    [
        (Network(Block([Layer("ReLU")]), InputSpec((2, 3))), "all-equal"),
        (Network(Layer.of("LSTM", input_size=3, hidden_size=2), InputSpec((2, 3))), "no-outputs"),
        (Network(Block([linear(5, 2), Layer("ReLU")]), InputSpec((2, 3))), "no-outputs"),
    ],
)
def test_any_network_gets_an_answer(network, why):
    assert answer(RestoreModel(network=network.to_json())).why == why


def test_a_network_without_numbers_needs_no_file():
    network = Network(Block([Layer("ReLU")]), InputSpec((2, 3)))
    report = answer(RestoreModel(network=network.to_json(), loads=False))

    assert (report.why, report.keys) == ("equal-without-file", 0)


def test_a_network_too_large_for_a_file_is_refused_before_it_is_built():
    network = Network(Block([linear(5000, 5000)]), InputSpec((1, 5000)))

    with pytest.raises(CheckpointTooLargeError):
        answer(RestoreModel(network=network.to_json()))


# F3


def expected_keys(saved, given):
    """Plain Python's view of two dicts of shapes."""
    both = saved.keys() & given.keys()
    return {
        Fit.FITS: {name for name in both if saved[name] == given[name]},
        Fit.SIZE_MISMATCH: {name for name in both if saved[name] != given[name]},
        Fit.MISSING: given.keys() - saved.keys(),
        Fit.UNEXPECTED: saved.keys() - given.keys(),
    }


SAVED = {"0.weight": (8, 4), "0.bias": (8,), "2.weight": (2, 8), "2.bias": (2,)}
GIVEN = {
    Other.SAME: SAVED,
    Other.OUTPUTS: SAVED | {"2.weight": (4, 8), "2.bias": (4,)},
    Other.MORE: SAVED | {"3.weight": (3, 2), "3.bias": (3,)},
    Other.FEWER: {"0.weight": (8, 4), "0.bias": (8,)},
    Other.SHIFTED: {"1.weight": (8, 4), "1.bias": (8,), "3.weight": (2, 8), "3.bias": (2,)},
    Other.WRAPPED: {f"module.{name}": shape for name, shape in SAVED.items()},
    Other.MIXED: {"stem.weight": (8, 4), "stem.bias": (8,), "2.weight": (4, 8), "2.bias": (4,)},
}


@pytest.mark.parametrize("is_swapped", [False, True])
@pytest.mark.parametrize("other", Other)
def test_every_key_is_judged_as_two_dicts_compare(other, is_swapped):
    report = answer(CompareKeys(other=other, is_swapped=is_swapped))

    expected = expected_keys(*((GIVEN[other], SAVED) if is_swapped else (SAVED, GIVEN[other])))
    for fit, names in expected.items():
        assert {row.name for row in report.rows if row.fit is fit} == names
    assert set(report.taken) == expected[Fit.FITS]  # also where torch refused
    misfits = expected[Fit.MISSING] | expected[Fit.UNEXPECTED]
    assert report.strict.ok is not bool(misfits or expected[Fit.SIZE_MISMATCH])
    assert report.unstrict.ok is not bool(expected[Fit.SIZE_MISMATCH])  # never skipped


def test_torch_names_every_kind_in_one_error():
    message = answer(CompareKeys(is_strict=True)).outcome.message

    head, *lines = message.split("\n\t")
    assert head == "Error(s) in loading state_dict for Sequential:"
    assert lines[0] == 'Missing key(s) in state_dict: "stem.weight", "stem.bias". '
    assert lines[1] == 'Unexpected key(s) in state_dict: "0.weight", "0.bias". '
    assert [line.startswith("size mismatch for 2.") for line in lines[2:]] == [True, True]


@pytest.mark.parametrize(
    ("other", "is_strict", "actual", "why"),
    [
        (Other.SAME, True, "matched", "keys-match"),
        (Other.MIXED, False, "RuntimeError", "sizes-are-never-skipped"),
        (Other.MIXED, True, "RuntimeError", "no-key-fits"),
        (Other.OUTPUTS, True, "RuntimeError", "sizes-differ"),
        (Other.SHIFTED, True, "RuntimeError", "no-name-fits"),
        (Other.MORE, True, "RuntimeError", "names-differ"),
        (Other.MORE, False, "in_part", "names-are-skipped"),
        (Other.WRAPPED, False, "nothing", "nothing-was-loaded"),
    ],
)
def test_what_load_state_dict_does(other, is_strict, actual, why):
    report = answer(CompareKeys(other=other, is_strict=is_strict))

    assert (report.actual, report.why) == (actual, why)
    if "was" in why or why.startswith("no-"):
        assert report.taken == ()  # as the explanation says


def test_a_counter_that_torch_does_not_ask_for_is_told():
    norm = Layer.of("BatchNorm1d", num_features=8)
    network = Network(Block([linear(4, 8), norm, linear(8, 2)]), InputSpec((2, 4)))
    report = answer(CompareKeys(network=network.to_json(), other=Other.SHIFTED, is_strict=True))

    listed = report.outcome.message.split("Unexpected")[0]
    assert [name for name in report.missing if f'"{name}"' not in listed] == [
        report.told["unasked"]
    ]
    assert report.told["unasked"] == "2.num_batches_tracked"
    assert answer(CompareKeys(is_strict=True)).told["unasked"] is None


def test_data_parallel_gives_the_names_of_the_wrapped_network():
    report = answer(CompareKeys(other=Other.WRAPPED, is_swapped=True))

    net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    assert set(report.unexpected) == set(nn.DataParallel(net).state_dict())


def test_what_is_shared_stays_shared_in_the_other_network():
    tied = Network(Block([linear(4, 4), Shared("0")]), InputSpec((2, 4)))
    for other in Other:
        changed = other.of(tied)
        kinds = {type(each) for each in changed.block.children}
        assert Shared in kinds or other in (Other.FEWER, Other.WRAPPED)
    keys = [row.name for row in answer(CompareKeys(network=tied.to_json(), other="wrapped")).rows]
    assert "module.1.weight" in keys


@pytest.mark.parametrize("other", Other)
def test_every_network_has_others(other):
    layer = Network(linear(2, 3), InputSpec((1, 2)))
    empty = Network(Block([]), InputSpec((1, 2)))

    for network in (layer, empty, *STARTS.values()):
        assert Network.from_json(other.of(network).to_json()) == other.of(network)
    assert Other.SAME.of(layer) is layer


def test_a_lazy_network_has_met_its_input_when_it_is_saved():
    lazy = Network(Block([Layer.of("LazyLinear", out_features=2)]), InputSpec((4, 3)))
    report = answer(CompareKeys(network=lazy.to_json(), other=Other.SAME))

    assert has_lazy(lazy)
    assert not has_lazy(SMALL)
    assert report.outcome.ok
    assert [(row.in_network, row.in_file) for row in report.rows] == [(None, (2, 3)), (None, (2,))]


def test_a_network_that_cannot_be_called_cannot_be_saved_while_it_is_lazy():
    broken = Network(
        Block([linear(5, 2), Layer.of("LazyLinear", out_features=2)]), InputSpec((4, 3))
    )
    report = answer(CompareKeys(network=broken.to_json(), other=Other.SAME))

    assert report.outcome.error_type == "RuntimeError"
    assert report.rows == ()
    assert not report.is_drawn


# F4


@pytest.mark.parametrize("optimizer", Optimizer)
@pytest.mark.parametrize(("before", "after"), [(1, 1), (5, 8)])
def test_resumed_from_everything_the_training_is_the_same_bit_for_bit(optimizer, before, after):
    report = answer(ResumeTraining(optimizer=optimizer, before=before, after=after, seed=2))

    assert report.resumed == report.uninterrupted[before:]
    assert report.is_identical
    assert len(report.uninterrupted) == before + after


@pytest.mark.parametrize(
    ("optimizer", "left_out", "is_identical", "tensors"),
    [
        (Optimizer.ADAM, LeftOut.OPTIMIZER, False, 12),  # step, two means; four parameters
        (Optimizer.MOMENTUM, LeftOut.OPTIMIZER, False, 4),
        (Optimizer.SGD, LeftOut.OPTIMIZER, True, 0),
        (Optimizer.SGD, LeftOut.ORDER, False, 0),
        (Optimizer.SGD, LeftOut.MODEL, False, 0),
        (Optimizer.ADAM, LeftOut.NOTHING, True, 12),
    ],
)
def test_what_a_checkpoint_must_hold(optimizer, left_out, is_identical, tensors):
    report = answer(ResumeTraining(optimizer=optimizer, left_out=left_out))

    assert report.is_identical_without is is_identical
    assert report.actual == ("same_curve" if is_identical else "another_curve")
    assert report.state_tensors == tensors
    assert (report.difference == 0) is is_identical
    assert report.file_bytes[1] <= report.file_bytes[0]
    assert loses_nothing(report) is (is_identical and left_out is LeftOut.OPTIMIZER)


def test_the_uninterrupted_run_learns_and_knows_nothing_of_the_checkpoint():
    runs = [answer(ResumeTraining(before=each, after=30 - each)) for each in (5, 12)]

    assert runs[0].uninterrupted == runs[1].uninterrupted
    assert runs[0].uninterrupted[-1] < runs[0].uninterrupted[0] / 2


# F5


def test_the_file_is_really_tagged(tmp_path):
    for source in Source:
        file = answer(WriteFile(of=LoadElsewhere(source=source))).data
        with zipfile.ZipFile(io.BytesIO(file)) as archive:
            (pickle,) = (name for name in archive.namelist() if name.endswith("data.pkl"))
            said = archive.read(pickle)
        tag = str(source).encode()
        assert b"X" + len(tag).to_bytes(4, "little") + tag in said
        assert b"_rebuild_from_type" not in said  # nothing of the simulator is in the file


WITHOUT_CUDA = (
    "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False. "
    "If you are running on a CPU-only machine, please use torch.load with "
    "map_location=torch.device('cpu') to map your storages to the CPU."
)


@pytest.mark.skipif(torch.cuda.is_available(), reason="this computer has a GPU")
def test_torch_itself_refuses_the_file_where_there_is_no_cuda():
    file = answer(WriteFile(of=LoadElsewhere())).data

    with pytest.raises(RuntimeError) as refused:
        torch.load(io.BytesIO(file))
    assert str(refused.value) == WITHOUT_CUDA == answer(LoadElsewhere()).outcome.message


@in_turn(
    ("source", "gpus", "map_location", "actual", "why"),
    [
        ("cuda:0", 0, MapLocation.LEFT_OUT, "RuntimeError", "no-gpu-at-all"),
        ("cuda:0", 0, MapLocation.CUDA, "RuntimeError", "asked-for-cuda"),
        ("cpu", 0, MapLocation.CUDA, "RuntimeError", "asked-for-cuda"),
        ("cuda:0", 1, MapLocation.CUDA, "cuda:0", "mapped"),
        ("cuda:1", 0, MapLocation.BY_NAME, "RuntimeError", "map-missed"),
        ("cuda:1", 1, MapLocation.LEFT_OUT, "RuntimeError", "no-such-gpu"),
        ("cuda:0", 0, MapLocation.CPU, "cpu", "mapped"),
        ("cuda:0", 0, MapLocation.BY_NAME, "cpu", "mapped"),
        ("cuda:1", 4, MapLocation.FUNCTION, "cpu", "mapped"),
        ("cuda:1", 1, MapLocation.CUDA, "cuda:0", "mapped"),
        ("cuda:1", 2, MapLocation.LEFT_OUT, "cuda:1", "back-where-it-was"),
        ("cpu", 2, MapLocation.LEFT_OUT, "cpu", "cpu-file"),
    ],
)
def test_where_the_tensors_arrive(source, gpus, map_location, actual, why):
    report = answer(LoadElsewhere(source=source, gpus=gpus, map_location=map_location))

    assert (report.actual, report.why) == (actual, why)
    assert {tag for _, tag in report.tags} == {source}
    assert report.is_mended is (True if actual == "RuntimeError" else None)
    assert report.model_device == (None if actual == "RuntimeError" else "cpu")
    assert is_on_the_only_gpu(report) is (source == "cuda:1" and gpus == 1 and actual == "cuda:0")


# F9


@pytest.mark.parametrize("length", [1000, 250_000])
def test_a_view_brings_its_whole_storage(length):
    report = answer(SaveView(length=length))

    assert (report.part_bytes, report.storage_bytes) == (2 * 4, length * 4)
    assert length * 4 < report.file_bytes < length * 4 + 4000
    assert report.cloned_bytes < 2000
    assert (report.equal, report.shares_storage, report.why) == (True, True, "whole-storage")


@pytest.mark.parametrize(
    ("part", "copying", "storage_bytes", "why"),
    [
        (Part.FIRST_TWO, Copying.CLONE, 8, "copied-first"),
        (Part.FIRST_TWO, Copying.CONTIGUOUS, 80_000, "contiguous-already"),
        (Part.FIRST_TWO, Copying.DETACH, 80_000, "detach-is-a-view"),
        (Part.EVERY_THOUSANDTH, Copying.NOTHING, 80_000, "whole-storage"),
        (Part.EVERY_THOUSANDTH, Copying.CONTIGUOUS, 20 * 4, "copied-first"),
        (Part.COMPUTED, Copying.NOTHING, 8, "storage-of-its-own"),
        (Part.EXPANDED, Copying.NOTHING, 4, "one-number"),
        (Part.EXPANDED, Copying.CLONE, 80_000, "written-out"),
    ],
)
def test_how_much_comes_along(part, copying, storage_bytes, why):
    report = answer(SaveView(part=part, copying=copying, length=20_000))

    assert (report.storage_bytes, report.why) == (storage_bytes, why)
    assert storage_bytes < report.file_bytes < storage_bytes + 4000
    assert report.actual in report.answers
    assert 2 <= len(report.answers) <= 4
    units = {"bytes": 1, "KiB": 1024}
    sizes = [float(size) * units[unit] for size, unit in map(str.split, report.answers)]
    assert all(more > 1.04 * less for less, more in pairwise(sizes))  # fair to choose between
    copied = part is Part.EVERY_THOUSANDTH and copying is Copying.CONTIGUOUS
    assert is_small_without_clone(report) is copied


# settings


@in_turn(
    ("kind", "values"),
    [
        (RoundTrip, {"length": 0}),
        (RoundTrip, {"length": 10**9}),
        (RoundTrip, {"thing": "module"}),
        (RestoreModel, {"seed": -1}),
        (RestoreModel, {"network": 3}),
        (CompareKeys, {"network": None}),
        (CompareKeys, {"second": 0}),
        (CompareKeys, {"is_strict": "yes"}),
        (ResumeTraining, {"before": 0}),
        (ResumeTraining, {"after": 31}),
        (LoadElsewhere, {"gpus": 5}),
        (LoadElsewhere, {"map_location": "__import__('os')"}),
        (SaveView, {"length": 10**8}),
    ],
)
def test_junk_is_refused_before_anything_is_done(kind, values):
    with pytest.raises(InvalidSettingError):
        kind(**values)


@pytest.mark.parametrize("kind", [RestoreModel, CompareKeys])
def test_what_is_no_network_is_refused(kind):
    with pytest.raises(InvalidSpecError):
        kind(network="{}")


def test_a_file_to_take_away_is_kept_nowhere():
    assert not WriteFile.deterministic
