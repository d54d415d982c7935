import json
import unicodedata
from unittest.mock import Mock

import hypothesis
import pytest
from hypothesis import strategies as st

from playground import sandbox
from playground.modules.trace_types import Group, TieGroup, TieKind, TraceWarning, WarningKind
from playground.sandbox import facade, jail, schema
from playground.sandbox.cell_answer import CellAnswer, ModulesAnswer
from playground.sandbox.check import check
from playground.sandbox.jail.answer import JailAnswer, StoppedBecause
from playground.sandbox.limits import LIMITS
from playground.sandbox.runner import report_of
from playground.sandbox.text import clean
from playground.steps import Line, Note
from tests.sandbox.cells import run_in_parts, seen_modules

HONEST = schema.write(CellAnswer(value="1"))
NOTE = schema.write(Note("X", "float32", "(2, 3)", ("cpu",)))
NOTED_LINE = schema.write(Line(1))
MODULES = schema.write(ModulesAnswer())
SEEN = schema.write(
    seen_modules("from torch import nn\nnet = nn.Sequential(nn.Linear(2, 2), nn.ReLU())")[0]
)
ROW = SEEN["trace"]["rows"][0]
TIE = schema.write(TieGroup(name="", paths=(), kind=TieKind.SHARED_MEMORY, parameters=1))
ODDITY = schema.write(TraceWarning(WarningKind.HIDDEN_MODULE, path="x"))
LOADER = "from torch.utils.data import DataLoader\n"
TURNING = {"LRE", "LRO", "RLE", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


def reported(value, **answer):
    return report_of(JailAnswer(value=value, **answer), LIMITS)


def with_line(**changes):
    return {**HONEST, "lines": [{**NOTED_LINE, **changes}]}


def with_trace(**changes):
    return [{**SEEN, "trace": {**SEEN["trace"], **changes}}]


def test_an_honest_answer_is_read():
    report = reported(HONEST, output="hello\n", elapsed_seconds=0.5, waited_seconds=0.25)
    assert (report.ok, report.value, report.output) == (True, "1", "hello\n")
    assert (report.elapsed_seconds, report.waited_seconds) == (0.5, 0.25)


@pytest.mark.parametrize(
    "forged",
    [
        {},
        {"value": 1},
        {**HONEST, "more": 1},
        {name: HONEST[name] for name in HONEST if name != "line"},
        {**HONEST, "value": 1},
        {**HONEST, "line": 1.5},
        {**HONEST, "line": True},
        {**HONEST, "line": 10**400},
        {**HONEST, "needed_bytes": None},
        {**HONEST, "warnings": {"text": "x"}},
        {**HONEST, "warnings": [{"text": "x"}]},
        {**HONEST, "stopped_because": "because"},
        {**HONEST, "is_recursion": 1},
        {**HONEST, "lines": [{"number": 1}]},
        with_line(number="1"),
        with_line(error="x"),
        with_line(warnings=["x"]),
        with_line(notes=[{**NOTE, "devices": ["cpu tp-ok"]}]),
    ],
)
def test_a_forged_answer_is_no_result(forged):
    for report in (reported(forged), reported(MODULES, first=forged)):
        assert (report.ok, report.stopped_because) == (False, StoppedBecause.NO_RESULT)
        assert report.explanation.id == "no_result"


@pytest.mark.parametrize(
    "forged", [{}, {"modules": ["net"]}, {**MODULES, "more": 1}, {**MODULES, "stopped_because": 1}]
)
def test_a_forged_second_part_leaves_the_first(forged):
    report = reported(forged, first=HONEST)
    assert (report.ok, report.value, report.modules) == (True, "1", ())
    assert report.explanation.id == "modules_lost"


@pytest.mark.parametrize(
    ("most", "modules"),
    [
        (6, lambda count: [SEEN] * count),
        (48, lambda count: [{**SEEN, "parameters": SEEN["parameters"][:1] * count}]),
        (60, lambda count: with_trace(rows=[ROW] * count)),
        (16, lambda count: with_trace(tie_groups=[TIE] * count)),
        (16, lambda count: with_trace(warnings=[ODDITY] * count)),
        (16, lambda count: with_trace(uncalled=["x"] * count)),
        (500, lambda count: with_trace(rows=[{**ROW, "path": "." * count}])),
    ],
    ids=["modules", "parameters", "rows", "ties", "warnings", "uncalled", "path"],
)
def test_more_than_a_page_shows_of_modules_leaves_the_result(most, modules):
    honest = reported({**MODULES, "modules": modules(most)}, first=HONEST)
    forged = reported({**MODULES, "modules": modules(most + 1)}, first=HONEST)

    assert (honest.ok, len(honest.modules)) == (True, len(modules(most)))
    assert (forged.ok, forged.value, forged.modules) == (True, "1", ())
    assert forged.explanation.id == "modules_lost"


@pytest.mark.parametrize("because", StoppedBecause)
def test_what_ends_a_run_is_said_and_leaves_the_result_if_it_ends_the_look_at_modules(because):
    ended = reported(None, stopped_because=because)
    report = reported(None, first=HONEST, output="7\n", stopped_because=because)

    assert (ended.ok, ended.stopped_because) == (False, because)
    assert "{" not in ended.explanation.say("en") + ended.explanation.say("zh")
    assert (report.ok, report.value, report.stopped_because) == (True, "1", None)
    assert (report.output, report.modules) == ("7\n", ())
    is_time = because in (StoppedBecause.CPU, StoppedBecause.WALL)
    assert report.explanation.id == ("modules_time" if is_time else "modules_lost")


@pytest.mark.parametrize(
    ("most", "answer"),
    [
        (10, lambda count: {**HONEST, "warnings": [{"text": "x", "line": None}] * count}),
        (400, lambda count: {**HONEST, "lines": [NOTED_LINE] * count}),
        (300, lambda count: with_line(notes=[NOTE] * count)),
        (60, lambda count: with_line(notes=[{**NOTE, "size": "x" * count}])),
        (10, lambda count: with_line(notes=[{**NOTE, "devices": ["cpu"] * count}])),
        (20_000, lambda count: with_line(printed="x" * count)),
    ],
    ids=["warnings", "lines", "notes", "note", "devices", "printed"],
)
def test_more_than_a_page_shows_is_no_result(most, answer):
    assert reported(answer(most)).ok
    assert reported(answer(most + 1)).stopped_because is StoppedBecause.NO_RESULT


@pytest.mark.parametrize("number", [float("nan"), float("inf"), 10**400])
def test_a_number_that_is_not_finite_is_refused(number):
    with pytest.raises(ValueError, match="number"):
        schema.read(float, number)


def test_text_is_cleaned_and_cut():
    report = reported({**HONEST, "value": "\x1b[1mbold\x1b[0m\ud800" + "x" * 100_000})
    assert report.value.startswith("bold\ufffdx")
    assert len(report.value) == schema.MAX_CHARACTERS


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("a\tb\nc", "a\tb\nc"),
        ("10 of 10\rdone\r\n5%\r\n\r", "donef 10\n5%\n"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b[2J\x1b[1;1Htext", "text"),
        ("a\x00b\x9bc", "a\ufffdb\ufffdc"),
        ("\u202eabc", "\ufffdabc"),
        ("字 é שלום 🙂\n\tx", "字 é שלום 🙂\n\tx"),
        ("\x1b]8;;http://x\x07here\x1b]8;;\x07\x1b[2K\x1b(B", "here"),
        ("\x1b\x1b[31m[31m", "\ufffd[31m"),
    ],
)
def test_clean(given, shown):
    assert clean(given) == shown


@hypothesis.given(st.text() | st.text(alphabet="\x1b[]()m\x07\r\n\\0;B\u202ex"))
def test_a_clean_text_has_nothing_that_is_obeyed(text):
    shown = clean(text)

    assert not any(ord(letter) < 32 and letter not in "\n\t" for letter in shown)
    assert not any(unicodedata.category(letter) in ("Cs", "Zl", "Zp") for letter in shown)
    assert not any(unicodedata.bidirectional(each) in TURNING for each in shown)
    assert clean(shown) == shown
    shown.encode()


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (
            "from torch.utils import benchmark\nT = benchmark.Timer\nT('1;', language='c++')",
            "language='c++' starts a compiler, and a run of the lab has one process",
        ),
        ("torch.set_num_threads(4)", "a run of the lab has one thread, not 4"),
    ],
)
def test_a_run_says_in_both_languages_that_it_has_one_process(source, message):
    answer, _, _ = run_in_parts(source, names=facade.bind())
    report = reported(schema.write(answer))

    assert check(source) == ()
    assert report.message == message
    assert "one process" in report.explanation.say("en")
    assert "一个进程" in report.explanation.say("zh")


