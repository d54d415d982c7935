"""On macOS and Windows everything works but the lab, which says what to do.

On Linux the project's modules lose what Windows lacks, and workers are spawned as there. On the
other systems nothing is taken away: .github/workflows/ci.yml runs these tests there as well.
"""

import json
import os
import sys
import tomllib

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests import without_posix
from tests.fresh import run_fresh
from tests.hosting.browser import messages_until, request
from tests.hosting.server import ROOT, Server, serving
from tests.waiting import wait_until

IS_LINUX = sys.platform == "linux"
LANGUAGES = ("en", "zh")
PAGES = sorted(file.stem for file in (ROOT / "pages").glob("*.py"))
SENTENCE = tomllib.loads((ROOT / "ui" / "words.toml").read_text("utf-8"))["failures"]
CELL = """
import io, json
from playground.machines import Machine
from playground.sandbox.cell.task import run_cell_task
from playground.sandbox.jail.run_task import run_task
from playground.sandbox.limits import LIMITS
from playground.sandbox.run_request import RunRequest
request = RunRequest(source="import torch\\ntorch.arange(3).sum()", machine=Machine(gpus=0))
arguments = io.BytesIO(json.dumps(request.to_json()).encode())
first, *_ = run_task(run_cell_task, arguments, io.BytesIO(), LIMITS)
print(json.loads(first))
"""


@pytest.fixture(scope="module")
def env(tmp_path_factory):
    return without_posix.environment(tmp_path_factory.mktemp("elsewhere")) if IS_LINUX else {}


@pytest.fixture(scope="module")
def server(env, tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        for name, text in env.items():
            patch.setenv(name, text)
        with serving(tmp_path_factory.mktemp("log"), log_format="json") as running:
            wait_until(lambda: running.ask("GET", "/api/ready").status == 200)
            yield running


@pytest.mark.skipif(not IS_LINUX, reason="nothing is taken away there")
def test_the_names_are_really_missing(env):
    for line in ("import fcntl", "import os; os.fork", "from signal import SIGKILL"):
        program = f"exec(compile({line!r}, 'x', 'exec'), {{'__file__': {str(ROOT / 'ui/x.py')!r}}})"
        run_fresh(program)
        with pytest.raises(AssertionError, match="fcntl|fork|SIGKILL"):
            run_fresh(program, {**os.environ, **env})


def draw(server: Server, page: str, language: str) -> bytes:
    """Everything that a page sends to its browser; texts are UTF-8 in it."""
    with server.connect() as tab:
        tab.send(request(f"lang={language}", page))
        sent = messages_until(tab)
    assert sent[-1].script_finished == ForwardMsg.FINISHED_SUCCESSFULLY
    return b"".join(message.SerializeToString() for message in sent)


def test_every_page_is_drawn_by_spawned_workers_and_nothing_is_logged(server):
    drawn = {page: draw(server, page, "en") for page in PAGES}
    entries = [json.loads(line) for line in server.log.read_text().splitlines()]

    assert len(drawn) >= 16
    found = [entry["message"] for entry in entries if entry["level"] in ("warning", "error")]
    assert all(" needs Linux with Landlock and seccomp" in each for each in found)
    parts = json.loads(server.ask("GET", "/api/health").body)["parts"]
    assert (parts["workers"], parts["sandbox"]) == ("ok", "closed")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_lab_says_what_to_do(server, language):
    sentence = SENTENCE["sandbox_needs_linux"][language]
    assert "PLAYGROUND_LAB_WITHOUT_JAIL" in sentence
    assert (ROOT / "docs/decisions/0016-the-jail.md").exists()
    assert sentence.encode() in draw(server, "lab", language)


def test_a_cell_runs_where_the_operator_allows_it(env):
    """It runs without a jail there; nothing of what it uses may be POSIX's alone."""
    answer = run_fresh(CELL, {**os.environ, **env})
    assert "tensor(3)" in answer
