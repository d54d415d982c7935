"""Every step of the lessons made of step modules, drawn with ordinary controls by the router."""

from typing import Any
from urllib.parse import parse_qsl

import pytest
import torch
from streamlit import dataframe_util
from streamlit.testing.v1 import AppTest

from playground import catalog, compute
from playground.catalog import Language
from playground.compute.settings import Settings
from playground.compute.status import ComputeStatus
from playground.errors import ExperimentTimedOutError, PlaygroundError
from playground.machines import Machine
from playground.steps import Line, Note, Step, load_step
from tests.answers import answer_once
from tests.pages import app
from tests.pages.app import go, keys, press, sentence, text, warnings
from ui import home_page, page_state, progress
from ui.lab import editor, session
from ui.panel import component, plain, view

pytestmark = pytest.mark.usefixtures("inline")

STEPS = [(lesson.name, step.id) for lesson in catalog.lessons() for step in lesson.steps]
LESSON, STEP = "tensors", "same_device_error"
NONSENSE = ("☃", "inf", "-1e999", "nan", "<script>", "9" * 400)
PANEL = {plain.CHOICE: "false"}
ERROR = "found at least two devices"  # of PyTorch's words at the step's defaults


def visit(lesson: str = LESSON, *, step: str = STEP, **address: Any) -> AppTest:
    return app.visit(lesson, step=step, **address)


def set_left(at: AppTest, device: str) -> AppTest:
    return at.selectbox(key=f"{LESSON}-{STEP}-left").set_value(device).run()


@pytest.fixture
def drawn(monkeypatch):
    """Record the data that the panel gets each time it is drawn."""
    given: list[dict[str, Any]] = []
    monkeypatch.setattr(component, "draw", lambda _key, data, _handle: given.append(data))
    return given


@pytest.mark.parametrize(("number", "place"), list(enumerate(STEPS)))
def test_a_step_is_read_answered_and_explained(number, place):
    lesson, step_id = place
    language = list(Language)[number % 2]
    words, kind = catalog.lesson(lesson).step(step_id), load_step(lesson, step_id)
    at = visit(lesson, step=step_id, lang=language)
    assert not at.exception
    assert at.title[0].value == words.title.said(language)
    program = kind().program()
    assert any(program in each.value for each in at.code)

    if words.prediction:
        assert "tp-outcome" not in text(at)  # nothing is revealed before the answer
        press(at, "run")

    assert not at.exception
    assert not at.warning
    answer = answer_once(kind())
    if answer.outcome.error_type:
        assert answer.outcome.error_type in text(at)
    said = words.words
    assert said is not None
    ids = [answer.explanation] if kind.deterministic else said.explanations  # a measure varies
    reasons = [said.explanations[id].said(language).split("`")[0].split("{")[0] for id in ids]
    assert any(reason in text(at) for reason in reasons)


@pytest.mark.parametrize(("number", "place"), list(enumerate(STEPS))[::4])
def test_a_nonsense_address_falls_back_to_the_defaults(number, place):
    lesson, step_id = place
    kind = load_step(lesson, step_id)
    names = {"machine", "gpus", "memory", *(each.name for each in kind.declared())}
    given = {name: NONSENSE[(number + at) % len(NONSENSE)] for at, name in enumerate(sorted(names))}
    texts = {name: given[name] for name in kind.TEXTS if len(given[name]) <= kind.TEXTS[name]}
    at = visit(lesson, step=step_id, lang="xx", **given)

    for is_again in (False, True):
        if is_again:
            at.run()
        assert not at.exception
        assert at.title[0].value == catalog.lesson(lesson).step(step_id).title.en
        if not texts:
            assert any(kind().program() in each.value for each in at.code)


@pytest.mark.parametrize("language", Language)
def test_the_language_is_switched_without_losing_a_value(language):
    other = next(each for each in Language if each is not language)
    at = set_left(visit(lang=other), "cuda:1")
    at.sidebar.button_group(key="lang").set_value(language).run()

    assert at.title[0].value == catalog.lesson(LESSON).step(STEP).title.said(language)
    assert at.selectbox(key=f"{LESSON}-{STEP}-left").value == "cuda:1"
    assert at.query_params["left"] in ("cuda:1", ["cuda:1"])


def test_who_returns_finds_the_step_as_it_was():
    at = set_left(press(app.visit(LESSON), "next"), "cuda:1")
    for name in ("home", LESSON):
        at.query_params.clear()
        go(at, name)

    assert at.title[0].value == catalog.lesson(LESSON).step(STEP).title.en
    assert at.selectbox(key=f"{LESSON}-{STEP}-left").value == "cuda:1"


