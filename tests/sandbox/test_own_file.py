import io

import pytest
import torch

from playground import sandbox
from playground.sandbox.facade import numpy_and_pandas
from playground.sandbox.facade.files import Files
from playground.sandbox.jail import StoppedBecause
from playground.sandbox.limits import LIMITS
from playground.sandbox.run_request import OwnFile
from tests.sandbox.cells import execute

TABLE = OwnFile(name="data.csv", content=b"\xef\xbb\xbfa,b\r\n1,2\r\n3,4.5\r\n")
NOTES = OwnFile(name="notes.txt", content="第一行\n第二行\n".encode())
EXCEL = OwnFile(name="data.csv", content="城市,房价\r\n上海,7\r\n".encode("gbk"))


SAVED = io.BytesIO()
torch.save({"w": torch.ones(2)}, SAVED)
TENSORS = OwnFile(name="x.pt", content=SAVED.getvalue())
CSV, NP, PD = "import csv\n", "import numpy as np\nnp", "import pandas as pd\npd"


@pytest.mark.usefixtures("open_jail")
@pytest.mark.parametrize(
    ("given", "program", "value"),
    [
        (TABLE, "open('data.csv').read()", repr("a,b\n1,2\n3,4.5\n")),
        (TABLE, "with open('data.csv', 'rb') as f:\n    x = f.read(4)\nx", repr(b"\xef\xbb\xbfa")),
        (NOTES, "open('notes.txt', encoding='utf-8').readlines()", repr(["第一行\n", "第二行\n"])),
        (NOTES, "[line.strip() for line in open('notes.txt')]", repr(["第一行", "第二行"])),
        (TABLE, f"{CSV}list(csv.reader(open('data.csv', newline='')))[2]", "['3', '4.5']"),
        (TABLE, f"{CSV}[row['b'] for row in csv.DictReader(open('data.csv'))]", "['2', '4.5']"),
        (TABLE, f"{NP}.loadtxt('data.csv', delimiter=',', skiprows=1)[1]", "array([3. , 4.5])"),
        (TABLE, f"{NP}.genfromtxt('data.csv', delimiter=',', names=True)[1].item()", "(3.0, 4.5)"),
        (TABLE, "from pathlib import Path\nlen(Path('data.csv').read_bytes())", "20"),
        (TABLE, f"{PD}.read_csv('data.csv').b.sum()", "np.float64(6.5)"),
        (EXCEL, "open('data.csv', encoding='gbk').read()", repr("城市,房价\n上海,7\n")),
        (EXCEL, f"{PD}.read_csv('data.csv', encoding='GB18030').房价.sum()", "np.int64(7)"),
        (NOTES, "open('notes.txt', encoding='utf-8-sig').read(3)", repr("第一行")),
        (NOTES, "open('notes.txt', encoding='latin-1').read(1)", repr("ç")),
        (TENSORS, "import torch\ntorch.load('x.pt')['w']", repr(torch.ones(2))),
    ],
)
def test_a_program_reads_a_file_of_the_student(given, program, value):
    report = sandbox.run(program, own_file=given)
    assert (report.violations, report.message, report.value) == ((), "", value)


@pytest.mark.usefixtures("open_jail")
@pytest.mark.parametrize(
    ("program", "error"),
    [
        ("open('other.csv')", "FileNotFoundError"),
        ("open('/etc/passwd')", "TypeError"),
        ("open('../../etc/passwd')", "FileNotFoundError"),
        ("open('x/../../../etc/passwd')", "TypeError"),
        ("from pathlib import Path\nPath('x') / '/etc/passwd'", "TypeError"),
        ("open(0)", "TypeError"),
        ("open('data.csv', 'r+')", "ValueError"),
        ("open('data.csv', 'x')", "FileExistsError"),
        ("open('folder/data.csv', 'w')", "FileNotFoundError"),
        (f"{PD}.read_csv('/etc/passwd')", "TypeError"),
        (f"{PD}.read_csv('file:///etc/passwd')", "TypeError"),
        (f"{NP}.loadtxt('/etc/passwd')", "TypeError"),
        (f"{NP}.loadtxt(('/etc/passwd',))", "TypeError"),
    ],
)
def test_nothing_else_is_found(program, error):
    assert sandbox.run(program, own_file=TABLE, is_checked=False).error_type == error


@pytest.mark.usefixtures("open_jail")
def test_the_next_run_finds_no_file():
    read = "from pathlib import Path\nPath('data.csv').exists()"
    assert sandbox.run(read, own_file=TABLE).value == "True"
    assert sandbox.run(read).value == "False"
    assert sandbox.run("open('data.csv')").error_type == "FileNotFoundError"


@pytest.mark.usefixtures("open_jail")
def test_arrays_that_are_saved_count_as_memory_of_the_run():
    save = "for i in range(64):\n    np.save(f'x{i}', np.ones(2**20))\n    print(i)"
    report = sandbox.run(f"import numpy as np\n{save}")

    assert report.stopped_because is StoppedBecause.MEMORY
    assert 8 * len(report.output.split()) < LIMITS.memory_bytes / 2**20


@pytest.mark.parametrize(
    ("name", "size"), [("../x", 1), ("a b", 1), ("", 1), ("x", LIMITS.own_file_bytes + 1)]
)
def test_a_file_with_another_name_or_too_large_is_none(name, size):
    with pytest.raises(ValueError, match="no file"):
        OwnFile(name=name, content=bytes(size))


@pytest.mark.parametrize("content", [b"a\r\nb\rc\n", b"\xc3\xa9\n", b""])
@pytest.mark.parametrize(
    "options", [{}, {"newline": ""}, {"newline": "\n"}, {"encoding": "latin-1"}], ids=str
)
def test_text_is_read_as_python_reads_it(content, options):
    files = Files()
    files.write("x", content)
    wanted = io.TextIOWrapper(io.BytesIO(content), **{"encoding": "utf-8", **options}).read()
    assert numpy_and_pandas.open_file(files, "x", **options).read() == wanted


WRITES = [  # what a program writes, and how
    "f = open('x', 'w')\nf.write('a\\nb')\nf.close()",
    "open('x', 'w').writelines(['a', '\\n'])\nopen('x', 'a').write('b')",
    "open('x', 'w').write('ä')\nopen('x', 'wb').write(b'a\\nb')",
    "with open('x', 'xb') as f:\n    f.write(b'a\\n')\n    f.write(b'b')",
    "f = open('x', 'w')\nprint('a', file=f)\nprint('b', end='', file=f, flush=True)",
    "with open('x', 'w', encoding='utf-16-le', newline='\\r\\n') as f:\n    f.write('a\\n')",
    "import csv\nwith open('x', 'w', newline='') as f:\n    csv.writer(f).writerow([1, 'é'])",
    "import json\nwith open('x', 'w') as f:\n    json.dump({'a': [1, 2]}, f)",
]


@pytest.mark.parametrize("program", WRITES)
@pytest.mark.filterwarnings("ignore")  # files that are left open
def test_what_a_program_writes_it_reads_as_from_a_disk(program, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(program, {})
    there = execute(f"{program}\nfound = open('x', 'rb').read()")

    assert there["found"] == (tmp_path / "x").read_bytes()


def test_a_folder_above_is_the_folder_itself():
    there = execute(
        "import os\n"
        "os.makedirs(os.path.join('..', 'data'), exist_ok=True)\n"
        "path = os.path.join('..', 'data', 'x')\n"
        "open(path, 'w').write('a')\n"
        "found = [path, open('data/x').read(), os.path.exists('./data')]"
    )
    assert there["found"] == ["../data/x", "a", True]
