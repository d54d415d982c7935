import pytest
import torch
from torch import nn

from playground.lessons.save_and_load.keys import Keys, Other
from tests.answers import assert_answer
from tests.lessons.blocks.misfits import linear
from tests.lessons.steps import visitors


def layers() -> list[nn.Module]:
    return [nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)]


def others() -> dict[Other, nn.Module]:
    return {
        Other.SAME: nn.Sequential(*layers()),
        Other.WRAPPED: nn.ModuleDict({"module": nn.Sequential(*layers())}),
        Other.SHIFTED: nn.Sequential(nn.Flatten(), *layers()),
        Other.OUTPUTS: nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 4)),
        Other.MORE: nn.Sequential(*layers(), nn.Linear(2, 3)),
        Other.FEWER: nn.Sequential(nn.Linear(4, 8), nn.ReLU()),
        Other.MIXED: nn.ModuleDict({"stem": nn.Linear(4, 8), "2": nn.Linear(8, 4)}),
    }


@pytest.mark.parametrize("other", Other)
@pytest.mark.parametrize("is_swapped", [False, True])
@pytest.mark.parametrize("is_strict", [False, True])
def test_keys_are_counted_as_load_state_dict_names_them(other, is_swapped, is_strict):
    pair = nn.Sequential(*layers()), others()[other]
    saved, given = reversed(pair) if is_swapped else pair
    state, own = saved.state_dict(), given.state_dict()
    try:
        result = given.load_state_dict(state, strict=is_strict)
        error = ""
    except RuntimeError as refused:
        result, error = None, str(refused)

    answer = assert_answer(
        Keys(other=other, is_swapped=is_swapped, is_strict=is_strict),
        ok=not error,
        missing=len(own.keys() - state.keys()),
        unexpected=len(state.keys() - own.keys()),
        size_mismatch=error.count("size mismatch"),
    )

    if result is not None:
        assert str(result) in answer.printed
        left_out = bool(result.missing_keys or result.unexpected_keys)
        assert answer.is_silent_failure is left_out
    taken = sum(
        torch.equal(given.state_dict()[name], state[name])
        for name in own
        if name in state and own[name].shape == state[name].shape
    )
    assert answer.facts["taken"] == f"{taken} / {len(own)}"


@pytest.mark.parametrize("is_swapped", [False, True])
@pytest.mark.parametrize("is_strict", [False, True])
def test_only_a_prefix_is_explained_as_a_prefix(is_swapped, is_strict):
    kind = "refused" if is_strict else "skipped"
    wrapped = Keys(other=Other.WRAPPED, is_swapped=is_swapped, is_strict=is_strict)

    assert_answer(wrapped, explanation=f"prefix-{kind}", prefix="module.", has_fix=True)
    shifted = wrapped.replaced(other=Other.SHIFTED)
    assert_answer(shifted, explanation=f"shifted-{kind}", has_fix=False)


@pytest.mark.parametrize("is_swapped", [False, True])
def test_renaming_the_keys_loads_all_of_them(is_swapped):
    step = Keys(other=Other.WRAPPED, is_swapped=is_swapped, is_fixed=True, is_strict=True)
    assert_answer(step, prediction="matched", taken="4 / 4")


def test_the_visitors_network_is_changed_in_the_same_ways():
    step = Keys(network=visitors(linear(5, 6, name="encoder")), other=Other.OUTPUTS)

    assert "nn.Linear(5, 12)" in step.program()
    assert_answer(step, size_mismatch=2)
    assert_answer(step.replaced(other=Other.SAME), taken="2 / 2")
