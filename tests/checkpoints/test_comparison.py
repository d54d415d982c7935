"""Files beside networks, loaded in the jail; the oracle is plain torch in this process."""

import json
import math
import re
from collections import OrderedDict

import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from playground.checkpoints.keys import Fit, KeyCounts, KeyRow, Shape, compare_keys, count_keys
from playground.checkpoints.load import load
from playground.checkpoints.load_results import Comparison, LoadVerdict
from playground.checkpoints.save import save_safetensors, save_torch
from playground.errors import CheckpointTooLargeError, InvalidSpecError, attempt
from playground.modules.spec import Block, InputSpec, Layer, Network
from playground.sandbox.jail import StoppedBecause

pytestmark = pytest.mark.usefixtures("jailed")
NAMES = ("0.weight", "0.bias", "1.weight", "1.running_mean", "output.weight", "weight")
SHAPES = st.sampled_from([(), (1,), (2,), (1, 1), (2, 3)])
TABLES = st.dictionaries(st.sampled_from(NAMES), SHAPES)


def linear(inputs: int, outputs: int) -> Layer:
    return Layer.of("Linear", in_features=inputs, out_features=outputs)


def mlp(first: Layer | None = None) -> Network:
    layers = [first or linear(5, 8), Layer("ReLU"), linear(8, 3)]
    return Network(Block(layers), InputSpec((2, 5)))


def plain_and_input(seed: int) -> tuple[nn.Module, Tensor]:
    torch.manual_seed(seed)
    net = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 3))
    return net, torch.randn(2, 5)


def compared(state: object, network: Network | None = None) -> Comparison:
    return load(save_torch(state).data, "net.pt", network=network or mlp()).comparison


def numbers(output: Tensor) -> tuple[float, ...]:
    return tuple(output.detach().flatten().tolist())


@pytest.fixture(scope="module")
def trained():
    return plain_and_input(99)[0].state_dict()


@pytest.mark.parametrize("saved", [save_torch, save_safetensors])
def test_a_file_that_fits_changes_the_outputs_to_those_of_the_saved_network(saved, trained):
    mine, x = plain_and_input(seed=4)

    report = load(saved(trained).data, "net.bin", network=mlp(), seed=4)

    found = report.comparison
    assert (found.counts, found.casts) == (KeyCounts(fits=4), ())
    assert found.before.values == numbers(mine(x))
    mine.load_state_dict(trained)
    for each in (found.strict, found.lenient):
        assert each.outcome.ok
        assert each.loaded == 4
        assert each.output.values == numbers(mine(x))


def test_the_messages_are_torchs_and_so_is_what_a_failed_load_leaves_behind(trained):
    state = dict(trained)
    del state["0.bias"]
    state["head.weight"] = torch.ones(1)
    state["2.weight"] = torch.ones(4, 8, dtype=torch.float16)
    mine, x = plain_and_input(seed=0)

    found = compared(state)

    with pytest.raises(RuntimeError) as strict:
        mine.load_state_dict(state)
    assert found.strict.outcome.message == str(strict.value)
    assert found.strict.output.values == numbers(mine(x))
    again, _ = plain_and_input(seed=0)
    with pytest.raises(RuntimeError) as lenient:
        again.load_state_dict(state, strict=False)
    assert found.lenient.outcome.message == str(lenient.value)
    assert found.casts == ()  # what does not fit is not converted
    assert found.rows == (
        KeyRow("0.bias", Fit.MISSING, (8,), None),
        KeyRow("2.weight", Fit.SIZE_MISMATCH, (3, 8), (4, 8)),
        KeyRow("head.weight", Fit.UNEXPECTED, None, (1,)),
        KeyRow("0.weight", Fit.FITS, (8, 5), (8, 5)),
        KeyRow("2.bias", Fit.FITS, (3,), (3,)),
    )


def test_a_prefix_on_every_key_loads_nothing_and_strict_false_says_nothing(trained):
    found = compared({f"module.{name}": each for name, each in trained.items()})

    assert found.counts == KeyCounts(missing=4, unexpected=4)
    assert not found.strict.outcome.ok
    assert (found.lenient.outcome.ok, found.lenient.loaded) == (True, 0)
    assert found.lenient.output == found.before


