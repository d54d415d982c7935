"""The quotas of workers; every expected number was computed by hand."""

import pytest

from playground.compute import gpu_quota
from playground.compute.gpu_quota import CONTEXT_BYTES, GpuPolicy, plan
from playground.machines import gpu_detection, nvml
from playground.machines.hardware import Accelerator, AcceleratorKind
from tests.machines.fake_nvml import FakeNvml, a_gpu

GIB = 2**30
MIB = 2**20


def gpu(letter: str, total: float, free: float | None = None, **other: object) -> Accelerator:
    return Accelerator(
        **{
            "kind": AcceleratorKind.CUDA,
            "uuid": f"GPU-{letter}",
            "name": "NVIDIA Test",
            "physical_index": 0,
            "memory_total_bytes": int(total * GIB),
            "memory_free_bytes": int((total if free is None else free) * GIB),
            **other,
        }
    )


def seen(quotas) -> list[str | None]:
    return [quota.visible for quota in quotas]


def test_a_large_gpu_is_shared_by_four():
    quotas = plan([gpu("a", 80)], GpuPolicy())

    # 90 % of 80 GiB are 72; a quarter of them is 18, of which CUDA's own 0.75 are set aside
    assert [quota.limits for quota in quotas] == [(17.25 * GIB,)] * 4
    assert seen(quotas) == ["GPU-a"] * 4
    assert all(quota.expects_cuda for quota in quotas)