def test_a_lesson_opens_at_the_first_step_that_is_not_done():
    steps = catalog.lesson(LESSON).steps
    done = {f"{LESSON}/{each.id}" for each in (*steps[:2], steps[3])}
    at = app.visit(LESSON, {progress.KEY: done})
    assert at.title[0].value == steps[2].title.en


def test_ordinary_controls_show_the_idea_as_markdown_and_the_panel_gets_html(drawn):
    idea = catalog.lesson(LESSON).step(STEP).words.idea.en
    assert "$t = \\frac{n}{B}$" in idea
    assert idea.strip() in [each.value for each in visit().expander[0].markdown]

    visit(**PANEL)
    assert "<mfrac>" in str(drawn[-1]["idea_html"])
    assert "idea" not in drawn[-1]


def test_streamlit_does_not_load_pandas_to_look_for_a_table(monkeypatch):
    looked_at: list[object] = []
    monkeypatch.setattr(dataframe_util, "determine_data_format", looked_at.append)
    at = visit(**PANEL)
    assert not at.exception
    assert looked_at == []  # the server's first page would wait for pandas to be imported


def test_an_answer_stays_until_something_is_done(monkeypatch):
    memory = "uninitialized_memory"  # its answer differs each time it is run
    at = press(visit(step=memory), "run")
    runs: list[object] = []
    run = compute.run
    monkeypatch.setattr(compute, "run", lambda step, **more: runs.append(step) or run(step, **more))

    before = text(at)
    assert (text(at.run()), runs) == (before, [])
    press(press(at, "again"), "run")
    assert len(runs) == 1


def test_a_control_changes_the_program_and_asks_again():
    at = press(visit(), "run")
    assert ERROR in text(at)
    set_left(at, "cuda:1")

    assert not at.exception
    assert any('device="cuda:1"' in each.value for each in at.code)
    assert "tp-outcome" not in text(at)
    assert f"{LESSON}-{STEP}-run" in keys(at)


@pytest.mark.parametrize("left", ["cpu", "cuda:1"])
def test_an_address_of_before_the_last_change_changes_nothing_back(left):
    at = set_left(visit(left="cuda:1", right="cuda:1"), "cpu")
    at.query_params["left"] = left  # what Streamlit has from before it, or the browser's own
    at.run()
    assert at.selectbox(key=f"{LESSON}-{STEP}-left").value == "cpu"


def test_the_panel_writes_its_address_again_where_the_browser_had_another_one(drawn):
    at = visit(left="cuda:1", **PANEL)
    before = dict(parse_qsl(str(drawn[-1]["query"]).removeprefix("?")))
    change = {"type": "change", "field": "left", "value": "cpu"}
    page_state.handle_event(at.session_state[f"page-{LESSON}"], change)

    for address in (before, {**before, "left": "cpu"}, {**before, "left": "cpu"}, before, before):
        at.query_params.clear()
        for name, value in address.items():
            at.query_params[name] = value
        at.run()

    *_, same, again, other, other_again = drawn
    assert again == same  # the browser does nothing
    assert other["query"] == other_again["query"] == same["query"]
    assert same != other != other_again  # the browser's script is called, and writes the address


def test_a_step_that_saved_a_file_has_it_to_take_away_once_it_is_answered():
    at = press(visit("save_and_load", step="folder"), "run")
    before = len(at.get("download_button"))  # the program fails, and there is no file
    at.selectbox(key="save_and_load-folder-place").set_value("made").run()
    assert len(at.get("download_button")) == before
    press(at, "run")

    assert not at.exception
    assert len(at.get("download_button")) == before + 1


def test_the_inspector_speaks_after_the_answer():
    at = visit("save_and_load", step="weights_only")
    assert "posix.system" not in text(at).split("tp-outcome", 1)[-1]
    press(at, "run")

    assert not at.exception
    assert sentence("xray.inspector") in text(at)
    assert text(at).count("posix.system") >= 2
    assert "weights_only=False" not in text(at)


def test_the_fix_is_applied_and_run():
    at = press(press(visit(), "run"), "apply")
    assert not at.exception
    assert any('Y.to("cuda:0")' in each.value for each in at.code)
    assert 'class="tp-outcome tp-ok"' in text(at)


@pytest.mark.parametrize(
    ("lesson", "step_id", "code", "fix"),
    [
        (LESSON, STEP, "Z = ", "Y.to("),
        (LESSON, "out_of_memory", "held.append(x)", "del x"),
        ("devices", "try_gpu", "try_gpu(2)", "print("),  # inserted: at the asked line
    ],
)
def test_the_fix_stands_at_the_line_that_it_changes(lesson, step_id, code, fix):
    step = load_step(lesson, step_id)()
    shown = view.Shown(
        step=step,
        words=catalog.lesson(lesson).step(step_id),
        devices=("cpu", "cuda:0", "cuda:1"),
        language=Language.EN,
        answer=answer_once(step),
    )

    [line] = [each for each in view.step_data(shown)["lines"] if "fix" in each]

    assert code in step.program().splitlines()[line["number"] - 1]
    assert fix in line["fix"]["text"]


