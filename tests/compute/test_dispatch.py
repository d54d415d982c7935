import dataclasses
import importlib
import inspect
import typing
from pathlib import Path

import pytest

import playground
from playground.compute.dispatch import experiment_name, find_experiment
from playground.compute.settings import Settings
from playground.compute.streaming import StreamSettings
from tests.compute.probe.records import AddUp, Unanswered
from tests.turns import in_turn

LESSONS = Path(playground.__file__).parent / "lessons"


def settings_classes() -> list[type]:
    names = sorted(path.parent.parent.name for path in LESSONS.glob("*/records/__init__.py"))
    names += sorted(path.parent.name for path in LESSONS.glob("*/records.py"))
    modules = [importlib.import_module(f"playground.lessons.{name}.records") for name in names]
    return [
        member
        for module in modules
        for member in vars(module).values()
        if inspect.isclass(member)
        and issubclass(member, Settings)
        and f"{member.__module__}.".startswith(f"{module.__name__}.")
    ]


def report_type(settings_class: type) -> object:
    bases = (Settings, StreamSettings)
    base = next(b for b in settings_class.__orig_bases__ if typing.get_origin(b) in bases)
    report, *_ = typing.get_args(base)
    if isinstance(report, str | typing.ForwardRef):
        name = report if isinstance(report, str) else report.__forward_arg__
        return getattr(importlib.import_module(settings_class.__module__), name)
    return report


@in_turn("settings_class", settings_classes())
def test_every_settings_class_has_its_experiment_with_matching_types(settings_class):
    hints = typing.get_type_hints(find_experiment(settings_class))

    returned = hints.pop("return")
    assert issubclass(settings_class, StreamSettings) == bool(hints.pop("tell", None))
    assert list(hints.values()) == [settings_class]
    assert returned == report_type(settings_class)


@in_turn("settings_class", settings_classes())
def test_every_settings_class_can_be_made_with_no_arguments_and_not_altered(settings_class):
    settings = settings_class()

    assert hash(settings) == hash(settings_class())
    assert dataclasses.is_dataclass(settings_class)
    assert settings_class.__dataclass_params__.frozen
    assert 0 < settings_class.timeout_seconds <= 120


def test_an_experiment_is_named_after_its_settings():
    assert experiment_name(AddUp) == ("tests.compute.probe.experiment", "add_up")


def test_records_may_be_a_package():
    class Deep(Settings[None]):
        __module__ = "playground.lessons.deep.records.part"

    assert experiment_name(Deep) == ("playground.lessons.deep.experiment", "deep")


def test_a_settings_class_without_experiment_is_named():
    with pytest.raises(LookupError, match="no function unanswered"):
        find_experiment(Unanswered)


def test_settings_live_in_a_records_module():
    class Stray(Settings[None]):
        pass

    with pytest.raises(LookupError, match="Stray"):
        experiment_name(Stray)
