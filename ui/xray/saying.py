"""The inspector's sentences as HTML: our words may mark code, what the file says may not."""

import html
from dataclasses import replace

from playground.checkpoints.inspect import Sentence
from ui.quoting import quote_markdown

FIRST_STAND_IN = 0xE000  # of Unicode's private area; no sentence of ours has one


def say_sentence(sentence: Sentence, language: str) -> str:
    """A sentence as HTML; the texts in it are escaped and nothing in them means anything.

    >>> say_sentence(Sentence("reasons", "encrypted", (("name", "`<b>`"),)), "en")
    'The entry “`&lt;b&gt;`” is encrypted.'
    """
    texts = {
        chr(FIRST_STAND_IN + place): (name, value)
        for place, (name, value) in enumerate(sentence.values)
        if isinstance(value, str) and value
    }
    stand_ins = {name: mark for mark, (name, _) in texts.items()}
    values = tuple((name, stand_ins.get(name, value)) for name, value in sentence.values)
    said = quote_markdown(replace(sentence, values=values).text(language))
    return "".join(
        html.escape(texts[letter][1], quote=False) if letter in texts else letter for letter in said
    )
