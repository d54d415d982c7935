import tracemalloc
from pathlib import Path

import pytest

from playground.checkpoints.inspect import Verdict, inspect
from playground.checkpoints.inspect.allow_list import Meaning
from playground.checkpoints.inspect.verdicts import advice_for, words
from tests.checkpoints.handmade import Record, pickled, records, zipped
from tests.checkpoints.odd_files import ODD_FILES
from tests.fresh import run_fresh

ROOT = Path(__file__).parents[2]
OWN_WORDS = Verdict.FORBIDDEN_GLOBAL  # a sentence for each meaning
MEMORY_BYTES = 20 * 2**20
TORCH_WORDS = ("weights_only=False", "add_safe_globals", "\x1b", "Traceback", str(ROOT), "/usr/")


@pytest.mark.parametrize(("title", "expected", "made"), ODD_FILES)
def test_an_odd_file_gets_its_verdict_a_reason_and_advice(title, expected, made):
    found = inspect(made(), "odd.pt")

    assert found.verdict == expected, title
    assert not found.accepted
    assert not found.tensors
    for sentence in (found.why, found.instead):
        for language in ("en", "zh"):
            said = sentence.text(language)
            assert said
            assert "{" not in said
            assert len(said) < 700
            assert not any(word in said for word in TORCH_WORDS)


def test_two_thousand_entries_are_the_most():
    first = records(pickled(b"N"), {})

    def with_entries(count):
        more = [Record(f"archive/data/{number}", b"") for number in range(count - len(first))]
        return inspect(zipped(first + more), "many.pt").verdict

    assert with_entries(2_000) != Verdict.TOO_MANY_ENTRIES
    assert with_entries(2_001) == Verdict.TOO_MANY_ENTRIES


def test_there_are_more_than_eighty_odd_files_and_every_refusal_is_among_them():
    expected = {verdict for _, verdict, _ in ODD_FILES}

    assert len(ODD_FILES) >= 80
    assert len({title for title, _, _ in ODD_FILES}) == len(ODD_FILES)
    assert expected == set(Verdict) - {Verdict.OK}


def test_no_odd_file_takes_more_than_twenty_mebibytes_beyond_itself():
    peaks = {}
    for title, _, made in ODD_FILES:
        data = made()
        tracemalloc.start()
        inspect(data, "odd.pt")
        peaks[title] = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()

    assert max(peaks.values()) < MEMORY_BYTES


PROBE = """
import sys

from playground.checkpoints.inspect import disassemble, inspect
from tests.checkpoints.odd_files import ODD_FILES
from tests.checkpoints.odd_zips import GOOD

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


def test_both_languages_say_the_same_with_the_same_blanks():
    for table in words().values():
        for texts in table.values():
            assert set(texts) == {"en", "zh"}
            assert blanks(texts["en"]) == blanks(texts["zh"])
            assert code_spans(texts["en"]) == code_spans(texts["zh"])
            assert any("\u4e00" <= letter <= "\u9fff" for letter in texts["zh"])


def blanks(text):
    return sorted(part.split("}")[0] for part in text.split("{")[1:])


def code_spans(text):
    return sorted(text.split("`")[1::2])


def test_every_reason_and_advice_that_can_be_given_has_words():
    reasons, advice = words()["reasons"], words()["advice"]
    given = {advice_for(verdict, reason) for verdict in Verdict for reason in ("", *reasons)}

    assert {f"global_{meaning}" for meaning in Meaning} < set(reasons)
    assert {verdict.lower() for verdict in set(Verdict) - {OWN_WORDS, Verdict.OK}} < set(reasons)
    assert given == set(advice)
