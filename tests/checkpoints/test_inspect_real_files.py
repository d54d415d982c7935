import io
from collections import Counter, OrderedDict
from functools import partial

import pytest
import safetensors.torch
import torch
from torch import nn
from torch.optim import lr_scheduler

from playground.checkpoints.inspect import Format, Kind, Verdict, allow_list, inspect
from playground.checkpoints.save import full_checkpoint
from tests.checkpoints.tables import DTYPES, found_table, read_table, read_tensors, saved

WIDE = torch.arange(24.0).reshape(4, 6)
ONES = torch.ones(2)
NET = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.LSTM(4, 2), nn.Conv2d(1, 2, 3))
TIED = nn.ModuleDict({"embed": nn.Embedding(5, 3), "out": nn.Linear(3, 5)})
TIED["out"].weight = TIED["embed"].weight
EVERY_DTYPE = {str(each): torch.ones(2, 3).to(each) for each in DTYPES}
del EVERY_DTYPE["torch.complex128"]  # safetensors has no name for it
EMPTY = {"empty": torch.empty(0, 3), "0-dim": torch.tensor(1)}


def trained():
    model = nn.Linear(3, 2)
    optimizer = torch.optim.Adam(model.parameters(), amsgrad=True)
    model(torch.ones(4, 3)).sum().backward()
    optimizer.step()
    return full_checkpoint(model, optimizer, 3, loss=0.25, name="mlp")


OPTIMIZERS = [getattr(torch.optim, name) for name in torch.optim.__all__ if name[0].isupper()]
OPTIMIZERS.remove(torch.optim.Optimizer)
SCHEDULERS = {
    **dict.fromkeys(lr_scheduler.__all__, {}),
    "LambdaLR": {"lr_lambda": lambda epoch: 0.9**epoch},
    "MultiplicativeLR": {"lr_lambda": lambda _: 0.9},
    "StepLR": {"step_size": 2},
    "MultiStepLR": {"milestones": [30, 80, 80]},
    "ExponentialLR": {"gamma": 0.9},
    "CosineAnnealingLR": {"T_max": 3},
    "CosineAnnealingWarmRestarts": {"T_0": 3},
    "CyclicLR": {"base_lr": 0.1, "max_lr": 0.2},
    "OneCycleLR": {"max_lr": 0.1, "total_steps": 9},
    "SequentialLR": {"milestones": [2]},
}
del SCHEDULERS["LRScheduler"]


def stepped(make):
    is_sparse = make is torch.optim.SparseAdam
    model = nn.Embedding(4, 3, sparse=True) if is_sparse else nn.Linear(4, 3, bias=False)
    X = torch.tensor([1]) if is_sparse else torch.ones(1, 4)
    optimizer = make(model.parameters(), lr=0.1)

    def closure():
        loss = model(X).sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    return optimizer.state_dict()


def scheduled(name):
    optimizer = torch.optim.SGD(nn.Linear(1, 1).parameters(), lr=0.1, momentum=0.9)
    given = {"optimizer": optimizer, **SCHEDULERS[name]}
    if name in ("ChainedScheduler", "SequentialLR"):
        several = lr_scheduler.ConstantLR(optimizer), lr_scheduler.MultiStepLR(optimizer, [3, 3])
        given["schedulers"] = list(several)
    scheduler = getattr(lr_scheduler, name)(**given)
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
    "a dict": {"x": torch.zeros(4), 7: torch.ones(2)},
    "nested": {"a": [{"b": (torch.zeros(1), {"c": torch.ones(2, 2)})}], "d": []},
    "every dtype": [torch.zeros(3, 2).to(dtype) for dtype in DTYPES],
    "other alphabets": {"权重": torch.ones(1), "poids é": torch.ones(1), "w 🙂": torch.ones(1)},
    "a long key": {"k" * 300: torch.ones(1)},
    "plain values": {"n": None, "b": True, "f": -1.5, "s": "x", "t": (1, -2, 300, 70_000, 2**70)},
    "torch's values": {"d": torch.float16, "s": torch.Size([2, 3]), "c": torch.device("cuda", 1)},
    "nothing": {},
    "a number": 3,
    "one tensor twice": [WIDE, WIDE],
    "two views of one storage": {"head": WIDE[:2], "tail": WIDE[2:]},
    "state_dict": NET.state_dict(),
    "tied": TIED.state_dict(),
    "checkpoint": trained(),
    "Counter": Counter([30, 80, 80]),
    "ordered": OrderedDict(a=torch.ones(1)),
    "many": {str(number): torch.ones(1) for number in range(1000)},
}


@pytest.mark.parametrize("title", THINGS)
def test_a_file_of_torch_is_read_back_exactly_and_ties_are_what_shares_memory(title):
    data = saved(THINGS[title])

    found = inspect(data, "x.pt")

    assert found.accepted, found.reason
    assert found.format is Format.TORCH
    assert found_table(found) == read_table(data, found)
    shared: dict[int, list[str]] = {}
    for path, tensor in read_tensors(data, found):
        if tensor.untyped_storage().nbytes():
            names = shared.setdefault(tensor.untyped_storage().data_ptr(), [])
            names.append(".".join(map(str, path)))
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
    assert found_table(found) == read_table(data, found)


@pytest.mark.parametrize("state", [TIED.state_dict(), NET.state_dict(), EVERY_DTYPE, EMPTY])
def test_a_file_of_safetensors_is_read_back_exactly(state):
    tensors = {name: each.clone() for name, each in state.items()}
    data = safetensors.torch.save(tensors, metadata={"epoch": "3", "名": "网"})

    found = inspect(data, "x.safetensors")

    assert found.accepted, found.reason
    assert found_table(found) == read_table(data, found)
    assert dict(found.metadata) == {"epoch": "3", "名": "网"}
    assert sum(entry.bytes for entry in found.entries) + 8 == len(data)


def test_a_checkpoint_tells_model_optimizer_and_values_apart():
    found = inspect(saved(THINGS["checkpoint"]), "x.pt").structure

    assert found.kind is Kind.CHECKPOINT
    assert (found.model, found.optimizer) == (("model",), ("optimizer",))
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
    together = inspect(saved(THINGS["two views of one storage"]), "x.pt")
    assert [remark.key for remark in together.remarks] == ["tied"]


def test_the_content_decides_and_the_name_is_only_remarked():
    weights = {"w": torch.ones(2)}

    as_torch = inspect(saved(weights), "x.safetensors")
    as_safetensors = inspect(safetensors.torch.save(weights), "x.pt")

    assert (as_torch.format, as_safetensors.format) == (Format.TORCH, Format.SAFETENSORS)
    assert as_torch.verdict is as_safetensors.verdict is Verdict.OK
    assert len(as_torch.notes) == len(as_safetensors.notes) == 1


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda: nn.Linear(2, 2), "global_module"),
        (lambda: {1, 2}, "global_python"),
        (lambda: b"x", "global_python"),
        (lambda: torch.eye(2).to_sparse(), "global_sparse"),
        (lambda: torch.quantize_per_tensor(ONES, 0.1, 0, torch.qint8), "global_quantized"),
        (lambda: torch.empty(2, device="meta"), "global_meta"),
        (lambda: ONES.to(torch.uint16), "global_dtype"),
        (lambda: ONES.to(torch.float8_e4m3fn), "global_dtype"),
        (lambda: {"x": ONES.numpy()[0]}, "global_numpy"),
        (lambda: ONES.to(torch.complex64).conj(), "bad_tensor_flags"),
        (lambda: ONES.untyped_storage(), "global_storage"),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_what_torch_saves_beyond_dense_tensors_is_refused_by_name(make, reason):
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
