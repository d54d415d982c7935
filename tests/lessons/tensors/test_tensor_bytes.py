import pytest

from playground.lessons.tensors.tensor_bytes import DataType, TensorBytes
from playground.steps import Labels
from tests.answers import answer_once

MIB = 2**20
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
    answer = answer_once(step)

    assert answer.printed.splitlines()[:2] == [f"{210 * element_bytes}", f"210 {element_bytes}"]
    assert answer.prediction in step.choices(("cpu",))
    assert answer.facts["seven_billion"] == seven_billion


def test_a_tensor_on_the_cpu_takes_nothing_of_a_gpu():
    answer = answer_once(TensorBytes(device="cpu"))

    assert answer.explanation == "on-host"
    assert answer.facts["allocated"] is None


def test_a_tiny_tensor_has_a_bar_too():
    step = TensorBytes(rows=1, columns=1)
    picture = step.picture(answer_once(step), LABELS)

    assert picture.values["bars"] == (
        "size: 4 bytes; allocated: 512 bytes; reserved: 2.00 MiB; total: 8.00 GiB"
    )
    assert 'width="0"' not in picture.svg
