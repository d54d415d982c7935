"""The files to look into, made by torch, safetensors or a few lines of Python."""

import io
import os
import zipfile
from collections.abc import Callable

import torch
from torch import nn

from playground.checkpoints.save import full_checkpoint, save_safetensors, save_torch
from playground.lessons.save_and_load.experiment.cargo import TEXT, Wish
from playground.lessons.save_and_load.records import MakeSample, MakeSampleReport, Sample
from playground.machines.simulated import simulated_gpus

PAGE = b"<!DOCTYPE html>\n<html><body>404: Not Found</body></html>\n"


def make_sample(settings: MakeSample) -> MakeSampleReport:
    """Make the file."""
    torch.manual_seed(1)  # the network that a file goes into is built with 0
    return MakeSampleReport(
        file_name=settings.sample.file_name, data=MAKERS[settings.sample]() or b""
    )


def _net() -> nn.Sequential:
    return nn.Sequential(nn.Linear(20, 256), nn.ReLU(), nn.Linear(256, 10))


def _good() -> bytes | None:
    return save_torch(_net().state_dict()).data


def _checkpoint() -> bytes | None:
    net = _net()
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    net(torch.randn(2, 20)).sum().backward()
    optimizer.step()
    return save_torch(full_checkpoint(net, optimizer, epoch=3)).data


def _safetensors() -> bytes | None:
    return save_safetensors(_net().state_dict(), {"made by": "Torch Playground"}).data


def _cuda() -> bytes | None:
    with simulated_gpus(1):
        return save_torch(_net().to("cuda:0").state_dict()).data


def _tied() -> bytes | None:
    shared = nn.Linear(8, 8)
    net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), shared, nn.ReLU(), shared, nn.Linear(8, 1))
    return save_torch(net.state_dict()).data


def _view() -> bytes | None:
    big = torch.arange(20_000, dtype=torch.float32)
    return save_torch({"first": big[:2], "every_hundredth": big[::100]}).data


def _hostile() -> bytes | None:
    return save_torch(Wish(os.system, f"echo {TEXT}")).data


def _module() -> bytes | None:
    return save_torch(_net()).data


def _truncated() -> bytes:
    data = _good() or b""
    return data[: len(data) // 2]


def _zipped() -> bytes:
    packed = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(_good() or b"")) as plain,
        zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as target,
    ):
        for entry in plain.namelist():
            target.writestr(zipfile.ZipInfo(entry), plain.read(entry), zipfile.ZIP_DEFLATED)
    return packed.getvalue()


MAKERS: dict[Sample, Callable[[], bytes | None]] = {
    Sample.GOOD: _good,
    Sample.CHECKPOINT: _checkpoint,
    Sample.SAFETENSORS: _safetensors,
    Sample.CUDA: _cuda,
    Sample.TIED: _tied,
    Sample.VIEW: _view,
    Sample.HOSTILE: _hostile,
    Sample.MODULE: _module,
    Sample.RENAMED: _safetensors,
    Sample.TRUNCATED: _truncated,
    Sample.ZIPPED: _zipped,
    Sample.HTML: lambda: PAGE,
}
