import pytest

from playground.lessons.tensors.tensor_bytes import DataType, TensorBytes
from playground.steps import Labels
from tests.answers import answer_once, assert_answer

LABELS = Labels({name: name for name in ("size", "allocated", "reserved", "total")})


@pytest.mark.parametrize(
    ("dtype", "element_bytes", "seven_billion"),
    [
        ("FLOAT16", 2, "13.04 GiB"),  # 14e9 / 2**30
        ("FLOAT32", 4, "26.08 GiB"),
        ("FLOAT64", 8, "52.15 GiB"),
        ("INT8", 1, "6.52 GiB"),
    ],
)
def test_bytes_are_elements_times_the_size_of_one(dtype, element_bytes, seven_billion):
    step = TensorBytes(rows=30, columns=7, dtype=DataType[dtype])
    answer = assert_answer(step, seven_billion=seven_billion)

    assert answer.printed.splitlines()[:2] == [f"{210 * element_bytes}", f"210 {element_bytes}"]
    assert answer.prediction in step.choices(("cpu",))


def test_a_tensor_on_the_cpu_takes_nothing_of_a_gpu():
    assert_answer(TensorBytes(device="cpu"), explanation="on-host", allocated=None)


def test_a_tiny_tensor_has_a_bar_too():
    step = TensorBytes(rows=1, columns=1)
    picture = step.picture(answer_once(step), LABELS)
    assert_answer(TensorBytes(dtype=DataType.INT8), reserved="2.00 MiB", free="8\u202f190 MiB")
    bars = "size: 4 bytes; allocated: 512 bytes; reserved: 2.00 MiB; total: 8.00 GiB"
    assert picture.values["bars"] == bars
    assert 'width="0"' not in picture.svg
