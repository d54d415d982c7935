"""A second file beside the first, as a visitor compares them; the jail is real."""

import pytest
import torch
from streamlit.testing.v1 import AppTest
from torch import nn

from playground.catalog import Language
from playground.checkpoints.save import full_checkpoint, save_safetensors, save_torch
from playground.sandbox.limits import LIMITS
from tests.pages.test_xray import EVIL, KEY, SHOWN, bring, open_step, said
from ui.language import table
from ui.xray import file

pytestmark = pytest.mark.usefixtures("inline")
SECOND = f"{KEY}_second_upload"


def beside(at: AppTest, name: str, data: bytes) -> AppTest:
    at.file_uploader(key=SECOND).upload(name, data).run()
    assert not at.exception
    return at


def net(seed: int = 1) -> nn.Sequential:
    torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(4, 3), nn.ReLU(), nn.Linear(3, 2))


def words(key: str, language: str = "en", **values: object) -> str:
    return table()[f"xray.{key}"].said(language).format(**values)


@pytest.mark.parametrize("language", Language)
def test_two_states_of_a_network_are_compared_number_by_number(jailed, language):
    trained = net()
    before = save_torch(full_checkpoint(trained, torch.optim.SGD(trained.parameters()), 3)).data
    with torch.no_grad():
        trained[2].bias += torch.tensor([0.0, 0.25])
    after = save_torch(full_checkpoint(trained, torch.optim.SGD(trained.parameters()), 7)).data
    at = bring(open_step(language), "before.pt", before)
    assert words("second-empty", language) in said(at)

    html = said(beside(at, "after.pt", after))

    assert words("diff-changed", language, count=1, common=4) in html
    percent = 100 * 0.25 / net()[2].bias.norm().item()
    amount = words("diff-by", language, percent=f"{percent:.3g}")
    assert f"<code>model.2.bias</code> {amount}" in html
    assert "<dd>3 → 7</dd>" in html
    assert "<dd>0.25</dd>" in html
    assert f"<dd>{words('diff-of', language, count=1, most=2)}</dd>" in html
    assert html.index("before.pt") < html.index("after.pt")


def test_nan_in_one_of_the_files_comes_before_all_else(jailed):
    state = net().state_dict()
    broken = state | {"0.bias": torch.tensor([1.0, torch.nan, torch.inf])}
    at = bring(open_step(), "before.pt", save_torch(state).data)

    html = said(beside(at, "after.pt", save_torch(broken).data))

    headline = html.split("tp-beside")[1].split("</div>")[0]
    assert words("diff-broken", count=1) in headline
    assert "<code>0.bias</code>" in headline
    assert "0 → 2" in html


@pytest.mark.parametrize(
    ("second", "key", "values"),
    [
        (lambda state: save_torch(state).data, "diff-same", {}),
        (lambda state: save_safetensors(state).data, "diff-equal", {"count": 4}),
        (
            lambda _: save_torch([torch.ones(2)]).data,
            "diff-nothing",
            {"first": "state_dict", "second": "a list"},
        ),
        (
            lambda state: save_torch({f"module.{name}": state[name] for name in state}).data,
            "diff-prefix",
            {"prefix": "module."},
        ),
    ],
    ids=["same", "equal", "kinds", "prefix"],
)
def test_each_kind_of_second_file_is_named(jailed, second, key, values):
    state = net().state_dict()
    at = bring(open_step(), "first.pt", save_torch(state).data)

    html = said(beside(at, "second.pt", second(state)))

    assert words(key, **values).replace("`", "") in html.replace("<code>", "").replace(
        "</code>", ""
    )


@pytest.mark.parametrize("language", Language)
def test_a_second_file_that_is_refused_leaves_the_first_as_it_is(jailed, language):
    at = bring(open_step(language), "first.pt", save_torch(net().state_dict()).data)
    before = said(at)

    html = said(beside(at, "second.pt", b"hello"))

    assert f"✗ {words('refused', language)}" in html
    assert words("second-refused", language) in html
    assert before.split(f'<div class="tp-muted">{words("second-empty", language)}')[0] in html


def test_a_second_file_that_is_too_large_is_refused_in_one_sentence(jailed, monkeypatch):
    monkeypatch.setattr(file, "max_mebibytes", lambda: 1)
    at = bring(open_step(), "first.pt", save_torch(net().state_dict()).data)

    beside(at, "large.pt", bytes(2**20 + 1))

    assert [each.value for each in at.warning] == [
        table()["failures.upload_too_large"].en.format(given=2**20 + 1, most=1)
    ]
    assert "✓ Accepted" in said(at)


def test_names_of_both_files_are_plain_text_and_two_files_count_once(jailed):
    at = bring(open_step(), "first.pt", save_torch({EVIL: torch.ones(2), "b": 1}).data)
    beside(at, f"{EVIL}.pt", save_torch({EVIL: torch.zeros(2), "b": 2}).data)
    for _ in range(LIMITS.inspections_per_minute):
        at.run()

    html = said(at)
    assert not at.warning
    assert html.split("tp-beside")[1].count(SHOWN) == 2
    assert "<img" not in html.split("tp-outcome", 1)[1]


def test_nothing_keeps_the_bytes_of_a_second_file(jailed):
    mark = torch.arange(1000, dtype=torch.float64) * torch.pi
    at = bring(open_step(), "first.pt", save_torch({"w": mark + 1}).data)
    beside(at, "second.pt", save_torch({"w": mark}).data)

    kept = at.session_state.to_dict()
    assert f"{KEY}_second_second-loading" in kept
    written = [repr(value) for name, value in kept.items() if not name.endswith("_upload")]
    assert not any(repr(mark.numpy().tobytes()[800:820])[2:-1] in each for each in written)
