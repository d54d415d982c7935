from unittest.mock import Mock

import torch

from playground.lessons.devices.cuda_setup import CudaSetup
from playground.machines import Machine
from playground.machines.simulated import simulated_gpus
from playground.steps import Answer, run_program
from tests.answers import answer

NO_DRIVER = "Found no NVIDIA driver on your system."  # torch/csrc/cuda, CUDAMiscFunctions.cpp


def ask() -> Answer:
    step = CudaSetup()
    return step.answer(run_program(step.program()))


def test_the_installed_pytorch_is_asked_whatever_machine_was_chosen():
    found, simulated = answer(CudaSetup()), answer(CudaSetup(machine=Machine(gpus=4)))

    is_built, is_there = torch.backends.cuda.is_built(), torch.cuda.is_available()
    expected = "works" if is_there else "no_gpu" if is_built else "not_compiled"
    assert found == simulated
    assert found.prediction == expected
    assert f"PyTorch {torch.__version__}" in found.printed


def test_a_build_for_cuda_without_a_driver_lacks_the_gpu(monkeypatch):
    monkeypatch.setattr(torch.version, "cuda", "13.0")
    monkeypatch.setattr(torch, "ones", Mock(side_effect=RuntimeError(NO_DRIVER)))

    found = ask()

    assert found.prediction == "no_gpu"
    assert found.placeholders == {"cuda_build": "13.0", "is_available": torch.cuda.is_available()}


def test_with_a_gpu_the_line_works():
    with simulated_gpus(1):
        found = ask()

    assert found.prediction == "works"
    assert found.placeholders["is_available"] is True