def test_another_round_asks_the_question_with_other_settings():
    words = catalog.lesson(LESSON).step(STEP).words
    at = press(press(visit(), "run"), "round")
    second = load_step(LESSON, STEP).of(words.rounds[0].settings)
    assert any(second.program() in each.value for each in at.code)
    assert "tp-outcome" not in text(at)


def test_next_leads_through_the_lesson_to_its_summary():
    at = app.visit(LESSON)
    lesson = catalog.lesson(LESSON)
    for step in lesson.steps:
        assert at.title[0].value == step.title.en
        press(at, "next")

    assert at.title[0].value == sentence("panel.summary")
    assert all(code.split("\n")[0] in text(at) for _, code in lesson.remember)
    [link] = [each.proto for each in at.main.get("page_link")]
    assert link.label == sentence("panel.next-step", title=catalog.lessons()[1].title.en)


def test_the_summary_says_which_predictions_came_true():
    at = press(visit(), "answer-works")
    at.query_params["step"] = "summary"
    at.run()
    assert 'class="is-miss"' in text(at)


@pytest.mark.parametrize("older", ["same-device-error", STEP])
def test_an_older_link_leads_to_the_step(older):
    at = visit(step=older, left="cuda:1", operation="indexing", nonsense="☃", zero_dim="nan")
    assert at.title[0].value == catalog.lesson(LESSON).step(STEP).title.en
    assert any("X[Y]" in each.value for each in at.code)
    assert any('device="cuda:1"' in each.value for each in at.code)


def test_a_step_is_done_when_it_is_answered_and_one_without_a_question_when_it_is_read():
    at = visit("devices", step="environment")
    assert not any(each.endswith("-run") for each in keys(at))
    assert at.session_state[progress.KEY] == {"devices/environment"}

    at = visit()
    assert at.session_state[progress.KEY] == set()
    assert press(at, "run").session_state[progress.KEY] == {f"{LESSON}/{STEP}"}


def test_a_refused_value_is_one_sentence_and_the_settings_stay():
    at = visit("devices", step="visible_devices", value="3,1")
    before = [each.value for each in at.code]
    at.text_input(key="devices-visible_devices-value").set_value("0\0").run()

    assert not at.exception
    label = catalog.lesson("devices").step("visible_devices").words.labels["value"].en
    assert [each.startswith(f"{label}:") for each in warnings(at)] == [True]
    assert any('= "3,1"' in each for each in before)
    assert [each.value for each in at.code] == before


@pytest.mark.parametrize(("step_id", "gpus"), [("try_all_gpus", 0), ("visible_devices", 4)])
def test_a_step_with_a_machine_of_its_own_is_labelled_with_that_machine(monkeypatch, step_id, gpus):
    badges: list[object] = []
    monkeypatch.setattr(plain, "draw", lambda _key, data, _react: badges.append(data["badge"]))
    visit("devices", step=step_id, machine="real")
    assert badges == [sentence("machine.simulated", gpus=gpus, memory=8)]


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (ExperimentTimedOutError("timed_out", seconds=20), "20"),
        (PlaygroundError("crashed"), "died"),
        (PlaygroundError("no such key"), "went wrong"),
    ],
)
def test_a_failing_server_is_one_sentence_and_the_program_can_be_run_again(
    monkeypatch, error, says
):
    def fail(*_: object, **__: object) -> None:
        raise error

    at = visit()
    with monkeypatch.context() as failing:
        failing.setattr(compute, "run", fail)
        press(at, "run")

    assert not at.exception
    assert [says in each for each in warnings(at)] == [True]
    assert any(Step.program(load_step(LESSON, STEP)()) in each.value for each in at.code)
    assert ERROR in text(press(at, "run"))
    assert not at.warning


def edit(at: AppTest) -> AppTest:
    at.session_state[editor.CHOICE] = True
    return press(at, "edit")


def test_a_program_is_edited_in_place_run_in_the_sandbox_and_left(stand):
    note = Note("X", "float32", "(5, 7)", ("cuda:1",))
    stand.will_say(value="42", lines=(Line(1, (note,)),))
    at = edit(visit(left="cuda:1", machine="simulated", gpus="3"))
    own = load_step(LESSON, STEP)(left="cuda:1").program()
    assert not at.exception
    assert at.title[0].value == catalog.lesson(LESSON).step(STEP).title.en
    assert at.text_area[0].value == f"{own}\n"
    assert not at.code  # the step's own program is replaced

    at.text_area[0].set_value("X = f()\n42").run()
    press(at, "run").run()
    assert stand.asked == [("X = f()\n42", Machine(gpus=3))]
    assert "line 1: X (5, 7) float32 cuda:1" in text(at)
    assert ">\n42</pre>" in text(at)
    assert "lab-check" not in keys(at)

    press(at, "back")
    assert not at.text_area
    assert any(own in each.value for each in at.code)


