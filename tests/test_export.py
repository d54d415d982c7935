"""Exported files are executed as a student would: by Python, and by a Jupyter kernel."""

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from playground import catalog
from playground.export import ShownStep, annotate, as_notebook, as_script
from playground.steps import Line, load_step
from tests.answers import answer_once

ADDS = ShownStep(
    id="two-on-the-cpu",
    title="Two tensors on the CPU",
    prose="They meet.\n\n```python\nx + y\n```\n\nThe *sum* stays where they are.",
    program="import torch\n\nx = torch.ones(2)\nprint((x + x).tolist())\n",
)
REFUSED = ShownStep(
    id="shapes-differ",
    title='Shapes that do not "fit"',
    prose='PyTorch refuses: `\\n` and """ are harmless here.',
    program="import torch\n\ntorch.ones(2) + torch.ones(3)\n",
)
MANY_LINES = ShownStep(
    id="text",
    title="多行文本",
    prose="张量在 CPU 上。" * 30,
    program='words = """first\n    second\nthird"""\nif words:\n    print(\n    words)\n',
)
LEAVES_A_DEFAULT = ShownStep(
    id="default-device",
    title="A default device that is not there",
    prose="It stays set.",
    program='import torch\n\ntorch.set_default_device("cuda:7")\nprint("set")\n',
)
STEPS = (MANY_LINES, REFUSED, LEAVES_A_DEFAULT, ADDS)
LESSONS = Path(__file__).parent.parent / "playground" / "lessons"
NAMES = sorted(file.parent.name for file in LESSONS.glob("*/lesson.toml"))
IN_A_KERNEL = ("tensors", "devices")  # the longest one, and one that sets what stays set
FORGET = "%reset -f"  # the names of a notebook
# Runs each file as Python does, in a process of its own. Each has torch from the first one, since
# importing it takes longer than most files; the processes that a file itself starts have it too.
RUN_EACH = """
import multiprocessing, os, runpy, sys
import torch._dynamo  # what the first optimizer would import

FORK = multiprocessing.get_context("fork")
multiprocessing.get_context = lambda method: FORK
for file in sys.argv[1:]:
    child = FORK.Process(target=runpy.run_path, args=(file,), kwargs={"run_name": "__main__"})
    sys.argv[1:] = []
    child.start()
    child.join()
    print(f"=== {os.path.basename(file)} ended with {child.exitcode} ===", flush=True)
"""
ENDED = re.compile(r"^=== (\w+)\.py ended with (-?\d+) ===$", re.MULTILINE)
# A shown program may be refused by torch on this machine; it may not be wrong as Python.
MISTAKES = re.compile(r"^(NameError|SyntaxError|ImportError|ModuleNotFoundError)\b", re.MULTILINE)


def steps_of(name: str, language: catalog.Language) -> list[ShownStep]:
    """The steps of a real lesson at their default settings."""
    return [
        ShownStep(
            id=step.id,
            title=step.title.said(language),
            prose=step.prose.said(language),
            program=load_step(name, step.id)().program(),
            lines=answer_once(load_step(name, step.id)()).lines,
        )
        for step in catalog.lesson(name).steps
    ]


def run_script(script: str, folder: Path, *numbers: str) -> subprocess.CompletedProcess[str]:
    file = folder / "lesson.py"
    file.write_text(script, encoding="utf-8")
    return run_python(folder, str(file), *numbers)


