import io
from collections import Counter, OrderedDict
from functools import partial

import pytest
import safetensors.torch
import torch
from torch import nn
from torch.optim import lr_scheduler

from playground.checkpoints.inspect import Format, Kind, Verdict, allow_list, inspect
from playground.checkpoints.save import save_torch
from playground.machines.simulated import simulated_gpus
from tests.checkpoints.tables import (
    found_table,
    safetensors_table,
    saved,
    torch_load,
    torch_table,
    walk,
)

DTYPES = [getattr(torch, name) for name in allow_list.STORAGES.values()]
WIDE = torch.arange(24.0).reshape(4, 6)


def net():
    return nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.LSTM(4, 2), nn.Conv2d(1, 2, 3))


def trained(make_optimizer):
    model = nn.Linear(3, 2)
    optimizer = make_optimizer(model.parameters())
    model(torch.ones(4, 3)).sum().backward()
    optimizer.step()
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
    return {**state, "epoch": 3, "loss": 0.25, "name": "mlp"}


def tied():
    net = nn.ModuleDict({"embed": nn.Embedding(5, 3), "out": nn.Linear(3, 5)})
    net["out"].weight = net["embed"].weight
    return net


OPTIMIZERS = [getattr(torch.optim, name) for name in torch.optim.__all__ if name[0].isupper()]
OPTIMIZERS.remove(torch.optim.Optimizer)
SCHEDULERS = {
    **dict.fromkeys(name for name in lr_scheduler.__all__ if name != "LRScheduler"),
    "LambdaLR": {"lr_lambda": lambda epoch: 0.9**epoch},
    "MultiplicativeLR": {"lr_lambda": lambda _: 0.9},
    "StepLR": {"step_size": 2},
    "MultiStepLR": {"milestones": [30, 80, 80]},
    "ExponentialLR": {"gamma": 0.9},
    "CosineAnnealingLR": {"T_max": 3},
    "CosineAnnealingWarmRestarts": {"T_0": 3},
    "CyclicLR": {"base_lr": 0.1, "max_lr": 0.2},
    "OneCycleLR": {"max_lr": 0.1, "total_steps": 9},
}


def stepped(make):
    is_sparse = make is torch.optim.SparseAdam
    model = nn.Embedding(4, 3, sparse=True) if is_sparse else nn.Linear(4, 3, bias=False)
    X = torch.tensor([1]) if is_sparse else torch.ones(1, 4)
    optimizer = make(model.parameters(), lr=0.1)

    def closure():
        optimizer.zero_grad()
        loss = model(X).sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    return optimizer.state_dict()


def scheduled(name):
    optimizer = torch.optim.SGD(nn.Linear(1, 1).parameters(), lr=0.1, momentum=0.9)
    make, milestone = getattr(lr_scheduler, name), lr_scheduler.MultiStepLR(optimizer, [3, 3])
    if name == "ChainedScheduler":
        scheduler = make([milestone, lr_scheduler.ConstantLR(optimizer)], optimizer)
    elif name == "SequentialLR":
        scheduler = make(optimizer, [lr_scheduler.ConstantLR(optimizer), milestone], [2])
    else:
        scheduler = make(optimizer, **(SCHEDULERS[name] or {}))
    optimizer.step()
    scheduler.step(*([1.0] if name == "ReduceLROnPlateau" else []))
    return scheduler.state_dict()


THINGS = {
    "a tensor": torch.arange(4),
    "0-dim": torch.tensor(3.5),
    "empty": torch.empty(0, 4),
    "empty in the middle": torch.empty(2, 0, 5),
    "transposed": WIDE.t(),
    "every second column": WIDE[:, ::2],
    "view with an offset": WIDE[1:3, 2:],
    "expanded": torch.ones(1).expand(3, 4),
    "diagonal": WIDE.diagonal(),
    "channels last": torch.ones(1, 3, 4, 5).contiguous(memory_format=torch.channels_last),
    "parameter": nn.Parameter(torch.ones(2, 3)),
    "frozen parameter": nn.Parameter(torch.ones(2), requires_grad=False),
    "asks for gradients": torch.ones(2, requires_grad=True),
    "a list": [torch.zeros(4), torch.ones(2)],
    "a tuple": (torch.zeros(4), (torch.ones(2), 3)),
    "a dict": {"x": torch.zeros(4), "y": torch.ones(2)},
    "numbered": {0: torch.zeros(1), 7: torch.ones(1)},
    "nested": {"a": [{"b": (torch.zeros(1), {"c": torch.ones(2, 2)})}], "d": []},
    "every dtype": [torch.zeros(3, 2).to(dtype) for dtype in DTYPES],
    "other alphabets": {"权重": torch.ones(1), "poids é": torch.ones(1), "w 🙂": torch.ones(1)},
    "a long key": {"k" * 300: torch.ones(1)},
    "plain values": {
        **{"n": None, "b": True, "i": 2**70, "f": -1.5, "s": "x"},
        "t": (1, -2, 300, 70_000),
    },
    "torch's values": {"d": torch.float16, "s": torch.Size([2, 3]), "c": torch.device("cuda", 1)},
    "nothing": {},
    "a number": 3,
    "one tensor twice": [WIDE, WIDE],
    "two views of one storage": {"head": WIDE[:2], "tail": WIDE[2:]},
    "state_dict": net().state_dict(),
    "state_dict of one layer": nn.Linear(2, 2).state_dict(),
    "tied": tied().state_dict(),
    "Adam": trained(torch.optim.Adam),
    "SGD": trained(lambda parameters: torch.optim.SGD(parameters, lr=0.1, momentum=0.9)),
    "AdamW, amsgrad": trained(lambda parameters: torch.optim.AdamW(parameters, amsgrad=True)),
    "Counter": Counter([30, 80, 80]),
    "ordered": OrderedDict(a=torch.ones(1)),
    "many": {str(number): torch.ones(1) for number in range(1000)},
}


