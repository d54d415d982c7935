"""CUDA_VISIBLE_DEVICES, set inside a program that has not used CUDA yet."""

import os

import torch

from tests.machines.cases.case import ORDINAL, Refusal, case, row, table


def count_with(value):
    os.environ["CUDA_VISIBLE_DEVICES"] = value
    return torch.cuda.device_count()


@case(Refusal(r"No CUDA GPUs are available"), fresh=True)
def hidden_gpus_cannot_be_used():
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    return torch.ones(1, device="cuda")


@case(["cuda:0", 1], gpus=2, fresh=True)
def the_visible_ones_are_numbered_from_0():
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"
    return [torch.ones(1, device="cuda").device, torch.cuda.device_count()]


@case(ORDINAL, gpus=2, fresh=True)
def the_hidden_one_is_out_of_range():
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"
    return torch.ones(1, device="cuda:1")


@case(["cuda:0", True], fresh=True)
def set_after_the_first_use_it_does_nothing():
    torch.ones(1, device="cuda")
    before = torch.cuda.device_count()
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    x = torch.ones(1, device="cuda")
    return [x.device, before == torch.cuda.device_count()]


@case(["cuda:1", True], gpus=2, fresh=True)
def the_driver_does_not_read_it_again():
    before = torch.cuda.is_available()
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"
    return [torch.ones(1, device="cuda:1").device, before]


table(
    __name__,
    empty_hides_all=row(
        [0, False], lambda: [count_with(""), torch.cuda.is_available()], fresh=True
    ),
    first_only=row(1, lambda: count_with("0"), fresh=True),
    minus_one_hides_all=row(0, lambda: count_with("-1"), fresh=True),
    reversed_order=row(2, lambda: count_with("1,0"), gpus=2, fresh=True),
    the_list_ends_at_the_first_invalid_entry=row(1, lambda: count_with("0,-1,1"), fresh=True),
    a_repeated_entry_hides_all=row(0, lambda: count_with("0,0"), fresh=True),
    nonsense_hides_all=row(0, lambda: count_with("none"), fresh=True),
    an_entry_beyond_the_gpus=row(0, lambda: count_with("63"), fresh=True),
    an_entry_beyond_the_gpus_after_a_valid_one=row(1, lambda: count_with("0,99"), fresh=True),
    spaces_are_skipped=row(1, lambda: count_with(" 0"), fresh=True),
)
