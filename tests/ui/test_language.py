import re
from pathlib import Path

from playground import errors
from ui import language

PLACEHOLDER = re.compile(r"\{(\w+)\}")


def test_every_text_is_there_in_both_languages_with_the_same_placeholders():
    for name, text in language.table().items():
        assert text.en.strip(), name
        assert text.zh.strip(), name
        assert sorted(PLACEHOLDER.findall(text.en)) == sorted(PLACEHOLDER.findall(text.zh)), name


def test_every_error_key_used_in_the_code_has_its_sentence():
    names = "|".join(name for name in dir(errors) if name.endswith("Error"))
    raised = re.compile(rf'(?:{names})\(\s*"(\w[\w-]*)"')
    used = {
        key
        for file in Path(errors.__file__).parent.rglob("*.py")
        for key in raised.findall(file.read_text("utf-8"))
    }

    assert {"bounds", "choice"} <= used
    assert {f"failures.{key}" for key in used} <= set(language.table())