def test_a_trace_survives_its_way():
    [seen] = seen_modules(
        "import torch\nfrom torch import nn\nnet = nn.LSTM(4, 8)\ny = net(torch.rand(3, 2, 4))"
    )

    output = Group("tuple", ((3, 2, 8), Group("tuple", ((1, 2, 8), (1, 2, 8)))))
    assert seen.trace.rows[0].output == output


def test_a_module_with_a_very_long_name_is_seen():
    [seen] = seen_modules(
        "from torch import nn\nnet = nn.Sequential()\nnet.add_module('k' * 3000, nn.Linear(2, 2))"
    )

    assert [row.path[:2] for row in seen.trace.rows] == ["", "kk"]
    assert seen.trace.outcome.ok


def test_an_answer_too_long_for_the_jail_loses_its_extras_first():
    layers = "nn.Sequential(*[nn.Sequential(nn.Linear(2, 2)) for _ in range(60)])"
    nets = "".join(f"net{number} = {layers}\n" for number in range(6))
    answer, seen, _ = run_in_parts(
        f"from torch import nn\n{nets}x = list(range(5000))\nstr(x)[:19000]"
    )

    both = [json.dumps(schema.write(each)) for each in (answer, seen)]
    assert sum(map(len, both)) <= LIMITS.result_bytes
    assert answer.value.startswith("'[0, 1")
    assert seen.modules


@pytest.mark.parametrize(
    ("asked", "given"), [(None, LIMITS.wall_seconds), (0.5, 0.5), (1e6, LIMITS.wall_seconds)]
)
def test_a_timeout_only_shortens_a_run(asked, given, monkeypatch):
    in_jail = Mock(return_value=JailAnswer(value=HONEST))
    monkeypatch.setattr(jail, "run", in_jail)
    sandbox.run("1", timeout_seconds=asked, limits=LIMITS)

    assert in_jail.call_args.kwargs["limits"].wall_seconds == given
