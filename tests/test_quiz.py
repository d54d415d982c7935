from itertools import pairwise

import pytest

from playground import catalog, quiz
from tests.fresh import run_fresh
from tests.lessons.steps import STEPS, find

CHAPTERS = [each.id for each in quiz.chapters()]
SEEDS = range(30)
NOT_ASKED = {
    *("tensors/out_of_memory", "tensors/uninitialized_memory", "tensors/transfer"),
    *("devices/memory_figures", "devices/environment", "devices/cuda_setup"),
    *("save_and_load/formats", "timing/products", "timing/interpreter_lock"),
    *("training/watch", "training/same_curve"),
}
each_chapter = pytest.mark.parametrize("chapter", CHAPTERS)


def test_every_chapter_with_lessons_has_a_quiz():
    assert CHAPTERS == ["devices", "blocks", "parameters", "files", "gpu"]


@each_chapter
@pytest.mark.parametrize("seed", SEEDS)
def test_five_steps_of_the_chapter_are_asked_in_one_of_their_rounds(chapter, seed):
    questions = quiz.draw(chapter, seed)

    steps = [(each.lesson.name, each.words.id) for each in questions]
    assert len(set(steps)) == len(steps) == 5
    for question in questions:
        assert question.lesson.chapter == chapter
        words, kind = find(question.lesson.name, question.words.id)
        assert words.words
        assert words.prediction
        rounds = {kind.of(each.settings): each.question for each in words.words.rounds}
        rounds = rounds or {kind(): None}
        assert rounds[question.step] == question.text


@each_chapter
def test_no_answer_depends_on_the_server_or_has_to_be_waited_for(chapter):
    drawn = {
        f"{each.lesson.name}/{each.words.id}" for seed in SEEDS for each in quiz.draw(chapter, seed)
    }

    assert set(map("/".join, STEPS)) >= drawn | NOT_ASKED
    assert not drawn & NOT_ASKED
    for lesson_name, step_id in (each.split("/") for each in drawn):
        _, kind = find(lesson_name, step_id)
        assert kind.deterministic
        assert not kind.measures
        assert not kind.is_watched


@each_chapter
def test_the_questions_spread_over_the_lessons(chapter):
    for questions in (quiz.draw(chapter, seed) for seed in SEEDS):
        lessons = [each.lesson for each in questions]
        assert [each.order for each in lessons] == sorted(each.order for each in lessons)
        taught = [each for each in catalog.lessons() if each.chapter == chapter]
        able = [each for each in taught if any(step.words for step in each.steps)]
        assert len({each.name for each in lessons}) == min(5, len(able))


@each_chapter
def test_the_next_number_gives_other_questions_and_a_step_again_in_another_round(chapter):
    drawn = [{each.words.id: each for each in quiz.draw(chapter, seed)} for seed in SEEDS]
    pairs = list(pairwise(drawn))
    again = [
        (here[id].step, there[id].step)
        for here, there in pairs
        for id in here.keys() & there.keys()
        if len(here[id].words.words.rounds) > 1
    ]

    for here, there in pairs:
        assert {each.step for each in here.values()} != {each.step for each in there.values()}
    assert again
    assert all(here != there for here, there in again)


def test_a_number_gives_the_same_questions_in_another_process():
    program = (
        "from playground import quiz\n"
        f"for chapter in {CHAPTERS!r}:\n"
        "    print([each.step for each in quiz.draw(chapter, 7)])\n"
    )

    here = [f"{[each.step for each in quiz.draw(chapter, 7)]}\n" for chapter in CHAPTERS]

    assert run_fresh(program) == "".join(here)
