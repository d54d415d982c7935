import re
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest

from playground import catalog, quiz
from playground.catalog import Language
from tests.answers import answer_once
from tests.pages import app
from tests.pages.app import keys, sentence, text
from ui import progress
from ui.html_markup import inline_to_html
from ui.panel import view

pytestmark = pytest.mark.usefixtures("inline")

TRYING = {"again", "apply", "edit", "lab", "reset", "round", "previous"}
LESSONS = [each.name for each in catalog.lessons() if any(step.words for step in each.steps)]
LAST = {lesson.chapter: lesson.name for lesson in catalog.lessons()}


def visit(**address: str) -> AppTest:
    return app.visit("quiz", **address)


def press(at: AppTest, name: str) -> AppTest:
    app.press(at, name)
    assert not at.exception
    assert not at.warning
    return at


def links(at: AppTest) -> dict[str, dict[str, str]]:
    """Return the queries of the links of the main part, by label."""
    found = [each.proto for each in at.main.get("page_link")]
    return {each.label: dict(parse_qsl(each.query_string)) for each in found}


def plain_words(said: str) -> str:
    """The longest piece of a text that is the same on the page."""
    return max(re.split(r"`[^`]*`|\{\w+\}|\*\*|cpu|cuda", said), key=len)


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("lesson", LESSONS)
def test_the_last_summary_of_a_chapter_leads_to_its_quiz(lesson, language):
    found = links(app.visit(lesson, step="summary", lang=language))

    chapter = catalog.lesson(lesson).chapter
    entry = sentence("quiz.entry", language)
    assert (entry in found) == (lesson == LAST[chapter])
    if entry in found:
        assert found[entry]["chapter"] == chapter


@pytest.mark.parametrize("chapter", LAST)
def test_a_quiz_is_read_predicted_and_explained(chapter):
    language = list(Language)[list(LAST).index(chapter) % 2]
    at = visit(chapter=chapter, seed="3", lang=language)
    questions = quiz.draw(chapter, 3)
    score, verdicts = 0, []
    for number, question in enumerate(questions, start=1):
        assert at.title[0].value == sentence("quiz.question", language, number=number, count=5)
        assert any(question.step.program() == each.value for each in at.code)
        assert not [*at.main.get("selectbox"), *at.main.get("number_input")]
        assert "tp-outcome" not in text(at)
        assert not any(each.endswith("-to-next") for each in keys(at))

        truth = answer_once(question.step).prediction
        own = question.words.words
        assert own is not None
        if number == 1:
            press(at, f"answer-{truth}")
            verdicts.append(sentence("step.as-predicted", language))
        elif number == 2:
            press(at, "run")
            verdicts.append(sentence("quiz.no-prediction", language))
        else:
            offered = [each.rpartition("-answer-")[2] for each in keys(at) if "-answer-" in each]
            wrong = next(each for each in offered if each != truth)
            press(at, f"answer-{wrong}")
            words = view.answer_words(own, wrong, language)
            verdicts.append(sentence("step.not-as-predicted", language, said=words))
            if wrong in own.if_wrong:
                assert plain_words(own.if_wrong[wrong].said(language)) in text(at)
        score += number == 1

        reason = own.explanations[answer_once(question.step).explanation]
        assert plain_words(reason.said(language)) in text(at)
        assert not TRYING & {each.rpartition("-")[2] for each in keys(at)}
        press(at, "next")

    assert at.title[0].value == sentence("panel.score", language, hits=score, count=5)
    for number, (question, verdict) in enumerate(zip(questions, verdicts, strict=True), start=1):
        [row] = [each for each in text(at).split("\n") if each.startswith(f"{number}. ")]
        assert inline_to_html(question.words.title.said(language)) in row
        assert row.endswith(verdict)
    assert not at.session_state[progress.KEY]


def finished(chapter: str, seed: str) -> AppTest:
    """The result of a quiz in which nothing was predicted."""
    at = visit(chapter=chapter, seed=seed)
    for _ in range(5):
        press(press(at, "run"), "next")
    return at


@pytest.mark.parametrize("chapter", LAST)
def test_the_result_leads_to_each_step_with_the_settings_of_its_round(chapter):
    found = links(finished(chapter, "1"))

    for number, question in enumerate(quiz.draw(chapter, 1), start=1):
        query = found[sentence("quiz.look", number=number)]
        assert query["step"] == question.words.id
        at = app.visit(question.lesson.name, **query)
        assert at.title[0].value == question.words.title.en
        assert any(question.step.program() == each.value for each in at.code)


@pytest.mark.parametrize(("seed", "following"), [("1", "2"), ("9999", "0")])
def test_other_questions_are_one_link_away(seed, following):
    at = finished("files", seed)
    query = links(at)[sentence("quiz.other")]
    assert query["chapter"] == "files"
    assert query["seed"] == following

    for name, value in query.items():
        at.query_params[name] = value
    at.run()

    assert at.title[0].value == sentence("quiz.question", number=1, count=5)
    first = quiz.draw("files", int(following))[0]
    assert any(first.step.program() == each.value for each in at.code)


@pytest.mark.parametrize("nonsense", ["☃", "-1", "1e3", "9" * 400, "²", "lab"])
def test_an_address_that_says_nothing_of_use_opens_the_first_quiz(nonsense):
    at = visit(chapter=nonsense, seed=nonsense)
    assert not at.exception
    assert any(quiz.draw("devices", 1)[0].step.program() == each.value for each in at.code)


def test_the_language_can_be_changed_in_the_middle():
    at = press(press(visit(chapter="files", seed="1"), "run"), "next")
    at.button_group(key="lang").set_value(Language.ZH).run()
    assert at.title[0].value == sentence("quiz.question", "zh", number=2, count=5)
