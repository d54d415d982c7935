"""Comparison of two languages: same code, formulas and placeholders."""

import re
from collections.abc import Iterator

from playground.catalog.records import PLACEHOLDER, Text

BLOCK = re.compile(
    r"^(?P<fence>`{3,}|~{3,})[^\n]*\n.*?^(?P=fence)[ \t]*$", re.MULTILINE | re.DOTALL
)
SPAN = re.compile(r"(?<!`)(?P<ticks>`+)(?!`)(?P<code>.+?)(?<!`)(?P=ticks)(?!`)", re.DOTALL)
FORMULA = re.compile(r"\$\$[^$]+\$\$|\$[^$]+\$")
CHINESE = re.compile(r"[\u3400-\u9fff]")
WORD = re.compile(r"[A-Za-z][\w.:/-]*")
PLAIN_WORD = re.compile(r"[A-Z]?[a-z]{2,}")
# English-looking words that Chinese technical prose writes in Latin letters too.
NAMES = frozenset(
    {"Adagrad", "Adam", "Apple", "Dropout", "Google", "Intel", "Jupyter", "Linux", "Python"}
    | {"Streamlit", "Tesla", "Windows", "Xavier", "cpu", "cuda", "dtype", "numpy", "torch"}
)


def code_blocks(text: str) -> list[str]:
    """Return the fenced code blocks of a Markdown text, in order."""
    return [found[0] for found in BLOCK.finditer(text)]


def code_spans(text: str) -> set[str]:
    """Return the set of code spans of a Markdown text; their number may differ by language.

    >>> sorted(code_spans("`x.cuda()` copies `x`; `x` stays"))
    ['x', 'x.cuda()']
    """
    return {found["code"].strip() for found in SPAN.finditer(BLOCK.sub("", text))}


def formulas(text: str) -> set[str]:
    """Return the LaTeX formulas of a Markdown text.

    >>> sorted(formulas("`$HOME`, $x$ and $$x^2$$ and $y$"))
    ['$$x^2$$', '$x$', '$y$']
    """
    return set(FORMULA.findall(SPAN.sub(" ", text)))


def placeholders(text: str) -> set[str]:
    """Return the names of the placeholders of a text.

    >>> placeholders("{left} and {right}") == {"left", "right"}
    True
    """
    return set(PLACEHOLDER.findall(text))


def without_code(text: str) -> str:
    """Remove code and formulas from a Markdown text."""
    return FORMULA.sub(" ", SPAN.sub(" ", BLOCK.sub("", text)))


def needs_translation(text: str) -> bool:
    """Return whether an English text has words, not only code, symbols, names and units.

    >>> needs_translation("Rows of `X`"), needs_translation("X + Y"), needs_translation("CUDA 0")
    (True, False, False)
    """
    words = WORD.findall(PLACEHOLDER.sub(" ", without_code(text)))
    return any(PLAIN_WORD.fullmatch(word) and word not in NAMES for word in words)


def differences(text: Text, *, may_be_filled: bool) -> Iterator[str]:
    """Describe how the two languages of a text differ.

    Args:
        text: The text in both languages.
        may_be_filled: The text may contain ``{placeholders}``.
    """
    for language, words in (("en", text.en), ("zh", text.zh)):
        if not words.strip():
            yield f"{language} is empty"
    if not text.en.strip() or not text.zh.strip():
        return
    yield from _unequal("code spans", code_spans(text.en), code_spans(text.zh))
    yield from _unequal("formulas", formulas(text.en), formulas(text.zh))
    if code_blocks(text.en) != code_blocks(text.zh):
        yield "the code blocks of en and zh differ"
    if may_be_filled:
        yield from _unequal("placeholders", placeholders(text.en), placeholders(text.zh))
    elif placeholders(without_code(text.en)) | placeholders(without_code(text.zh)):
        yield "has a {placeholder}, but nothing fills it here"
    if needs_translation(text.en) and not CHINESE.search(without_code(text.zh)):
        yield "zh is not Chinese"
    if CHINESE.search(without_code(text.en)):
        yield "en is not English"


def _unequal(what: str, en: set[str], zh: set[str]) -> Iterator[str]:
    if only_en := sorted(en - zh):
        yield f"{what} only in en: {', '.join(only_en)}"
    if only_zh := sorted(zh - en):
        yield f"{what} only in zh: {', '.join(only_zh)}"