@pytest.mark.parametrize("title", THINGS)
def test_a_file_of_torch_is_read_back_exactly_and_ties_are_what_shares_memory(title):
    data = saved(THINGS[title])
    shared: dict[int, list[str]] = {}
    for path, tensor in walk(torch_load(data)):
        if tensor.untyped_storage().nbytes():
            names = shared.setdefault(tensor.untyped_storage().data_ptr(), [])
            names.append(".".join(map(str, path)))

    found = inspect(data, "x.pt")

    assert found.accepted, found.reason
    assert found.format is Format.TORCH
    assert found_table(found) == torch_table(data)
    assert list(found.ties) == [tuple(names) for names in shared.values() if len(names) > 1]


@pytest.mark.parametrize(
    "state",
    [
        *(pytest.param(partial(stepped, each), id=each.__name__) for each in OPTIMIZERS),
        *(pytest.param(partial(scheduled, each), id=each) for each in SCHEDULERS),
    ],
)
def test_the_state_of_every_optimizer_and_scheduler_of_torch_is_read(state):
    data = saved(state())
    found = inspect(data, "x.pt")

    assert found.accepted, found.reason
    assert found_table(found) == torch_table(data)


@pytest.mark.parametrize(
    "make", [nn.Linear(3, 2).state_dict, tied().state_dict, net().state_dict], ids=str
)
def test_a_file_of_safetensors_is_read_back_exactly(make):
    tensors = {name: each.clone() for name, each in make().items()}
    data = safetensors.torch.save(tensors, metadata={"epoch": "3", "名": "网"})

    found = inspect(data, "x.safetensors")

    assert found.accepted, found.reason
    assert found_table(found) == safetensors_table(data)
    assert dict(found.metadata) == {"epoch": "3", "名": "网"}
    assert sum(entry.bytes for entry in found.entries) + 8 == len(data)


def test_safetensors_of_every_dtype_empty_and_0_dim():
    dtypes = [dtype for dtype in DTYPES if dtype is not torch.complex128]
    tensors = {str(dtype): torch.ones(2, 3).to(dtype) for dtype in dtypes}
    tensors |= {"empty": torch.empty(0, 3), "0-dim": torch.tensor(1)}

    data = safetensors.torch.save(tensors)

    assert found_table(inspect(data, "x.safetensors")) == safetensors_table(data)


def test_a_checkpoint_tells_model_optimizer_and_values_apart():
    found = inspect(saved(THINGS["Adam"]), "x.pt").structure

    assert found.kind is Kind.CHECKPOINT
    assert found.model == ("model",)
    assert found.optimizer == ("optimizer",)
    assert [(value.name, value.type, value.text) for value in found.values] == [
        ("epoch", "int", "3"),
        ("loss", "float", "0.25"),
        ("name", "str", "mlp"),
    ]


@pytest.mark.parametrize(
    ("title", "kind", "model"),
    [
        ("a tensor", Kind.TENSOR, None),
        ("a list", Kind.LIST, None),
        ("a tuple", Kind.TUPLE, None),
        ("a dict", Kind.DICT, None),
        ("state_dict", Kind.STATE_DICT, ()),
        ("state_dict of one layer", Kind.STATE_DICT, ()),
        ("a number", Kind.VALUE, None),
    ],
)
def test_the_whole_is_named_for_what_it_is(title, kind, model):
    found = inspect(saved(THINGS[title]), "x.pt").structure

    assert (found.kind, found.model, found.optimizer) == (kind, model, None)


