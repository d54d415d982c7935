import html
import logging
import re
import threading
from dataclasses import replace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from hosting.framework_internals import streamlit_session
from playground import catalog, compute
from playground.catalog import Language, Text
from playground.errors import RunQuotaError, SandboxBusyError
from playground.lab import examples, exercises, limits
from playground.lab.exercises import Check, Exercise, Grade
from playground.machines import Machine, MachineKind
from playground.sandbox import jail
from playground.sandbox.cell_answer import NotedWarning
from playground.sandbox.check import Finding
from playground.sandbox.jail import SelfTestResult, StoppedBecause
from playground.sandbox.limits import LIMITS
from playground.sandbox.live import Bar
from playground.sandbox.picture import Caption, Picture
from playground.sandbox.quotas import Quotas
from playground.sandbox.report import SandboxReport, Sentence
from playground.steps import Line, Note
from tests.pages import app
from tests.pages.app import EVIL, go, keys, said, sentence, warnings
from tests.pages.gated import TEACHER
from ui import visitor
from ui.lab import editor, own_file, session, submit
from ui.lab.url_state import to_link
from ui.language import table

pytestmark = pytest.mark.usefixtures("stand")


def visit(language: str = "en", **address: str) -> AppTest:
    fixed = {"lang": language, "machine": "simulated"}
    return app.visit("lab", {editor.CHOICE: True}, **fixed, **address)


def write(at: AppTest, text: str) -> AppTest:
    at.text_area(key=editor.FIELD).set_value(text).run()
    return at.run()


def text(at: AppTest) -> str:
    return str(at.text_area(key=editor.FIELD).value)


def press(at: AppTest, name: str) -> AppTest:
    at.button(key=f"lab-{name}").click().run()
    return at.run()


def ran(program: str, language: str = "en", **address: str) -> AppTest:
    """The lab after a run of this program."""
    return press(write(visit(language, **address), program), "run")


def texts(at: AppTest) -> list[str]:
    """Return the output of the program, and its value."""
    return [
        html.unescape(each)
        for each in re.findall(r"<pre class=.tp-text.*?>\n(.*?)</pre>", said(at), re.DOTALL)
    ]


@pytest.mark.parametrize("language", Language)
def test_the_lab_opens_with_a_program_in_either_language(language):
    at = visit(language)

    planned = catalog.curriculum().planned("lab")
    assert planned
    assert not at.exception
    assert at.title[0].value == planned.title.said(language)
    assert "import torch" in text(at)
    assert "**" not in said(at)
    assert any(group.key == "lang" for group in at.sidebar.button_group)


def test_a_program_is_run_on_the_visitors_machine_and_its_answer_shown(stand):
    stand.will_say(output="  hello\n", value="tensor(3.)")
    at = ran("print('hello')", gpus="3")
    assert stand.asked == [("print('hello')", Machine(gpus=3))]
    assert texts(at) == ["  hello\n", "tensor(3.)"]
    assert sentence("machine.simulated-result") in said(at)


def test_a_link_with_the_answer_runs_its_program_once(stand):
    stand.will_say(value="tensor(3.)")
    at = visit(code=to_link("torch.tensor(3.)"), gpus="3", answer="shown").run()

    assert stand.asked == [("torch.tensor(3.)", Machine(gpus=3))]
    assert texts(at) == ["tensor(3.)"]
    assert "answer" not in at.query_params
    visit(code="nonsense", answer="shown")
    visit(code=to_link("torch.tensor(3.)"))
    assert len(stand.asked) == 1


def test_what_a_program_says_is_shown_as_plain_text(stand):
    stand.will_say(ok=False, output=EVIL, error_type="E<b>", message=EVIL, line=1)
    at = ran(f"raise E({EVIL!r})")

    assert texts(at) == [EVIL]
    assert "<img" not in said(at)
    assert "<b>✗ E&lt;b&gt;</b>" in said(at)
    assert not [each.value for each in at.markdown if "bold" in each.value]


def test_an_error_stands_once_at_its_line_of_the_program_that_ran(stand):
    stand.will_say(ok=False, error_type="RuntimeError", message="mat1 and mat2", line=2, column=5)
    at = ran("x = 1\n    y @ z")

    assert sentence("lab.line", line=2) in said(at)
    assert [each.value for each in at.code] == ["x = 1\n    y @ z"]
    assert said(at).count("mat1 and mat2") == 1
    assert text(at) == "x = 1\n    y @ z"


