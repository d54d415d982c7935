import functools
import math
from dataclasses import replace

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from playground.checkpoints.inspect import Verdict
from playground.checkpoints.load import load
from playground.checkpoints.load_results import LoadVerdict
from playground.checkpoints.save import full_checkpoint, save_safetensors, save_torch
from playground.errors import InvalidSettingError
from playground.machines.simulated import simulated_gpus
from playground.sandbox.jail import Jail, StoppedBecause
from playground.sandbox.limits import LIMITS
from tests.checkpoints.tables import DTYPES, inspected, read_tensors

pytestmark = pytest.mark.usefixtures("jailed")
BIG = torch.arange(24.0).sin().reshape(4, 6)
VALUE = {
    "model": {"0.weight": BIG, "0.bias": BIG[0], "0.count": torch.tensor(3)},
    "turned": [BIG.T, (torch.ones(2, dtype=torch.bfloat16), torch.zeros(0))],
    "epoch": 3,
}
FLAT = {"0.weight": BIG, "0.bias": BIG[0].clone(), "count": torch.tensor([3, 4])}
FILES = {
    "torch": save_torch(VALUE).data,
    "safetensors": save_safetensors(FLAT, {"made": "by a test"}).data,
}


@pytest.mark.filterwarnings("ignore:Casting complex values")
@pytest.mark.parametrize("saved", [save_torch, save_safetensors])
def test_every_dtype_and_every_view_is_loaded_as_it_was_saved(saved):
    numbers = torch.randn(3, 5, generator=torch.Generator().manual_seed(1)) * 20
    tensors = {str(dtype).removeprefix("torch."): numbers.to(dtype) for dtype in DTYPES}
    if saved is save_safetensors:
        del tensors["complex128"]  # safetensors has no name for it
    else:
        views = {"view": numbers[1:, ::2], "turned": numbers.T, "again": numbers}
        tensors |= views | {"wide": torch.ones(1).expand(9)}

    report = load(saved(tensors).data, "every.bin")

    assert report.accepted, report.reason
    assert sorted(each.name for each in report.tensors) == sorted(tensors)
    for each in report.tensors:
        mine = tensors[each.name]
        assert each.dtype == str(mine.dtype).removeprefix("torch.")
        assert (each.shape, each.bytes) == (tuple(mine.shape), mine.nbytes)
        first = mine.flatten()[:8].tolist()
        assert list(each.values) == [str(x).strip("()") if mine.is_complex() else x for x in first]
        assert each.statistics.zeros == int((mine == 0).sum())
        if not mine.is_complex():
            assert each.statistics.maximum == mine.max().item()
            assert each.statistics.mean == pytest.approx(float(mine.double().mean()))
            assert each.statistics.std == pytest.approx(float(mine.double().std()))


def test_numbers_that_json_has_not_are_reported():
    tensor = torch.tensor([math.nan, math.inf, -math.inf, 1.5])

    [found] = load(save_torch(tensor).data, "odd.pt").tensors

    assert found.name == ""
    assert found.values == ("nan", "inf", "-inf", 1.5)
    assert (found.statistics.nans, found.statistics.infinities) == (1, 2)
    assert (found.statistics.mean, found.statistics.std) == (1.5, None)


