import re

import pytest
import torch
from torch import nn

from playground.checkpoints.inspect import Sentence, inspect, results
from playground.checkpoints.inspect.results import words
from playground.checkpoints.save import full_checkpoint, save_safetensors, save_torch
from tests.checkpoints import handmade as by_hand
from ui.xray import contents, modules
from ui.xray.text import sentence_html

STATE = {"<b>a": torch.ones(300), "b": torch.ones(5, dtype=torch.float64)}
TAG = re.compile("<[^>]*>")
PIECE = re.compile(r'<i( class="tp-numbers")? style="flex-grow:(\d+)" title="([^"]*)">')


@pytest.fixture(autouse=True)
def english(monkeypatch):
    for module in (contents, modules):
        monkeypatch.setattr(module, "say", lambda key, **_: key)


def looked(value: object) -> object:
    return inspect(save_torch(value).data, "weights.pt")


def rows_of(value: object) -> list[str]:
    markup = modules.rows(looked(value), ())
    return [TAG.sub(" ", row) for row in markup.split("<details>")[1:]]


def test_every_tensor_has_a_row_with_what_torch_knows_of_it():
    state = {"weight": torch.ones(3, 4).T, "count": torch.tensor(7)}

    weight, count = rows_of(state)

    for said in ("weight", f"{tuple(state['weight'].shape)} float32", "48\xa0bytes", "(1, 4)"):
        assert said in weight
    for said in ("count", "() int64", "8\xa0bytes", "cpu"):
        assert said in count


def test_the_structure_is_indented_plain_text_and_cut():
    net = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.5)
    lines = contents.tree(looked(full_checkpoint(net, optimizer, epoch=3))).splitlines()

    assert lines[0].startswith("checkpoint (dict")
    assert "    weight: tensor (1, 2) float32" in lines
    assert "  epoch: 3" in lines
    long = contents.tree(looked(list(range(1_000))))
    assert len(long.splitlines()) == contents.MAX_LINES + 1


def test_records_are_those_of_the_file():
    _, records, row = contents.entries(inspect(save_safetensors(STATE).data, "w.safetensors"))
    assert f"{300 * 4 + 5 * 8:,}" in [row(each)[1] for each in records]


def test_a_tensor_that_is_tied_to_thousands_names_a_few_and_never_itself():
    shared = torch.ones(2)
    rows = rows_of({f"w{each}": shared for each in range(1_000)})
    assert "w1, w2, w3, w4 " in rows[0]
    assert "w0, w1, w3, w4 " in rows[2]
    assert "w0, w1, w2, w3 " in rows[199]


def test_a_drawing_names_the_tensors_that_it_shows_and_no_other(monkeypatch):
    pairs = b"".join(by_hand.text(f"w{each}") + b"h\x02" for each in range(1, 9_900))
    first = by_hand.text("w0") + by_hand.tensor() + b"q\x02"
    found = inspect(by_hand.checkpoint(b"}(" + first + pairs + b"u"), "ties.pt")
    named = []

    def display_path(path: tuple[str | int, ...]) -> str:
        named.append(path)
        assert len(named) <= modules.MAX_LISTED * (1 + modules.MAX_TIED)
        return ".".join(map(str, path))

    monkeypatch.setattr(results, "display_path", display_path)
    monkeypatch.setattr(modules, "display_path", display_path)
    markup = modules.rows(found, ())

    assert len(found.tensors) == 9_900
    assert markup.count("<details>") == modules.MAX_LISTED
    assert "xray.more-rows" in markup


@pytest.mark.parametrize("save", [save_torch, save_safetensors])
def test_the_pieces_make_up_the_file_and_the_coloured_ones_its_numbers(save):
    data = save(STATE).data
    pieces = PIECE.findall(contents.byte_map(inspect(data, "w.pt")))
    assert sum(int(size) for _, size, _ in pieces) == len(data)
    assert sum(int(size) for kind, size, _ in pieces if kind) == 300 * 4 + 5 * 8


def test_a_file_without_records_has_no_byte_map():
    assert contents.byte_map(inspect(b"", "w.pt")) == ""


EVIL = "<script>alert(1)</script> **b** `c` cuda:0 {0} \ue000 &amp;"
SHOWN = "&lt;script&gt;alert(1)&lt;/script&gt; **b** `c` cuda:0 {0} \ue000 &amp;amp;"
SENTENCES = [(table, key) for table, keys in words().items() if table != "names" for key in keys]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_text_out_of_a_file_is_shown_as_it_is_in_every_sentence(language):
    for table, key in SENTENCES:
        names = re.findall(r"\{(\w+)\}", words()[table][key][language])
        said = sentence_html(Sentence(table, key, tuple((name, EVIL) for name in names)), language)

        assert said.count(SHOWN) == len(names), (table, key)
        assert "<script" not in said, (table, key)
        assert "<strong>b</strong>" not in said, (table, key)
        assert "tp-device" not in said, (table, key)


def test_numbers_are_grouped_our_own_code_is_marked_and_no_name_is_the_whole_file():
    values = (("name", "w"), ("size", 8), ("storage", 4_000_000))
    said = sentence_html(Sentence("notes", "view", values), "en")

    assert "4,000,000" in said
    assert "<code>.clone()</code>" in said
    nameless = Sentence("reasons", "bad_tensor", (("name", ""),))
    assert "the whole file" in sentence_html(nameless, "en")
