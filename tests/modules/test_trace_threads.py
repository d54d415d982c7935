"""Traces beside other threads: each is its own, and the last one leaves torch as it was."""

import threading

import torch
from torch import nn

from playground.modules.trace import trace_forward
from tests.modules.trace_support import Calls


def test_a_module_of_another_thread_is_not_noted():
    entered, done = threading.Event(), threading.Event()
    other = nn.Linear(2, 2)

    def waits(_, x):
        entered.set()
        assert done.wait(300)
        return x

    def call_another():
        assert entered.wait(300)
        other(torch.rand(1, 2))
        done.set()

    thread = threading.Thread(target=call_another)
    thread.start()
    trace = trace_forward(Calls(waits), torch.rand(1, 2))
    thread.join()

    assert [row.type_name for row in trace.rows] == ["Calls"]


def test_traces_in_two_threads_end_with_torch_as_it_was():
    before = nn.Module._call_impl
    barrier = threading.Barrier(2)
    rows = {}

    def meets(self, x, late):
        barrier.wait(300)
        if late:
            barrier.wait(300)
        return self.layer(x)

    def run(late):
        net = Calls(meets, layer=nn.Linear(2, 2))
        rows[late] = len(trace_forward(net, torch.rand(1, 2), late).rows)
        if not late:
            barrier.wait(300)

    threads = [threading.Thread(target=run, args=(late,)) for late in (True, False)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert rows == {True: 2, False: 2}
    assert nn.Module._call_impl is before


def test_traces_that_overlap_turn_the_fused_path_on_again():
    first_is_in, second_is_in = threading.Event(), threading.Event()

    def first(_, x):
        first_is_in.set()
        assert second_is_in.wait(300)
        return x

    def second(_, x):
        second_is_in.set()
        running.join(60)  # the first ends while this one still runs
        assert not torch.backends.mha.get_fastpath_enabled()
        return x

    running = threading.Thread(target=trace_forward, args=(Calls(first), torch.rand(1)))
    running.start()
    assert first_is_in.wait(300)
    assert trace_forward(Calls(second), torch.rand(1)).outcome.ok
    assert torch.backends.mha.get_fastpath_enabled()
