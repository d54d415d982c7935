import io
import json
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest
import torch

from playground.checkpoints import load as loading
from playground.checkpoints.inspect.results import words
from playground.checkpoints.jailed.difference import compare_checkpoints
from playground.checkpoints.jailed.task import load_checkpoint
from playground.checkpoints.load import LoadReport, load
from playground.checkpoints.load_results import LoadVerdict
from playground.checkpoints.save import save_torch
from playground.errors import SandboxBusyError, SandboxClosedError
from playground.modules.spec import InputSpec, Layer, Network
from playground.sandbox.jail import JailAnswer, StoppedBecause
from playground.sandbox.limits import LIMITS

DATA = save_torch({"model": {"weight": torch.ones(2, 3), "bias": torch.zeros(2)}}).data or b""
NETWORK = Network(Layer.of("Linear", in_features=3, out_features=2), InputSpec((1, 3)))
ADVICE_OF_TORCH = ("weights_only=False", "add_safe_globals", "\x1b", "Traceback")


def load_with(answer: JailAnswer | Exception, patch: pytest.MonkeyPatch) -> LoadReport:
    """Load with a jail that answers one thing, whatever it is asked."""
    run = Mock(side_effect=[answer])  # an exception is raised
    patch.setattr(loading, "jail", SimpleNamespace(run=run))
    return load(DATA, "net.pt", network=NETWORK)


Change = Callable[[Any], None]
CAST = {"file_dtype": "float32", "network_dtype": "float16", "tensors": 1, "numbers": 2}
CAST |= {"rounded": 0, "infinite": 0, "largest_error": 0.0}


def changed(*steps: str | int, to: object) -> Change:
    def change(answer: Any) -> None:
        for step in steps[:-1]:
            answer = answer[step]
        answer[steps[-1]] = to

    return change


def exchanged(answer: Any) -> None:
    """Each of the two tensors is reported as the other."""
    first, second = answer["tensors"]
    first["place"], second["place"] = second["place"], first["place"]


def test_the_honest_answer_is_believed(child):
    child()

    report = load(DATA, "net.pt", network=NETWORK)

    assert report.accepted
    assert report.comparison.strict.loaded == 2


LIES = (
    changed("fingerprint", to="0" * 64),
    changed("tensors", 0, "dtype", to="float64"),
    changed("tensors", 0, "shape", to=[3, 2]),
    exchanged,
    changed("tensors", 0, "place", to=-1),
    changed("tensors", 0, "place", to=2),
    changed("tensors", 0, "statistics", "nans", to=7),
    changed("tensors", 0, "statistics", "nans", to=-1),
    changed("comparison", to=None),
    changed("comparison", "counts", "fits", to=9),
    changed("comparison", "counts", "missing", to=-1),
    changed("comparison", "rows", 0, "in_file", to=[5]),
    changed("comparison", "casts", to=[{**CAST, "file_dtype": "float64"}]),
    changed("comparison", "casts", to=[{**CAST, "network_dtype": "<b>"}]),
    changed("comparison", "casts", to=[{**CAST, "numbers": 9}]),
    changed("comparison", "casts", to=[CAST] * 3),
    changed("comparison", "rows", 0, "name", to="another"),
    lambda answer: answer["tensors"].append(answer["tensors"][0]),
)
OTHER_FORMS = (
    changed("more", to=1),
    changed("is_loaded", to="yes"),
    changed("tensors", to={}),
    changed("tensors", 0, "statistics", "mean", to=float("nan")),
    changed("tensors", 0, "statistics", "mean", to=10**400),
    changed("tensors", 0, "shape", to=[2.0, 3.0]),
    changed("comparison", "rows", 0, "fit", to="perfectly"),
    lambda answer: answer.pop("refusal"),
    lambda answer: answer.clear(),
)


@pytest.mark.parametrize(
    ("change", "verdict", "because"),
    [
        *((lie, LoadVerdict.DISAGREES, None) for lie in LIES),
        *((form, LoadVerdict.STOPPED, StoppedBecause.NO_RESULT) for form in OTHER_FORMS),
    ],
)
def test_an_answer_that_disagrees_or_has_another_form_is_refused(change, verdict, because, child):
    child(change)

    report = load(DATA, "net.pt", network=NETWORK)

    assert (report.verdict, report.stopped_because) == (verdict, because)
    assert (report.tensors, report.comparison) == ((), None)
    assert report.advice


@pytest.mark.parametrize("because", StoppedBecause)
def test_every_end_of_the_child_has_a_sentence_and_advice(because, monkeypatch):
    answer = JailAnswer(stopped_because=because, failure="RuntimeError: weights_only=False")

    report = load_with(answer, monkeypatch)

    assert (report.verdict, report.stopped_because) == (LoadVerdict.STOPPED, because)
    assert report.inspection.accepted
    assert report.reason
    assert report.advice
    assert report.why.text("zh") != report.why.text("en")
    assert not any(each in report.reason for each in ADVICE_OF_TORCH)


def test_a_closed_and_a_busy_jail_are_verdicts(monkeypatch):
    closed = load_with(SandboxClosedError("sandbox_closed"), monkeypatch)
    busy = load_with(SandboxBusyError("sandbox_busy", waiting=30), monkeypatch)

    assert closed.verdict is LoadVerdict.CLOSED
    assert busy.verdict is LoadVerdict.BUSY
    assert "30" in busy.reason
    assert "30" in busy.why.text("zh")


def test_what_a_loader_says_when_it_refuses_is_not_reported(monkeypatch):
    module = save_torch(torch.nn.Linear(2, 1)).data
    two = {"formats": ["torch"] * 2, "first_bytes": len(module), "pairs": []}
    sent = load_checkpoint({"format": "torch"}, io.BytesIO(module), LIMITS)
    of_two = compare_checkpoints(two, io.BytesIO(module * 2), LIMITS)

    report = load_with(JailAnswer(value=sent), monkeypatch)

    assert sent["is_loaded"] is of_two["is_loaded"] is False
    assert report.verdict is LoadVerdict.UNREADABLE
    for text in (json.dumps([sent, of_two]), report.reason, report.advice):
        assert not any(each in text for each in ADVICE_OF_TORCH)


def test_every_verdict_of_a_load_but_the_good_one_has_its_advice():
    assert words()["load"].keys() - {"loaded"} == words()["load_instead"].keys()
