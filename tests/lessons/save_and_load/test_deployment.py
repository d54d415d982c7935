import itertools

from playground.lessons.save_and_load.deployment import Context, Deployment, Mode, Saved
from tests.answers import answer_once


def test_each_thing_left_over_from_training_is_found():
    for saved, mode, context in itertools.product(Saved, Mode, Context):
        answer = answer_once(Deployment(saved=saved, mode=mode, context=context))

        wrong = [
            *(["random"] if mode is Mode.TRAIN else []),
            *(["graph"] if context is Context.ENABLE_GRAD else []),
            *(["large"] if saved is Saved.CHECKPOINT else []),
        ]
        expected = {0: "nothing", 1: wrong[0] if wrong else ""}.get(len(wrong), "several")
        assert answer.prediction == expected
        assert [*answer.data] == wrong
        assert answer.is_silent_failure is bool(wrong)


def test_adam_makes_the_file_three_times_as_large():
    answer = answer_once(Deployment(saved=Saved.CHECKPOINT, mode=Mode.EVAL))

    assert 3.0 < float(str(answer.placeholders["ratio"])) < 5.0  # and the archive around it