def test_the_models_part_of_a_full_checkpoint_is_taken_and_another_can_be(trained):
    average = {name: torch.zeros_like(each) for name, each in trained.items()}
    data = save_torch({"epoch": 3, "average": average, "model": trained}).data

    usual = load(data, "run.pt", network=mlp())
    chosen = load(data, "run.pt", network=mlp().to_json(), part=("average",))

    assert usual.parts == (("model",), ("average",))
    assert (usual.comparison.part, chosen.comparison.part) == ("model", "average")
    assert usual.comparison.strict.loaded == chosen.comparison.strict.loaded == 4
    assert set(chosen.comparison.strict.output.values) == {0.0}
    assert usual.comparison.strict.output != chosen.comparison.strict.output


def test_a_lazy_network_has_met_its_input_before_it_is_compared(trained):
    found = compared(trained, mlp(Layer.of("LazyLinear", out_features=8)))

    assert found.counts == KeyCounts(fits=4)
    assert found.rows[0].in_network == (8, 5)
    assert found.strict.loaded == 4


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64, torch.int8])
def test_what_loading_converts_is_counted_as_plain_torch_converts_it(trained, dtype):
    state = {name: each.to(dtype) for name, each in trained.items()}
    if dtype is torch.float64:
        odd = [1 / 3, 1e300, -1e300, math.nan, math.inf, 0.5, 1e-60, 2]
        state["0.bias"] = torch.tensor(odd, dtype=dtype)
    mine, _ = plain_and_input(seed=0)

    (cast,) = compared(state).casts

    mine.load_state_dict(state)  # says nothing
    before = torch.cat([each.double().flatten() for each in state.values()])
    after = torch.cat([each.double().flatten() for each in mine.state_dict().values()])
    differs = ~torch.isclose(before, after, rtol=0, atol=0, equal_nan=True)
    finite = before.isfinite() & after.isfinite()
    assert (cast.file_dtype, cast.network_dtype) == (str(dtype)[6:], "float32")
    assert (cast.tensors, cast.numbers) == (4, before.numel())
    assert cast.file_bytes == sum(each.nbytes for each in state.values())
    assert cast.network_bytes == sum(each.nbytes for each in mine.state_dict().values())
    assert cast.rounded == int(differs.sum())
    assert (cast.rounded > 0) == (dtype is torch.float64)
    assert cast.infinite == int((before.isfinite() & after.isinf()).sum())
    assert cast.largest_error == (before - after)[finite].abs().max().item()


def test_nan_in_a_file_counts_as_loaded(trained):
    found = compared({name: torch.full_like(each, torch.nan) for name, each in trained.items()})

    assert found.strict.loaded == 4
    assert set(found.strict.output.values) == {"nan"}


def test_a_file_without_named_tensors_is_loaded_and_not_compared():
    report = load(save_torch([torch.ones(2)]).data, "list.pt", network=mlp())

    assert report.accepted
    assert (report.parts, report.comparison) == ((), None)


def test_values_that_are_no_tensors_are_named():
    found = compared({"0.weight": 3, "0.bias": torch.ones(8)})

    assert found.rows[0] == KeyRow("0.weight", Fit.NO_TENSOR, (8, 5), None)
    assert "expected torch.Tensor" in found.strict.outcome.message


def test_metadata_that_lies_is_torchs_refusal_and_no_crash(trained):
    state = OrderedDict(trained)
    state._metadata = {"": 7, "0": {"version": "new", "assign_to_params_buffers": True}}

    report = load(save_torch(state).data, "metadata.pt", network=mlp())

    assert report.verdict in (LoadVerdict.LOADED, LoadVerdict.REFUSED)
    if report.accepted:
        assert not report.comparison.strict.outcome.ok


