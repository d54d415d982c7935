"""Files as torch 1.6 wrote them: the records were named by addresses of fifteen digits."""

import io

import torch

from playground.checkpoints.inspect import inspect
from tests.checkpoints import handmade as by_hand

ADDRESS = "94306734281936"


def test_a_record_may_be_named_by_an_address():
    stored = by_hand.storage(key=ADDRESS)
    body = by_hand.ordered((by_hand.text("weight"), by_hand.tensor(stored=stored)))
    data = by_hand.checkpoint(body, {ADDRESS: by_hand.FLOATS})

    found = inspect(data, "old.pth")

    assert found.accepted, found.reason
    assert [(each.name, each.shape) for each in found.tensors] == [("weight", (4,))]
    assert torch.load(io.BytesIO(data), weights_only=True)["weight"].tolist() == [1, 2, 3, 4]
