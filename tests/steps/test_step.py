from enum import StrEnum
from pathlib import Path

import pytest

from playground.errors import InvalidSettingError
from playground.steps import Answer, Device, Files, Machine, Run, Step, Words, WriteFile, literal
from playground.steps.fields import fix_field, id_of, network_link, number, one_of, shown_if, text
from tests.answers import answer


class Operation(StrEnum):
    ADD = "{x} + 1"
    DIVIDE = "{x} / 0"


class Sample(Step):
    machine: Machine = Machine()
    device: Device = "cpu"
    operation: Operation = Operation.ADD
    times: int = number(1, 4, default=2)
    scale: float = number(0.5, 2.0, default=1.0)
    name: str = text(8, default="x")
    kind: str = one_of("a", "b", default="a")
    is_loud: bool = shown_if(False, operation=(Operation.ADD,))
    is_fixed: bool = fix_field()

    def code(self, w: Words) -> str:
        operation = "x + 1" if self.is_fixed else w.operation.format(x="x")
        return f"""
            import math{w.folded}
            x = {w.times} * {w.scale}
            y = {operation}{w.asked}
            print({w.name}, y)
        """

    def answer(self, run: Run) -> Answer:
        fix = None if run.outcome.ok else self.tried_fix()
        return Answer(prediction="works", explanation="any", facts={"y": run.get("y")}, fix=fix)


@pytest.mark.parametrize(
    "given",
    [
        {"times": 0},
        {"times": 5},
        {"scale": 2.1},
        {"name": "123456789"},
        {"kind": "c"},
        {"device": "cuda:2"},
    ],
)
def test_a_value_that_is_not_allowed_is_refused_by_name(given):
    with pytest.raises(InvalidSettingError) as refused:
        Sample(**given)  # type: ignore[arg-type]
    assert refused.value.field in given


def test_plain_values_become_those_of_the_fields():
    made = Sample.of(
        {"operation": "divide", "times": "3", "scale": "2", "is_loud": "true", "device": "cuda:1"},
        machine=Machine(gpus=4),
    )

    assert made == Sample(
        operation=Operation.DIVIDE,
        times=3,
        scale=2.0,
        is_loud=True,
        device="cuda:1",
        machine=Machine(gpus=4),
    )
    assert [*map(id_of, (made.operation, made.is_loud, made.scale))] == ["divide", "true", "2"]


@pytest.mark.parametrize(
    "given", [{"times": "x"}, {"is_loud": "1"}, {"operation": "{x} + 1"}, {"planet": "moon"}]
)
def test_nonsense_from_an_address_is_refused(given):
    with pytest.raises(InvalidSettingError):
        Sample.of(given)


def test_the_program_is_the_text_of_its_parts():
    step = Sample(times=3)

    assert step.program() == 'import math\nx = 3 * 1.0\ny = x + 1\nprint("x", y)'
    assert "".join(part.text for part in step.parts()) == step.program()
    words = [(part.field, part.text) for part in step.parts() if part.field]
    assert words == [("times", "3"), ("scale", "1.0"), ("operation", "x + 1"), ("name", '"x"')]
    assert (step.asked_line(), step.folded_lines()) == (3, 1)


@pytest.mark.parametrize("value", ['"', "'", "\\", "\n", "\ue000", "\ue001a\ue002", "a'b\"c", "雪"])
def test_a_literal_is_the_value_again(value):
    assert eval(literal(value)) == value
    step = Sample(name=value)
    assert "".join(part.text for part in step.parts()) == step.program()


def test_the_program_is_run_and_the_answer_has_its_lines():
    found = answer(Sample(times=4))
    assert found.facts == {"y": 5.0}
    assert found.outcome.ok
    assert found.printed == "x 5.0\n"
    assert [line.number for line in found.lines] == [1, 2, 3, 4]


def test_a_fix_is_offered_after_it_was_run():
    refused = answer(Sample(operation=Operation.DIVIDE))
    fixed = answer(Sample(operation=Operation.DIVIDE, is_fixed=True))

    assert refused.outcome.error_type == "ZeroDivisionError"
    assert refused.fix == ("y = x / 0", "y = x + 1")
    assert refused.stopped_at == 3
    assert fixed.outcome.ok
    assert fixed.fix is None


def test_a_field_may_mean_something_only_beside_another_value():
    assert Sample().is_shown("is_loud")
    assert not Sample(operation=Operation.DIVIDE).is_shown("is_loud")


class Writes(Step):
    times: int = number(1, 9, default=2)
    network: str = network_link()

    def code(self, w: Words) -> str:
        return f"""
            from pathlib import Path
            Path("a.txt").write_text("x" * {w.times})
            print(Path("a.txt").exists(), len(list(Path().iterdir())))
        """

    def files(self) -> Files:
        return Files(downloads=("a.txt",))

    def answer(self, run: Run) -> Answer:
        del run
        size = Path("a.txt").stat().st_size
        return Answer(prediction="", explanation="", facts={"size": size})


def test_a_program_writes_into_an_empty_folder_that_is_gone_afterwards():
    before = [*Path().iterdir()]
    answers = [answer(Writes(times=times)) for times in (2, 3)]
    assert [each.printed for each in answers] == ["True 1\n"] * 2
    assert [each.facts["size"] for each in answers] == [2, 3]
    assert [*Path().iterdir()] == before


def test_a_file_of_a_program_can_be_taken_away_and_no_other():
    made = answer(WriteFile(of=Writes(times=4), file_name="a.txt"))

    assert (made.data, made.file_name) == (b"xxxx", "a.txt")
    for name in ("../a.txt", "/etc/passwd", ""):
        with pytest.raises(InvalidSettingError):
            WriteFile(of=Writes(), file_name=name)
    with pytest.raises(InvalidSettingError):
        WriteFile(of=Sample(), file_name="a.txt")