@pytest.mark.parametrize("language", Language)
def test_a_known_error_is_explained_and_its_fix_is_applied_and_run(stand, language):
    program, fixed = "Y = X.t()\nY.view(-1)", "Y = X.t()\nY.reshape(-1)"

    def answer(source: str) -> SandboxReport:
        if source.strip() == fixed:
            return SandboxReport(ok=True, value="tensor([1])")
        message = "view size is not compatible with input tensor's size and stride"
        return SandboxReport(ok=False, error_type="RuntimeError", message=message, line=2)

    stand.answer = answer
    at = ran(program, language)
    assert "<code>view</code>" in said(at)
    assert at.code[-1].value == "Y.reshape(-1)"

    at.button(key="lab-ran-apply").click().run()
    at = at.run()
    assert text(at) == fixed
    assert texts(at) == ["tensor([1])"]
    assert not at.exception


@pytest.mark.parametrize("line", [None, 0, -1, 3, 10**6])
def test_an_error_at_no_line_of_the_program_is_shown_above_it(stand, line):
    stand.will_say(ok=False, error_type="E", message="mat1 and mat2", line=line, top_line=line)
    at = ran("x = 1\ny = 2")
    assert not at.exception
    assert said(at).count("mat1 and mat2") == 1


def test_what_lines_bound_and_printed_stands_at_them(stand):
    noted = Line(1, (Note("X", "float32", "(2, 3)", ("cuda:0",)),))
    lines = (noted, Line(2, printed="hello\n"), Line(7, printed=""))
    stand.will_say(output="hello\n", lines=lines, warnings=(NotedWarning(text=EVIL, line=2),))
    at = ran("X = f()\nprint('hello')\n")
    program, *at_lines = [each.value for each in at.code]
    assert program == "X = f()\nprint('hello')"
    assert at_lines == ["line 1: X (2, 3) float32 cuda:0", f"line 2: hello\nline 2: {EVIL}"]
    assert texts(at) == []  # all of it stands at its line
    assert "<img" not in said(at)


def test_what_two_lines_printed_in_turns_is_shown_in_its_order_too(stand):
    lines = Line(2, printed="a\na\n"), Line(3, printed="b\nb\n")
    stand.will_say(output="a\nb\na\nb\n", lines=lines)
    at = ran("for i in (1, 2):\n    print('a')\n    print('b')\n")
    assert texts(at) == ["a\nb\na\nb\n"]


@pytest.mark.parametrize("language", Language)
def test_what_the_check_found_is_said_in_the_visitors_language(stand, language):
    violation = Finding("async", 3, 1)
    stand.will_say(ok=False, violations=(violation,), line=3, column=1)
    at = ran("(x := 1)", language)
    assert violation.sentence(language).split("`")[-1] in said(at)
    assert sentence("lab.line", language, line=3) in said(at)


def test_what_the_check_notes_is_said_beside_the_result(stand):
    note = Finding("looking_around", 3, 1, {"name": EVIL})
    stand.will_say(output="x\n", notes=(note,))
    at = ran("try:\n    1 / 0\nexcept:\n    print('x')\n")
    assert "<img" not in said(at)
    assert note.sentence() in html.unescape(re.sub("</?code>", "`", said(at).replace("`", "")))


def test_a_limit_is_said_in_a_sentence_and_the_text_stays(stand):
    reason = Sentence("cpu", (("seconds", "2"),))
    stand.will_say(ok=False, stopped_because=StoppedBecause.CPU, explanation=reason)
    at = ran("while True: pass")
    assert reason.say("en") in said(at)
    assert text(at) == "while True: pass"


@pytest.mark.parametrize(
    "error",
    [
        SandboxBusyError("sandbox_busy", waiting=30),
        RunQuotaError("run_too_often", seconds=3, most=20),
    ],
    ids=lambda error: error.key,
)
def test_a_refusal_is_said_calmly_and_the_text_stays(stand, error):
    def refuse(_: str) -> SandboxReport:
        raise error

    stand.answer = refuse
    at = ran("1 + 1")

    assert warnings(at) == [sentence(f"failures.{error.key}", **error.values)]
    assert text(at) == "1 + 1"


