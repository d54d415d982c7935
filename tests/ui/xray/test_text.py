"""The inspector's sentences on a page: what a file says means nothing there."""

import re

import pytest

from playground.checkpoints.inspect import Sentence
from playground.checkpoints.inspect.verdicts import words
from ui.xray.text import sentence_html

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


def test_numbers_are_grouped_and_our_own_code_is_marked():
    reported = Sentence("notes", "view", (("name", "w"), ("size", 8), ("storage", 4_000_000)))

    said = sentence_html(reported, "en")

    assert "4,000,000" in said
    assert "<code>.clone()</code>" in said


def test_a_tensor_without_a_name_is_the_whole_file():
    assert "the whole file" in sentence_html(
        Sentence("reasons", "bad_tensor", (("name", ""),)), "en"
    )
