import itertools

from playground.lessons.save_and_load.deployment import Context, Deployment, Mode, Saved
from tests.answers import answer_once, assert_answer


def test_each_thing_left_over_from_training_is_found():
    for saved, mode, context in itertools.product(Saved, Mode, Context):
        left = {"random": mode is Mode.TRAIN, "graph": context is Context.ENABLE_GRAD}
        left["large"] = saved is Saved.CHECKPOINT
        wrong = [name for name, is_there in left.items() if is_there]
        expected = "several" if wrong[1:] else (wrong or ["nothing"])[0]

        step = Deployment(saved=saved, mode=mode, context=context)
        answer = assert_answer(step, prediction=expected, is_silent=bool(wrong))
        assert [*answer.data] == wrong


def test_adam_makes_the_file_three_times_as_large():
    answer = answer_once(Deployment(saved=Saved.CHECKPOINT, mode=Mode.EVAL))
    assert 3.0 < float(answer.placeholders["ratio"]) < 5.0  # and the archive around it
