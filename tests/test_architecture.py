import ast
import re
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import grimp

from tests.fresh import run_fresh

ROOT = Path(__file__).parent.parent
MAX_PAGE_LINES, MAX_MODULE_LINES = 120, 350
ROUTER = "ui.router"  # a script that draws; nothing imports it
IMPORT = re.compile(r"^\s*(?:import|from)\s+(\w+)", re.MULTILINE)
INDIRECT = re.compile(r'^\s*"""(?:What|Whether|How|Which|Where|Who) ', re.MULTILINE)


def files_below(*folders: str) -> list[Path]:
    return [file for folder in folders for file in sorted((ROOT / folder).rglob("*.py"))]


def dotted(file: Path) -> str:
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def web_modules() -> list[str]:
    shared = files_below("ui", "playground/catalog", "playground/lessons")
    single = [ROOT / "app.py", *(ROOT / "playground").glob("*.py")]
    names = map(dotted, [*single, *shared])
    return [name for name in names if name != ROUTER]


def test_the_web_process_never_loads_torch():
    program = (
        "import importlib, sys\n"
        f"for name in {web_modules()!r}:\n"
        "    importlib.import_module(name)\n"
        "    assert 'torch' not in sys.modules, name\n"
    )

    run_fresh(program)


def test_the_lab_does_not_load_pandas():
    """Streamlit would, to see whether a value of a component's data is a table: 70 MB."""
    program = (
        "import sys\n"
        "from streamlit.testing.v1 import AppTest\n"
        "from playground.sandbox import jail\n"
        "jail.preflight = lambda: jail.SelfTestResult(ok=True)  # it would load torch and pandas\n"
        f"app = AppTest.from_file({str(ROOT / 'ui/router.py')!r}, default_timeout=300).run()\n"
        f"app.switch_page({str(ROOT / 'pages/lab.py')!r}).run()\n"
        "assert not app.exception and app.button(key='lab-run')\n"
        "assert 'pandas' not in sys.modules\n"
    )

    run_fresh(program)


def test_no_module_imports_one_that_imports_it_be_it_for_a_type():
    graph = grimp.build_graph("playground", "hosting", "ui", "pages")
    imports = {each: graph.find_modules_directly_imported_by(each) for each in graph.modules}
    TopologicalSorter(imports).prepare()  # raises CycleError with the circle


def test_only_ui_touches_the_session_state():
    files = [*files_below("playground", "pages"), ROOT / "app.py"]
    assert [file for file in files if "session_state" in file.read_text("utf-8")] == []


def test_a_page_imports_its_lesson_and_the_interface_only():
    allowed = {"playground", "ui"} | set(sys.stdlib_module_names)

    imported = {
        (page.name, name)
        for page in files_below("pages")
        for name in IMPORT.findall(page.read_text("utf-8"))
    }

    assert {(page, name) for page, name in imported if name not in allowed} == set()


def test_every_path_and_function_that_the_architecture_names_is_there():
    text = (ROOT / "docs/architecture.md").read_text("utf-8")
    functions = re.findall(r"`([\w/.]+\.(?:py|js)): (\w+)`", text)
    paths = re.findall(r"`((?:hosting|pages|playground|tests|ui)/[\w/.]+)`", text)

    assert len(functions) >= 9
    assert [path for path in paths if not (ROOT / path).exists()] == []
    assert [
        (path, name)
        for path, name in functions
        if not re.search(rf"(def |^  ){name}\(", (ROOT / path).read_text("utf-8"), re.MULTILINE)
    ] == []


def test_a_page_is_short_and_no_module_too_long_to_read_at_once():
    files = files_below("playground", "hosting", "ui", "benchmarks", "tools")
    limits = dict.fromkeys(files, MAX_MODULE_LINES)
    limits |= dict.fromkeys(files_below("pages"), MAX_PAGE_LINES)
    lengths = {file: len(file.read_text("utf-8").splitlines()) for file in limits}
    assert {str(file): lines for file, lines in lengths.items() if lines > limits[file]} == {}


WALL_CLOCKS = {"time.time", "datetime.now", "datetime.utcnow", "datetime.today", "date.today"}
ENDS = re.compile(rf"\.\s*({'|'.join(clock.partition('.')[2] for clock in WALL_CLOCKS)})\b")
TELLS_THE_TIME = {
    "hosting/cookies.py",  # a cookie ends after days; a clock set back ends none
    "hosting/progress/records.py",  # when an answer was given, for people to read
    "playground/sandbox/packages/d2l.py",  # the Timer of the book, in a student's run
    "ui/lab/clinic.py",  # each day has its error; any day will do
    "ui/teacher/assignments.py",  # an assignment is due on a day of the calendar
}


def test_waits_and_limits_do_not_ask_for_the_time_of_day():
    files = files_below("hosting", "ui", "pages", "playground")
    assert {str(file.relative_to(ROOT)) for file in files if asked_of(file)} <= TELLS_THE_TIME


def asked_of(file: Path) -> set[str]:
    """The wall clocks that a module names."""
    text = file.read_text("utf-8")
    if not ENDS.search(text):  # to parse takes longer
        return set()
    tree = ast.parse(text)
    named = {ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    return {clock for clock in WALL_CLOCKS for name in named if name.endswith(clock)}


def test_no_docstring_begins_as_a_question():
    files = files_below("benchmarks", "hosting", "playground", "tests", "tools", "ui")
    assert [file for file in files if INDIRECT.search(file.read_text("utf-8"))] == []
