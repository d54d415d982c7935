"""The small records beside the pickle: torch reads them too, and stumbles over odd ones."""

import io

import pytest
import torch

from playground.checkpoints.inspect import Verdict, inspect
from tests.checkpoints import handmade as by_hand
from tests.checkpoints.tables import found_table, saved, torch_table

FILE = saved({"weight": torch.arange(6.0)})


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (".storage_alignment", b"sixty-four"),
        (".storage_alignment", b""),
        (".storage_alignment", b"6L"),
        (".storage_alignment", b"9" * 5_000),
        (".data/serialization_id", b"\xff" * 40),
        (".data/serialization_id", b"1234\xc3"),
    ],
)
def test_a_record_that_torch_cannot_read_is_refused_before_it_tries(name, content):
    data = by_hand.with_record(FILE, name, content)
    with pytest.raises(ValueError):  # noqa: PT011 - of decoding, or of reading a number
        torch.load(io.BytesIO(data), weights_only=True)

    found = inspect(data, "x.pt")

    assert (found.verdict, found.why.key) == (Verdict.UNEXPECTED_ENTRY, "unexpected_content")
    assert name in found.reason


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (".storage_alignment", b"4096"),
        (".format_version", b"2"),
        (".data/serialization_id", b""),
        (".data/serialization_id", b"1306957282387717882716430064032484844522"),
    ],
)
def test_a_record_that_torch_can_read_is_read(name, content):
    data = by_hand.with_record(FILE, name, content)

    assert found_table(inspect(data, "x.pt")) == torch_table(data)


def test_a_file_that_was_saved_without_checksums_is_not_called_damaged():
    torch.serialization.set_crc32_options(False)
    try:
        data = saved({"weight": torch.arange(6.0)})
    finally:
        torch.serialization.set_crc32_options(True)

    without, changed = inspect(data, "x.pt"), inspect(FILE.replace(b"little", b"middle"), "x.pt")

    assert (without.verdict, without.why.key) == (Verdict.CRC, "crc_none")
    assert "set_crc32_options" in without.advice
    assert (changed.verdict, changed.why.key) == (Verdict.CRC, "crc")


def test_a_record_may_be_named_by_an_address_as_torch_1_6_wrote_it():
    address = "94306734281936"  # of fifteen digits at most
    stored = by_hand.storage(key=address)
    body = by_hand.ordered((by_hand.text("weight"), by_hand.tensor(stored=stored)))
    data = by_hand.checkpoint(body, {address: by_hand.FLOATS})

    found = inspect(data, "old.pth")

    assert found.accepted, found.reason
    assert [(each.name, each.shape) for each in found.tensors] == [("weight", (4,))]
    assert torch.load(io.BytesIO(data), weights_only=True)["weight"].tolist() == [1, 2, 3, 4]
