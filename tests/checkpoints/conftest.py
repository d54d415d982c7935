import io
import json
from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import pytest

from playground.checkpoints import load as loading
from playground.checkpoints.jailed.difference import compare_checkpoints
from playground.checkpoints.jailed.task import load_checkpoint
from playground.sandbox import jail
from playground.sandbox.jail import JailAnswer
from playground.sandbox.limits import LIMITS

TASKS = {"load_checkpoint": load_checkpoint, "compare_checkpoints": compare_checkpoints}


@pytest.fixture(scope="module", autouse=True)
def nobody_hurries():
    """A load that says nothing of its limits may wait for a processor for a minute."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jail, "run", partial(jail.run, limits=replace(LIMITS, wall_seconds=60.0)))
        yield


@pytest.fixture
def child(monkeypatch):
    """Puts into the jail's place what its child does, and then a change to its answer."""

    def stand_in(change=lambda answer: answer):
        def run(task, asked, *, data, more, **_):
            answer = json.loads(json.dumps(TASKS[task](asked, io.BytesIO(data + more), LIMITS)))
            change(answer)
            return JailAnswer(value=answer)

        monkeypatch.setattr(loading, "jail", SimpleNamespace(run=run))

    return stand_in
