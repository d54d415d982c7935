"""Files whose pickles ask for more than tensors; they are written by hand and never executed."""

import re
from dataclasses import replace

from playground.steps import Answer

TEXT = "This line came out of a file"
PICKLE = """\
# as torch.save writes it for an object
# whose __reduce__ asks for {written}
pickle = (
    "\\x80\\x02"  # PROTO: protocol 2
    "c{module}\\n{function}\\nq\\x00"  # GLOBAL
    "X{length}\\x00\\x00\\x00{argument}q\\x01"  # BINUNICODE
    "\\x85q\\x02"  # TUPLE1: its arguments
    "Rq\\x03"  # REDUCE: call it
    "."  # STOP
).encode("latin-1")

with zipfile.ZipFile("weights.pt", "w") as archive:
    archive.writestr("weights/data.pkl", pickle)
    archive.writestr("weights/version", "3")
"""
SENTENCE = re.compile(r"(?<=[.])\s+(?=[A-Z(])")
LEFT_OUT = "[…]"


def asking_for(module: str, function: str, written: str, argument: str) -> str:
    """Return the lines that write a file whose pickle calls a function when it is loaded."""
    return PICKLE.format(
        module=module,
        function=function,
        written=written,
        length=chr(len(argument)),
        argument=argument,
    )


COMMAND = asking_for("posix", "system", "os.system", f"echo {TEXT}")
PROGRAM = asking_for("__builtin__", "exec", "exec", f"print('{TEXT}')")


def without_advice(answer: Answer) -> Answer:
    """Remove PyTorch's advice to load the file anyway from the answer."""
    message = shortened(answer.outcome.message)
    if message == answer.outcome.message:
        return answer
    error = f"{answer.outcome.error_type}: {message}"
    lines = tuple(replace(each, error=error) if each.error else each for each in answer.lines)
    return replace(answer, outcome=replace(answer.outcome, message=message), lines=lines)


def shortened(message: str) -> str:
    """Keep the first sentence of a message and those that name what the file asks for.

    >>> shortened("Weights only load failed. Do it: `weights_only=False`. Unsupported GLOBAL os.")
    'Weights only load failed. […] Unsupported GLOBAL os.'
    """
    kept: list[str] = []
    for sentence in SENTENCE.split(message):
        if not kept or "GLOBAL" in sentence:
            kept.append(sentence)
        elif kept[-1] != LEFT_OUT:
            kept.append(LEFT_OUT)
    return " ".join(kept)
