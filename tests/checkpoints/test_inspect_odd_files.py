import re
from pathlib import Path

import pytest

from playground.checkpoints.inspect import Verdict, advice_for, inspect
from playground.checkpoints.inspect.allow_list import Meaning
from playground.checkpoints.inspect.results import words
from tests.checkpoints.handmade import checkpoint, pickled, records
from tests.checkpoints.odd_files import ODD_FILES
from tests.checkpoints.tables import inspected
from tests.fresh import run_fresh

ROOT = Path(__file__).parents[2]
OWN_WORDS = Verdict.FORBIDDEN_GLOBAL  # a sentence for each meaning
MEMORY_BYTES = 20 * 2**20
TORCH_WORDS = ("weights_only=False", "add_safe_globals", "\x1b", "Traceback", str(ROOT), "/usr/")


@pytest.mark.parametrize(("title", "expected", "made"), ODD_FILES)
def test_an_odd_file_gets_its_verdict_a_reason_and_advice_in_little_memory(title, expected, made):
    found = inspected(made(), MEMORY_BYTES)

    assert found.verdict == expected, title
    assert not found.tensors
    for sentence in (found.why, found.instead):
        for language in ("en", "zh"):
            said = sentence.text(language)
            assert said
            assert "{" not in said
            assert len(said) < 700
            assert not any(word in said for word in TORCH_WORDS)


def test_two_thousand_entries_are_the_most():
    others = len(records(pickled(b"N"), {}))

    most, more = (
        inspect(checkpoint(b"N", {str(number): b"" for number in range(count - others)}), "x.pt")
        for count in (2_000, 2_001)
    )

    assert (most.verdict, more.verdict) == (Verdict.OK, Verdict.TOO_MANY_ENTRIES)


def test_every_refusal_has_an_odd_file():
    assert {verdict for _, verdict, _ in ODD_FILES} == set(Verdict) - {Verdict.OK}


PROBE = """
import sys

from playground.checkpoints.inspect import disassemble, inspect
from tests.checkpoints.odd_files import GOOD, ODD_FILES

files = [(title, made()) for title, _, made in ODD_FILES]
WATCHED = "exec", "compile", "import", "open", "os.", "subprocess", "socket", "pickle", "ctypes"
happened = []


def watch(event, arguments):
    if event.startswith(WATCHED):
        happened.append((event, arguments))


sys.addaudithook(watch)
for title, data in [*files, ("good", GOOD)]:
    found = inspect(data, title)
    disassemble(data)
    if happened:
        sys.exit(f"{title}: {happened[0]}")
if not found.accepted:
    sys.exit(found.reason)
if loaded := {"torch", "numpy", "safetensors"} & set(sys.modules):
    sys.exit(f"loaded {loaded}")
print(len(files))
"""


def test_nothing_is_executed_opened_or_imported_and_torch_is_never_loaded():
    assert int(run_fresh(PROBE)) == len(ODD_FILES)


@pytest.mark.parametrize("table", words())
def test_both_languages_say_the_same_with_the_same_blanks(table):
    for texts in words()[table].values():
        en, zh = (sorted(re.findall(r"\{.*?\}|`.*?`", texts[language])) for language in texts)
        assert texts.keys() == {"en", "zh"}
        assert en == zh
        assert re.search("[\u4e00-\u9fff]", texts["zh"])


def test_every_reason_and_advice_that_can_be_given_has_words():
    reasons, advice = words()["reasons"], words()["advice"]
    given = {advice_for(verdict, reason) for verdict in Verdict for reason in ("", *reasons)}

    assert {f"global_{meaning}" for meaning in Meaning} < set(reasons)
    assert {verdict.lower() for verdict in set(Verdict) - {OWN_WORDS, Verdict.OK}} < set(reasons)
    assert given == set(advice)