def test_the_text_of_each_step_is_kept_while_the_visitor_moves(stand):
    at = edit(visit())
    at.text_area[0].set_value("mine = 1").run()
    first, second = (each.id for each in catalog.lesson(LESSON).steps[1:3])
    assert first == STEP

    at.query_params["step"] = second
    at.run()
    assert not at.text_area
    edit(at)
    assert at.text_area[0].value == f"{load_step(LESSON, second)().program()}\n"
    at.text_area[0].set_value("other = 2").run()
    labs = [state.lab for state in at.session_state[f"page-{LESSON}"].steps.values()]
    sessions = {each.session for each in labs if each}
    assert sessions == {at.session_state[session.KEY].session}  # all runs count together

    at.query_params["step"] = first
    at.run()
    assert at.text_area[0].value == "mine = 1"
    press(at, "back")
    edit(at)
    assert at.text_area[0].value == "mine = 1"


def test_other_settings_bring_their_program_and_the_text_can_be_brought_back(stand):
    at = edit(visit())
    at.text_area[0].set_value("mine = 1").run()
    edit(set_left(press(at.run(), "back"), "cuda:1"))
    assert 'device="cuda:1"' in at.text_area[0].value

    press(at, "undo")
    assert at.text_area[0].value == "mine = 1"


@pytest.mark.parametrize("is_edited", [False, True])
def test_a_program_is_taken_to_the_lab_with_the_machine(stand, is_edited):
    at = visit(left="cuda:1", machine="simulated", gpus="3")
    at.session_state[editor.CHOICE] = True
    program = f"{load_step(LESSON, STEP)(left='cuda:1').program()}\n"
    if is_edited:
        program = "mine = 1\n"
        edit(at).text_area[0].set_value(program).run()
        press(at.run(), "open")
    else:
        press(at, "lab")

    assert not at.exception
    assert at.text_area(key=editor.FIELD).value == program
    assert at.query_params["from"] == f"{LESSON}/{STEP}"
    assert at.query_params["gpus"] == "3"  # bound to a widget of every page
    press(at, "run").run()
    assert stand.asked == [(program, Machine(gpus=3))]


@pytest.mark.parametrize("language", Language)
def test_home_begins_with_a_live_step(language):
    at = app.visit(lang=language)
    assert not at.exception
    assert sentence("home.headline", language) in text(at)

    press(at, "run")

    assert not at.exception
    assert ERROR in text(at)
    following = catalog.lesson(LESSON).steps[2]
    [link] = [each.proto for each in at.get("page_link") if following.id in each.proto.query_string]
    assert following.title.said(language) in link.label


@pytest.mark.parametrize("language", Language)
def test_home_shows_each_lesson_as_one_link_with_what_is_done(language):
    at = app.visit(session={progress.KEY: {f"{LESSON}/{STEP}"}}, lang=language, **PANEL)

    lesson = catalog.lesson(LESSON)
    labels = [each.proto.label for each in at.main.get("page_link")]
    tiles = [each for each in labels if f"**{lesson.title.said(language)}**" in each]
    count = len(lesson.steps)
    assert len(tiles) == 1
    assert sentence("home.progress", language, done=1, count=count) in tiles[0]
    place = [each.name for each in catalog.lessons()].index(LESSON) + 1
    bar = f".st-key-tiles > :nth-child({place}) {{ --tp-done: {100 / count:.0f}%; }}"
    assert any(bar in each.proto.body for each in at.get("html"))


def test_home_does_not_wait_for_workers_that_are_about_to_start(monkeypatch):
    monkeypatch.setattr(compute, "status", lambda: ComputeStatus(is_awaited=True))
    monkeypatch.setattr(compute, "run", lambda _: pytest.fail("it waits"))
    at = app.visit()
    assert not at.exception
    assert sentence("home.server-starting") in [each.value for each in at.caption]


def test_home_says_what_the_server_has_which_it_reads_once(monkeypatch):
    asked: list[str] = []
    answer = compute.run

    def count(settings: Settings[Any], *args: Any, **more: Any) -> Any:
        asked.append(type(settings).__name__)
        return answer(settings, *args, **more)

    monkeypatch.setattr(compute, "run", count)
    home_page._facts.cache_clear()
    shown = text(app.visit().run().run())

    assert f"<dt>PyTorch</dt><dd>{torch.__version__}</dd>" in shown
    assert f"<dt>{sentence('home.accelerators')}</dt>" in shown
    assert asked.count("Environment") == 1
