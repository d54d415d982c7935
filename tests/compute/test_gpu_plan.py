"""Who may take what of which GPU; every number here was worked out by hand."""

import pytest

from playground.compute import gpu_plan
from playground.compute.gpu_plan import CONTEXT_BYTES, GpuPolicy, plan
from playground.machines import nvml, presence
from playground.machines.hardware import Accelerator, AcceleratorKind
from tests.machines.fake_nvml import FakeNvml, a_gpu
from tests.turns import in_turn

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


def seen(shares) -> list[str | None]:
    return [share.visible for share in shares]


def test_a_large_gpu_is_shared_by_four():
    shares = plan([gpu("a", 80)], GpuPolicy())

    # 90 % of 80 GiB are 72; a quarter of them is 18, of which CUDA's own 0.75 are set aside
    assert [share.limits for share in shares] == [(17.25 * GIB,)] * 4
    assert seen(shares) == ["GPU-a"] * 4
    assert all(share.expects_cuda for share in shares)


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
    shares = plan([gpu("a", total)], GpuPolicy())

    assert [share.limits[0] // MIB for share in shares] == [limit_mib] * workers


@pytest.mark.parametrize(("asked", "workers"), [(1, 1), (3, 3), (6, 5), (16, 5)])
def test_the_operator_may_ask_for_more_than_four_if_they_have_room(asked, workers):
    shares = plan([gpu("a", 16)], GpuPolicy(experiments_at_once=asked))

    assert len(shares) == workers  # 14.4 / 2.75 = 5.2


def test_the_part_that_the_operator_leaves_is_divided():
    (share,) = plan([gpu("a", 16)], GpuPolicy(experiments_at_once=1, memory_percent=50))

    assert share.limits == (7.25 * GIB,)
    assert share.percent == 50


def test_what_others_hold_already_is_not_given_away():
    shares = plan([gpu("a", 80, free=10)], GpuPolicy())

    assert [share.limits[0] / GIB for share in shares] == [pytest.approx(10 / 3 - 0.75)] * 3


@pytest.mark.parametrize("total_free", [(80, 0.9), (1, 1)])
def test_a_gpu_without_room_is_left_alone(total_free):
    assert plan([gpu("a", *total_free)], GpuPolicy()) == ()
    assert seen(plan([gpu("a", *total_free), gpu("b", 4)], GpuPolicy())) == ["GPU-b"]


def test_a_gpu_that_does_not_answer_is_left_out():
    lost = Accelerator(kind=AcceleratorKind.CUDA, physical_index=0)

    assert seen(plan([lost, gpu("b", 4)], GpuPolicy())) == ["GPU-b"]


def test_alike_gpus_take_turns_in_being_the_first():
    shares = plan([gpu("a", 24), gpu("b", 24, free=20)], GpuPolicy(experiments_at_once=2))

    assert seen(shares) == ["GPU-a,GPU-b", "GPU-b,GPU-a"] * 2
    assert shares[0].limits == shares[1].limits[::-1]
    assert [limit / GIB for limit in shares[0].limits] == [
        pytest.approx(21.6 / 4 - 0.75),
        pytest.approx(20 / 4 - 0.75),
    ]


def test_different_gpus_keep_their_numbers():
    shares = plan([gpu("a", 80), gpu("b", 16, name="Another")], GpuPolicy(experiments_at_once=2))

    assert seen(shares) == ["GPU-a,GPU-b"] * 2
    assert shares[0].limits == (35.25 * GIB, pytest.approx(6.45 * GIB))


def test_a_worker_has_one_mig_slice():
    slices = [gpu(letter, 10, kind=AcceleratorKind.MIG) for letter in "ab"]

    shares = plan(slices, GpuPolicy(experiments_at_once=2))

    assert seen(shares) == ["GPU-a", "GPU-a", "GPU-b", "GPU-b"]
    assert {share.limits for share in shares} == {(3.75 * GIB,)}


@in_turn("asked", [0, 1, 5])
@in_turn("count", [1, 2, 8])
@pytest.mark.parametrize("total", [2, 6, 11, 80])
def test_all_workers_at_their_limits_fit_on_any_gpu(total, count, asked):
    gpus = [gpu(letter, total) for letter in "abcdefgh"[:count]]

    shares = plan(gpus, GpuPolicy(experiments_at_once=asked))

    assert shares
    for card in gpus:
        taken = sum(
            share.limits[share.visible.split(",").index(card.uuid)] + CONTEXT_BYTES
            for share in shares
        )
        assert taken <= 0.9 * total * GIB + 1


@pytest.fixture
def two_gpus(monkeypatch):
    driver = FakeNvml(a_gpu("a"), a_gpu("b", name=a_gpu("a")["name"]))  # 16 GiB each, 13 free
    monkeypatch.setattr(nvml, "pynvml", driver)
    monkeypatch.setattr(presence.platform, "system", lambda: "Linux")
    monkeypatch.setattr(presence, "torch_build", lambda: "cu130")
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

    assert seen(gpu_plan.shares()) == visible


@pytest.mark.usefixtures("two_gpus")
def test_the_operators_policy_is_planned_by():
    gpu_plan.adopt(GpuPolicy(experiments_at_once=1, memory_percent=50))
    try:
        shares = gpu_plan.shares()
    finally:
        gpu_plan.adopt(GpuPolicy())

    assert [share.limits for share in shares] == [(3.25 * GIB,) * 2] * 2  # 16 / 2 / 2 - 0.75


def test_a_gpu_of_which_the_driver_says_nothing_has_one_worker(monkeypatch):
    monkeypatch.setattr(presence, "count_gpus", lambda: 1)
    monkeypatch.setattr(presence, "torch_build", lambda: "rocm7.1")

    (share,) = gpu_plan.shares()

    assert (share.visible, share.limits, share.limit_bytes(0, 1000)) == (None, (), 900)


def test_no_gpu_no_share(monkeypatch):
    monkeypatch.setattr(presence, "count_gpus", lambda: 0)

    assert gpu_plan.shares() == ()


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
    monkeypatch.setattr(presence, "PCI", tmp_path)
    assert not presence.has_silent_gpu()
    two_gpus.loaded = False

    assert presence.has_silent_gpu() is is_silent
    assert gpu_plan.is_wanted() is is_silent
    monkeypatch.setattr(presence, "torch_build", lambda: "cpu")
    assert not gpu_plan.is_wanted()