@pytest.mark.parametrize(
    ("network", "key"),
    [
        ("nonsense", "spec_not_json"),
        (json.dumps({"network": 3, "input": []}), "spec_not_network"),
        (Network(linear(-1, 2), InputSpec((1, 2))), None),
        (Network(Layer.of("Nothing", size=1), InputSpec((1, 2))), "spec_unknown_layer"),
    ],
)
def test_a_network_that_cannot_be_built_is_refused_as_in_the_builder(network, key, trained):
    with pytest.raises(InvalidSpecError) as refused:
        compared(trained, network)

    assert key is None or refused.value.key == key
    assert refused.value.values["layer"]


def test_a_network_larger_than_any_file_is_refused(trained):
    with pytest.raises(CheckpointTooLargeError) as refused:
        compared(trained, Network(linear(10_000, 2_000), InputSpec((1, 2))))

    assert refused.value.values["given"] == 4 * (10_000 * 2_000 + 2_000)


def test_a_network_that_takes_too_much_ends_the_run_and_nothing_else(trained):
    wide = Network(linear(1, 30), InputSpec((4_000_000, 1)))

    report = load(save_torch(trained).data, "net.pt", network=wide)

    assert report.verdict is LoadVerdict.STOPPED
    assert report.stopped_because in (StoppedBecause.MEMORY, StoppedBecause.CPU)
    assert load(save_torch(trained).data, "net.pt", network=mlp()).accepted


def test_very_many_names_that_do_not_fit_are_counted_though_not_all_are_listed():
    found = compared({f"layer.{number}.weight": torch.ones(1) for number in range(1_500)})

    assert found.counts == KeyCounts(missing=4, unexpected=1_500)
    assert 4 < len(found.rows) < 1_504
    assert len(found.strict.outcome.message) == 4_000


def holder(shapes: dict[str, Shape]) -> nn.Module:
    """A module with one parameter for each name of a table, dots included."""
    net = nn.Module()
    for name, shape in shapes.items():
        part, _, last = name.rpartition(".")
        if part and part not in dict(net.named_children()):
            net.add_module(part, nn.Module())
        net.get_submodule(part).register_parameter(last, nn.Parameter(torch.zeros(shape)))
    return net


def torchs_table(net: nn.Module, state: dict[str, object]) -> dict[Fit, set[str]]:
    """Return the names in torch's own message, by what it says about them."""
    said = attempt(lambda: net.load_state_dict(state))[1].message
    keys = dict(re.findall(r"(Missing|Unexpected) key\(s\) in state_dict: (.+)", said))
    return {
        Fit.MISSING: set(re.findall(r'"(.+?)"', keys.get("Missing", ""))),
        Fit.UNEXPECTED: set(re.findall(r'"(.+?)"', keys.get("Unexpected", ""))),
        Fit.SIZE_MISMATCH: set(re.findall(r"size mismatch for (\S+):", said)),
    }


@settings(max_examples=60)
@given(network=TABLES, file=TABLES)
@example(network={"weight": ()}, file={"weight": (1,)})  # as torch saved numbers before 0.4
def test_the_table_says_what_torchs_message_says(network, file):
    net = holder(network)
    state = {name: torch.ones(shape) for name, shape in file.items()}

    rows = compare_keys(network, file)

    for fit, names in torchs_table(net, state).items():
        assert {row.name for row in rows if row.fit is fit} == names
    loaded = {name for name, each in net.named_parameters() if bool((each == 1).all())}
    assert {row.name for row in rows if row.fit is Fit.FITS} == loaded


def test_a_lazy_layer_takes_the_files_shape():
    net, state = nn.LazyLinear(3), nn.Linear(5, 3).state_dict()
    shapes = {name: tuple(each.shape) for name, each in state.items()}

    rows = compare_keys(dict.fromkeys(net.state_dict()), shapes)

    net.load_state_dict(state)
    assert net.weight.shape == (3, 5)
    assert count_keys(rows).all_fit


@pytest.mark.parametrize("other", [{"a": (1,)}, {"a": (2,), "b": (2,)}, {}, {"a": None}])
def test_one_difference_is_enough_not_to_fit(other):
    assert count_keys(compare_keys({"a": (2,)}, {"a": (2,)})).all_fit
    assert not count_keys(compare_keys({"a": (2,)}, other)).all_fit