def test_one_session_may_not_run_more_often_than_the_limit(stand, monkeypatch):
    monkeypatch.setattr(submit, "QUOTAS", Quotas(clock=lambda: 0.0))  # no run comes back with time
    at = visit()
    for _ in range(LIMITS.runs_per_minute + 1):
        at = press(at, "run")

    assert len(stand.asked) == LIMITS.runs_per_minute
    assert str(LIMITS.runs_per_minute) in warnings(at)[0]


def test_pictures_are_drawn(stand):
    said_of = Caption(number=0, line=3, title="<b>损失</b>", labels=('a" onload="x',))
    shown = Picture(png=b"\x89PNG", width=640, height=480, caption=said_of)
    stand.will_say(figures=(shown,) * 2, bars=(Bar(number=1, label="<i>", done=3, total=4),))
    at = press(visit(), "run")

    assert not at.exception
    drawn = "".join(each.proto.body for each in at.get("html") if "<figure" in each.proto.body)
    assert drawn.count('src="data:image/png;base64,iVBORw=="') == 2
    assert "&lt;b&gt;损失&lt;/b&gt;" in drawn
    assert 'labels: a&quot; onload=&quot;x."' in drawn
    bars = next(each.proto.body for each in at.get("html") if 'class="tp-bar"' in each.proto.body)
    assert "&lt;i&gt;" in bars
    assert "75% · 3 / 4" in bars


def test_a_closed_lab_says_so_and_tells_the_operator_why(monkeypatch, caplog):
    found = SelfTestResult(ok=False, closed_because="sandbox_closed", failures=("socket() worked",))
    monkeypatch.setattr(jail, "preflight", lambda: found)

    with caplog.at_level(logging.ERROR):
        at = visit("zh")

    assert not at.exception
    assert [each.value for each in at.info] == [sentence("failures.sandbox_closed", "zh")]
    assert not at.text_area
    assert "socket" not in said(at)
    assert "socket() worked" in caplog.text


def test_a_press_counts_though_the_browser_has_an_older_address():
    at = visit()
    before = dict(at.query_params)
    at = write(at, "mine = 1")
    assert at.query_params["code"] != before.get("code")
    at.query_params.clear()
    at.query_params.update(before)  # the text was pending when the button was pressed
    second = exercises.exercises()[1]
    at.button(key=f"open-lab-{second.id}").click().run()

    assert text(at) == second.program
    assert at.query_params["from"] in (second.id, [second.id])


def test_a_start_is_in_the_address_by_its_name_which_counts_for_who_comes_from_another_page():
    (start,) = (each for each in examples.examples() if each.id == "tensors/move")
    at = visit(**{"from": "tensors/move"})
    assert text(at) == start.program(Machine())
    assert "code" not in at.query_params

    go(write(at, "mine = 1"), "quiz")
    del at.query_params["code"]
    assert text(go(at, "lab")) == start.program(Machine())


@pytest.mark.parametrize("address", [{"code": "AAAA"}, {"from": "no/such"}, {"code": "☃" * 5000}])
def test_a_broken_link_is_reported_and_there_is_a_program(address):
    at = visit(**address)
    assert not at.exception
    assert warnings(at) == [sentence("lab.broken-link")]
    assert "import torch" in text(at)


@pytest.mark.parametrize(
    ("language", "start", "note"),
    [
        (Language.ZH, "timing/clocks", "lab.note-times"),
        (Language.EN, "training/watch", None),
        (Language.ZH, "tensors/out-of-memory", None),
    ],
)
def test_what_differs_in_the_lab_is_said_before_a_run(language, start, note):
    at = visit(language.value, **{"from": start})
    notes = {key: text.said(language).partition("{")[0] for key, text in table().items()}
    shown = {key for key in notes if key.startswith("lab.note-") and notes[key] in said(at)}
    assert shown == ({note} if note else set())


def test_a_program_that_takes_times_is_run_on_the_cpu_and_for_longer(stand):
    press(visit(gpus="3", **{"from": "timing/logging"}), "run")
    [(_, machine)] = stand.asked
    assert machine == Machine(kind=MachineKind.REAL)
    assert stand.options[0]["limits"] == limits.LONG_LIMITS


