import pytest
import torch

from playground.machines.simulated import simulated_gpus
from playground.machines.simulated.streams import ALL_STREAMS, recording_queues


@pytest.fixture
def calls():
    with simulated_gpus(1), recording_queues(__file__) as found:
        yield found


def test_views_and_questions_queue_nothing(calls):
    x = torch.ones(2, 3, device="cuda")
    calls.clear()

    _ = x.T, x.view(3, 2), x[0], x.shape, x.device, x.to("cuda:0")
    assert calls == []

    x.add_(1)
    assert [(each.name, each.stream) for each in calls] == [("add", 0)]


def test_what_needs_a_value_on_the_cpu_waits_for_its_stream(calls):
    x = torch.ones(1, device="cuda")
    calls.clear()

    _ = x.item(), x.tolist(), x.cpu(), bool(x), float(x)

    assert [each.waits_for for each in calls] == [0] * 5


@pytest.mark.parametrize("is_pinned", [False, True])
@pytest.mark.parametrize("flag", [False, True])
def test_a_copy_to_the_gpu(calls, is_pinned, flag):
    x = torch.ones(2).pin_memory() if is_pinned else torch.ones(2)
    calls.clear()

    x.to("cuda:0", non_blocking=flag)

    (copy,) = calls
    assert (copy.is_staged, copy.waits_for) == (not is_pinned, None if flag else 0)


def test_streams_are_there_while_it_is_recorded_only():
    before = torch.cuda.Stream, torch.cuda.stream, torch.cuda.synchronize
    with simulated_gpus(1):
        inside = torch.cuda.Stream
        with recording_queues(__file__) as calls:
            second = torch.cuda.Stream()  # type: ignore[no-untyped-call]
            with torch.cuda.stream(second):
                torch.ones(1, device="cuda")
            second.synchronize()
            torch.cuda.synchronize()
        assert torch.cuda.Stream is inside

    assert [(each.stream, each.waits_for) for each in calls] == [
        (1, None),
        (0, 1),
        (0, ALL_STREAMS),
    ]
    assert (torch.cuda.Stream, torch.cuda.stream, torch.cuda.synchronize) == before
