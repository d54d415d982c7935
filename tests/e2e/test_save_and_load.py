"""Files in a real browser: what is uploaded is judged, what is downloaded opens."""

import ast
import io
from pathlib import Path

import nbformat
import pytest
import torch
from playwright.sync_api import Locator, Page, expect
from safetensors.torch import load_file
from torch import nn

from playground import catalog
from playground.checkpoints.save import save_torch
from playground.lessons.save_and_load.weights_only import WeightsOnly
from tests.answers import answer_once
from tests.e2e.conftest import wait_until_drawn

pytestmark = pytest.mark.e2e
LESSON = "save_and_load"
KEY = f"{LESSON}_xray"
PLAIN = f"/{LESSON}?panel_plain=true"  # ordinary controls; tests/e2e/test_panel.py has the panel
EVIL = "<img src=x onerror=alert(1)>**w**"
GOOD = save_torch(
    nn.Sequential(nn.Linear(20, 256), nn.ReLU(), nn.Linear(256, 10)).state_dict()
).data


def upload(page: Page, name: str, data: bytes, key: str = KEY) -> Locator:
    """Drop a file; the answer side of its step."""
    field = page.locator(f".st-key-{key}_upload input[type=file]")
    field.set_input_files({"name": name, "mimeType": "application/octet-stream", "buffer": data})
    answer = page.locator(f".st-key-{key}_inspected")
    expect(answer.locator(".tp-outcome").first).to_contain_text(name)
    wait_until_drawn(page)
    return answer


def take(page: Page, button: str, folder: Path) -> Path:
    """Press a download button and keep the file."""
    wait_until_drawn(page)  # a run that ends now would delete the file
    with page.expect_download() as expected:
        page.locator(f".st-key-{button} button").click()
    path = folder / expected.value.suggested_filename
    expected.value.save_as(path)
    return path


def test_each_file_gets_its_verdict_and_taken_away_again_gives_the_sample_back(visit):
    files = [
        ("model.pt", answer_once(WeightsOnly()).file, "FORBIDDEN_GLOBAL", "Would run"),
        ("weights.safetensors", GOOD, "", "the content is a file of torch.save"),
        ("cut.pt", GOOD[: len(GOOD) // 2], "BAD_ZIP", "damaged"),
        ("evil.pt", save_torch({EVIL: torch.ones(2)}).data, "", EVIL),
    ]
    page = visit(f"{PLAIN}&step=xray")
    headline = page.locator(f".st-key-{KEY}_inspected .tp-outcome").first
    expect(headline).to_contain_text("weights.pt")
    for name, data, verdict, reported in files:
        answer = upload(page, name, data)
        expect(headline).to_contain_text(f"{'Refused' if verdict else 'Accepted'} {name}")
        expect(headline).to_contain_text(verdict)
        expect(answer).to_contain_text(reported)
        assert not answer.locator("img").count()
        assert not page.get_by_text("went wrong").count()

    page.locator(f".st-key-{KEY}_upload [data-testid=stFileChipDeleteBtn] button").click()
    wait_until_drawn(page)
    expect(headline).to_contain_text("weights.pt")


def test_what_is_downloaded_opens_and_is_what_was_chosen_and_the_program_saves(visit, tmp_path):
    page = visit(f"{PLAIN}&step=tensors&saved=list")
    page.locator(f".st-key-{LESSON}-tensors-run button").click()
    file = take(page, f"{LESSON}_tensors_download-file0", tmp_path)
    assert file.name == "x-files"
    saved = [torch.arange(4), torch.zeros(4)]
    for loaded, each in zip(torch.load(file, weights_only=True), saved, strict=True):
        assert torch.equal(loaded, each)
    written = io.BytesIO()
    torch.save(saved, written)
    assert len(file.read_bytes()) - len(written.getvalue()) < 200  # but for the name inside

    page.locator(".st-key-take-away button").first.click()
    script, notebook = (
        take(page, f"take-away-{kind}", tmp_path).read_text("utf-8")
        for kind in ("script", "notebook")
    )
    ast.parse(script)
    assert 'torch.save([x, y], "x-files")' in script
    assert 'torch.save(x, "x-file")' not in script
    cells = nbformat.reads(notebook, as_version=4)
    nbformat.validate(cells)
    assert len(cells.cells) > len(catalog.lesson(LESSON).steps)


def test_the_parameters_of_a_network_go_out_and_come_in_again(visit, tmp_path):
    page = visit(f"{PLAIN}&step=xray&own=batch_norm")
    expect(page.locator(f".st-key-{KEY}_downloads button").first).to_be_visible()
    torch_file, safetensors_file = (
        take(page, f"{KEY}_download-file{number}", tmp_path) for number in range(2)
    )

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
