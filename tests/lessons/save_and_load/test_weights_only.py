import os

import pytest

from playground.checkpoints.inspect import inspect
from playground.lessons.save_and_load.weights_only import Content, WeightsOnly
from playground.lessons.save_and_load.xray import Sample, Xray
from tests.answers import answer


@pytest.mark.parametrize("content", Content)
def test_pytorch_and_the_inspector_agree(content):
    found = answer(WeightsOnly(content=content))

    assert found.outcome.ok == (content is Content.WEIGHTS)
    assert found.prediction == ("works" if found.outcome.ok else "UnpicklingError")
    assert inspect(found.file, "weights.pt").accepted == found.outcome.ok


@pytest.mark.parametrize(
    "step",
    [
        WeightsOnly(content=Content.COMMAND),
        WeightsOnly(content=Content.PROGRAM),
        Xray(sample=Sample.HOSTILE),
    ],
)
def test_a_hostile_file_is_refused_unrun_and_without_advice(step, monkeypatch, capfd):
    ran: list[str] = []
    monkeypatch.setattr(os, "system", ran.append)

    found = answer(step)

    assert found.outcome.error_type == "UnpicklingError"
    reported = found.outcome.message + "".join(line.error for line in found.lines)
    assert "[…]" in reported
    assert "weights_only=False" not in reported
    assert "posix.system" in reported or "exec" in reported
    assert ran == []
    assert "This line came out" not in capfd.readouterr().out
