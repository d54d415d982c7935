"""What state_dicts and checkpoints hold beside tensors: dtypes, devices, versions of modules."""

import io

import pytest
import torch
from torch import nn

from playground.checkpoints.inspect import Verdict, inspect
from tests.checkpoints import handmade as by_hand
from tests.checkpoints.tables import found_table, saved, torch_table


def kinds_of_devices():
    """All that torch knows, from its own complaint about one that it does not."""
    with pytest.raises(RuntimeError) as complaint:
        torch.device("nonsense")
    return str(complaint.value).split("one of ")[1].split(" device type")[0].split(", ")


def test_every_dtype_of_torch_may_stand_in_a_file():
    dtypes = {each for each in vars(torch).values() if isinstance(each, torch.dtype)}

    found = inspect(saved({str(each): each for each in dtypes}), "x.pt")

    assert found.accepted, found.reason
    assert {value.name: value.text for value in found.structure.values} == {
        str(each): str(each) for each in dtypes
    }


@pytest.mark.filterwarnings("ignore:'mkldnn' is no longer used")
def test_every_device_that_torch_can_name_may_stand_in_a_file():
    devices = {kind: torch.device(kind, 1) for kind in kinds_of_devices() if kind != "cpu"}
    assert len(devices) > 10

    data = saved(devices)
    found = inspect(data, "x.pt")

    assert found.accepted, found.reason
    loaded = torch.load(io.BytesIO(data), weights_only=True)
    assert {value.name: value.text for value in found.structure.values} == {
        kind: str(device) for kind, device in loaded.items()
    }


@pytest.mark.filterwarnings("ignore")
def test_the_versions_that_spectral_norm_notes_are_versions():
    data = saved(nn.Sequential(nn.utils.spectral_norm(nn.Linear(3, 2))).state_dict())

    found = inspect(data, "x.pt")

    assert found.accepted, found.reason
    assert found_table(found) == torch_table(data)


@pytest.mark.parametrize("version", [b"]", b")", by_hand.HOOKS + b"\x85", by_hand.tensor()])
def test_what_is_no_version_is_refused(version):
    nested = by_hand.dict_of((by_hand.text("spectral_norm"), version))
    inner = by_hand.dict_of((by_hand.text("version"), nested))
    of_module = by_hand.dict_of((by_hand.text(""), inner))
    metadata = by_hand.dict_of((by_hand.text("_metadata"), of_module))

    found = inspect(by_hand.checkpoint(by_hand.HOOKS + metadata + b"b"), "x.pt")

    assert found.verdict is Verdict.BAD_PICKLE
