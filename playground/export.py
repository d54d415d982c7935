"""Export of a lesson's programs as one Python file or one notebook, free of the playground.

Both run with torch alone. A step that PyTorch refuses stops neither.
"""

import ast
import io
import re
import textwrap
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from playground.steps import Line

INDENT = "    "
WIDTH = 88
WIDE_CHARACTER = re.compile(r"[\u2e80-\u9fff\uff00-\uffef]")
# Calls and names that change the whole process, and so would affect the steps that follow.
NEEDS_CUDA = re.compile(r"[\"']cuda|\.cuda\(|torch\.cuda\.(?!is_available|device_count)")
NAMES_A_LINE = re.compile(r"\s*[^.。]*\{line\}[^.。]*[.。]")  # a sentence
MAX_COMMENT_LINES = 12  # for the output of one line
SETS_PROCESS = re.compile(r"\bos\.environ\b|\btorch\.(\w+\.)*(set_\w+|use_deterministic_\w+)\(")
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
METADATA = {"kernelspec": KERNEL, "language_info": {"name": "python"}}  # of a notebook
RUN = '''\
def run(step):
    """Run one step; where PyTorch refuses, print its words."""
    print(f"{step.__name__}: {step.__doc__}")
    try:
        step()
    except Exception as error:  # a refusal is an answer too
        print(f"{type(error).__name__}: {error}")
        if any(name in str(error).lower() for name in ("cuda", "nvidia", "accelerator")):
            print("(This program needs a CUDA GPU, or one more than this computer has.)")
    print()
'''
RUN_APART = '''\
def run_apart(step):
    """Run one step in a process of its own: what it sets meets no other step."""
    sys.stdout.flush()
    process = multiprocessing.get_context("spawn").Process(target=run, args=(step,))
    process.start()
    process.join()
'''
MAIN = '''\
def main():
    """Run all steps, or those whose numbers are given: python lesson.py 3 5."""
    for step in [STEPS[int(number) - 1] for number in sys.argv[1:]] or STEPS:
        {run}(step)


if __name__ == "__main__":
    main()
'''


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownStep:
    """One step in one language, as the visitor sees it.

    Attributes:
        id: The step's id, e.g. ``"same-device-error"``.
        prose: Markdown.
        program: The shown program; it may raise an error.
        lines: The recorded output of each line that was run.
    """

    id: str
    title: str
    prose: str
    program: str
    lines: tuple[Line, ...] = ()

    @property
    def annotated(self) -> str:
        """The program with its recorded output as comments below its lines."""
        return annotate(self.program, self.lines)

    @property
    def needs_cuda(self) -> bool:
        return bool(NEEDS_CUDA.search(self.program))


def as_script(title: str, steps: Sequence[ShownStep], *, note: str = "") -> str:
    """Write a Python file in which every step is a function.

    Args:
        title: The lesson's title.
        steps: The steps in order.
        note: The machine of the visitor's devices.

    Raises:
        SyntaxError: A program does not compile, or not inside a function.
    """
    names = [_function_name(number, step) for number, step in enumerate(steps, start=1)]
    functions = [_function(name, step) for name, step in zip(names, steps, strict=True)]
    apart = [name for name, step in zip(names, steps, strict=True) if sets_process(step.program)]
    head = "\n\n".join(part for part in (_one_line(title), _wrap(note)) if part)
    imports = "import multiprocessing\nimport sys\n" if apart else "import sys\n"
    tuples = _tuple("STEPS", names)
    if apart:
        tuples += _tuple("APART", apart)
        ways = [RUN, RUN_APART, MAIN.format(run="(run_apart if step in APART else run)")]
    else:
        ways = [RUN, MAIN.format(run="run")]
    return "\n\n".join([f"{_docstring(head)}\n{imports}", *functions, tuples, *ways])


def as_notebook(
    title: str,
    steps: Sequence[ShownStep],
    *,
    note: str = "",
    restart_note: str = "",
    cuda_note: str = "",
) -> str:
    """Write a notebook with two cells per step: its words, and its program.

    A cell whose program raises an error is tagged ``raises-exception``: the notebook goes on.

    Args:
        title: The lesson's title.
        steps: The steps in order.
        note: The machine of the visitor's devices.
        restart_note: Shown where a program changes the whole kernel, such as its default
            device, which affects the cells after it.
        cuda_note: Shown where a program names a CUDA device.
    """
    from nbformat import v4, writes  # here: a tenth of a second of every start, for one click

    head = f"# {_one_line(title)}\n\n{note}".strip()
    cells = [v4.new_markdown_cell(head, id="title")]
    for number, step in enumerate(steps, start=1):
        name = f"{number}-{step.id}"[:56]  # an id has at most 64 characters
        parts = [f"## {number}. {_one_line(step.title)}", step.prose]
        if restart_note and sets_process(step.program):
            parts.append(f"*{restart_note}*")
        if cuda_note and step.needs_cuda:
            parts.append(f"*{cuda_note}*")
        cells.append(v4.new_markdown_cell("\n\n".join(parts).strip(), id=f"{name}-words"))
        cells.append(
            v4.new_code_cell(
                step.annotated.strip(),
                id=f"{name}-code",
                metadata={"tags": ["raises-exception"]},
            )
        )
    return str(writes(v4.new_notebook(cells=cells, metadata=METADATA))) + "\n"


