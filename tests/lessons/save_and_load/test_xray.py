import io

import pytest
import torch
from safetensors.torch import load as load_safetensors

from playground.checkpoints.inspect import inspect
from playground.errors import InvalidSpecError
from playground.lessons.save_and_load.networks import BATCH_NORM
from playground.lessons.save_and_load.xray import FileFormat, Sample, WriteParameters, Xray
from playground.modules.build import build
from tests.answers import answer, answer_once

REFUSED = {
    Sample.HOSTILE: "FORBIDDEN_GLOBAL",
    Sample.MODULE: "FORBIDDEN_GLOBAL",
    Sample.TRUNCATED: "BAD_ZIP",
    Sample.HTML: "HTML",
}


@pytest.mark.parametrize("sample", Sample)
def test_each_sample_is_what_it_says(sample):
    step = Xray(sample=sample)
    found = inspect(answer_once(step).file, step.file_name)

    if sample in REFUSED:
        assert found.verdict == REFUSED[sample]
        assert not answer_once(step).outcome.ok
    elif sample is not Sample.ZIPPED:
        assert found.accepted
        assert answer_once(step).outcome.ok
    devices = {each.device for each in found.tensors}
    assert ("cuda:0" in devices) is (sample is Sample.CUDA)


@pytest.mark.parametrize("format", FileFormat)
def test_parameters_to_take_away_are_those_of_the_network(format):
    made = answer(WriteParameters(network=BATCH_NORM.to_json(), format=format))

    is_torch = format is FileFormat.TORCH
    state = torch.load(io.BytesIO(made.data)) if is_torch else load_safetensors(made.data)
    expected = build(BATCH_NORM, 1).state_dict()
    assert state.keys() == expected.keys()
    assert all(torch.equal(state[name], each) for name, each in expected.items())


def test_what_is_no_network_has_no_parameters():
    with pytest.raises(InvalidSpecError):
        WriteParameters(network='{"x": 1}')