def test_plain_values_are_shown_as_python_writes_them_and_cut():
    values = {"n": None, "long": "x" * 1000, "huge": 2**900, "escape": "\x1b[31mred"}

    found = inspect(saved(values), "x.pt").structure

    texts = {value.name: value.text for value in found.values}
    assert texts["n"] == "None"
    assert len(texts["long"]) == len(texts["huge"]) == 200
    assert "\x1b" not in texts["escape"]


def test_a_view_that_stores_everything_is_remarked():
    found = inspect(saved({"head": torch.zeros(10**6)[:2]}), "x.pt")

    assert [remark.key for remark in found.remarks] == ["view"]
    assert found.tensors[0].is_view_of_more
    assert "4,000,000" in found.notes[0]
    assert not inspect(saved(torch.zeros(10**6)[:2].clone()), "x.pt").notes


def test_views_that_cover_their_storage_together_are_no_waste():
    found = inspect(saved(THINGS["two views of one storage"]), "x.pt")

    assert [remark.key for remark in found.remarks] == ["tied"]


def test_a_file_from_a_gpu_is_accepted_and_says_so():
    with simulated_gpus(1):
        tagged = save_torch(torch.ones(2, device="cuda:0")).data

    found = inspect(tagged, "x.pt")

    assert found.accepted
    assert found.tensors[0].device == "cuda:0"
    assert [remark.key for remark in found.remarks] == ["device"]
    assert torch_table(tagged) == found_table(found)
    with pytest.raises(RuntimeError, match="CUDA"):
        torch.load(io.BytesIO(tagged), weights_only=True)


def test_the_content_decides_and_the_name_is_only_remarked():
    weights = {"w": torch.ones(2)}

    as_torch = inspect(saved(weights), "x.safetensors")
    as_safetensors = inspect(safetensors.torch.save(weights), "x.pt")

    assert (as_torch.format, as_safetensors.format) == (Format.TORCH, Format.SAFETENSORS)
    assert as_torch.accepted
    assert as_safetensors.accepted
    assert len(as_torch.notes) == len(as_safetensors.notes) == 1


SPARSE = torch.eye(2).to_sparse()
REFUSED = {
    "a whole layer": (lambda: nn.Linear(2, 2), "global_module"),
    "a set": (lambda: {1, 2}, "global_python"),
    "bytes": (lambda: b"x", "global_python"),
    "COO": (lambda: SPARSE, "global_sparse"),
    "quantized": (
        lambda: torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.qint8),
        "global_quantized",
    ),
    "meta": (lambda: torch.empty(2, device="meta"), "global_meta"),
    "uint16": (lambda: torch.ones(2, dtype=torch.uint16), "global_dtype"),
    "float8": (lambda: torch.ones(2).to(torch.float8_e4m3fn), "global_dtype"),
    "NumPy scalar": (lambda: {"x": torch.ones(1).numpy()[0]}, "global_numpy"),
    "conjugated view": (lambda: torch.ones(2, dtype=torch.complex64).conj(), "bad_tensor_flags"),
    "storage": (lambda: torch.ones(2).untyped_storage(), "global_storage"),
}


@pytest.mark.parametrize("title", REFUSED)
@pytest.mark.filterwarnings("ignore")
def test_what_torch_saves_beyond_dense_tensors_is_refused_by_name(title):
    make, reason = REFUSED[title]

    found = inspect(saved(make()), "x.pt")

    assert not found.accepted
    assert found.why.key == reason


@pytest.mark.filterwarnings("ignore")
def test_programs_of_torch_and_its_old_container_are_refused_as_such():
    script, export, old = io.BytesIO(), io.BytesIO(), io.BytesIO()
    torch.jit.save(torch.jit.script(nn.Linear(1, 1)), script)
    torch.export.save(torch.export.export(nn.Linear(1, 1), (torch.ones(1, 1),)), export)
    torch.save({"w": torch.ones(2)}, old, _use_new_zipfile_serialization=False)

    found = [inspect(each.getvalue(), "x.pt").verdict for each in (script, export, old)]
    assert found == [Verdict.TORCHSCRIPT, Verdict.PT2, Verdict.LEGACY]


def test_the_allowed_names_are_those_of_torch():
    for full, dtype in allow_list.STORAGES.items():
        storage = torch.storage._get_dtype_from_pickle_storage_type
        assert str(storage(full.removeprefix("torch."))) == f"torch.{dtype}"
    for full in allow_list.DTYPES:
        assert isinstance(getattr(torch, full.removeprefix("torch.")), torch.dtype)