def program_as_notebook(program: str) -> str:
    """Write a notebook with one cell, which holds a program."""
    from nbformat import v4, writes  # here, as above

    cell = v4.new_code_cell(program.rstrip(), id="program")
    return str(writes(v4.new_notebook(cells=[cell], metadata=METADATA))) + "\n"


def without_line_numbers(prose: str) -> str:
    """Leave out the sentences about a numbered line: they ask a question, and files have none.

    >>> without_line_numbers("A tensor has a device. Say what line {line} prints.")
    'A tensor has a device.'
    """
    return NAMES_A_LINE.sub("", prose)


def annotate(program: str, lines: Sequence[Line]) -> str:
    """Insert the output and the error of each line below it, as comments.

    >>> print(annotate("print(1)", [Line(1, printed="1\\n")]))
    print(1)
    # 1
    """
    outputs = {line.number: f"{line.printed}{line.error}".rstrip("\n") for line in lines}
    annotated = []
    for number, code in enumerate(program.splitlines(), start=1):
        annotated.append(code)
        comments = outputs.get(number, "").splitlines()
        indent = code[: len(code) - len(code.lstrip())]
        annotated += [f"{indent}# {each}".rstrip() for each in comments[:MAX_COMMENT_LINES]]
        annotated += [f"{indent}# …"] if len(comments) > MAX_COMMENT_LINES else []
    return "\n".join(annotated)


def sets_process(program: str) -> bool:
    """Return whether a program changes process-wide state that later code depends on.

    >>> sets_process('torch.set_default_device("cuda:0")'), sets_process("x = torch.ones(2)")
    (True, False)
    """
    return bool(SETS_PROCESS.search(program))


def _tuple(name: str, members: Sequence[str]) -> str:
    lines = [f"{INDENT}{member}," for member in members]
    return "\n".join([f"{name} = (", *lines, ")", ""])


def _function_name(number: int, step: ShownStep) -> str:
    return f"step_{number}_{re.sub(r'[^0-9a-z]+', '_', step.id.lower()).strip('_')}"


def _function(name: str, step: ShownStep) -> str:
    program = step.annotated.strip()
    compile(program, f"<{step.id}>", "exec")
    head = f"def {name}():\n{textwrap.indent(_docstring(_one_line(step.title)), INDENT)}"
    prose = "".join(f"{INDENT}{line}\n" for line in _comment(step.prose))
    function = f"{head}{prose}\n{_indent_code(program)}\n"
    _check_same_code(function, program)
    return function


def _indent_code(program: str) -> str:
    """Indent a program, but not the lines inside its strings: they would become other strings."""
    inside_strings: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(program).readline):
        if token.type == tokenize.STRING:
            inside_strings.update(range(token.start[0] + 1, token.end[0] + 1))
    lines = program.splitlines()
    return "\n".join(
        line if number in inside_strings or not line.strip() else INDENT + line
        for number, line in enumerate(lines, start=1)
    )


def _check_same_code(function: str, program: str) -> None:
    """Check that the function's body is the program, statement by statement."""
    compile(function, "<export>", "exec")
    (definition,) = ast.parse(function).body
    if not isinstance(definition, ast.FunctionDef):
        raise SyntaxError("a step must become one function")
    body = definition.body[1:]  # without docstring
    if [ast.dump(each) for each in body] != [ast.dump(each) for each in ast.parse(program).body]:
        raise SyntaxError(f"indenting changed the program of {definition.name}")


def _docstring(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    if escaped.endswith('"'):
        escaped = escaped[:-1] + '\\"'
    return f'"""{escaped}\n"""\n' if "\n" in escaped else f'"""{escaped}"""\n'


def _comment(prose: str) -> Iterator[str]:
    """Format prose as comment lines; code blocks keep their line breaks."""
    is_code = False
    for line in prose.strip().splitlines():
        is_code ^= line.lstrip().startswith(("```", "~~~"))
        for wrapped in [line] if is_code else _wrap(line).splitlines() or [""]:
            yield f"# {wrapped}".rstrip()


def _wrap(text: str) -> str:
    wide = len(WIDE_CHARACTER.findall(text))
    columns = WIDTH // 2 if wide > len(text) / 3 else WIDTH - 8  # a wide character takes two
    return "\n".join(textwrap.wrap(text, columns))


def _one_line(text: str) -> str:
    return " ".join(text.split())