def test_a_link_from_a_lesson_brings_its_program_and_says_which(stand):
    source = "x = 7\nprint(x)\n"
    at = visit(**{"from": "training/watch", "code": to_link(source) or ""})

    assert text(at) == source
    assert at.query_params["from"] == "training/watch"
    press(at, "run")
    assert stand.options[0]["limits"] == LIMITS


def test_a_file_of_the_students_own_is_given_to_the_run_under_a_plain_name_unless_too_large(stand):
    at = visit()
    press(at, "run")
    assert stand.options[0]["own_file"] is None

    at.file_uploader(key=own_file.KEY).upload("my data (2).csv", b"1,2\n").run()
    assert "np.loadtxt('my_data__2_.csv'" in at.code[0].value
    press(write(at, "open('my_data__2_.csv')"), "run")
    given = stand.options[-1]["own_file"]
    assert (given.name, given.content) == ("my_data__2_.csv", b"1,2\n")

    at.file_uploader(key=own_file.KEY).upload("x.txt", bytes(LIMITS.own_file_bytes + 1)).run()

    assert sentence("upload.refused", most=2) in warnings(at)
    press(at, "run")
    assert stand.options[-1]["own_file"] is None


def test_switching_the_language_and_leaving_the_page_keep_the_text():
    at = write(visit(), "mine = 1")
    at.sidebar.button_group(key="lang").set_value(Language.ZH).run()
    assert text(at) == "mine = 1"

    with compute.running_inline():  # home asks about the server
        go(at, "home")
    assert text(go(at, "lab")) == "mine = 1"


@pytest.mark.parametrize("nonsense", ["", " \n", "\0", "☃" * 9_000, "x" * 100_000, "(" * 3_000])
def test_nonsense_is_no_exception_of_the_page(nonsense):
    assert not ran(nonsense).exception


@pytest.fixture
def go_on(monkeypatch):
    """Until it is set, a page does not wait for what it runs."""
    event = threading.Event()
    monkeypatch.setattr(streamlit_session, "is_rerun_requested", lambda: not event.is_set())
    return event


def finished(at: AppTest, go_on: threading.Event) -> AppTest:
    go_on.set()
    running: session.LabSession = at.session_state[session.KEY]
    assert running.running
    assert running.running.wait(300)
    return at.run()


def test_the_run_that_goes_on_is_waited_for_by_the_next_drawing(stand, go_on):
    def wait(_: str) -> SandboxReport:
        go_on.wait(300)
        return SandboxReport(ok=True, value="42")

    stand.answer = wait
    at = press(visit(), "run")
    assert not texts(at)
    assert texts(finished(at, go_on)) == ["42"]


TASK = Exercise(
    id="visible",
    lesson="blocks",
    title=Text("Make it visible", "让它可见"),
    task=Text("Make the parameters of `net` **visible**.", "让 `net` 的参数**可见**。"),
    hints=(
        Text("First look at `net`.", "先看 `net`。"),
        Text("Look at `nn.ModuleList`.", "看看 `nn.ModuleList`。"),
        Text("Write `net = [1]`.", "写 `net = [1]`。"),
    ),
    previous_ids=("seen",),
    program="import torch\nnet = []\n",
    model="import torch\nnet = [1]\n",
    checks=(
        Check(requirement=Text("There is a net.", "有一个网络。"), program="result = True"),
        Check(requirement=Text("It has parameters.", "它有参数。"), program="result = True"),
    ),
)
OTHER = replace(TASK, id="other", previous_ids=(), checks=TASK.checks[:1], model="other = 1\n")
RAN = SandboxReport(ok=True)


@pytest.fixture
def book(monkeypatch):
    """Two exercises, and the grades that are to be given, in order."""
    grades: list[Grade] = []
    monkeypatch.setattr(exercises, "exercises", lambda: (OTHER, TASK))
    monkeypatch.setattr(exercises, "grade", lambda *_, **__: grades.pop(0))
    return grades


def opened(language: str = "en", **address: str) -> AppTest:
    """The lab with the exercise."""
    return visit(language, **{"from": TASK.id}, **address)


