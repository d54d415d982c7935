"""A tied network's file, and a dict whose two keys for one weight may differ."""

import io
import zipfile

import torch
from torch import Tensor, nn

from playground.compute.outcome import attempt
from playground.lessons.tied_parameters.records import Given, LoadTied, LoadTiedReport
from playground.lessons.tied_parameters.records.loading import FIRST, SECOND


def load_tied(settings: LoadTied) -> LoadTiedReport:
    """Save, change what was read, load it into another such network."""
    torch.manual_seed(0)
    file = io.BytesIO()
    torch.save(_tied_net().state_dict(), file)
    with zipfile.ZipFile(file) as archive:
        pieces = [name for name in archive.namelist() if "/data/" in name]
    file.seek(0)
    state: dict[str, Tensor] = torch.load(file, weights_only=True)
    keys, in_file = tuple(state), state[FIRST][0, 0].item()
    net = _tied_net()
    if settings.given in (Given.DIFFERENT, Given.SWAPPED):
        state[FIRST] = torch.full((4, 4), 1.0)
        state[SECOND] = torch.full((4, 4), 2.0)
    if settings.given is Given.SWAPPED:
        state = dict(reversed(state.items()))
    if settings.given in (Given.MISSING, Given.UNSTRICT):
        del state[SECOND]
    is_strict = settings.given is not Given.UNSTRICT
    _, outcome = attempt(lambda: net.load_state_dict(state, strict=is_strict))
    first, second = (state[key][0, 0].item() if key in state else None for key in (FIRST, SECOND))
    return LoadTiedReport(
        outcome=outcome,
        given=settings.given,
        keys=keys,
        tensors_in_file=len(pieces),
        in_dict=(first, second),
        in_file=in_file,
        loaded=net.get_parameter(FIRST)[0, 0].item(),
        is_one_object=net[0].weight is net[2].weight,
    )


def _tied_net() -> nn.Sequential:
    shared = nn.Linear(4, 4)
    return nn.Sequential(shared, nn.ReLU(), shared)
