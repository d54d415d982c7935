"""Errors as sentences: strangers' texts in them are code, and nothing else in them is."""

import pytest

from playground.errors import InvalidSettingError, InvalidSpecError, PlaygroundError
from ui import error_page
from ui.language import table

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