def test_tensors_anywhere_in_a_file_are_loaded():
    net = torch.nn.Linear(2, 2)
    optimizer = torch.optim.SGD(net.parameters(), momentum=0.9)
    net(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    best = [torch.ones(2), (torch.zeros(1), {7: torch.arange(3)})]

    report = load(save_torch(full_checkpoint(net, optimizer, 3, best=best)).data, "run.pt")

    assert report.accepted, report.reason
    assert [each.name for each in report.tensors] == [
        *("model.weight", "model.bias"),
        *(f"optimizer.state.{number}.momentum_buffer" for number in range(2)),
        *("best.0", "best.1.0", "best.1.1.7"),
    ]
    assert report.parts[0] == ("model",)
    assert not any(part[0] == "optimizer" for part in report.parts)


def test_a_file_from_a_gpu_says_so_and_is_loaded_on_the_cpu():
    with simulated_gpus(1):
        data = save_torch({"weight": torch.arange(3.0, device="cuda:0")}).data

    report = load(data, "gpu.pt")

    assert report.inspection.tensors[0].device == "cuda:0"
    assert [remark.key for remark in report.inspection.remarks] == ["device"]
    assert report.tensors[0].values == (0.0, 1.0, 2.0)


def test_more_tensors_than_an_answer_holds_are_all_checked():
    tensors = {f"layer.{number}.weight": torch.full((2,), number) for number in range(4_000)}

    report = load(save_safetensors(tensors).data, "many.safetensors")

    assert report.accepted, report.reason
    assert {each.name for each in report.tensors} == tensors.keys()
    assert len(report.tensors) == 4_000
    assert 100 < sum(bool(each.values) for each in report.tensors) < 4_000


def test_names_that_nobody_should_have_are_loaded_and_shown_harmlessly():
    names = ["\x1b[31mred\x00", "<script>alert(1)</script>", "参数.权重", "x" * 900, "\u202eback"]

    report = load(save_torch({name: torch.ones(2) for name in names}).data, "names.pt")

    assert report.accepted, report.reason
    assert len(report.tensors) == len(names)
    assert all(len(each.name) <= 200 and each.name.isprintable() for each in report.tensors)


def test_aliases_of_more_bytes_than_a_run_may_compute_end_neither_run_nor_report():
    row = torch.ones(9_000_000, dtype=torch.int8)

    report = load(save_torch([row] * 25).data, "aliases.pt")

    assert report.accepted, report.reason
    assert len(report.tensors) == 25


def test_what_the_inspection_refuses_never_reaches_the_jail(monkeypatch):
    monkeypatch.setattr(Jail, "run", lambda *_, **__: pytest.fail("it reached the jail"))

    report = load(b"GIF89a", "picture.pt")

    assert report.verdict is LoadVerdict.REFUSED
    assert report.inspection.verdict is Verdict.UNKNOWN
    assert (report.reason, report.advice) == (report.inspection.reason, report.inspection.advice)


def test_a_part_that_is_not_in_the_file_is_refused():
    data = save_torch({"model": {"weight": torch.ones(1)}}).data

    with pytest.raises(InvalidSettingError, match="choice"):
        load(data, "part.pt", part=("optimizer",))


def test_a_run_without_enough_memory_ends_with_a_verdict_and_the_next_one_runs(jailed, monkeypatch):
    data = save_torch({"weight": torch.ones(4_000_000)}).data
    little = replace(LIMITS, memory_bytes=2**20)

    with monkeypatch.context() as patch:
        patch.setattr(jailed, "run", functools.partial(jailed.run, limits=little))
        report = load(data, "large.pt")
    after = load(data, "large.pt")

    assert report.verdict is LoadVerdict.STOPPED
    assert report.stopped_because is StoppedBecause.MEMORY
    assert after.accepted


def same(number: object, other: object) -> bool:
    return number == other or (math.isnan(float(number)) and math.isnan(float(other)))


def is_read_back(data: bytes) -> bool:
    """Return whether a file is accepted; then it must equal torch's reading, tensor for tensor."""
    found = inspected(data)
    if not found.accepted:
        return False
    report = load(data, "fuzz.pt")
    assert report.accepted, report.reason
    mine = {".".join(map(str, path)): each for path, each in read_tensors(data, found)}
    assert len(report.tensors) == len(mine) == len(found.tensors)
    for each in report.tensors:
        if each.name not in mine:
            continue  # a name that is not shown as it is
        expected = mine[each.name]
        assert (each.dtype, each.shape) == (str(expected.dtype)[6:], tuple(expected.shape))
        first = expected.flatten()[:8].tolist()
        assert all(same(one, other) for one, other in zip(each.values, first, strict=True))
    return True


@pytest.mark.parametrize("kind", FILES)
@settings(
    derandomize=True,
    max_examples=120,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(drawn=st.data())
def test_a_file_with_flipped_bytes_is_refused_or_read_as_torch_reads_it(kind, drawn):
    data = bytearray(FILES[kind])
    places = st.one_of(st.integers(0, 200), st.integers(0, len(data) - 1))
    for place in drawn.draw(st.lists(places, max_size=4)):
        data[place] ^= drawn.draw(st.integers(1, 255))

    assert is_read_back(bytes(data)) or data != FILES[kind]