@pytest.mark.parametrize(
    ("total", "workers", "limit_mib"),
    [
        (16, 4, 2918),  # 14.4 / 4 - 0.75 = 2.85 GiB
        (12, 3, 2918),  # 10.8 / 2.75 = 3.9; 10.8 / 3 - 0.75
        (8, 2, 2918),  # 7.2 / 2.75 = 2.6; 7.2 / 2 - 0.75
        (4, 1, 2918),  # 3.6 - 0.75
        (2, 1, 1075),  # 1.8 - 0.75: alone, it may have less
    ],
)
def test_fewer_share_where_there_is_less_room(total, workers, limit_mib):
    quotas = plan([gpu("a", total)], GpuPolicy())

    assert [quota.limits[0] // MIB for quota in quotas] == [limit_mib] * workers


@pytest.mark.parametrize(("asked", "workers"), [(1, 1), (3, 3), (6, 5), (16, 5)])
def test_the_operator_may_ask_for_more_than_four_if_they_have_room(asked, workers):
    quotas = plan([gpu("a", 16)], GpuPolicy(experiments_at_once=asked))

    assert len(quotas) == workers  # 14.4 / 2.75 = 5.2


def test_the_part_that_the_operator_leaves_is_divided():
    (quota,) = plan([gpu("a", 16)], GpuPolicy(experiments_at_once=1, memory_percent=50))

    assert quota.limits == (7.25 * GIB,)
    assert quota.percent == 50


def test_what_others_hold_already_is_not_given_away():
    quotas = plan([gpu("a", 80, free=10)], GpuPolicy())

    assert [quota.limits[0] / GIB for quota in quotas] == [pytest.approx(10 / 3 - 0.75)] * 3


@pytest.mark.parametrize("total_free", [(80, 0.9), (1, 1)])
def test_a_gpu_without_room_is_left_alone(total_free):
    assert plan([gpu("a", *total_free)], GpuPolicy()) == ()
    assert seen(plan([gpu("a", *total_free), gpu("b", 4)], GpuPolicy())) == ["GPU-b"]


def test_a_gpu_that_does_not_answer_is_left_out():
    lost = Accelerator(kind=AcceleratorKind.CUDA, physical_index=0)

    assert seen(plan([lost, gpu("b", 4)], GpuPolicy())) == ["GPU-b"]


def test_alike_gpus_take_turns_in_being_the_first():
    quotas = plan([gpu("a", 24), gpu("b", 24, free=20)], GpuPolicy(experiments_at_once=2))

    assert seen(quotas) == ["GPU-a,GPU-b", "GPU-b,GPU-a"] * 2
    assert quotas[0].limits == quotas[1].limits[::-1]
    assert [limit / GIB for limit in quotas[0].limits] == [
        pytest.approx(21.6 / 4 - 0.75),
        pytest.approx(20 / 4 - 0.75),
    ]


def test_different_gpus_keep_their_numbers():
    quotas = plan([gpu("a", 80), gpu("b", 16, name="Another")], GpuPolicy(experiments_at_once=2))

    assert seen(quotas) == ["GPU-a,GPU-b"] * 2
    assert quotas[0].limits == (35.25 * GIB, pytest.approx(6.45 * GIB))


def test_a_worker_has_one_mig_slice():
    slices = [gpu(letter, 10, kind=AcceleratorKind.MIG) for letter in "ab"]

    quotas = plan(slices, GpuPolicy(experiments_at_once=2))

    assert seen(quotas) == ["GPU-a", "GPU-a", "GPU-b", "GPU-b"]
    assert {quota.limits for quota in quotas} == {(3.75 * GIB,)}


@pytest.mark.parametrize("asked", [0, 1, 5])
@pytest.mark.parametrize("count", [1, 2, 8])
@pytest.mark.parametrize("total", [2, 6, 11, 80])
def test_all_workers_at_their_limits_fit_on_any_gpu(total, count, asked):
    gpus = [gpu(letter, total) for letter in "abcdefgh"[:count]]

    quotas = plan(gpus, GpuPolicy(experiments_at_once=asked))

    assert quotas
    for card in gpus:
        taken = sum(
            quota.limits[quota.visible.split(",").index(card.uuid)] + CONTEXT_BYTES
            for quota in quotas
        )
        assert taken <= 0.9 * total * GIB + 1


@pytest.fixture
def two_gpus(monkeypatch):
    driver = FakeNvml(a_gpu("a"), a_gpu("b", name=a_gpu("a")["name"]))  # 16 GiB each, 13 free
    monkeypatch.setattr(nvml, "pynvml", driver)
    monkeypatch.setattr(gpu_detection.platform, "system", lambda: "Linux")
    monkeypatch.setattr(gpu_detection, "torch_build", lambda: "cu130")
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    return driver


A, B = (f"GPU-{letter * 8}-0000-0000-0000-000000000000" for letter in "ab")


@pytest.mark.usefixtures("two_gpus")
@pytest.mark.parametrize(
    ("variable", "visible"),
    [
        (None, [f"{A},{B}", f"{B},{A}"] * 2),
        ("1", [B] * 4),
        ("1,0", [f"{B},{A}", f"{A},{B}"] * 2),
        ("GPU-bbbb", [B] * 4),
        ("", []),
    ],
)
def test_the_servers_own_variable_is_obeyed(monkeypatch, variable, visible):
    if variable is not None:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", variable)

    assert seen(gpu_quota.plan_quotas()) == visible


@pytest.mark.usefixtures("two_gpus")
def test_the_operators_policy_is_applied():
    gpu_quota.set_policy(GpuPolicy(experiments_at_once=1, memory_percent=50))
    try:
        quotas = gpu_quota.plan_quotas()
    finally:
        gpu_quota.set_policy(GpuPolicy())

    assert [quota.limits for quota in quotas] == [(3.25 * GIB,) * 2] * 2  # 16 / 2 / 2 - 0.75


def test_a_gpu_of_which_the_driver_says_nothing_has_one_worker(monkeypatch):
    monkeypatch.setattr(gpu_detection, "count_gpus", lambda: 1)
    monkeypatch.setattr(gpu_detection, "torch_build", lambda: "rocm7.1")

    (quota,) = gpu_quota.plan_quotas()

    assert (quota.visible, quota.limits, quota.limit_bytes(0, 1000)) == (None, (), 900)


@pytest.mark.parametrize(
    ("vendor", "kind", "is_silent"),
    [("0x10de", "0x030200", True), ("0x10de", "0x040300", False), ("0x8086", "0x030000", False)],
)
def test_a_gpu_whose_driver_does_not_answer_is_noticed(
    two_gpus, monkeypatch, tmp_path, vendor, kind, is_silent
):
    device = tmp_path / "0000:01:00.0"
    device.mkdir()
    (device / "vendor").write_text(f"{vendor}\n")
    (device / "class").write_text(f"{kind}\n")
    monkeypatch.setattr(gpu_detection, "PCI", tmp_path)
    assert not gpu_detection.has_unresponsive_gpu()
    two_gpus.loaded = False

    assert gpu_detection.has_unresponsive_gpu() is is_silent
    assert gpu_quota.is_wanted() is is_silent
    monkeypatch.setattr(gpu_detection, "torch_build", lambda: "cpu")
    assert not gpu_quota.is_wanted()
