import dataclasses
import inspect
import pickle
import tomllib
from pathlib import Path

import pytest

from playground import catalog
from playground.compute.dispatch import find_experiment
from playground.compute.settings import Settings
from playground.errors import InvalidSettingError
from playground.lessons.devices import records, source
from playground.lessons.devices.records import reports
from playground.machines import Machine
from playground.machines.hardware import AcceleratorKind
from playground.machines.nvidia_smi import NvidiaSmiState
from tests.turns import in_turn

ROOT = Path(__file__).parents[3]
SETTINGS = [
    member
    for _, member in inspect.getmembers(records, inspect.isclass)
    if issubclass(member, Settings) and member is not Settings
]
BAD = [
    (records.ReadGpus, {"index": -1}),
    (records.ReadGpus, {"index": 9}),
    (records.CompareMemoryFigures, {"mebibytes": 0}),
    (records.CompareMemoryFigures, {"mebibytes": 10**9}),
    (records.UseDevice, {"text": "tpu"}),
    (records.CompareDevices, {"right": "gpu"}),
    (records.TryGpu, {"index": 9}),
    (records.TryGpu, {"index": float("nan")}),
    (records.TryGpu, {"index": 1.0}),
    (records.TryGpu, {"machine": "real"}),
    (records.ReadServer, {"machine": None}),
    (records.VisibleDevices, {"value": 5}),
    (records.VisibleDevices, {"value": b"0"}),
    (records.PickDevice, {"idiom": "hope"}),
    (records.VisibleDevices, {"physical_gpus": 9}),
    (records.VisibleDevices, {"value": "0" * 129}),
    (records.VisibleDevices, {"value": "0\x001"}),
    (records.VisibleDevices, {"value": "\ud800"}),
    (records.VisibleDevices, {"moment": "never"}),
    (records.VisibleDevices, {"variable": "path"}),
    (records.UseCurrentDevice, {"index": -1}),
    (records.UseCurrentDevice, {"way": "wish"}),
    (records.UseCurrentDevice, {"call": "ring"}),
    (records.UseDefaultDevice, {"device": "cuda:5"}),
    (records.UseDefaultDevice, {"device": "cuda:0\n"}),
    (records.UseDefaultDevice, {"factory": "works"}),
]


@in_turn("kind", SETTINGS)
def test_every_settings_class_has_defaults_an_experiment_and_a_program(kind):
    kind()

    answers = find_experiment(kind)
    shows = getattr(source, answers.__name__)
    assert inspect.signature(answers).parameters["settings"].annotation is kind
    assert inspect.signature(shows).parameters["settings"].annotation is kind


@in_turn(("kind", "values"), BAD)
def test_a_bad_value_is_refused_by_its_field(kind, values):
    with pytest.raises(InvalidSettingError) as refused:
        kind(**values)

    assert refused.value.field == next(iter(values))
    assert pickle.loads(pickle.dumps(refused.value)).field == refused.value.field  # noqa: S301


def test_only_what_reads_hardware_is_not_deterministic():
    changing = {kind.__name__ for kind in SETTINGS if not kind.deterministic}

    assert changing == {"ReadServer", "ReadGpus", "RunNvidiaSmi", "CompareMemoryFigures"}


def test_what_always_answers_from_simulated_devices_says_so():
    simulating = {kind.__name__ for kind in SETTINGS if kind.simulates}

    assert simulating == {"TryAllGpus", "VisibleDevices"}


def test_the_steps_cover_their_rows_of_the_curriculum():
    covered = [row for step in catalog.lesson("devices").steps for row in step.covers]

    assert set(covered) == {f"D{number}" for number in range(1, 10)}


def test_every_word_that_a_report_may_ask_for_is_there():
    lesson = catalog.lesson("devices")
    text = "".join(
        inspect.getsource(module)
        for module in (reports, records.placements, records.device_objects)
    )
    for name in lesson.whys:
        stem = name.partition("-")[0]
        assert f'"{name}"' in text or f'f"{stem}-' in text, f"{name} is never said"
    labels = lesson.labels
    assert set(reports.SMI_FIELDS.values()) <= set(labels)
    assert {f"host-{gpus}" for gpus in records.PickDevice.HOSTS} <= set(labels)
    assert set(records.MemoryMoment) <= set(labels)
    assert {"gpu-" + kind for kind in AcceleratorKind} <= set(lesson.whys)
    assert {"smi-" + state for state in NvidiaSmiState} <= set(lesson.whys)


def test_options_have_words_for_every_choice():
    options = catalog.lesson("devices").options
    assert set(options["call"]) == set(records.Call) == set(records.CALLS)
    assert set(options["factory"]) == set(records.Factory) == set(records.FACTORIES)
    assert set(options["way"]) == set(records.CurrentWay) | set(records.DefaultWay)
    assert set(options["idiom"]) == set(records.Idiom)
    assert set(options["moment"]) == set(records.Moment)
    assert set(options["variable"]) == set(records.Variable)


@pytest.mark.parametrize(
    ("field", "codes"), [("call", records.CALLS), ("factory", records.FACTORIES)]
)
def test_a_line_is_shown_as_it_runs(field, codes):
    shown = catalog.lesson("devices").options[field]

    assert {name: text.en for name, text in shown.items()} == {
        name: f"`{code}`" for name, code in codes.items()
    }


def test_the_lesson_file_says_nothing_twice():
    words = tomllib.loads((ROOT / "playground/lessons/devices/lesson.toml").read_text("utf-8"))

    assert len({step["id"] for step in words["steps"]}) == len(words["steps"]) == 12


def test_settings_are_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        records.TryGpu().index = 3


def test_the_default_machine_of_try_all_gpus_has_no_gpu():
    assert records.TryAllGpus().machine == Machine(gpus=0)
    assert records.TryAllGpus.on_host(3).machine.gpus == 3
