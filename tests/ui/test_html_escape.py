import re

import pytest

from playground import catalog
from ui.html_escape import inline_to_html, markdown_to_html, text_to_html


def test_each_device_becomes_a_chip_in_its_own_colour():
    said = text_to_html("found at least two devices, cuda:0 and cpu!")

    assert '<span class="tp-device tp-cuda-0">cuda:0</span>' in said
    assert '<span class="tp-device tp-cpu">cpu</span>!' in said


def test_the_argument_that_torch_names_is_marked():
    said = text_to_html("but got mat1 is on cpu, different from other tensors on cuda:0")

    assert "<mark>mat1</mark>" in said


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


@pytest.mark.parametrize("language", catalog.Language)
def test_every_formula_of_an_idea_is_drawn_whole(language):
    ideas = [step.words.idea for lesson in catalog.lessons() for step in lesson.steps]
    said = "".join(markdown_to_html(idea.said(language)) for idea in ideas if idea)

    formulas = re.findall("<math .*?</math>", said)
    assert formulas
    assert not [each for each in formulas if "\\" in each]  # a command that is not known is left
    assert "$" not in re.sub("<code>.*?</code>", "", said)
