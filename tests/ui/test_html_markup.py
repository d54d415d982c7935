import re

import pytest

from playground.errors import InvalidSettingError, InvalidSpecError, PlaygroundError
from ui import error_page
from ui.html_markup import inline_to_html, markdown_to_html, text_to_html
from ui.language import table


def test_each_device_becomes_a_chip_in_its_own_colour_and_the_argument_is_marked():
    said = text_to_html("but got mat1 is on cpu, different from other tensors on cuda:0!")
    assert "<mark>mat1</mark>" in said
    assert '<span class="tp-device tp-cpu">cpu</span>, ' in said
    assert '<span class="tp-device tp-cuda-0">cuda:0</span>!' in said


def test_what_a_student_typed_cannot_become_markup():
    said = text_to_html("<script>alert(1)</script>") + inline_to_html("<b onclick=x>**y**`<i>`")
    assert "<script" not in said
    assert "<b onclick" not in said
    assert "<i>" not in said


@pytest.mark.parametrize(
    "text",
    ["Use Tensor.cpu() to copy the tensor", "alloc_cpu.cpp and cpu_scalar, torch 2.13.0+cpu"],
)
def test_a_method_or_a_word_with_cpu_in_it_is_not_a_device(text):
    assert "tp-device" not in text_to_html(text)


def test_an_idea_has_paragraphs_code_links_and_formulas():
    said = markdown_to_html(
        "Read `a[0]` and [`nn.Linear`](https://docs.pytorch.org/a?b=1&c).\n\nSo $a < b$ on cpu."
    )

    first, second = re.findall("<p>(.*?)</p>", said)
    assert "<code>a[0]</code>" in first
    assert 'href="https://docs.pytorch.org/a?b=1&amp;c"' in first
    assert "><code>nn.Linear</code></a>." in first
    assert re.search("<math .*<mi>a</mi>.*<mi>b</mi>.*</math> on <span", second)


def test_no_link_leads_anywhere_but_to_https():
    assert "<a" not in markdown_to_html("[x](javascript:alert(1)) [y](http://a.example)")


EVIL = "[Sign in](https://evil.example)"


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (
            InvalidSpecError("spec_unknown_layer", path="0", type=EVIL),
            f"`0 ({EVIL})`: PyTorch has no layer of this name.",
        ),
        (
            InvalidSpecError("spec_wrong_type", type="Linear", argument="a`b`", given=EVIL),
            f"`Linear`: `a'b'` cannot be `{EVIL}`.",
        ),
        (
            InvalidSettingError("length", field="rows", given=9, most=3),
            "Rows: 9 characters are too many; 3 are allowed. The last good result stays.",
        ),
        (
            InvalidSettingError("choice", field=EVIL, given="a\n\n# b", allowed="c"),
            f"`{EVIL}`: `a # b` is not one of `c`. The last good result stays.",
        ),
        (PlaygroundError("sandbox_busy", waiting=3), "3 runs are waiting. Try again in a moment."),
    ],
)
def test_a_strangers_text_in_an_error_is_code(error, expected):
    assert error_page.sentence(error, {"rows": "Rows"}) == expected


def test_no_sentence_has_code_around_a_value():
    reported = [text for name, text in table().items() if name.startswith("failures.")]
    for text in (each for pair in reported for each in (pair.en, pair.zh)):
        assert "`{" not in text
