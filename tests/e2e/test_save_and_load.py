"""Files in a real browser: what is uploaded is judged, what is downloaded opens."""

import io
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from playwright.sync_api import Locator, Page, expect
from safetensors.torch import load_file
from torch import nn

from playground.checkpoints.save import save_safetensors, save_torch
from playground.lessons.save_and_load.weights_only import WeightsOnly
from tests.answers import answer_once
from tests.e2e.conftest import wait_until_drawn

Visit = Callable[..., Page]
pytestmark = pytest.mark.e2e
LESSON = "save_and_load"
KEY = f"{LESSON}_xray"
PLAIN = f"/{LESSON}?panel_plain=true"  # ordinary controls; tests/e2e/test_panel.py has the panel
EVIL = "<img src=x onerror=alert(1)>**w**"


def net() -> nn.Sequential:
    torch.manual_seed(77)
    return nn.Sequential(nn.Linear(20, 256), nn.ReLU(), nn.Linear(256, 10))


def upload(page: Page, name: str, data: bytes, key: str = KEY) -> Locator:
    """Drop a file; the answer side of its step."""
    field = page.locator(f".st-key-{key}_upload input[type=file]")
    field.set_input_files({"name": name, "mimeType": "application/octet-stream", "buffer": data})
    answer = page.locator(f".st-key-{key}_inspected")
    expect(answer.locator(".tp-outcome").first).to_contain_text(name)
    wait_until_drawn(page)
    return answer


def test_a_good_file_is_judged_loaded_and_changes_the_outputs(visit):
    page = visit(f"{PLAIN}&step=xray")
    state = net().state_dict()
    answer = upload(page, "mine.pt", save_torch(state).data)

    expect(answer.locator(".tp-ok").first).to_contain_text("Accepted")
    expect(answer).to_contain_text("0.weight")
    expect(answer).to_contain_text("(256, 20)")
    expect(answer).to_contain_text("load_state_dict(…, strict=True)")
    before, after = (
        answer.get_by_role("row", name=each) for each in ("before loading", "after it")
    )
    assert before.inner_text().split("\t")[1] != after.inner_text().split("\t")[1]
    with torch.no_grad():
        built = nn.Sequential(nn.Linear(20, 256), nn.ReLU(), nn.Linear(256, 10))
        torch.manual_seed(0)
        for layer in (built[0], built[2]):
            layer.reset_parameters()  # the network draws its numbers, then the input is drawn
        inputs = torch.randn(2, 20)
        built.load_state_dict(state)
        first = built(inputs).flatten()[0].item()
    expect(after).to_contain_text(f"{first:.4g}")


@pytest.mark.parametrize(
    ("name", "verdict", "reported"),
    [
        ("model.pt", "FORBIDDEN_GLOBAL", "Would run"),
        ("weights.safetensors", "", "the content is a file of torch.save"),
        ("cut.pt", "BAD_ZIP", "damaged"),
        ("evil.pt", "", EVIL),
    ],
)
def test_each_file_gets_its_verdict(visit, name, verdict, reported):
    good = save_torch(net().state_dict()).data
    data = {
        "model.pt": answer_once(WeightsOnly()).file,
        "weights.safetensors": good,
        "cut.pt": good[: len(good) // 2],
        "evil.pt": save_torch({EVIL: torch.ones(2)}).data,
    }[name]
    page = visit(f"{PLAIN}&step=xray")
    answer = upload(page, name, data)

    headline = answer.locator(".tp-outcome").first
    expect(headline).to_contain_text(f"{'Refused' if verdict else 'Accepted'} {name}")
    expect(headline).to_contain_text(verdict)
    expect(answer).to_contain_text(reported)
    assert not answer.locator("img").count()
    assert not page.get_by_text("went wrong").count()


def test_a_file_that_is_taken_away_again_gives_the_sample_back(visit):
    page = visit(f"{PLAIN}&step=xray", locale="zh-CN")
    verdict = page.locator(f".st-key-{KEY}_inspected .tp-outcome").first
    expect(verdict).to_contain_text("weights.pt")
    upload(page, "w.safetensors", save_safetensors({"w": torch.ones(2)}).data)

    page.locator(f".st-key-{KEY}_upload [data-testid=stFileChipDeleteBtn] button").click()
    wait_until_drawn(page)
    expect(verdict).to_contain_text("weights.pt")


def test_what_is_downloaded_opens_and_is_what_the_program_saves(visit, tmp_path):
    page = visit(f"{PLAIN}&step=tensors")
    page.locator(f".st-key-{LESSON}-tensors-run button").click()
    wait_until_drawn(page)
    file = take(page, "tensors", 0, tmp_path)

    assert file.name == "x-file"
    loaded = torch.load(file, weights_only=True)
    assert torch.equal(loaded, torch.arange(4))
    written = io.BytesIO()
    torch.save(torch.arange(4), written)
    assert len(file.read_bytes()) - len(written.getvalue()) < 200  # but for the name inside


def test_the_parameters_of_a_network_go_out_and_come_in_again(visit, tmp_path):
    page = visit(f"{PLAIN}&step=xray&own=batch_norm")
    expect(page.locator(f".st-key-{KEY}_downloads button").first).to_be_visible()
    torch_file, safetensors_file = (take(page, "xray", number, tmp_path) for number in range(2))

    state = torch.load(torch_file, weights_only=True)
    other = load_file(safetensors_file)
    assert state.keys() == other.keys()
    assert all(torch.equal(state[name], each) for name, each in other.items())
    answer = upload(page, "again.pt", torch_file.read_bytes())
    expect(answer).to_contain_text("load_state_dict(…, strict=True)")
    assert answer.locator(".tp-refused").count() == 0
    beside = upload(page, "other.safetensors", safetensors_file.read_bytes(), f"{KEY}_second")
    expect(beside.locator(".tp-beside")).to_contain_text(f"Equal: all {len(state)} tensors")
    expect(answer.locator(".tp-outcome").first).to_contain_text("again.pt")


def test_the_lesson_is_exported_with_what_was_chosen(visit, tmp_path):
    page = visit(f"{PLAIN}&step=tensors&saved=list")
    page.locator(".st-key-take-away button").first.click()
    with page.expect_download() as expected:
        page.locator(".st-key-take-away-script button").click()
    expected.value.save_as(tmp_path / "lesson.py")

    program = (tmp_path / "lesson.py").read_text("utf-8")
    assert 'torch.save([x, y], "x-files")' in program
    assert 'torch.save(x, "x-file")' not in program


def take(page: Page, step: str, number: int, folder: Path) -> Path:
    """Press a download button and keep the file."""
    with page.expect_download() as expected:
        page.locator(f".st-key-{LESSON}_{step}_download-file{number} button").click()
    path = folder / expected.value.suggested_filename
    expected.value.save_as(path)
    return path
