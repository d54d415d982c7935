"""What a pickle would do, step by step; told, not done."""

from playground.checkpoints.inspect import Disassembly
from ui import answer_view
from ui.words import say
from ui.xray.saying import say_sentence

MOST_ROWS = 12


def asked_for(found: Disassembly, language: str) -> str:
    """The steps that name or call something, those that a file is refused for first, as HTML."""
    telling = sorted(
        (line for line in found.lines if line.remark), key=lambda line: not line.is_forbidden
    )
    rows = [
        f"<tr><td>{line.instruction.name}</td><td>{_mark(line.is_forbidden)}</td>"
        f"<td>{say_sentence(line.remark, language)}</td></tr>"
        for line in telling[:MOST_ROWS]
        if line.remark
    ]
    names = ("opcode", "verdict", "does")
    heads = "".join(f'<th scope="col">{say(f"xray.column-{name}")}</th>' for name in names)
    table = (
        f'<div class="tp-table" tabindex="0"><table><thead><tr>{heads}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )
    left_out = len(telling) - len(rows)
    more = say("xray.more-rows", count=left_out) if left_out else ""
    return answer_view.heading(say("xray.pickle")) + table + _muted(more)


def _mark(is_forbidden: bool) -> str:
    word = say("xray.forbidden") if is_forbidden else say("xray.allowed")
    return f'<span class="{"tp-miss" if is_forbidden else "tp-hit"}">{word}</span>'


def _muted(text: str) -> str:
    return f'<div class="tp-muted">{text}</div>' if text else ""