def run_python(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run Python as someone does who does not have the playground."""
    return subprocess.run(
        [sys.executable, "-I", *words], cwd=folder, capture_output=True, text=True, timeout=300
    )


def test_a_script_runs_every_step_and_a_refusal_does_not_stop_it(tmp_path):
    ran = run_script(as_script("Title", STEPS, note="Simulated: 2 GPUs."), tmp_path)

    assert ran.returncode == 0, ran.stderr
    said = ran.stdout.split("\n\n")
    assert said[0].endswith("\nfirst\n    second\nthird")
    assert said[1].startswith('step_2_shapes_differ: Shapes that do not "fit"\nRuntimeError: ')
    assert said[3].endswith("\n[2.0, 2.0]")


def test_only_a_step_that_sets_something_for_the_process_runs_apart():
    assert "APART = (\n    step_3_default_device,\n)\n" in as_script("Title", STEPS)
    assert "multiprocessing" not in as_script("Title", (ADDS, REFUSED))


def test_a_notebook_says_where_a_restart_is_due():
    written = as_notebook("Title", STEPS, restart_note="Restart the kernel.")
    words = [cell.source for cell in nbformat.reads(written, as_version=4).cells[1::2]]
    assert [each.endswith("*Restart the kernel.*") for each in words] == [False, False, True, False]


def test_a_script_runs_the_steps_that_are_asked_for(tmp_path):
    ran = run_script(as_script("Title", STEPS), tmp_path, "1")
    assert ran.stdout == "step_1_text: 多行文本\nfirst\n    second\nthird\n\n"


def test_a_script_holds_each_program_as_a_function_with_its_words():
    script = as_script("Title", STEPS, note="Simulated: 2 GPUs.")

    tree = ast.parse(script)
    functions = [each.name for each in tree.body if isinstance(each, ast.FunctionDef)]
    assert functions == [
        *("step_1_text", "step_2_shapes_differ", "step_3_default_device", "step_4_two_on_the_cpu"),
        *("run", "run_apart", "main"),
    ]
    assert ast.get_docstring(tree) == "Title\n\nSimulated: 2 GPUs."
    assert "# The *sum* stays where they are." in script
    assert "# x + y" in script
    assert "playground" not in script


def test_a_program_that_is_no_python_is_refused():
    broken = ShownStep(id="broken", title="t", prose="p", program="x = (")
    with pytest.raises(SyntaxError, match="never closed"):
        as_script("Title", (broken,))


def test_a_notebook_is_the_same_each_time_tags_its_programs_and_keeps_chinese_readable():
    written = as_notebook("Title", STEPS, note="Simulated.")

    assert written == as_notebook("Title", STEPS, note="Simulated.")
    assert "多行文本" in written
    assert "playground" not in written
    cells = json.loads(written)["cells"]
    ids = [cell["id"] for cell in cells]
    assert ids[:3] == ["title", "1-text-words", "1-text-code"]
    assert len(set(ids)) == len(ids) == 1 + 2 * len(STEPS)
    programs = [cell["metadata"] for cell in cells if cell["cell_type"] == "code"]
    assert programs == [{"tags": ["raises-exception"]}] * len(STEPS)


def test_the_scripts_of_real_lessons_run_to_their_ends(tmp_path):
    steps = {name: steps_of(name, catalog.Language.ZH) for name in NAMES}
    for name in NAMES:
        script = as_script(catalog.lesson(name).title.zh, steps[name])
        (tmp_path / f"{name}.py").write_text(script, encoding="utf-8")

    ran = run_python(tmp_path, "-c", RUN_EACH, *(str(tmp_path / f"{name}.py") for name in NAMES))

    assert ran.returncode == 0, ran.stderr
    assert not MISTAKES.search(ran.stdout), ran.stdout
    parts = ENDED.split(ran.stdout)
    assert parts[1::3] == NAMES
    assert set(parts[2::3]) == {"0"}, ran.stderr
    for name, said in zip(NAMES, parts[0::3], strict=False):
        assert steps[name]
        assert len(re.findall(r"^step_\d+_", said, re.MULTILINE)) == len(steps[name])


def test_a_file_says_what_the_playground_answered_and_what_needs_cuda():
    program = 'x = torch.ones(1, device="cuda:0")\nprint(x)'
    lines = (Line(2, printed="tensor([1.], device='cuda:0')\n"),)
    step = ShownStep(id="a", title="A", prose="", program=program, lines=lines)

    assert step.needs_cuda
    assert step.annotated == f"{program}\n# tensor([1.], device='cuda:0')"
    assert f"    {program.splitlines()[1]}\n    # tensor([1.]" in as_script("L", [step])
    notebook = nbformat.reads(as_notebook("L", [step], cuda_note="needs a GPU"), as_version=4)
    assert notebook.cells[-2].source.endswith("*needs a GPU*")


@pytest.mark.parametrize(("count", "last"), [(1, "# 1"), (12, "# 12"), (13, "# …")])
def test_of_a_long_output_twelve_lines_are_shown(count, last):
    printed = "".join(f"{number}\n" for number in range(1, count + 1))
    below = annotate("print(x)", [Line(1, printed=printed)]).splitlines()[1:]
    assert below[:12] == [f"# {number}" for number in range(1, min(count, 12) + 1)]
    assert below[-1] == last


@pytest.mark.parametrize("name", NAMES)
def test_the_notebook_of_a_real_lesson_has_the_programs_of_its_script(name):
    steps, title = steps_of(name, catalog.Language.EN), catalog.lesson(name).title.en

    compile(as_script(title, steps), name, "exec")
    notebook = nbformat.reads(as_notebook(title, steps), as_version=4)
    nbformat.validate(notebook)
    cells = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    assert len(cells) == len(steps)
    for cell, step in zip(cells, steps, strict=True):
        assert cell.startswith(step.annotated.strip())
        compile(cell, step.id, "exec")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of the Jupyter packages' own
def test_notebooks_run_to_their_ends_past_refusals(tmp_path):
    steps = {name: steps_of(name, catalog.Language.EN) for name in IN_A_KERNEL}
    parts = [("Title", [REFUSED, ADDS])]
    parts += [(catalog.lesson(name).title.en, steps[name]) for name in IN_A_KERNEL]
    notebooks = [nbformat.reads(as_notebook(*part), as_version=4) for part in parts]
    together = notebooks[0].copy()
    together.cells = []
    for notebook in notebooks:
        together.cells += [nbformat.v4.new_code_cell(FORGET), *notebook.cells]

    NotebookClient(
        together,
        timeout=300,
        startup_timeout=300,
        kernel_name="python3",
        resources={"metadata": {"path": tmp_path}},
    ).execute()

    cells = [cell for cell in together.cells if cell.cell_type == "code" and cell.source != FORGET]
    assert len(cells) == sum(len(steps) for _, steps in parts)
    refused, added = (cell.outputs for cell in cells[:2])
    assert [output.ename for output in refused] == ["RuntimeError"]
    assert [output.text for output in added] == ["[2.0, 2.0]\n"]
    refusals = {output.ename for cell in cells for output in cell.outputs if "ename" in output}
    assert all(cell.execution_count for cell in cells)
    assert not [name for name in refusals if MISTAKES.match(name)]