def is_solution_shown(at: AppTest) -> bool:
    return TASK.model.strip() in [each.value for each in at.code]


@pytest.mark.parametrize("language", Language)
def test_an_exercise_is_opened_checked_and_counted_and_then_the_next_one_offered(book, language):
    book += [Grade(exercise=TASK, report=RAN, passed=(True, False), findings=(EVIL,))]
    book += [Grade(exercise=TASK, report=RAN, passed=(True, True))]
    at = visit(language)
    assert "lab-check" not in keys(at)

    at = app.press(at, "lab-visible").run()
    assert text(at) == TASK.program
    assert "<code>net</code>" in said(at)

    at = press(at, "check")
    assert sentence("lab.not-passed", language) in said(at)
    assert TASK.requirements[1].said(language) in said(at)
    assert "<img" not in said(at)
    assert not at.button(key="open-lab-visible").label.startswith("✓")
    assert "lab-next" not in keys(at)

    at = press(write(at, TASK.model), "check")
    assert sentence("lab.passed", language) in said(at)
    assert at.button(key="open-lab-visible").label.startswith("✓")
    assert text(at) == TASK.model
    assert press(at, "next").query_params["from"] in ("other", ["other"])


def test_an_exercise_whose_program_fails_shows_the_error_and_no_verdict(book):
    failed = SandboxReport(ok=False, error_type="NameError", message="net", line=2)
    book.append(Grade(exercise=TASK, report=failed))
    at = press(opened(), "check")

    assert "NameError" in said(at)
    assert sentence("lab.not-passed") not in said(at)
    assert sentence("lab.passed") not in said(at)


def test_a_link_brings_an_exercise_with_the_students_own_text_which_stays_when_it_is_left(book):
    code = write(opened(), "mine = '你'").query_params["code"]
    at = opened(code=code if isinstance(code, str) else code[0])
    assert text(at) == "mine = '你'"
    assert "<code>net</code>" in said(at)

    at = press(at, "leave")
    assert text(at) == "mine = '你'"
    assert "<code>net</code>" not in said(at)


@pytest.mark.parametrize("language", Language)
def test_hints_are_shown_one_after_the_other_and_remembered(book, language):
    def shown(at: AppTest) -> list[str]:
        return re.findall(r"<li>(.*?)</li>", said(at))

    hints = ["net", "nn.ModuleList", "net = [1]"]
    at = opened(language)
    assert shown(at) == []
    for count in (1, 2):
        at = press(at, "hint")
        assert [re.findall("<code>(.*?)</code>", each)[0] for each in shown(at)] == hints[:count]

    at = press(at, "leave")
    assert shown(at) == []
    at = app.press(at, "lab-visible").run()
    assert len(shown(at)) == 2
    at = press(at, "hint")
    assert len(shown(at)) == 3
    assert "lab-hint" not in keys(at)


def test_a_solution_is_shown_once_the_exercise_is_solved_and_replaces_nothing_for_good(book):
    book.append(Grade(exercise=TASK, report=RAN, passed=(True, True)))
    at = write(opened(), "mine = 1")
    assert not is_solution_shown(at)

    at = press(at, "check")
    assert is_solution_shown(at)
    assert text(at) == "mine = 1"

    at = press(at, "solution-take")
    assert text(at) == TASK.model
    assert text(press(at, "undo")) == "mine = 1"
    assert text(press(at, "reset")) == TASK.program


def test_a_teacher_sees_a_solution_at_any_time(book, monkeypatch):
    monkeypatch.setattr(visitor, "current", lambda: TEACHER)
    assert is_solution_shown(opened())


def test_what_was_checked_counts_for_its_exercise_though_another_was_opened_meanwhile(
    book, go_on, monkeypatch
):
    def wait(task: Exercise, *_: Any, **__: Any) -> Grade:
        go_on.wait(300)
        return Grade(exercise=task, report=RAN, passed=(True, True))

    monkeypatch.setattr(exercises, "grade", wait)
    at = app.press(press(opened(), "check"), "lab-other")
    at = finished(at, go_on).run()

    assert not at.exception
    assert at.button(key="open-lab-visible").label.startswith("✓")
    assert not at.button(key="open-lab-other").label.startswith("✓")
